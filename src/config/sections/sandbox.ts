import { resolve } from "node:path";
import { reachesChildren } from "../../base/child-environment.ts";
import { parseHostEntry } from "../../session/guard/hosts.ts";
import type { SandboxBackend, UnavailablePolicy } from "../../session/guard/sandbox.ts";
import { SANDBOX_BACKENDS, UNAVAILABLE_POLICIES } from "../../session/guard/sandbox.ts";
import type { Table } from "../table.ts";

/** What a profile or config.toml says of the sandbox. Absent: nothing is said. */
export interface SandboxSettings {
  readonly backend?: SandboxBackend;
  /** For the backend `container`: an image of this machine that holds bash. */
  readonly image?: string;
  /** What happens to commands where there is none. */
  readonly unavailable?: UnavailablePolicy;
  /** Hosts that commands may reach; empty: none. */
  readonly network?: readonly string[];
  /** Folders outside the workspace that commands may write. Absolute, or below `~/`. */
  readonly writable?: readonly string[];
  /** Further paths that commands may not see. Absolute, or below `~/`. */
  readonly hidden?: readonly string[];
  /** Variables that hold a secret and that commands get all the same, by their names. */
  readonly passEnv?: readonly string[];
}

/** Reads `[sandbox]`. Unknown keys are errors: a misspelt one must not open anything. */
export function sandboxFrom(parent: Table): SandboxSettings | undefined {
  const table = parent.table("sandbox");
  if (table === undefined) return undefined;
  const backend = table.oneOf("backend", SANDBOX_BACKENDS);
  const image = table.string("image");
  const unavailable = table.oneOf("unavailable", UNAVAILABLE_POLICIES);
  const network = table.strings("network");
  const writable = paths(table, "writable", table.strings("writable"));
  const hidden = paths(table, "hidden", table.strings("hidden"));
  const passEnv = variables(table, table.strings("pass_env"));
  table.refuseUnknown();
  const unread = (network ?? []).flatMap((text) => {
    const entry = parseHostEntry(text);
    return "problem" in entry ? [entry.problem] : [];
  });
  if (unread.length > 0) throw table.problem("network", unread.join("; "));
  if (backend === "container" && image === undefined) {
    throw table.problem("image", "is missing: the container that commands run in");
  }
  return {
    ...(backend === undefined ? {} : { backend }),
    ...(image === undefined ? {} : { image }),
    ...(unavailable === undefined ? {} : { unavailable }),
    ...(network === undefined ? {} : { network }),
    ...(writable === undefined ? {} : { writable }),
    ...(hidden === undefined ? {} : { hidden }),
    ...(passEnv === undefined ? {} : { passEnv }),
  };
}

function variables(table: Table, names: readonly string[] | undefined): readonly string[] | undefined {
  for (const name of names ?? []) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw table.problem("pass_env", `"${name}" is no name of a variable`);
    if (!reachesChildren(name))
      throw table.problem("pass_env", `${name} reaches no child of cinch: it changes what a program runs`);
  }
  return names;
}

/** What the root of the file system would be in each list. */
const WHOLE = {
  writable: "a sandbox that writes everywhere is none: name the folders that commands need",
  hidden: "no command runs that sees nothing: name the places that commands may not see",
} as const;

/** With the machine's own in its place a command would see other programs, or no device would work. */
const OF_THE_SYSTEM = /^\/proc(?:\/|$)|^\/dev$/;
const NOT_WRITABLE = "is of the system, and each sandbox has its own: take it out";

function paths(
  table: Table,
  key: "writable" | "hidden",
  listed: readonly string[] | undefined,
): readonly string[] | undefined {
  const wrong = (listed ?? []).filter((path) => !/^(?:~?\/)/.test(path) || path.split("/").includes(".."));
  const problems = wrong.map((path) => `"${path}" must be an absolute path, or begin with ~/, without ..`);
  for (const path of listed ?? []) {
    const real = resolve("/", path);
    if (wrong.includes(path) || path.startsWith("~")) continue;
    if (real === "/") problems.push(`"${path}" is the whole machine, and ${WHOLE[key]}`);
    if (key === "writable" && OF_THE_SYSTEM.test(real)) problems.push(`"${path}" ${NOT_WRITABLE}`);
  }
  if (problems.length > 0) throw table.problem(key, problems.join("; "));
  return listed;
}
