import type { EngineReason } from "./protocol.ts";

/** Reason of a failure: an engine's (docs/protocol/errors.md), or one of the client. */
export type Reason = EngineReason | "InvalidAnswer";

/**
 * Error of this client after a refusal, or without an engine. The reason is for programs, the message for people.
 *
 * An abort is no such error: the signal's own reason is thrown.
 */
export class CinchError extends Error {
  override readonly name: string = "CinchError";
  /** A newer engine may have reasons that are not in this list. */
  readonly reason: Reason | (string & {});
  /** Fields of the message. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(
    reason: CinchError["reason"],
    message: string,
    more: {
      readonly details?: Readonly<Record<string, unknown>>;
      readonly status?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.reason = reason;
    this.details = more.details ?? {};
    this.status = more.status;
  }
}

/** Error for an address at which no engine answers, or no longer. Its reason is `EngineUnreachable`. */
export class EngineUnreachable extends CinchError {
  override readonly name = "EngineUnreachable";

  constructor(message: string, more: ConstructorParameters<typeof CinchError>[2] = {}) {
    super("EngineUnreachable", message, more);
  }
}

/** The refusal in a body, or what is wrong with a body that holds none. */
export function refusalOf(body: unknown, url: string, status?: number): CinchError {
  const { reason, message, details } = Object(body) as Record<string, unknown>;
  const at = status === undefined ? {} : { status };
  if (typeof reason !== "string" || typeof message !== "string" || reason === "")
    return invalidAnswer(
      url,
      status === undefined ? "a refusal without a reason" : `status ${status}, and no reason`,
      at,
    );
  const known = typeof details === "object" && details !== null ? { details: { ...details } } : {};
  return new CinchError(reason, message, { ...at, ...known });
}

export function invalidAnswer(
  url: string,
  why: string,
  more: { readonly status?: number; readonly cause?: unknown } = {},
): CinchError {
  const text = `What answers at ${url} is no engine of cinch, or something stands between: ${why}.`;
  return new CinchError("InvalidAnswer", text, { ...more, details: { url, why } });
}

export function invalidEvent(why: string, cause?: unknown): CinchError {
  const text = `The engine sent an event that cannot be read: ${why}. Client and engine may differ in version: use the same release of both.`;
  return new CinchError("InvalidEvent", text, { details: { why }, cause });
}

/** @param url an address, or the path of a Unix socket. */
export function unreachable(url: string, detail: string, cause?: unknown): EngineUnreachable {
  // Bun adds a question to it.
  const why = detail.replace(/\. Is the computer able to access the url\?/, "").replace(/\.$/, "");
  const text = `No engine of cinch answers at ${url} (${why}): start one there with: cinch serve${listenAt(url)}`;
  return new EngineUnreachable(text, { details: { url, detail }, cause });
}

/** Returns the flag that makes an engine listen at an address; nothing for its Unix socket, which it always has. */
function listenAt(url: string): string {
  const port = URL.canParse(url) ? new URL(url).port : "";
  return port === "" ? "" : ` --listen ${new URL(url).host}`;
}

export function connectionLost(what: string, cause?: unknown): CinchError {
  const text =
    `The connection to the engine broke before it had answered ${what}. The events of the session show ` +
    "if it was carried out. Send it again if it was not.";
  return new CinchError("ConnectionLost", text, { details: { kind: what }, cause });
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Refusals that time heals. */
const PASSING: readonly string[] = ["EngineUnreachable", "EngineStopping", "StoreBusy"];
/** Statuses that a proxy answers while the engine is unreachable. */
const PASSING_STATUSES: readonly number[] = [429, 502, 503, 504];

/** Returns true if a retry may help. */
export function isPassing(thrown: unknown): thrown is CinchError {
  if (!(thrown instanceof CinchError)) return false;
  if (thrown.reason === "InvalidAnswer") return PASSING_STATUSES.includes(thrown.status ?? 0);
  return PASSING.includes(thrown.reason);
}
