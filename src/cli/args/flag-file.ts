import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { HarnessError, messageOf } from "../../base/errors.ts";

/** Reads the text of a file that a flag names. @throws HarnessError UsageInvalid, which names flag and path. */
export async function readFlagFile(flag: string, path: string): Promise<string> {
  try {
    return await readFile(resolve(path), "utf8");
  } catch (thrown) {
    const problem = `${flag} ${path} cannot be read: ${messageOf(thrown)}`;
    throw new HarnessError("UsageInvalid", { problem }, { cause: thrown });
  }
}
