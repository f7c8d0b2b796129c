import type { ResolvedPath } from "../paths.ts";
import { fileFailure } from "../paths.ts";
import type { ToolContext } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import { recordSeenFile, sha256Of } from "./seen-files.ts";

interface Store {
  readonly bytes: Uint8Array;
  readonly context: ToolContext;
  /** Mode of the file that is replaced, if any. */
  readonly before: { readonly mode?: number };
}

/**
 * Writes new content to a planned file in one step, and records that the model knows it.
 *
 * A failure leaves the old content unchanged: a full disk loses nothing.
 * @throws ToolFailure
 */
export async function storeFile(file: ResolvedPath, { bytes, context, before }: Store): Promise<void> {
  if (before.mode !== undefined && (before.mode & 0o222) === 0) {
    throw new ToolFailure(`${file.shown} is read-only (mode ${before.mode.toString(8)})`);
  }
  context.signal.throwIfAborted();
  try {
    const info = await context.world.files.writeResolved(file.path, bytes);
    recordSeenFile(file.path, info, { context, sha256: sha256Of(bytes) });
  } catch (thrown) {
    throw fileFailure(thrown, file.shown);
  }
}
