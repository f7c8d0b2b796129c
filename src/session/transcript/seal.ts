import type { EventSeq, LogId, SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { isObject, numberAt, stringAt } from "../../base/json.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";

/**
 * The last line of an export, in the shape of an envelope: count and hash of the lines before it, so that a file that
 * was cut off or edited can be recognised (SES-10). It protects from accidents; it is no signature.
 */
export interface ExportSeal {
  readonly log: LogId;
  readonly events: number;
  /** The first and the last event; 0 if there is none. */
  readonly from: EventSeq;
  readonly to: EventSeq;
  /** The runs that the events belong to. */
  readonly sessions: readonly SessionId[];
  /** `provider:name`, the last of the session. */
  readonly model: string;
  readonly profile: string;
  /** SHA-256 of every byte before this line, in hexadecimal digits. */
  readonly sha256: string;
}

export const SEAL_NAMESPACE = "cinch";
export const SEAL_KIND = "ExportSeal";

export function isSeal(event: Envelope): boolean {
  if (event.kind !== "CustomEvent") return false;
  return event.payload.namespace === SEAL_NAMESPACE && event.payload.kind === SEAL_KIND;
}

/** Returns the seal in an envelope; undefined if it is none, or incomplete. */
export function sealOf(event: Envelope): ExportSeal | undefined {
  if (event.kind !== "CustomEvent" || !isSeal(event)) return undefined;
  const { payload: seal } = event.payload;
  const log = stringAt(seal, "log") ?? "";
  const sha256 = stringAt(seal, "sha256");
  const [events, from, to] = ["events", "from", "to"].map((key) => numberAt(seal, key));
  if (!isId("log", log) || sha256 === undefined || events === undefined) return undefined;
  if (from === undefined || to === undefined || !isObject(seal)) return undefined;
  const { sessions } = seal;
  if (!Array.isArray(sessions) || !sessions.every(isSessionId)) return undefined;
  const model = stringAt(seal, "model") ?? "";
  const profile = stringAt(seal, "profile") ?? "";
  return { log, events, from, to, sessions, model, profile, sha256 };
}

function isSessionId(id: unknown): id is SessionId {
  return typeof id === "string" && isId("sess", id);
}
