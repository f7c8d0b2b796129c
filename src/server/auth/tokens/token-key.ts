import { join } from "node:path";
import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { storageProblem } from "../../../base/files/storage-problem.ts";
import type { Random } from "../../../base/world.ts";
import { createPrivateFile, readPrivateFile } from "../../../safety/private-file.ts";

const KEY_BYTES = 32;
const UNIQUE_BYTES = 6;

/**
 * Returns the path of an installation's key. A program that reads it can make any token: the sandbox hides its folder.
 */
export function tokenKeyPath(stateDirectory: string): string {
  return join(stateDirectory, "token.key");
}

/**
 * Returns the key that this installation signs its tokens with: 32 random bytes in a file of mode 0600, created at
 * first use. Of several engines that create it at once one succeeds, and all have the same.
 * @throws HarnessError StateUnwritable if it cannot be created; TokenKeyUnusable for a key that others can read, or
 * that is incomplete: it is never used, and never replaced.
 */
export async function openTokenKey(stateDirectory: string, random: Random): Promise<Uint8Array> {
  const path = tokenKeyPath(stateDirectory);
  try {
    let found = await readPrivateFile(path, KEY_BYTES + 1);
    if (found.kind === "missing") {
      const fresh = random.bytes(KEY_BYTES);
      if (await createPrivateFile(path, fresh, random.bytes(UNIQUE_BYTES))) return fresh;
      found = await readPrivateFile(path, KEY_BYTES + 1); // another engine was first
    }
    if (found.kind === "missing") throw unusable(path, "it was removed meanwhile");
    if (found.kind === "refused") throw unusable(path, `it ${found.problem}`);
    if (found.bytes.length === KEY_BYTES) return found.bytes;
    throw unusable(path, `it has ${found.bytes.length} bytes and must have ${KEY_BYTES}`);
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    const place = storageProblem(thrown, { folder: stateDirectory, variable: "XDG_STATE_HOME" });
    if (place !== undefined)
      throw new HarnessError("StateUnwritable", { path: stateDirectory, ...place }, { cause: thrown });
    throw unusable(path, messageOf(thrown), thrown);
  }
}

function unusable(path: string, problem: string, cause?: unknown): HarnessError<"TokenKeyUnusable"> {
  return new HarnessError("TokenKeyUnusable", { path, problem }, defined({ cause }));
}
