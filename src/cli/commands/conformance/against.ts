import { HarnessError } from "../../../base/errors.ts";

/** Address of a server. */
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

/** Splits a command into words at spaces outside of quotes. Nothing is expanded. */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
