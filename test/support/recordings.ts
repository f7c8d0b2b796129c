import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AnswerStream } from "../../src/providers/dialect/answer/answer-stream.ts";
import { anthropicMessages } from "../../src/providers/dialect/anthropic-messages/anthropic-messages.ts";
import type { Dialect, DialectContext } from "../../src/providers/dialect/dialect.ts";
import { openaiChat } from "../../src/providers/dialect/openai-chat/openai-chat.ts";
import { openaiResponses } from "../../src/providers/dialect/openai-responses/openai-responses.ts";
import { EventStreamReader } from "../../src/providers/http/stream/sse.ts";
import type { ArgumentsListener, ModelEvent } from "../../src/providers/provider.ts";

const FOLDER = join(import.meta.dir, "../data/streams");

/** Recordings up to this are read anew for each byte at which they can be cut; longer ones in a cheaper way. */
export const SHORT_BYTES_MAX = 6_000;

/** One recorded answer as the bytes that its provider would send. */
export interface Recording {
  /** Folder and file, and which answer of the file where it holds several. */
  readonly name: string;
  readonly dialect: Dialect["name"];
  readonly bytes: Uint8Array;
  /** The bytes up to each event, for cuts between events. */
  readonly boundaries: readonly number[];
}

/** Every recording of `test/data/streams` (its README says what they are and where they come from). */
export function recordings(): readonly Recording[] {
  return (
    [
      ["anthropic", "anthropic-messages"],
      ["openai-chat", "openai-chat"],
      ["openai-compatible", "openai-chat"],
      ["copilot", "openai-chat"],
      ["openai-responses", "openai-responses"],
    ] as const
  ).flatMap(([folder, dialect]) =>
    readdirSync(join(FOLDER, folder))
      .filter((file) => file.endsWith(".chunks.txt") || file.endsWith(".sse"))
      .sort()
      .flatMap((file) => {
        const text = readFileSync(join(FOLDER, folder, file), "utf8");
        const answers = file.endsWith(".sse")
          ? [text.split(/(?<=\n)/)]
          : answersOf(linesOf(text), dialect).map((lines) => wireEvents(lines, dialect));
        const name = `${folder}/${file.replace(/(\.chunks)?\.(txt|sse)$/, "")}`;
        return answers.map((events, index) =>
          recording(index === 0 ? name : `${name}#${index + 1}`, dialect, events),
        );
      }),
  );
}

/** The data of each event. One file is SSE text already. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => {
    if (line.startsWith("event:")) return [];
    return [line.startsWith("data: ") ? line.slice("data: ".length) : line];
  });
}

/** Some files hold the answers of several requests one after the other; each is a stream of its own. */
function answersOf(lines: readonly string[], dialect: Dialect["name"]): readonly (readonly string[])[] {
  const answers: string[][] = [[]];
  for (const line of lines) {
    answers.at(-1)?.push(line);
    const { type } = JSON.parse(line);
    const isEnd = dialect === "anthropic-messages" ? type === "message_stop" : type === "response.completed";
    if (isEnd) answers.push([]);
  }
  return answers.filter((answer) => answer.length > 0);
}

function wireEvents(lines: readonly string[], dialect: Dialect["name"]): readonly string[] {
  if (dialect === "openai-chat") return [...lines, "[DONE]"].map((line) => `data: ${line}\n\n`);
  return lines.map((line) => `event: ${JSON.parse(line).type}\ndata: ${line}\n\n`);
}

function recording(name: string, dialect: Dialect["name"], events: readonly string[]): Recording {
  const parts = events.map((event) => new TextEncoder().encode(event));
  let length = 0;
  const boundaries = parts.map((part) => {
    length += part.length;
    return length;
  });
  return { name, dialect, bytes: new Uint8Array(Buffer.concat(parts)), boundaries };
}

export const DRESS: DialectContext = { provider: "recorded", family: "recorded", model: "recorded-model" };

const DIALECTS: Readonly<Record<Dialect["name"], Dialect>> = {
  "anthropic-messages": anthropicMessages,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
};

/**
 * A recording, whose bytes come in these chunks, as its dialect reads it. Pieces of one text are joined: how many there
 * are is a matter of the chunks.
 */
export function readRecording(
  { dialect }: Recording,
  chunks: readonly Uint8Array[],
  listener?: ArgumentsListener,
): ReadAnswer {
  const answer = readAnswer(DIALECTS[dialect], chunks, DRESS, listener);
  return { ...answer, events: joinPieces(answer.events) };
}

export function joinPieces(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const result: ModelEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    const isPiece = event.kind === "text" || event.kind === "thinking";
    if (isPiece && last?.kind === event.kind && last.index === event.index)
      result[result.length - 1] = { ...last, text: last.text + event.text };
    else result.push(event);
  }
  return result;
}

/** Bytes in two chunks. */
export function cutAt(bytes: Uint8Array, at: number): readonly Uint8Array[] {
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

export interface ReadEvent {
  readonly event: string;
  readonly data: string;
}

/** The events of a stream below its dialect. */
export function readEvents(chunks: readonly Uint8Array[]): readonly ReadEvent[] {
  const events: ReadEvent[] = [];
  const reader = new EventStreamReader((event, data) => events.push({ event, data }));
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return events;
}

/** Events of a stream, and the failure that ended it, if any. */
export interface ReadAnswer {
  readonly events: readonly ModelEvent[];
  readonly thrown?: unknown;
}

export function readAnswer(
  dialect: Dialect,
  chunks: readonly Uint8Array[],
  context = DRESS,
  listener?: ArgumentsListener,
): ReadAnswer {
  const answer = new AnswerStream(dialect, context, listener);
  const events: ModelEvent[] = [];
  for (let at = 0; !answer.isOver; at++) {
    const chunk = chunks[at];
    const piece = chunk === undefined ? answer.end() : answer.push(chunk);
    events.push(...piece.events);
    if (piece.failure !== undefined) return { events, thrown: piece.failure };
  }
  return { events };
}

/** The data of events, one event each, as one stream. */
export function asStream(events: readonly unknown[]): Uint8Array {
  const text = events.map(
    (event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`,
  );
  return new TextEncoder().encode(text.join(""));
}

export async function* inTurn<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
