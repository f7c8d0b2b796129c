import { HarnessError } from "../../../base/errors.ts";

/** Flags of `cinch conformance`. */
export const CONFORMANCE_FLAGS = [
  {
    name: "against",
    value: "URL",
    help: "With conformance: the server, as http://HOST:PORT, https://HOST:PORT, unix:///PATH/OF/SOCKET, or stdio://COMMAND for one that speaks MCP.",
    for: ["conformance"],
  },
  {
    name: "scenario",
    value: "A,B",
    help: "With conformance: walk only these; without, all of them.",
    for: ["conformance"],
  },
  {
    name: "quick",
    help: "With conformance: leave out what waits for a time limit of the server.",
    for: ["conformance"],
  },
  {
    name: "fail-fast",
    help: "With conformance: end behind the first scenario that failed.",
    for: ["conformance"],
  },
  {
    name: "patience",
    value: "SECONDS",
    help: "With conformance: how long a server may say nothing while a scenario waits for it (5). Raise it on a busy machine.",
    for: ["conformance"],
  },
] as const;

/** What a command line says of a run of the suite. */
export interface ConformanceWords {
  readonly against: string;
  /** The file that the token is in; absent: `CINCH_TOKEN` has it. */
  readonly tokenFile?: string;
  /** The names of scenarios; absent: all. */
  readonly scenarios?: readonly string[];
  readonly quick: boolean;
  readonly failFast: boolean;
  /** Absent: the suite's own limit. */
  readonly patienceMs?: number;
  readonly json: boolean;
  /** The profile of the scripted model. */
  readonly profile: string;
}

/** Where a server is. */
export type Against =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "stdio"; readonly argv: readonly [string, ...string[]] };

/** Reads the address of a server. @throws HarnessError UsageInvalid. */
export function readAgainst(text: string): Against {
  const [, scheme = "", rest = ""] = /^([a-z]+):\/\/(.*)$/s.exec(text) ?? [];
  if (scheme === "unix" && rest.startsWith("/")) return { kind: "unix", path: rest };
  if (scheme === "stdio") {
    const [first, ...more] = wordsOf(rest);
    if (first !== undefined) return { kind: "stdio", argv: [first, ...more] };
  }
  const url = scheme === "http" || scheme === "https" ? URL.parse(text) : null;
  if (url !== null && url.pathname === "/" && url.search === "" && url.hash === "")
    return { kind: "url", url: url.origin };
  const forms = "http://HOST:PORT, https://HOST:PORT, unix:///PATH or stdio://COMMAND";
  throw new HarnessError("UsageInvalid", { problem: `--against takes ${forms}` });
}

/** The words of a command, as a shell without any magic has them: at spaces, where no quotes stand around them. */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
