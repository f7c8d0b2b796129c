import { isBelow } from "../../base/files/below.ts";
import type { FileInfo, Files, OpenFile, Random } from "../../base/world.ts";
import { FileTooLarge } from "../../base/world.ts";
import type { SealedEnd } from "./sealed-file.ts";
import { SealedFile, sealPieces } from "./sealed-file.ts";

export interface SealedFilesOptions {
  /** Every file directly in these folders is sealed when it is written, and opened when it is read. */
  readonly directories: readonly string[];
  readonly key: Uint8Array;
  readonly random: Random;
}

/**
 * Returns the same files, except that those of one folder are on the disk only sealed (SES-04): it holds output that is
 * too long for a request, and the tools that read it see no difference. Other programs see sealed bytes.
 *
 * An unsealed file there (written by a shell) is read as it is.
 */
export function sealedFiles(files: Files, place: SealedFilesOptions): Files {
  const { key, random } = place;
  const sealer = { key, random: (count: number) => random.bytes(count) };
  /** End of each file as this writer left it, and its size then. */
  const ends = new Map<string, { readonly end: SealedEnd; readonly size: number }>();

  function isSealed(path: string): boolean {
    return place.directories.some((directory) => isBelow(directory, path));
  }

  async function findSealed(path: string): Promise<SealedFile | undefined> {
    return await SealedFile.open(key, (offset, length) => files.readRange(path, offset, length));
  }

  async function plainInfo(path: string, info: FileInfo | undefined): Promise<FileInfo | undefined> {
    if (!isSealed(path) || info?.kind !== "file") return info;
    const sealed = await findSealed(path);
    return sealed === undefined ? info : { ...info, size: sealed.size };
  }

  function sealNew(path: string, content: Uint8Array | string): Uint8Array {
    const { bytes, end } = sealPieces(sealer, bytesOf(content), "new file");
    ends.set(path, { end, size: bytes.length });
    return bytes;
  }

  async function endOf(
    path: string,
  ): Promise<{ readonly end: SealedEnd; readonly size: number } | undefined> {
    const size = (await files.lstat(path))?.size;
    const known = ends.get(path);
    if (size === undefined || known?.size === size) return size === undefined ? undefined : known;
    const end = (await findSealed(path))?.end;
    return end === undefined ? undefined : { end, size };
  }

  return {
    ...files,
    stat: async (path) => await plainInfo(path, await files.stat(path)),
    lstat: async (path) => await plainInfo(path, await files.lstat(path)),
    async readRange(path, offset, length) {
      const sealed = isSealed(path) ? await findSealed(path) : undefined;
      return await (sealed?.read(offset, length) ?? files.readRange(path, offset, length));
    },
    async read(path, bytesMax) {
      const sealed = isSealed(path) ? await findSealed(path) : undefined;
      if (sealed === undefined) return await files.read(path, bytesMax);
      if (sealed.size > bytesMax) throw new FileTooLarge(path, sealed.size, bytesMax);
      return await sealed.read(0, sealed.size);
    },
    async writeAtomic(path, content, mode) {
      await files.writeAtomic(path, isSealed(path) ? sealNew(path, content) : content, mode);
    },
    async createNew(path, content, mode) {
      return await files.createNew(path, isSealed(path) ? sealNew(path, content) : content, mode);
    },
    async append(path, content, mode) {
      // Another program writes into an empty file.
      if (!isSealed(path) || content.length === 0) return await files.append(path, content, mode);
      const before = await endOf(path);
      if (before === undefined) return await files.append(path, sealNew(path, content), mode);
      const { bytes, end } = sealPieces(sealer, bytesOf(content), before.end);
      await files.append(path, bytes, mode);
      ends.set(path, { end, size: before.size + bytes.length });
    },
    async writeResolved(path, content) {
      if (!isSealed(path)) return await files.writeResolved(path, content);
      const info = await files.writeResolved(path, sealNew(path, content));
      return { ...info, size: bytesOf(content).length };
    },
    async openResolved(path, judged) {
      if (!isSealed(path)) return await files.openResolved(path, judged);
      return await openSealed(await files.openResolved(path), key);
    },
  };
}

async function openSealed(file: OpenFile, key: Uint8Array): Promise<OpenFile> {
  const sealed = await SealedFile.open(key, (offset, length) => file.read(offset, length));
  if (sealed === undefined) return file;
  return {
    info: { ...file.info, size: sealed.size },
    read: (offset, length) => sealed.read(offset, length),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

function bytesOf(content: Uint8Array | string): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** Returns a folder by its own path and by its resolved one: tools name files by either. */
export async function ownAndResolvedPath(files: Files, directory: string): Promise<readonly string[]> {
  const real = await files.realpath(directory);
  return real === directory ? [directory] : [directory, real];
}
