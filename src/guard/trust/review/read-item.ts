import { join, relative, sep } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { isWithin } from "../../../base/files/below.ts";
import { unreadableProblem } from "../../../base/files/unreadable.ts";
import { count, grouped } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf, PathMoved } from "../../../base/world.ts";
import type { TrustFile, TrustItem, TrustKind, TrustScope } from "../../../session/guard/trust.ts";
import { trustFile } from "../ledger/item.ts";

/** Location of an item, and the use for which it would be loaded. */
export interface ItemLocation {
  /** Resolved. Nothing outside it is read, not even through links. */
  readonly root: string;
  readonly path: string;
  readonly kind: TrustKind;
  readonly scope: TrustScope;
}

/** `refused`: it exists and is never loaded; `why` is a sentence for the user. */
export type ReadItem =
  | { readonly kind: "item"; readonly item: TrustItem }
  | { readonly kind: "refused"; readonly path: string; readonly why: string }
  | { readonly kind: "absent" };

export const ITEM_FILE_BYTES_MAX = 1024 * 1024;
export const ITEM_FILES_MAX = 256;
export const ITEM_BYTES_MAX = 8 * 1024 * 1024;
const ITEM_DEPTH_MAX = 8;

/** Reason why an item is not loaded; never leaves this file. */
class Refused extends Error {}

/** Reads one file, once: the hashed bytes are those that are passed on (S29). */
export async function readFileItem(files: Files, place: ItemLocation): Promise<ReadItem> {
  return await reading(files, place, async (path) => {
    const file = await readFile(files, { at: path, root: place.root, path: "" });
    return { ...itemOf(place, path), files: [file] };
  });
}

/**
 * Reads a folder with every file in it, hidden ones too: anything that a skill can load later must have been inspected
 * (S42). Refuses the whole folder over a limit, with a link that leads out, or with anything but files and folders.
 */
export async function readFolderItem(files: Files, place: ItemLocation): Promise<ReadItem> {
  return await reading(files, place, async (path) => {
    if ((await files.stat(path))?.kind !== "directory") throw new Refused("is not a folder");
    const found = await readFolder(files, path);
    if (found.length === 0) throw new Refused("is an empty folder");
    return { ...itemOf(place, path), files: found };
  });
}

async function reading(
  files: Files,
  place: ItemLocation,
  read: (path: string) => Promise<TrustItem>,
): Promise<ReadItem> {
  const { path, root } = place;
  try {
    if ((await files.lstat(path)) === undefined) return { kind: "absent" };
    const resolved = await files.realpath(path);
    if (!isWithin(root, resolved)) throw new Refused("is a link that leads outside");
    return { kind: "item", item: await read(resolved) };
  } catch (thrown) {
    if (thrown instanceof Refused)
      return { kind: "refused", path, why: `${thrown.message}, and was not read` };
    if (codeOf(thrown) === undefined && !(thrown instanceof PathMoved)) throw thrown;
    return {
      kind: "refused",
      path,
      why: unreadableProblem(thrown) ?? `cannot be read: ${messageOf(thrown)}`,
    };
  }
}

function itemOf({ kind, scope }: ItemLocation, path: string): Omit<TrustItem, "files"> {
  return { kind, path, scope };
}

async function readFolder(files: Files, root: string): Promise<readonly TrustFile[]> {
  const found: TrustFile[] = [];
  let bytes = 0;
  const folders = [{ path: root, depth: 0 }];
  for (const folder of folders) {
    if (folder.depth > ITEM_DEPTH_MAX) throw new Refused(`is more than ${ITEM_DEPTH_MAX} folders deep`);
    for (const { name, kind } of await files.listResolved(folder.path, 0)) {
      const at = join(folder.path, name);
      const path = relative(root, at).split(sep).join("/");
      if (kind === "directory") folders.push({ path: at, depth: folder.depth + 1 });
      else if (kind === "other") throw new Refused(`holds ${path}, which is not a regular file`);
      else {
        if (found.length === ITEM_FILES_MAX)
          throw new Refused(`holds more than ${count(ITEM_FILES_MAX, "file")}`);
        const file = await readFile(files, { at: await files.realpath(at), root, path });
        bytes += file.bytes.length;
        if (bytes > ITEM_BYTES_MAX) throw new Refused(`holds more than ${grouped(ITEM_BYTES_MAX)} bytes`);
        found.push(file);
      }
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function readFile(
  files: Files,
  { at, root, path }: { readonly at: string; readonly root: string; readonly path: string },
): Promise<TrustFile> {
  const named = path === "" ? "" : `holds ${path}, which `;
  if (!isWithin(root, at)) throw new Refused(`${named}is a link that leads outside`);
  const info = await files.stat(at);
  if (info !== undefined && info.kind !== "file") throw new Refused(`${named}is not a regular file`);
  await using file = await files.openResolved(at);
  const { size, mode } = file.info;
  if (size > ITEM_FILE_BYTES_MAX)
    throw new Refused(`${named}has ${grouped(size)} bytes, more than ${grouped(ITEM_FILE_BYTES_MAX)}`);
  const bytes = await file.read(0, size + 1);
  if (bytes.length > size) throw new Refused(`${named}grew while it was read`);
  return trustFile(path, bytes, mode);
}
