import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";
import { readPrivateFile } from "../../../safety/private-file.ts";
import type { Claims } from "./claims.ts";
import { readClaims } from "./claims.ts";

/** A token that was provisioned before the engine starts, if nobody can be asked (AUTH-04). */
export interface TokenFile {
  /** The text that clients send. */
  readonly token: string;
  /**
   * Rights of a text that is no token of this installation: an engine that is started with the file accepts exactly
   * this text. Absent: the text is such a token.
   */
  readonly claims?: Claims;
}

const MODE = 0o400;
const BYTES_MAX = 64 * 1024;
/** 256 bits in base64url: nobody can guess it, and redaction knows it by its prefix. */
const DRAWN = /^cinch_ci_[A-Za-z0-9_-]{43,128}$/;
const SIGNED = /^[A-Za-z0-9_-]{16,8000}\.[A-Za-z0-9_-]{43}$/;

/**
 * Reads a token file, `{"token": …, "claims"?: …}`. It must be a file of this user, of mode 0400 exactly, and no link:
 * checks and read use the same open file.
 * @throws HarnessError TokenFileUnsafe, naming path and remedy, never its content; PathMissing.
 */
export async function readTokenFile(path: string): Promise<TokenFile> {
  const bytes = await readWhole(path);
  const value = parseJson(decode(bytes))?.value;
  bytes.fill(0);
  if (!isObject(value)) throw unsafe(path, "holds no JSON object", REWRITE);
  const { token, claims } = value;
  if (claims === undefined) {
    if (typeof token === "string" && SIGNED.test(token)) return { token };
    throw unsafe(path, "has no claims, and its token is none that cinch token prints", REWRITE);
  }
  if (typeof token !== "string" || !DRAWN.test(token))
    throw unsafe(path, 'has a token that is not "cinch_ci_" and 43 random base64url characters', REWRITE);
  const read = readClaims(claims);
  if (read.kind === "wrong") throw unsafe(path, `has claims that cannot be used: ${read.problem}`, REWRITE);
  return { token, claims: read.value };
}

const REWRITE = "write it again as docs/other-machines.md says, then chmod 400";

async function readWhole(path: string): Promise<Uint8Array> {
  try {
    const found = await readPrivateFile(path, BYTES_MAX);
    if (found.kind === "missing") throw new HarnessError("PathMissing", { what: "The token file", path });
    if (found.kind === "refused") {
      // Others may have read it by now: restricting it does not help.
      throw unsafe(path, found.cause, `put a new token into a file of your own, then chmod 400 ${path}`);
    }
    if (found.mode === MODE) return found.bytes;
    found.bytes.fill(0);
    throw unsafe(path, `has mode ${octal(found.mode)} and must have 0400`, `chmod 400 ${path}`);
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    throw unsafe(
      path,
      `cannot be read: ${messageOf(thrown)}`,
      `make it yours, then chmod 400 ${path}`,
      thrown,
    );
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

function unsafe(
  path: string,
  problem: string,
  remedy: string,
  cause?: unknown,
): HarnessError<"TokenFileUnsafe"> {
  const fields = { path, problem, remedy };
  return new HarnessError("TokenFileUnsafe", fields, defined({ cause }));
}
