import { dirname } from "node:path";
import { isBelow, isWithin } from "../../../base/files/below.ts";
import type { FileKind, Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { SandboxPolicy } from "../../../session/guard/sandbox.ts";

/** What stands at one place of the file system inside the sandbox. */
export type Mount =
  | { readonly kind: "bind" | "read-only"; readonly path: string; readonly source: string }
  /**
   * Nothing of the host is there to be read. What is made in such a folder is gone with the command; where it is `closed`,
   * which costs a mount more, making it fails.
   */
  | { readonly kind: "empty-directory" | "empty-file"; readonly path: string; readonly closed?: true };

export interface Mounts {
  readonly mounts: readonly Mount[];
  /** Places that are not there, which the sandbox makes on the disk to keep them from being made by others. */
  readonly made: readonly string[];
}

/** What the host has there is not there inside, but for what is mounted again. */
export const REPLACED: readonly string[] = ["/tmp", "/var/tmp", "/run"];

/** Of what lies below /run, what systems need to find their programs: everything else there is sockets. */
const RUN_KEPT = ["/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers"];

/** Of /proc, what root may look into however few capabilities it has: the kernel asks there for the user alone. */
const PROC_EMPTY = [
  "/proc/kcore",
  "/proc/keys",
  "/proc/acpi",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/sched_debug",
];

/** Here lies what the user may be unable to read anyway. A home is not looked at for that: its files are the user's own. */
const OF_THE_MACHINE = /^\/(?:etc|proc|var)\//;

/**
 * Works out what the sandbox mounts over a root that is read-only, in the order in which it has to.
 *
 * The deepest place decides: a hidden file in a writable folder is hidden, a workspace in a hidden folder is there. A
 * place that is protected below a writable one takes its parents with it: a folder that something is mounted on cannot
 * be renamed, so nobody puts another `.git` in the place of this one.
 *
 * Every command waits for these mounts. One of a file or folder of the host costs bwrap an eighth of a millisecond, since it
 * reads the table of mounts after each; one of an empty folder next to nothing.
 */
export async function mountsFor(
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
  // A home that is worked in, or lies in the workspace, stays writable: it is there already.
  const others = policy.visible.filter(
    (path) => !writable.includes(deepestAround(path, [...writable, ...REPLACED])),
  );
  const visible = await existingFolders(files, others);
  for (const path of visible) mounts.push({ kind: "read-only", path, source: path });
  const isProtected = (folder: string) => policy.readOnly.some(({ path }) => path === folder);
  const held: Held[] = [];
  for (const place of policy.readOnly) {
    const base = writable
      .filter((each) => isWithin(each, place.path))
      .sort(byLength)
      .at(-1);
    if (base === undefined) continue; // the root is read-only already
    const kind = await kindOf(files, place.path);
    let { path } = place;
    if (kind === "directory" && (await isEmpty(files, path))) {
      // It may be another session's, which removes it when it ends: nothing depends on its being there.
      mounts.push({ kind: "empty-directory", path, closed: true });
    } else if (kind === "directory" || kind === "file") {
      mounts.push({ kind: "read-only", path, source: path });
    } else if (kind === undefined) {
      if (place.onlyWhereThere === true) continue;
      if (isProtected(base)) continue; // nothing can be made there
      // Where its folders are not there either, the first of them is what must not be made.
      while (dirname(path) !== base && (await kindOf(files, dirname(path))) === undefined)
        path = dirname(path);
      if ((await kindOf(files, dirname(path))) !== "directory") continue;
      const isFile = path === place.path && place.kind === "file";
      mounts.push({ kind: isFile ? "empty-file" : "empty-directory", path, closed: true });
      made.push(path);
    } else continue; // a link: whoever made the policy protects where it stands
    held.push({ path, base });
  }
  for (const path of hidden) {
    const kind = kinds.get(path);
    const base = deepestAround(dirname(path), writable);
    if (kind !== undefined && base !== "") held.push({ path, base });
    if (kind === "directory") mounts.push({ kind: "empty-directory", path });
    else if (kind !== undefined && !closed.has(path)) mounts.push({ kind: "empty-file", path });
  }
  mounts.push(...held.flatMap((each) => heldAbove(each, mounts)));
  return { mounts: inOrder(mounts, [...RUN_KEPT, ...visible]), made };
}

interface Held {
  readonly path: string;
  /** The writable folder that it is in. */
  readonly base: string;
}

/**
 * The folders between: one that is mounted on itself keeps its name, and so what lies in it is found there again. Not in a
 * place that is closed as a whole: there it would be writable again.
 */
function heldAbove({ path, base }: Held, mounts: readonly Mount[]): readonly Mount[] {
  const closed = mounts.filter((mount) => mount.kind !== "bind" && isBelow(base, mount.path));
  const held: Mount[] = [];
  for (let parent = dirname(path); parent.length > base.length; parent = dirname(parent)) {
    const isClosed = closed.some((mount) => mount.path === parent || isBelow(mount.path, parent));
    if (!isClosed) held.push({ kind: "bind", path: parent, source: parent });
  }
  return held;
}

const STRENGTH: Readonly<Record<Mount["kind"], number>> = {
  bind: 0,
  "read-only": 1,
  "empty-file": 2,
  "empty-directory": 2,
};

/** Parents before children; at one place only what protects most. */
function inOrder(mounts: readonly Mount[], kept: readonly string[]): readonly Mount[] {
  const strongest = new Map<string, Mount>();
  for (const mount of mounts) {
    const known = strongest.get(mount.path);
    if (known === undefined || STRENGTH[known.kind] < STRENGTH[mount.kind]) strongest.set(mount.path, mount);
  }
  const ordered = [...strongest.values()].sort((one, other) => byLength(one.path, other.path));
  // What a read-only or hidden folder holds is so already, unless something between them is writable again.
  return ordered.filter((mount, at) => {
    if (mount.kind === "bind" || kept.includes(mount.path)) return true;
    const around = ordered.slice(0, at).findLast((outer) => isBelow(outer.path, mount.path));
    if (around?.kind === "bind") return around.source === around.path; // else the folder of the host is not there
    return !(
      around?.kind === "empty-directory" ||
      (around?.kind === "read-only" && mount.kind === "read-only")
    );
  });
}

/** The deepest of some folders that a path is in, or is; empty where it is in none. */
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

/** Files that this user may not read, and so no command: they have no rights that we have not. */
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

/** A place that we may not look at is none that a command could. */
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
