import { defined } from "../../base/defined.ts";
import { customError, HarnessError, messageOf } from "../../base/errors.ts";
import type { ClientId, EventSeq, SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { isObject, numberAt, objectAt, parseJson, stringAt } from "../../base/json.ts";
import type { Fields, Reason } from "../../base/reasons.ts";
import { isCustomReason, isReason } from "../../base/reasons.ts";
import type { IdentityClass } from "../../protocol/connection.ts";
import type { Handshake } from "../../protocol/handshake.ts";

/** Limit on the bytes read of an answer; a list of all sessions is far below it. */
export const ANSWER_BYTES_MAX = 33_554_432;
/** Limit on the characters of a frame; an event with the largest input fits, escaped in any way. */
export const SERVER_FRAME_CHARS_MAX = 67_108_864;

/** A frame of the server. */
export type ServerFrame =
  | { readonly kind: "handshake"; readonly id?: number; readonly greeting: Greeting }
  | { readonly kind: "accepted"; readonly id: number; readonly body: unknown }
  | { readonly kind: "result"; readonly id: number; readonly body: unknown }
  | { readonly kind: "error"; readonly id?: number; readonly error: HarnessError }
  /** `chars`: length of the frame. */
  | { readonly kind: "event"; readonly body: unknown; readonly chars: number }
  | { readonly kind: "news"; readonly body: unknown }
  | { readonly kind: "pong" };

export interface Greeting {
  readonly handshake: Handshake;
  readonly client: ClientId;
  readonly identityClass: IdentityClass;
  /** Id of the engine process, new with every start. */
  readonly engine: string;
  /** The event after which this socket's events begin. */
  readonly since?: EventSeq;
}

/** Reads a frame; returns undefined for an unknown kind. @throws HarnessError InvalidEvent. */
export function readServerFrame(data: unknown): ServerFrame | undefined {
  const text = typeof data === "string" ? data : "";
  if (text.length > SERVER_FRAME_CHARS_MAX)
    throw unreadable(`it has more than ${SERVER_FRAME_CHARS_MAX} characters`);
  const parsed = parseJson(text);
  if (parsed === undefined || !isObject(parsed.value)) throw unreadable("it is not a JSON object");
  const { value } = parsed;
  const id = numberAt(value, "id");
  const named = id === undefined ? {} : { id };
  const { frame, body } = value;
  switch (frame) {
    case "handshake":
      return { kind: "handshake", ...named, greeting: greetingOf(value) };
    case "accepted":
      if (id === undefined) throw unreadable("accepted: it has no id");
      return { kind: "accepted", id, body };
    case "result":
      if (id === undefined) throw unreadable("result: it has no id");
      return { kind: "result", id, body };
    case "error":
      return { kind: "error", ...named, error: refusalFromBody(body) };
    case "event":
      return { kind: "event", body, chars: text.length };
    case "news":
      return { kind: "news", body };
    case "pong":
      return { kind: "pong" };
    default:
      return undefined;
  }
}

function greetingOf(value: JsonObject): Greeting {
  const [client = "", engine] = [stringAt(value, "client"), stringAt(value, "engine")];
  const [body, since] = [objectAt(value, "body"), numberAt(value, "since")];
  if (!isId("cli", client) || engine === undefined || body === undefined)
    throw unreadable("handshake: it does not say who the client is");
  const identityClass = value["identityClass"] === "human" ? "human" : "agent";
  const handshake = body as Handshake; // its lists are only searched, never relied upon
  return { handshake, client, identityClass, engine, ...defined({ since }) };
}

/**
 * Reads the text of an answer, whose sender is not trusted, up to a limit.
 * @throws Error if it is longer, or if reading fails.
 */
export async function answerText(answer: Response, bytesMax = ANSWER_BYTES_MAX): Promise<string> {
  if (answer.body === null) return "";
  const decoder = new TextDecoder();
  let [text, length] = ["", 0];
  // Leaving the loop closes the connection.
  for await (const bytes of answer.body) {
    length += bytes.length;
    if (length > bytesMax) throw new Error(`its answer is longer than ${bytesMax} bytes`);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

/** Reads a refusal: an error with the same reason, fields and text as in the engine's process. */
export function refusalFromBody(body: unknown): HarnessError {
  const [reason = "(none)", message = "(no message)"] = [stringAt(body, "reason"), stringAt(body, "message")];
  if (isCustomReason(reason)) return customError({ reason, message, details: objectAt(body, "details") });
  if (!isReason(reason)) return new HarnessError("EngineRefused", { reason, message });
  const details = Object.entries(objectAt(body, "details") ?? {});
  const fields = Object.fromEntries(details.filter(([, value]) => typeof value === "string"));
  const refusal = new HarnessError<Reason>(reason, fields as Fields<Reason>);
  refusal.message = message;
  return refusal;
}

function unreadable(why: string): HarnessError<"InvalidEvent"> {
  return new HarnessError("InvalidEvent", { why });
}

/** Returns the address of the engine's socket, for a WebSocket or for the request that asks why it was refused. */
export function socketUrl(
  base: string,
  scheme: "ws" | "http",
  {
    session,
    since,
    args,
  }: { readonly session?: SessionId; readonly since?: EventSeq; readonly args?: boolean },
): string {
  const url = new URL("v1/ws", base.endsWith("/") ? base : `${base}/`);
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  const query = new URLSearchParams();
  if (session !== undefined) query.set("session", session);
  if (session !== undefined && since !== undefined) query.set("lastEventId", `${since}`);
  if (session !== undefined && args === true) query.set("args", "true");
  const text = query.size === 0 ? "" : `?${query}`;
  return `${scheme}${isSecure ? "s" : ""}://${url.host}${url.pathname}${text}`;
}

/** Matches the codes of errors about an untrusted certificate. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH/;

function certificateProblem(code: string, host: string): string | undefined {
  if (code.includes("ALTNAME") || code.includes("HOSTNAME_MISMATCH")) return `it is not for the name ${host}`;
  if (code === "CERT_HAS_EXPIRED") return "it has expired, and its engine needs a new one";
  if (code === "CERT_NOT_YET_VALID") return "its time has not come yet, or a clock is wrong";
  return undefined;
}

export function unreachableError(
  url: string,
  detail: unknown,
): HarnessError<"EngineUnreachable" | "EngineCertificate"> {
  const code: unknown = detail instanceof Error ? Reflect.get(detail, "code") : undefined;
  if (typeof code === "string" && CERTIFICATE.test(code)) {
    const why = `${certificateProblem(code, new URL(url).hostname) ?? messageOf(detail)} (${code})`;
    return new HarnessError("EngineCertificate", { url, detail: why }, { cause: detail });
  }
  return new HarnessError("EngineUnreachable", { url, detail: messageOf(detail) }, { cause: detail });
}
