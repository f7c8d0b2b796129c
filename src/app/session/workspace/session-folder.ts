import { isAbsolute } from "node:path";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";

/** Longest path that the system takes, in bytes. */
const PATH_BYTES_MAX = 4_095;
const SHOWN_CHARACTERS_MAX = 200;

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "is not a directory, or a part of it is not",
  ELOOP: "is a link that leads to itself",
  EACCES: "cannot be entered: permission denied",
  ENAMETOOLONG: "has a name that is too long for the file system",
};

/**
 * Returns a directory that a client names for a session, resolved, so that one folder has one spelling.
 * @param what its name in a refusal.
 * @throws HarnessError InvalidPath if it is not absolute, no directory, missing, holds a NUL, or is over 4,095 bytes.
 */
export async function sessionFolder(files: Files, named: string, what = "workingDir"): Promise<string> {
  const refused = (problem: string, cause?: unknown) => {
    const why = `${what} ${shortened(JSON.stringify(named), SHOWN_CHARACTERS_MAX)} ${problem}. Name an existing directory by its absolute path`;
    return new HarnessError("InvalidPath", { why }, cause === undefined ? {} : { cause });
  };
  if (!isAbsolute(named)) throw refused("is not absolute");
  if (named.includes("\0")) throw refused("holds a NUL character");
  const bytes = Buffer.byteLength(named);
  if (bytes > PATH_BYTES_MAX) throw refused(`has ${bytes} bytes, more than ${PATH_BYTES_MAX}`);
  try {
    const path = await files.realpath(named);
    // The dot needs the right to enter it, without which no tool would find anything.
    const info = await files.stat(`${path}/.`);
    if (info?.kind === "directory") return path;
  } catch (thrown) {
    throw refused(PROBLEMS[codeOf(thrown) ?? ""] ?? `cannot be used: ${messageOf(thrown)}`, thrown);
  }
  throw refused("is not a directory");
}
