import { basename, dirname, join } from "node:path";
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

/** Folders of PATH that the workspace can fill. */
interface OpenFolders {
  /** Resolved folders that lie in the workspace. */
  readonly inside: readonly string[];
  /** As they stand in PATH: where a command runs decides where they lie. */
  readonly relative: readonly string[];
}

/**
 * Says which program of the workspace one of these names would start, where a folder of PATH is relative or lies in the
 * workspace; undefined where they start none (PERM-04).
 */
export async function workspaceProgram(
  commands: readonly ShellCommand[],
  path: string | undefined,
  place: Place,
  ground: Ground,
): Promise<string | undefined> {
  const folders = await openFolders(path, place, ground.files);
  if (folders.inside.length + folders.relative.length === 0) return undefined;
  for (const command of commands) {
    const found = await programIn(folders, command, place, ground);
    if (found !== undefined) return `${found} may be what it starts, since PATH names its folder`;
  }
  return undefined;
}

async function programIn(
  { inside, relative }: OpenFolders,
  { name, directories }: ShellCommand,
  { root }: Place,
  ground: Ground,
): Promise<string | undefined> {
  const program = literalOf(name);
  if (program === undefined || program.includes("/") || BUILT_IN.has(program)) return undefined;
  const started = [program, ...(Object.hasOwn(STARTS, program) ? [STARTS[program] ?? ""] : [])];
  const folders = [...inside];
  for (const text of relative) {
    const found = await follow({ kind: "known", text, value: text, home: false }, directories, ground);
    folders.push(...(typeof found === "string" ? [root] : found.map(({ path }) => path)));
  }
  for (const file of folders.flatMap((folder) => started.map((each) => join(folder, each))))
    if ((await ground.files.stat(file)) !== undefined) return file;
  return undefined;
}

const known = new WeakMap<Files, Map<string, Promise<OpenFolders>>>();

/** Looked up once for a workspace: a folder outside of it is not the agent's to change. */
function openFolders(path: string | undefined, { root, scratch }: Place, files: Files): Promise<OpenFolders> {
  const looked = known.get(files) ?? new Map<string, Promise<OpenFolders>>();
  known.set(files, looked);
  const key = [root, scratch, path].join("\0");
  const folders = looked.get(key) ?? lookedUp(path, [root, scratch], files);
  looked.set(key, folders);
  return folders;
}

async function lookedUp(
  path: string | undefined,
  open: readonly string[],
  files: Files,
): Promise<OpenFolders> {
  // Without PATH bash looks where it was told to when it was built, and in no relative folder.
  const folders = [...new Set((path ?? "/").split(":"))];
  const inside: string[] = [];
  for (const folder of folders.filter((each) => each.startsWith("/"))) {
    const real = await placeOf(folder, files);
    if (open.some((directory) => below(directory, real) !== undefined)) inside.push(real);
  }
  const relative = folders.filter((each) => !each.startsWith("/")).map((each) => each || ".");
  return { inside, relative };
}

/** A folder that is not there yet may be made: it counts where its nearest existing parent lies. */
async function placeOf(folder: string, files: Files): Promise<string> {
  const real = await realPathIfThere(files, folder);
  return (
    real ??
    (dirname(folder) === folder ? folder : join(await placeOf(dirname(folder), files), basename(folder)))
  );
}
