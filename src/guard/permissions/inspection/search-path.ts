import { basename, dirname, join } from "node:path";
import { relativeWithin } from "../../../base/files/below.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { Files } from "../../../base/world.ts";
import type { Directories, ShellCommand } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import { agentFolders, foldersOf } from "../rules/workspace-paths.ts";
import { findOnPath, scriptProblem } from "./machine-code.ts";
import type { PathResolver } from "./resolve-word.ts";
import { resolveWord } from "./resolve-word.ts";

/** Names built into bash, which it does not search in any folder. */
const BUILT_IN = new Set("echo printf test [ pwd cd type command true false : exit".split(" "));

/** Folders of PATH that the workspace, or an agent of another session, can fill. */
interface OpenFolders {
  /** Resolved folders that lie in the workspace. */
  readonly inside: readonly string[];
  /** Relative directories of PATH, as written: the working directory of a command decides where they lie. */
  readonly relative: readonly string[];
}

/** Facts about how bash, and the programs that it starts, search for a name without a path. */
export interface SearchPath {
  /** PATH of the command; if absent, bash searches its built-in default. */
  readonly path: string | undefined;
  readonly workspace: WorkspacePaths;
  readonly resolver: PathResolver;
}

/**
 * Returns why a command may start a program of the workspace, if a folder of PATH is relative or lies in the
 * workspace; otherwise undefined (PERM-04).
 *
 * With such a folder on PATH, a program that starts another by its name may start one of the workspace. Only machine
 * code passes: the programs of the tables that are machine code start none. `git-programs.ts` checks what git starts.
 */
export async function workspaceProgramProblem(
  commands: readonly ShellCommand[],
  search: SearchPath,
): Promise<string | undefined> {
  const folders = await openFolders(search);
  if (!isOpen(folders)) return undefined;
  for (const { name, directories } of commands) {
    const program = literalOf(name);
    if (program === undefined || BUILT_IN.has(program)) continue;
    const problem = await nameProblem(program, directories, folders, search);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns the same for one name that a program starts in a directory, absolute. */
export async function startedProgramProblem(
  program: string,
  directory: string,
  search: SearchPath,
): Promise<string | undefined> {
  return await nameProblem(program, [directory], await openFolders(search), search);
}

/** Returns true if the workspace can fill a folder of PATH. */
export async function hasOpenFolder(search: SearchPath): Promise<boolean> {
  return isOpen(await openFolders(search));
}

function isOpen({ inside, relative }: OpenFolders): boolean {
  return inside.length + relative.length > 0;
}

async function nameProblem(
  program: string,
  directories: Directories,
  { inside, relative }: OpenFolders,
  { path, workspace, resolver }: SearchPath,
): Promise<string | undefined> {
  const { files } = resolver;
  if (!program.includes("/")) {
    const folders = [...inside];
    for (const text of relative) {
      const found = await resolveWord(
        { kind: "known", text, value: text, home: false },
        directories,
        resolver,
      );
      folders.push(...(typeof found === "string" ? foldersOf(workspace) : found.map((each) => each.path)));
    }
    for (const folder of folders) {
      const file = join(folder, program);
      if ((await files.stat(file)) !== undefined)
        return `${file} may be what it starts, since PATH names its folder`;
    }
  }
  const found = program.includes("/") ? program : await findOnPath(path, program, files);
  const odd = found === undefined ? undefined : await scriptProblem(program, found, workspace, files);
  return odd && `${odd}, and PATH names a folder of the workspace`;
}

const known = new WeakMap<Files, Map<string, Promise<OpenFolders>>>();

/** Looked up once for a workspace: a folder outside it cannot be changed by the agent. */
function openFolders({ path, workspace, resolver: { files } }: SearchPath): Promise<OpenFolders> {
  const looked = known.get(files) ?? new Map<string, Promise<OpenFolders>>();
  known.set(files, looked);
  const open = agentFolders(workspace);
  const key = [...open, path].join("\0");
  const folders = looked.get(key) ?? lookedUp(path, open, files);
  looked.set(key, folders);
  return folders;
}

async function lookedUp(
  path: string | undefined,
  open: readonly string[],
  files: Files,
): Promise<OpenFolders> {
  // Without PATH bash uses its built-in default, which has no relative folder.
  const folders = [...new Set((path ?? "/").split(":"))];
  const inside: string[] = [];
  for (const folder of folders.filter((each) => each.startsWith("/"))) {
    const real = await placeOf(folder, files);
    if (open.some((directory) => relativeWithin(directory, real) !== undefined)) inside.push(real);
  }
  const relative = folders.filter((each) => !each.startsWith("/")).map((each) => each || ".");
  return { inside, relative };
}

/** Resolves a folder. A missing one may be created: its nearest existing parent counts. */
async function placeOf(folder: string, files: Files): Promise<string> {
  const real = await realPathIfThere(files, folder);
  return (
    real ??
    (dirname(folder) === folder ? folder : join(await placeOf(dirname(folder), files), basename(folder)))
  );
}
