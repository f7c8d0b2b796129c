import type { Duplex } from "node:stream";
import { HarnessError } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";
import { readPrivateFile } from "../../../safety/private-file.ts";
import { OWNER_LINE_BYTES_MAX, readLine } from "./line.ts";
import { OWNER_FILE_BYTES_MAX } from "./owner.ts";

export interface AskOwnerOptions {
  /** Opens a Unix socket; rejects with the system's error if nobody listens. */
  readonly connect: (path: string, signal: AbortSignal) => Promise<Duplex>;
  readonly socketPath: string;
  readonly tokenPath: string;
  /** Claims in the form of `readClaimsRequest`. Absent: everything, on the Unix socket, for an hour. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/**
 * Exchanges the owner token for a capability token: the other end of `openOwnerExchange`.
 * @throws HarnessError OwnerRefused, ClaimsInvalid, with the words of the engine; OwnerTokenStale if no engine, or
 * another one, has this token: it may have ended, or just started. The system's error if nobody listens.
 */
export async function askOwner(parts: AskOwnerOptions): Promise<string> {
  const { connect, socketPath, tokenPath, claims, signal } = parts;
  const found = await readPrivateFile(tokenPath, OWNER_FILE_BYTES_MAX);
  if (found.kind === "missing") throw stale(`there is no ${tokenPath}`, "Start the engine: cinch serve.");
  if (found.kind === "refused")
    throw stale(`${tokenPath} ${found.cause}`, "Restart the engine: it writes a new one.");
  const stream = await connect(socketPath, signal);
  const stop = () => stream.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    // A write before the refusal is read may find the other end closed: the answer counts.
    stream.on("error", () => undefined);
    stream.write(`${JSON.stringify({ owner: decode(found.bytes), claims })}\n`);
    const line = await readLine(stream, OWNER_LINE_BYTES_MAX);
    signal.throwIfAborted();
    return tokenOf(line === undefined ? undefined : parseJson(line)?.value);
  } finally {
    found.bytes.fill(0);
    signal.removeEventListener("abort", stop);
    stream.destroy();
  }
}

function tokenOf(value: unknown): string {
  if (!isObject(value)) throw stale("the engine closed the connection without an answer", "Try again.");
  const { token, reason, problem, remedy } = value;
  if (typeof token === "string") return token;
  const words = typeof problem === "string" ? problem : "it gave no reason";
  if (reason === "ClaimsInvalid") throw new HarnessError("ClaimsInvalid", { problem: words });
  const help = typeof remedy === "string" ? remedy : "Look into the log of the engine.";
  throw reason === "OwnerTokenStale"
    ? stale(words, help)
    : new HarnessError("OwnerRefused", { problem: words, remedy: help });
}

function stale(problem: string, remedy: string): HarnessError<"OwnerTokenStale"> {
  return new HarnessError("OwnerTokenStale", { problem, remedy });
}
