import type { FileHandle } from "node:fs/promises";
import { open, rename, rm } from "node:fs/promises";
import { asError, HarnessError, messageOf } from "../../base/errors.ts";
import { codeOf } from "../../base/world.ts";

const PRIVATE_MODE = 0o600;
/** Names that are tried for the temporary file. */
const PARTS_MAX = 100;

/**
 * Writes a text in pieces to a file that only its owner can read.
 *
 * An existing file is replaced once everything is written and synced; until then it is unchanged.
 * @throws HarnessError UsageInvalid if the file cannot be created or written; the signal's reason.
 */
export async function writeOutputFile(
  path: string,
  pieces: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { file, beside } = await openBeside(path);
    try {
      await writeAll(file, pieces, signal);
      await rename(beside, path);
    } catch (thrown) {
      await rm(beside, { force: true });
      throw thrown;
    }
  } catch (thrown) {
    if (thrown instanceof HarnessError || signal.aborted || codeOf(asError(thrown)) === undefined)
      throw thrown;
    const problem = `${path} cannot be written: ${messageOf(thrown)}`;
    throw new HarnessError("UsageInvalid", { problem }, { cause: thrown });
  }
}

/** Opens a new file in the same folder: an existing one, or a link, belongs to another program and stays. */
async function openBeside(path: string): Promise<{ readonly file: FileHandle; readonly beside: string }> {
  for (let number = 1; ; number += 1) {
    const beside = number === 1 ? `${path}.part` : `${path}.${number}.part`;
    try {
      return { file: await open(beside, "wx", PRIVATE_MODE), beside };
    } catch (thrown) {
      if (codeOf(thrown) !== "EEXIST" || number === PARTS_MAX) throw thrown;
    }
  }
}

async function writeAll(file: FileHandle, pieces: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  try {
    for await (const piece of pieces) {
      signal.throwIfAborted();
      await file.writeFile(piece); // continues after the last piece
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
