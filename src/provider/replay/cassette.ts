import { HarnessError } from "../../base/errors.ts";
import { arrayAt, isObject, numberAt, parseJson, stringAt } from "../../base/json.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelEvent } from "../provider.ts";

export const CASSETTE_VERSION = 1;

/** A recorded conversation with a model; the format is documented in `docs/cassettes.md`. */
export interface Cassette {
  /** For messages: the file, or "the demo". */
  readonly path: string;
  readonly header: CassetteHeader;
  readonly exchanges: readonly Exchange[];
}

export interface CassetteHeader {
  readonly cassette: typeof CASSETTE_VERSION;
  /** The family whose opaque blocks are in it. */
  readonly family: string;
  readonly model: string;
  /** Texts that differ from run to run, by name: whatever a pattern matches counts as the same. */
  readonly variables: readonly Variable[];
}

export interface Variable {
  readonly name: string;
  /** A JavaScript regular expression, without flags. */
  readonly pattern: string;
}

/** One request, reduced to what it is recognised by, and its answer. */
export interface Exchange {
  readonly line: number;
  readonly request: RecordedRequest;
  readonly events: readonly TimedEvent[];
}

export interface RecordedRequest {
  /** Names of the tools that were declared. */
  readonly tools: readonly string[];
  /** How many messages of the request before stand unchanged in front of these. */
  readonly after: number;
  readonly messages: readonly Message[];
}

/** An event of the answer and how many milliseconds it came after the one before. */
export interface TimedEvent {
  readonly ms: number;
  readonly event: ModelEvent;
}

/**
 * Reads a cassette: one JSON object a line, the header first.
 * @throws HarnessError CassetteInvalid with the line.
 */
export function parseCassette(text: string, path: string): Cassette {
  const lines = text.split("\n").map((content, index) => ({ content, line: index + 1 }));
  const [first, ...rest] = lines.filter(({ content }) => content.trim() !== "");
  const header = parseHeader(first === undefined ? undefined : parseJson(first.content)?.value, path);
  return { path, header, exchanges: rest.map(({ content, line }) => parseExchange(content, line, path)) };
}

/** One line of the file, its line feed included. */
export function renderLine(value: CassetteHeader | Omit<Exchange, "line">): string {
  return `${JSON.stringify(value)}\n`;
}

function parseHeader(value: unknown, path: string): CassetteHeader {
  const version = numberAt(value, "cassette");
  if (version !== CASSETTE_VERSION) {
    throw invalid(path, 1, `the first line must be a header with "cassette": ${CASSETTE_VERSION}`);
  }
  const variables = arrayAt(value, "variables").map((variable): Variable => {
    const name = stringAt(variable, "name");
    const pattern = stringAt(variable, "pattern");
    if (name === undefined || pattern === undefined)
      throw invalid(path, 1, "a variable needs a name and a pattern");
    assertPattern(pattern, path);
    return { name, pattern };
  });
  const family = stringAt(value, "family") ?? "replay";
  return { cassette: CASSETTE_VERSION, family, model: stringAt(value, "model") ?? "", variables };
}

function assertPattern(pattern: string, path: string): void {
  try {
    new RegExp(pattern, "g");
  } catch (thrown) {
    throw invalid(path, 1, `the pattern ${pattern} is no regular expression (${String(thrown)})`);
  }
}

function parseExchange(content: string, line: number, path: string): Exchange {
  const value = parseJson(content)?.value;
  const request = isObject(value) ? value["request"] : undefined;
  if (!isObject(request)) throw invalid(path, line, 'an exchange needs a "request" and "events"');
  const after = numberAt(request, "after");
  if (after === undefined || after < 0)
    throw invalid(path, line, '"request.after" must be a number of messages');
  const messages = arrayAt(request, "messages");
  if (!messages.every(isMessage)) throw invalid(path, line, '"request.messages" must be canonical messages');
  const events = arrayAt(value, "events");
  if (!events.every(isTimedEvent)) throw invalid(path, line, '"events" must be a list of {ms, event}');
  return {
    line,
    request: { tools: arrayAt(request, "tools").filter((name) => typeof name === "string"), after, messages },
    events,
  };
}

function isMessage(value: unknown): value is Message {
  const role = stringAt(value, "role");
  return (role === "user" || role === "assistant") && isObject(value) && Array.isArray(value["content"]);
}

const EVENT_KINDS = new Set(["text", "thinking", "block", "usage", "finish"]);

function isTimedEvent(value: unknown): value is TimedEvent {
  return (
    isObject(value) &&
    numberAt(value, "ms") !== undefined &&
    EVENT_KINDS.has(stringAt(value["event"], "kind") ?? "")
  );
}

function invalid(path: string, line: number, problem: string): HarnessError {
  return new HarnessError("CassetteInvalid", { path, line: String(line), problem });
}
