import type { FileInfo, OpenFile } from "../../base/world.ts";
import type { SeenFile, ToolContext } from "../tool.ts";

/** Files up to this size are hashed and edited; larger ones are compared by size and time stamp. */
export const WHOLE_BYTES_MAX = 10 * 1024 * 1024;

/** Records the state of a file that the model has seen: the base of the stale-file check (TOOL-01). */
export function recordSeenFile(
  path: string,
  info: FileInfo,
  { context, sha256 }: { context: ToolContext; sha256: string },
) {
  context.workspace.seen.set(path, { modifiedMs: info.modifiedMs, size: info.size, sha256 });
}

/** Returns true if a file is still as the model saw it: by content if known, else by size and time stamp. */
export function isUnchanged(seen: SeenFile, info: FileInfo, sha256: string): boolean {
  if (seen.sha256 !== "" && sha256 !== "") return seen.sha256 === sha256;
  return seen.size === info.size && seen.modifiedMs === info.modifiedMs;
}

export function sha256Of(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** Reads the whole content of a file; undefined above `WHOLE_BYTES_MAX`, even if the reported size is smaller. */
export async function readWhole(file: OpenFile): Promise<Uint8Array | undefined> {
  if (file.info.size > WHOLE_BYTES_MAX) return undefined;
  const bytes = await file.read(0, file.info.size + 1);
  if (bytes.length <= file.info.size) return bytes;
  // Files in /proc report size 0 and contain more; others may be growing.
  const all = await file.read(0, WHOLE_BYTES_MAX + 1);
  return all.length > WHOLE_BYTES_MAX ? undefined : all;
}
