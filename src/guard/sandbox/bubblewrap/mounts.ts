import { dirname } from "node:path";
import { isBelow, isWithin } from "../../../base/files/below.ts";
import type { FileKind, Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { SandboxPolicy } from "../../../session/guard/sandbox.ts";

/** A mount at one path of the file system inside the sandbox. */
export type Mount =
  | { readonly kind: "bind" | "read-only"; readonly path: string; readonly source: string }
  /**
   * Nothing of the host is readable there. A file created in such a folder is lost with the command. If the folder is
   * `closed`, which costs one more mount, creating it fails.
   */
  | { readonly kind: "empty-directory" | "empty-file"; readonly path: string; readonly closed?: true };

export interface Mounts {
  readonly mounts: readonly Mount[];
  /** Missing files and folders that the sandbox creates on disk, to keep commands from creating them. */
  readonly made: readonly string[];
}

/** Folders of the host that are not visible inside, except for what is mounted again. */
export const REPLACED_FOLDERS: readonly string[] = ["/tmp", "/var/tmp", "/run"];

/** Folders below /run in which systems find their programs: everything else there is sockets. */
const RUN_KEPT = ["/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers"];

/** Files of /proc that root may read with any capabilities: the kernel checks only the user there. */
const PROC_EMPTY = [
  "/proc/kcore",
  "/proc/keys",
  "/proc/acpi",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/sched_debug",
];

/**
 * Folders with files that the user may be unable to read anyway. A home is not checked for that: its files are
 * the user's.
 */
const OF_THE_MACHINE = /^\/(?:etc|proc|var)\//;

/**
 * Plans the mounts over a read-only root, in the order in which they have to be made.
 *
 * The deepest path decides: a hidden file in a writable folder is hidden, a workspace in a hidden folder is visible.
 * A path that is protected below a writable one protects its parents too: a folder that something is mounted on
 * cannot be renamed, so no command puts another `.git` at that path.
 *
 * Every command waits for these mounts. One of a file or folder of the host costs bwrap an eighth of a millisecond,
 * since it reads the table of mounts after each; one of an empty folder costs next to nothing.
 */
export async function planMounts(
  policy: SandboxPolicy,
  files: Pick<Files, "lstat" | "list" | "read">,
): Promise<Mounts> {
  const made: string[] = [];
  const mounts: Mount[] = [
    { kind: "bind", path: "/tmp", source: policy.temporary },
    { kind: "empty-directory", path: "/var/tmp" },
    { kind: "empty-directory", path: "/run" },
    ...[policy.root, ...policy.writable].map((path) => ({ kind: "bind", path, source: path }) as const),
  ];
  const hidden = [...PROC_EMPTY, ...policy.hidden];
  const [kinds, closed] = await Promise.all([
    kindsOf(files, [...RUN_KEPT, ...hidden]),
    unreadable(
      files,
      hidden.filter((path) => OF_THE_MACHINE.test(path)),
    ),
  ]);
  for (const path of RUN_KEPT) {
    if (kinds.get(path) !== undefined) mounts.push({ kind: "read-only", path, source: path });
  }
  const writable = [policy.root, ...policy.writable];
  // A home that is the workspace, or lies in it, stays writable: it is mounted already.
  const others = policy.visible.filter(
    (path) => !writable.includes(deepestAround(path, [...writable, ...REPLACED_FOLDERS])),
  );
  const visible = await existingFolders(files, others);
  for (const path of visible) mounts.push({ kind: "read-only", path, source: path });
  const isProtected = (folder: string) => policy.readOnly.some(({ path }) => path === folder);
  const entries: ProtectedEntry[] = [];
  for (const place of policy.readOnly) {
    const base = writable
      .filter((each) => isWithin(each, place.path))
      .sort(byLength)
      .at(-1);
    if (base === undefined) continue; // the root is read-only already
    const kind = await kindOf(files, place.path);
    let { path } = place;
    if (kind === "directory" && (await isEmpty(files, path))) {
      // It may be another session's, which removes it when it ends: nothing may depend on its existence.
      mounts.push({ kind: "empty-directory", path, closed: true });
    } else if (kind === "directory" || kind === "file") {
      mounts.push({ kind: "read-only", path, source: path });
    } else if (kind === undefined) {
      if (place.onlyWhereThere === true) continue;
      if (isProtected(base)) continue; // nothing can be made there
      // If its folders are missing too, the topmost missing one must not be created.
      while (dirname(path) !== base && (await kindOf(files, dirname(path))) === undefined)
        path = dirname(path);
      if ((await kindOf(files, dirname(path))) !== "directory") continue;
      const isFile = path === place.path && place.kind === "file";
      mounts.push({ kind: isFile ? "empty-file" : "empty-directory", path, closed: true });
      made.push(path);
    } else continue; // a link: the maker of the policy protects its target
    entries.push({ path, base });
  }
  for (const path of hidden) {
    const kind = kinds.get(path);
    const base = deepestAround(dirname(path), writable);
    if (kind !== undefined && base !== "") entries.push({ path, base });
    if (kind === "directory") mounts.push({ kind: "empty-directory", path });
    else if (kind !== undefined && !closed.has(path)) mounts.push({ kind: "empty-file", path });
  }
  mounts.push(...entries.flatMap((each) => parentMounts(each, mounts)));
  return { mounts: inOrder(mounts, [...RUN_KEPT, ...visible]), made };
}

interface ProtectedEntry {
  readonly path: string;
  /** The writable folder that contains it. */
  readonly base: string;
}

/**
 * Returns mounts for the folders between. A folder mounted on itself cannot be renamed, so the path to what lies in
 * it stays the same. Skips a folder inside a closed one: the mount would make it writable again.
 */
function parentMounts({ path, base }: ProtectedEntry, mounts: readonly Mount[]): readonly Mount[] {
  const closed = mounts.filter((mount) => mount.kind !== "bind" && isBelow(base, mount.path));
  const parents: Mount[] = [];
  for (let parent = dirname(path); parent.length > base.length; parent = dirname(parent)) {
    const isClosed = closed.some((mount) => mount.path === parent || isBelow(mount.path, parent));
    if (!isClosed) parents.push({ kind: "bind", path: parent, source: parent });
  }
  return parents;
}

const STRENGTH: Readonly<Record<Mount["kind"], number>> = {
  bind: 0,
  "read-only": 1,
  "empty-file": 2,
  "empty-directory": 2,
};

/** Orders parents before children; keeps only the most protective mount of each path. */
function inOrder(mounts: readonly Mount[], visiblePaths: readonly string[]): readonly Mount[] {
  const strongest = new Map<string, Mount>();
  for (const mount of mounts) {
    const known = strongest.get(mount.path);
    if (known === undefined || STRENGTH[known.kind] < STRENGTH[mount.kind]) strongest.set(mount.path, mount);
  }
  const ordered = [...strongest.values()].sort((one, other) => byLength(one.path, other.path));
  // The content of a read-only or hidden folder is protected already, unless a folder between is writable again.
  return ordered.filter((mount, at) => {
    if (mount.kind === "bind" || visiblePaths.includes(mount.path)) return true;
    const around = ordered.slice(0, at).findLast((outer) => isBelow(outer.path, mount.path));
    if (around?.kind === "bind") return around.source === around.path; // else the folder of the host is not there
    return !(
      around?.kind === "empty-directory" ||
      (around?.kind === "read-only" && mount.kind === "read-only")
    );
  });
}

/** Returns the deepest of some folders that is, or contains, the path; "" if none does. */
function deepestAround(path: string, folders: readonly string[]): string {
  const holding = folders.filter((folder) => isWithin(folder, path));
  return holding.sort(byLength).at(-1) ?? "";
}

async function existingFolders(
  files: Pick<Files, "lstat">,
  paths: readonly string[],
): Promise<readonly string[]> {
  const kinds = await kindsOf(files, paths);
  return paths.filter((path) => kinds.get(path) === "directory");
}

function byLength(one: string, other: string): number {
  return one.length - other.length;
}

async function kindsOf(
  files: Pick<Files, "lstat">,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileKind | undefined>> {
  return new Map(await Promise.all(paths.map(async (path) => [path, await kindOf(files, path)] as const)));
}

/** Returns the files that this user may not read, and so no command: it has no more rights than cinch. */
async function unreadable(
  files: Pick<Files, "lstat" | "read">,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const looks = paths.map(async (path) => {
    if ((await kindOf(files, path)) !== "file") return [];
    try {
      await files.read(path, 0);
    } catch (thrown) {
      if (codeOf(thrown) === "EACCES") return [path];
    }
    return [];
  });
  return new Set((await Promise.all(looks)).flat());
}

/** Returns "other" where access is refused: no command could read it either. */
async function kindOf(files: Pick<Files, "lstat">, path: string): Promise<FileKind | undefined> {
  try {
    return (await files.lstat(path))?.kind;
  } catch {
    return "other";
  }
}

async function isEmpty(files: Pick<Files, "list">, path: string): Promise<boolean> {
  try {
    return (await files.list(path)).length === 0;
  } catch {
    return false;
  }
}
