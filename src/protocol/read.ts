import { HarnessError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { isObject, objectAt, stringAt } from "../base/json.ts";
import { wellFormed } from "../base/text/text.ts";
import { Command } from "./commands/commands.ts";
import { InputBlock } from "./content.ts";
import type { Envelope } from "./events/envelope.ts";
import { EnvelopeSchema } from "./events/envelope.ts";
import { NewsItem } from "./events/news.ts";
import { parseThinkingPiece } from "./events/thinking-piece.ts";
import { firstIssue } from "./first-issue.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "./kinds.ts";
import { Message } from "./message.ts";

/** Longer than any kind. */
const KIND_CHARS_MAX = 64;

/**
 * Parses a command of untrusted bytes; unknown fields are dropped (BUS-04).
 *
 * Accepts the flat form and `{kind, body}`; the flat one wins if both are present. Content blocks may be nested under
 * a field named after their type, and one with `text` and no `type` is text (BUS-06).
 * @throws HarnessError InvalidCommand, naming the field.
 */
export function readCommand(value: unknown): Command {
  if (!isObject(value)) throw invalidCommand("(none)", "a command is a JSON object with a kind");
  const kind = stringAt(value, "kind");
  if (kind === undefined) throw invalidCommand("(none)", "kind: it must be a string");
  if (!isOneOf(COMMAND_KINDS, kind))
    throw invalidCommand(
      shownKind(kind),
      "there is no command of this kind; command_kinds of the handshake lists them",
    );
  const parsed = Command.safeParse(withFlatContent(flatCommand(value)));
  if (!parsed.success) throw invalidCommand(kind, firstIssue(parsed.error));
  return parsed.data;
}

/**
 * Parses a conversation that an embedder kept, message by message.
 * @throws HarnessError UsageInvalid, naming the message and the field.
 */
export function readMessages(values: unknown): readonly Message[] {
  if (!Array.isArray(values)) {
    const problem = "history is a list of messages, as await harness.history() returns it";
    throw new HarnessError("UsageInvalid", { problem });
  }
  return values.map((value, at) => {
    const parsed = Message.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new HarnessError("UsageInvalid", { problem: `history[${at}]: ${firstIssue(parsed.error)}` });
  });
}

/**
 * Parses the blocks of an embedder's prompt.
 * @throws HarnessError UsageInvalid, naming the block and the field.
 */
export function readPrompt(values: readonly unknown[]): InputBlock[] {
  return values.map((value, at) => {
    const parsed = InputBlock.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new HarnessError("UsageInvalid", { problem: `prompt[${at}]: ${firstIssue(parsed.error)}` });
  });
}

/**
 * Parses an event of untrusted bytes; unknown fields are dropped. Returns undefined for a kind unknown to this
 * version: a newer engine may send it, and the reader skips it.
 * @throws HarnessError InvalidEvent, naming the field.
 */
export function readEnvelope(value: unknown): Envelope | undefined {
  const kind = stringAt(value, "kind");
  if (kind === undefined) throw new HarnessError("InvalidEvent", { why: "it has no kind" });
  if (!isOneOf(EVENT_KINDS, kind)) return undefined;
  const parsed = EnvelopeSchema.safeParse(kind === "ThinkingDelta" ? withThinkingPiece(value) : value);
  if (!parsed.success)
    throw new HarnessError("InvalidEvent", { why: `${kind}: ${firstIssue(parsed.error)}` });
  return parsed.data as Envelope; // the schema is built from the table that the type is inferred from
}

/**
 * Parses an item of news of untrusted bytes; unknown fields are dropped. Returns undefined for a kind unknown to this
 * version.
 * @throws HarnessError InvalidEvent, naming the field.
 */
export function readNewsItem(value: unknown): NewsItem | undefined {
  const kind = stringAt(value, "kind");
  if (kind === undefined) throw new HarnessError("InvalidEvent", { why: "it has no kind" });
  if (!NewsItem.options.some(({ shape }) => shape.kind.value === kind)) return undefined;
  const parsed = NewsItem.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HarnessError("InvalidEvent", { why: `${kind}: ${firstIssue(parsed.error)}` });
}

function withThinkingPiece(value: unknown): unknown {
  const payload = objectAt(value, "payload");
  if (!isObject(value) || payload === undefined) return value;
  return { ...value, payload: { ...payload, block: parseThinkingPiece(payload["block"]) } };
}

/** Returns a received kind in a form that is safe to send back. */
function shownKind(kind: string): string {
  return wellFormed(kind.slice(0, KIND_CHARS_MAX));
}

function flatCommand(value: JsonObject): JsonObject {
  const { kind, body } = value;
  if (!isObject(body) || "sessionId" in value || "profile" in value) return value;
  return { ...body, kind };
}

function withFlatContent(command: JsonObject): JsonObject {
  const { content } = command;
  return Array.isArray(content) ? { ...command, content: content.map(flatBlock) } : command;
}

/** Converts `{image: {media_type, data}}` and `{text: {text}}` to the canonical form. */
function flatBlock(block: unknown): unknown {
  if (!isObject(block)) return block;
  const { type } = block;
  if (type === undefined && typeof block["text"] === "string") return { ...block, type: "text" };
  if (typeof type !== "string") return block;
  const inner = block[type];
  if (!isObject(inner)) return block;
  if (type === "image" || type === "audio" || type === "document")
    return { type, source: { type: "base64", ...inner } };
  return { ...inner, type };
}

function isOneOf(kinds: readonly string[], kind: string): boolean {
  return kinds.includes(kind);
}

function invalidCommand(kind: string, why: string): HarnessError<"InvalidCommand"> {
  // The kind came from outside and is shown on screens.
  const shown = /^[\w:.()-]{1,64}$/.test(kind) ? kind : "(not a name)";
  return new HarnessError("InvalidCommand", { kind: shown, why });
}
