import { resolve } from "node:path";
import { reachesChildren } from "../../base/child-environment.ts";
import type { SettingsOf, TableSection } from "../../session/config-section.ts";
import { parseHostEntry } from "../../session/guard/hosts.ts";
import { SANDBOX_BACKENDS, UNAVAILABLE_POLICIES } from "../../session/guard/sandbox.ts";
import { isNeededPath } from "./policy/system-paths.ts";

/** `[sandbox]`: the sandbox of commands. */
export const sandboxSection = {
  shape: "table",
  name: "sandbox",
  about: "The sandbox of commands: [sandbox](../sandbox.md).",
  keys: {
    backend: {
      kind: "word",
      key: "backend",
      words: SANDBOX_BACKENDS,
      meaning: "The program that confines commands.",
      default: "auto",
      example: "bubblewrap",
    },
    image: {
      kind: "text",
      key: "image",
      meaning: "For `container`: an image of this machine that holds bash.",
      otherwise: "none",
      example: "localhost/toolbox",
    },
    unavailable: {
      kind: "word",
      key: "unavailable",
      words: UNAVAILABLE_POLICIES,
      meaning: "Without a working sandbox: asks for each command, or refuses every command.",
      default: "ask",
      example: "refuse",
    },
    network: {
      kind: "texts",
      key: "network",
      meaning: "Hosts that commands may reach. Empty: none.",
      default: [],
      example: ["example.com", "*.example.org:8443"],
      check(hosts: readonly string[]) {
        const problems = hosts.flatMap((text) => {
          const entry = parseHostEntry(text);
          return "problem" in entry ? [entry.problem] : [];
        });
        return problems.length === 0 ? undefined : problems.join("; ");
      },
    },
    writable: {
      kind: "texts",
      key: "writable",
      meaning: "Folders outside the workspace that commands may write. Absolute, or below `~/`.",
      default: [],
      example: ["~/.cache/shared"],
      merge: "add",
      check: (paths: readonly string[]) => pathProblems("writable", paths),
    },
    hidden: {
      kind: "texts",
      key: "hidden",
      meaning:
        "Further paths that commands may not see. Absolute, or below `~/`; a repository's are relative to it.",
      default: [],
      example: ["~/notes"],
      merge: "add",
      project: "restrict",
      check: (paths: readonly string[]) => pathProblems("hidden", paths),
      checkInProject: projectHiddenProblems,
    },
    passEnv: {
      kind: "texts",
      key: "pass_env",
      meaning: "Variables with a secret that commands get all the same, by their names.",
      default: [],
      example: ["DATABASE_URL"],
      merge: "add",
      check: variableProblem,
    },
  },
  check: (said) =>
    said["backend"] === "container" && said["image"] === undefined
      ? { key: "image", problem: "is missing: the container that commands run in" }
      : undefined,
} as const satisfies TableSection;

/** The sandbox settings of a session, merged. */
export type SandboxSettings = SettingsOf<typeof sandboxSection>;

function variableProblem(names: readonly string[]): string | undefined {
  for (const name of names) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `"${name}" is not a variable name`;
    if (!reachesChildren(name)) return `${name} reaches no child of cinch: it changes what a program runs`;
  }
  return undefined;
}

/** The refusal of the root of the file system in each list. */
const WHOLE = {
  writable: "a sandbox that can write everywhere confines nothing: name the folders that commands need",
  hidden: "no command runs that sees nothing: name the places that commands may not see",
} as const;

/**
 * System paths: with the host's instead of the sandbox's, a command would see other programs, or no device would work.
 */
const OF_THE_SYSTEM = /^\/proc(?:\/|$)|^\/dev$/;
const NOT_WRITABLE = "is of the system, and each sandbox has its own: take it out";

const NOT_HIDDEN = "is of the system, and no command starts without it: take it out";

/**
 * Checks the entries of a repository: as the user's, or relative to the repository, and below it. Refuses places of
 * the system, which would take the sandbox away from the user's commands.
 */
function projectHiddenProblems(listed: readonly string[]): string | undefined {
  const isAbsolute = (path: string) => /^(?:~?\/)/.test(path);
  const problems = listed.flatMap((path) => {
    if (isAbsolute(path))
      return pathProblems("hidden", [path]) ?? (isNeededPath(path) ? `"${path}" ${NOT_HIDDEN}` : []);
    if (path.split("/").includes("..")) return `"${path}" must be a path below the repository, without ..`;
    return resolve("/", path) === "/" ? `"${path}" is the whole repository: name the places in it` : [];
  });
  return problems.length === 0 ? undefined : problems.join("; ");
}

function pathProblems(key: "writable" | "hidden", listed: readonly string[]): string | undefined {
  const wrong = listed.filter((path) => !/^(?:~?\/)/.test(path) || path.split("/").includes(".."));
  const problems = wrong.map((path) => `"${path}" must be an absolute path, or begin with ~/, without ..`);
  for (const path of listed) {
    const real = resolve("/", path);
    if (wrong.includes(path) || path.startsWith("~")) continue;
    if (real === "/") problems.push(`"${path}" is the whole machine, and ${WHOLE[key]}`);
    if (key === "writable" && OF_THE_SYSTEM.test(real)) problems.push(`"${path}" ${NOT_WRITABLE}`);
  }
  return problems.length === 0 ? undefined : problems.join("; ");
}
