import { HarnessError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { isObject, parseMessage, stringAt, wellFormedJson } from "../../base/json.ts";
import { isReaderName, READER_WHY } from "../../protocol/commands/run-limits.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { NewsItem } from "../../protocol/events/news.ts";
import type { ErrorBody } from "../../protocol/resources.ts";
import { BODY_BYTES_MAX } from "../http/body.ts";

/** Characters of a frame: as many as a body of other transports may have. */
export const CLIENT_FRAME_CHARS_MAX = BODY_BYTES_MAX;
const FRAMES_WITH_BODY: readonly string[] = ["command", "handshake", "query", "attach", "attach-piece"];
const KNOWN_FRAMES =
  "frame: a client sends handshake, command, query, attach, attach-piece, attach-stop, subscribe-news or ping";

/** A frame of a client. The id is the client's, and stands on the answer. */
export type ClientFrame = {
  readonly id?: number;
} & (
  | { readonly kind: "handshake"; readonly version: string; readonly label: string; readonly client?: string }
  /** A command, unchecked: the reader of commands checks it. */
  | { readonly kind: "command"; readonly command: JsonObject }
  /** A query, unchecked. */
  | { readonly kind: "query"; readonly query: JsonObject }
  | { readonly kind: "ping" }
  /** `past`: stored sessions too. `reader`: whose marks count. */
  | { readonly kind: "subscribe-news"; readonly past: boolean; readonly reader?: string }
  /** Begins an upload, adds a piece to it, or drops it. Unchecked: `SocketUpload` checks the body. */
  | { readonly kind: "attach" | "attach-piece" | "attach-stop"; readonly body: JsonObject }
  | { readonly kind: "refused"; readonly error: HarnessError }
);

type FrameBody = ClientFrame extends infer Frame
  ? Frame extends unknown
    ? Omit<Frame, "id">
    : never
  : never;

/**
 * Reads one message of a client: `{frame, id, body}`, the flat `{kind: "command", cmd, …}` and `{kind:
 * "handshake", …}`, or a command alone, as other transports take it. An unreadable message is a refusal, with the
 * id if that is readable.
 */
export function readFrame(data: string | Uint8Array): ClientFrame {
  if (typeof data !== "string") return refused("it is binary. Send JSON as text");
  if (data.length > CLIENT_FRAME_CHARS_MAX)
    return {
      kind: "refused",
      error: new HarnessError("BodyTooLarge", { limit: `${CLIENT_FRAME_CHARS_MAX}` }),
    };
  const parsed = parseMessage(data);
  if (parsed === undefined) return refused("it is not JSON, nested too deep, or of too many values");
  const value = wellFormedJson(parsed.value);
  if (!isObject(value)) return refused("it has to be a JSON object");
  const { id, ...rest } = value;
  if (id === undefined) return bodyOf(rest);
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 0)
    return refused("id: it takes a whole number of 0 or more");
  return { ...bodyOf(rest), id };
}

function bodyOf(value: JsonObject): FrameBody {
  const { frame, body, kind } = value;
  if (frame === undefined) {
    const { kind: _kind, cmd, ...rest } = value;
    if (kind === "handshake") return handshake(isObject(body) ? body : rest);
    if (kind === "ping") return { kind: "ping" };
    if (kind !== "command") return { kind: "command", command: value };
    if (typeof cmd !== "string") return refused("cmd: it takes the name of a command");
    return { kind: "command", command: { ...rest, kind: cmd } };
  }
  if (frame === "ping") return { kind: "ping" };
  if (frame === "subscribe-news") return newsWish(body);
  if (frame === "attach-stop") return { kind: "attach-stop", body: {} };
  if (typeof frame !== "string" || !FRAMES_WITH_BODY.includes(frame)) return refused(KNOWN_FRAMES);
  if (!isObject(body)) return refused("body: it has to be a JSON object");
  if (frame === "query") return { kind: "query", query: body };
  if (frame === "attach" || frame === "attach-piece") return { kind: frame, body };
  return frame === "handshake" ? handshake(body) : { kind: "command", command: body };
}

function newsWish(body: unknown): FrameBody {
  const wish = body === undefined ? {} : body;
  if (!isObject(wish)) return refused("body: it has to be a JSON object");
  const { past = false, reader } = wish;
  if (typeof past !== "boolean") return refused("past: it takes true or false");
  if (reader === undefined) return { kind: "subscribe-news", past };
  if (typeof reader !== "string" || !isReaderName(reader)) return refused(`reader: ${READER_WHY}`);
  return { kind: "subscribe-news", past, reader };
}

function handshake(body: JsonObject): FrameBody {
  const version = stringAt(body, "protocol_version");
  if (version === undefined) return refused("protocol_version: it takes the version that the client speaks");
  const label = stringAt(body, "label") ?? "websocket";
  const client = stringAt(body, "client");
  return { kind: "handshake", version, label, ...(client === undefined ? {} : { client }) };
}

function refused(why: string): { readonly kind: "refused"; readonly error: HarnessError } {
  return { kind: "refused", error: new HarnessError("InvalidFrame", { why }) };
}

/**
 * Returns a command with the session of its socket, if it names none itself; `{kind, body}` is made flat, so that the
 * session stands in one place.
 */
export function withSession(command: JsonObject, session: string | undefined): JsonObject {
  const { body, ...rest } = command;
  const flat =
    isObject(body) && !("sessionId" in command) && !("profile" in command) ? { ...body, ...rest } : command;
  return session === undefined || "sessionId" in flat ? flat : { ...flat, sessionId: session };
}

/** Renders one answer or notice; `id` is that of the frame that it answers. */
export function serverFrame(frame: string, id: number | undefined, body: unknown, more: object = {}): string {
  return JSON.stringify({ frame, ...(id === undefined ? {} : { id }), ...more, body });
}

export function errorFrame(id: number | undefined, body: ErrorBody): string {
  return serverFrame("error", id, body);
}

/** Each event and each item of the news is rendered once for all readers: they get the same objects. */
const FRAMES = new WeakMap<Envelope | NewsItem, string>();

export function eventFrame(event: Envelope): string {
  return rendered("event", event);
}

export function newsItemFrame(item: NewsItem): string {
  return rendered("news", item);
}

function rendered(frame: "event" | "news", body: Envelope | NewsItem): string {
  const known = FRAMES.get(body);
  if (known !== undefined) return known;
  const text = serverFrame(frame, undefined, body);
  FRAMES.set(body, text);
  return text;
}
