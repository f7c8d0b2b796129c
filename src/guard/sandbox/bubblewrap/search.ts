import { dirname, join } from "node:path";
import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import type { Files, SpawnOptions, World } from "../../../base/world.ts";
import type { Confine, SearchAccess } from "../../../session/guard/sandbox.ts";

/** First arguments of every search. Its root file system is empty except for later mounts. */
const ALONE = ["--unshare-user", "--cap-drop", "ALL", "--die-with-parent"] as const;
/** Directories where a dynamically linked program finds its libraries. */
const LIBRARIES = ["/lib", "/lib64", "/usr/lib"] as const;
/** Files in folders above the searched one, from which ripgrep reads what to leave out. */
const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"] as const;
const PROBE_MS_MAX = 10_000;

/** Returns true if bwrap can make the file system of a search here. Starts it once. */
export async function canSearch(
  { spawn, clock }: Pick<World, "spawn" | "clock">,
  program: string,
): Promise<boolean> {
  const argv = [program, ...ALONE, "--ro-bind", "/", "/", "--", "/bin/true"] as const;
  await using child = spawn({ argv, cwd: "/", env: {} });
  using limit = deadline(clock, PROBE_MS_MAX, new AbortController().signal);
  const exit = await whileAlive(child.exited, limit.signal);
  return exit.kind === "code" && exit.code === 0;
}

/**
 * Confines a search to one folder, read-only: a link that a running command puts where a folder was leads nowhere
 * (S29). No network namespace is made, which would take longer than most searches: ripgrep opens no socket.
 */
export async function searchConfine(
  files: Pick<Files, "lstat">,
  program: string,
  { root, hidden }: SearchAccess,
): Promise<Confine> {
  const [above, masks] = await Promise.all([ignoreFilesAbove(files, root), masksOf(files, hidden)]);
  return {
    wrap: (options) => wrapped(options, [program, ...ALONE, "--ro-bind", root, root, ...above, ...masks]),
    failure: (stderr) => /^bwrap: (.+)/.exec(stderr)?.[1],
  };
}

function wrapped(options: SpawnOptions, start: readonly [string, ...string[]]): SpawnOptions {
  const { argv, cwd } = options;
  // ripgrep sorts by time only if it finds itself by this name. A real /proc would need a process namespace.
  const program = ["--ro-bind", argv[0], argv[0], "--symlink", argv[0], "/proc/self/exe"];
  const libraries = LIBRARIES.flatMap((path) => ["--ro-bind-try", path, path]);
  return {
    ...options,
    argv: [...start, ...libraries, ...program, "--chdir", cwd, "--", ...argv],
    cwd: "/",
  };
}

async function masksOf(files: Pick<Files, "lstat">, hidden: readonly string[]): Promise<readonly string[]> {
  const masks = hidden.map(async (path) => {
    const kind = await kindOf(files, path);
    if (kind === undefined || kind === "symlink") return [];
    return kind === "directory" ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
  });
  return (await Promise.all(masks)).flat();
}

/** Finds ignore files as ripgrep does: in each folder above, and in a repository there. */
async function ignoreFilesAbove(files: Pick<Files, "lstat">, root: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for (let at = dirname(root); ; at = dirname(at)) {
    folders.push(at);
    if (dirname(at) === at) break;
  }
  const looks = folders.map(async (folder) => {
    const [git, exclude, ...ignores] = await Promise.all(
      [".git", ".git/info/exclude", ...IGNORE_FILES].map((name) => kindOf(files, join(folder, name))),
    );
    const there = IGNORE_FILES.filter((_, at) => ignores[at] === "file").map((name) => join(folder, name));
    const repository = exclude === "file" ? [join(folder, ".git/info/exclude")] : [];
    return [
      ...[...there, ...repository].flatMap((path) => ["--ro-bind-try", path, path]),
      // A repository that begins here ends the search for ignore files further up.
      ...(git !== undefined && repository.length === 0 ? ["--dir", join(folder, ".git")] : []),
    ];
  });
  return (await Promise.all(looks)).flat();
}

async function kindOf(files: Pick<Files, "lstat">, path: string) {
  try {
    return (await files.lstat(path))?.kind;
  } catch {
    return undefined; // access is refused, and a search is refused too
  }
}
