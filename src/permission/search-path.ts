import { join } from "node:path";
import { below } from "../base/below.ts";
import { realPathIfThere } from "../base/real-path.ts";
import type { Files } from "../base/world.ts";
import type { ShellCommand } from "../shell/analysis.ts";
import { literalOf } from "../shell/analysis.ts";
import type { Place } from "./place.ts";
import type { Ground } from "./resolve.ts";
import { follow } from "./resolve.ts";

/** bash has these built in, and asks no folder for them. */
const BUILT_IN = new Set("echo printf test [ pwd cd type command true false : exit".split(" "));
/** They start a program of this name by themselves. */
const STARTS: Readonly<Record<string, string>> = { egrep: "grep", fgrep: "grep", tsc: "node" };

/**
 * Says which program of the workspace a name would start, where a folder of PATH is relative or lies in the workspace;
 * undefined where it starts none (PERM-04).
 */
export async function workspaceProgram(
  { name, directories }: ShellCommand,
  path: string | undefined,
  place: Place,
  ground: Ground,
): Promise<string | undefined> {
  const program = literalOf(name);
  if (program === undefined || program.includes("/") || BUILT_IN.has(program)) return undefined;
  const started = [program, ...(Object.hasOwn(STARTS, program) ? [STARTS[program] ?? ""] : [])];
  // Without PATH bash looks where it was told to when it was built, and in no relative folder.
  for (const folder of new Set((path ?? "/").split(":"))) {
    for (const from of await placesOf(folder, directories, place, ground)) {
      for (const each of started) {
        const found = join(from, each);
        if ((await ground.files.stat(found)) !== undefined)
          return `${each} may be ${found}, since PATH names a folder of the workspace`;
      }
    }
  }
  return undefined;
}

/** The places of one folder of PATH that the workspace can fill. */
async function placesOf(
  folder: string,
  directories: ShellCommand["directories"],
  place: Place,
  ground: Ground,
): Promise<readonly string[]> {
  if (folder.startsWith("/")) {
    const real = await realFolder(folder, ground.files);
    return real !== undefined && isWorkspace(real, place) ? [real] : [];
  }
  const text = folder === "" ? "." : folder;
  const found = await follow({ kind: "known", text, value: text, home: false }, directories, ground);
  return typeof found === "string" ? [place.root] : found.map(({ path }) => path);
}

function isWorkspace(path: string, { root, scratch }: Place): boolean {
  return [root, scratch].some((directory) => below(directory, path) !== undefined);
}

const realFolders = new WeakMap<Files, Map<string, Promise<string | undefined>>>();

/** Looked up once: a folder outside of the workspace is not the agent's to change. */
function realFolder(folder: string, files: Files): Promise<string | undefined> {
  const known = realFolders.get(files) ?? new Map<string, Promise<string | undefined>>();
  realFolders.set(files, known);
  const real = known.get(folder) ?? realPathIfThere(files, folder);
  known.set(folder, real);
  return real;
}
