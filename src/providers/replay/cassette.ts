import { HarnessError } from "../../base/errors.ts";
import { arrayAt, isObject, numberAt, parseJson, stringAt } from "../../base/json.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelEvent } from "../provider.ts";
import { isMessage, isModelEvent } from "./shapes.ts";
import type { Variable } from "./variables.ts";
import { RESERVED_VARIABLES } from "./variables.ts";

export const CASSETTE_VERSION = 1;

/** A recorded conversation with a model; `docs/cassettes.md` documents the format. */
export interface Cassette {
  /** The file, for messages. */
  readonly path: string;
  readonly header: CassetteHeader;
  readonly exchanges: readonly RecordedExchange[];
}

export interface CassetteHeader {
  readonly cassette: typeof CASSETTE_VERSION;
  /** Family of the opaque blocks in it. */
  readonly family: string;
  readonly model: string;
  /** Variable texts by name: whatever a pattern matches in a request counts as equal. */
  readonly variables: readonly Variable[];
}

/** One request, reduced to what identifies it, and its answer. */
export interface RecordedExchange {
  readonly line: number;
  readonly request: RecordedRequest;
  readonly events: readonly TimedEvent[];
}

export interface RecordedRequest {
  /** Names of the declared tools. */
  readonly tools: readonly string[];
  /** Number of leading messages shared with the request in the line before. */
  readonly after: number;
  readonly messages: readonly Message[];
}

/** An event of the answer, and the milliseconds since the previous one. */
export interface TimedEvent {
  readonly ms: number;
  readonly event: ModelEvent;
}

interface Line {
  readonly content: string;
  readonly line: number;
}

/**
 * Reads a cassette: one JSON object a line, the header first. Empty lines and unknown keys are skipped.
 * @throws HarnessError CassetteInvalid with the line.
 */
export function parseCassette(text: string, path: string): Cassette {
  const lines = text.split("\n").map((content, index) => ({ content, line: index + 1 }));
  const [first = { content: "", line: 1 }, ...rest] = lines.filter(({ content }) => content.trim() !== "");
  const header = parseHeader(first, path);
  let before = 0;
  const exchanges = rest.map((line) => {
    const exchange = parseExchange(line, before, path);
    before = exchange.request.after + exchange.request.messages.length;
    return exchange;
  });
  return { path, header, exchanges };
}

/** Renders one line of the file, with its line feed. */
export function renderLine(value: CassetteHeader | Omit<RecordedExchange, "line">): string {
  return `${JSON.stringify(value)}\n`;
}

function parseHeader({ content, line }: Line, path: string): CassetteHeader {
  const value = parseJson(content)?.value;
  const version = numberAt(value, "cassette");
  if (version !== CASSETTE_VERSION) {
    const found = version === undefined ? "" : `, not ${version}`;
    throw invalid(path, line, `the first line must be a header with "cassette": ${CASSETTE_VERSION}${found}`);
  }
  const variables = arrayAt(value, "variables").map((variable) => {
    const parsed = parseVariable(variable);
    if (typeof parsed === "string") throw invalid(path, line, parsed);
    return parsed;
  });
  if (new Set(variables.map(({ name }) => name)).size < variables.length) {
    throw invalid(path, line, "two variables have the same name");
  }
  const family = stringAt(value, "family") ?? "replay";
  return { cassette: CASSETTE_VERSION, family, model: stringAt(value, "model") ?? "", variables };
}

/** Returns the problem as a sentence if the value is no variable. */
function parseVariable(value: unknown): Variable | string {
  const name = stringAt(value, "name");
  const pattern = stringAt(value, "pattern");
  if (name === undefined || pattern === undefined) return "a variable needs a name and a pattern";
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(name)) return `"${name}" is not a name: small letters, digits and -`;
  if (RESERVED_VARIABLES.includes(name)) return `the name "${name}" stands for something else`;
  try {
    new RegExp(pattern, "g");
  } catch (thrown) {
    return `the pattern ${pattern} is not a regular expression (${String(thrown)})`;
  }
  return { name, pattern };
}

function parseExchange({ content, line }: Line, before: number, path: string): RecordedExchange {
  const parsed = parseJson(content);
  if (parsed === undefined) throw invalid(path, line, "it is not JSON, or nested too deeply");
  const { value } = parsed;
  const request = isObject(value) ? value["request"] : undefined;
  if (!isObject(request)) throw invalid(path, line, 'an exchange needs a "request" and "events"');
  const after = numberAt(request, "after");
  if (after === undefined || !Number.isInteger(after) || after < 0 || after > before) {
    throw invalid(
      path,
      line,
      `"request.after" must be a whole number from 0 to ${before}, the messages of the request before`,
    );
  }
  const messages = arrayAt(request, "messages");
  if (!messages.every(isMessage)) throw invalid(path, line, '"request.messages" must be canonical messages');
  const tools = arrayAt(request, "tools");
  if (!tools.every((name) => typeof name === "string"))
    throw invalid(path, line, '"request.tools" must be names');
  const events = arrayAt(value, "events");
  if (!events.every(isTimedEvent)) throw invalid(path, line, '"events" must be a list of {ms, event}');
  return { line, request: { tools, after, messages }, events };
}

function isTimedEvent(value: unknown): value is TimedEvent {
  const ms = numberAt(value, "ms");
  return ms !== undefined && ms >= 0 && isObject(value) && isModelEvent(value["event"]);
}

function invalid(path: string, line: number, problem: string): HarnessError {
  return new HarnessError("CassetteInvalid", { path, line: String(line), problem });
}
