import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { HarnessError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { decode } from "../../base/text/text.ts";
import { codeOf } from "../../base/world.ts";

export const CREDENTIAL_FILE_BYTES_MAX = 65_536;

const ROOT = 0;
const READ_BY_OTHERS = 0o044;
const WRITTEN_BY_OTHERS = 0o022;

/**
 * Reads a file of Google credentials. It must belong to the user or to root: another user who can write it could
 * redirect credentials. A file of the user must not be readable by others; for root's files that is root's decision.
 *
 * Links are followed, since mounted secrets consist of them; the checks apply to the opened file.
 * @throws HarnessError GoogleCredentialsUnusable, which names the file and never its content.
 */
export async function readCredentialFile(path: string, source: string): Promise<JsonObject> {
  const text = decode(await readCredentialBytes(path, source));
  const value = parseJson(text)?.value;
  if (isObject(value)) return value;
  throw credentialsUnusable(source, `${path} holds no JSON object`);
}

/** Reads such a file as bytes, for tokens that are stored raw. */
export async function readCredentialBytes(path: string, source: string): Promise<Uint8Array> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK; // opening a FIFO must not wait for a writer
  try {
    await using file = await open(path, flags);
    const { uid, mode, size } = await file.stat();
    const user = process.geteuid?.();
    const octal = (mode & 0o7777).toString(8).padStart(4, "0");
    if ((mode & constants.S_IFMT) !== constants.S_IFREG)
      throw credentialsUnusable(source, `${path} is not an ordinary file`);
    if (user !== undefined && uid !== user && uid !== ROOT)
      throw credentialsUnusable(source, `${path} belongs to another user`);
    if (user !== undefined && (mode & WRITTEN_BY_OTHERS) !== 0)
      throw credentialsUnusable(
        source,
        `${path} can be changed by others (mode ${octal}); if nobody did: chmod 600 ${path}`,
      );
    if (user !== undefined && uid === user && user !== ROOT && (mode & READ_BY_OTHERS) !== 0)
      throw credentialsUnusable(
        source,
        `${path} can be read by others (mode ${octal}); if nobody did: chmod 600 ${path}`,
      );
    if (size > CREDENTIAL_FILE_BYTES_MAX)
      throw credentialsUnusable(source, `${path} has ${size} bytes, more than ${CREDENTIAL_FILE_BYTES_MAX}`);
    const buffer = new Uint8Array(CREDENTIAL_FILE_BYTES_MAX);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead);
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    throw credentialsUnusable(source, `${path} ${inWords(codeOf(thrown))}`);
  }
}

function inWords(code: string | undefined): string {
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist";
  if (code === "EACCES" || code === "EPERM") return "may not be read by you";
  return `cannot be read (${code ?? "unknown"})`;
}

export function credentialsUnusable(
  source: string,
  problem: string,
  cause?: unknown,
): HarnessError<"GoogleCredentialsUnusable"> {
  const fields = { source, problem };
  return new HarnessError("GoogleCredentialsUnusable", fields, cause === undefined ? {} : { cause });
}
