import { parseJson } from "../base/json.ts";

/** One event of a `text/event-stream`: its name ("message" where none was given) and its data lines joined by LF. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** One event, or one line of it, longer than this is no answer of a model. UTF-16 units. */
export const EVENT_UNITS_MAX = 16 * 1024 * 1024;

/** The stream holds an event longer than `EVENT_UNITS_MAX`. The dialects tell it as StreamMalformed. */
export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge";
  constructor() {
    super(`an event of more than ${EVENT_UNITS_MAX} characters`);
  }
}

/**
 * The events of a `text/event-stream`, the same ones however the bytes were cut into chunks (PROV-10, R06).
 *
 * Takes LF, CR and CRLF, a byte order mark, comments, unknown fields, and characters split over chunks; bytes that
 * are not UTF-8 become U+FFFD. Beyond the standard, for servers that are careless: a last event without its blank
 * line is delivered at the end, and an event whose data so far is a whole JSON object or `[DONE]` ends where the next
 * line of data or event name begins, so that events with a single newline between them stay apart.
 * @throws EventTooLarge, and whatever `chunks` throws, as it is.
 */
export async function* serverSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly ServerSentEvent[]> {
  const decoder = new TextDecoder("utf-8");
  const lines = new LineSplitter();
  const event = new EventBuilder();
  let failure: EventTooLarge | undefined;
  function take(text: string, end: boolean): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    const add = (line: string) => {
      const finished = event.take(line);
      if (finished !== undefined) events.push(finished);
    };
    try {
      lines.push(text, add);
      if (end) for (const line of lines.end()) add(line);
    } catch (thrown) {
      if (!(thrown instanceof EventTooLarge)) throw thrown;
      failure = thrown; // what came before it still counts
    }
    return events;
  }
  for await (const chunk of chunks) {
    const events = take(decoder.decode(chunk, { stream: true }), false);
    if (events.length > 0) yield events;
    if (failure !== undefined) throw failure;
  }
  const rest = take(decoder.decode(), true);
  const last = event.finish();
  if (last !== undefined) rest.push(last);
  if (rest.length > 0) yield rest;
  if (failure !== undefined) throw failure;
}

/** Lines of a text that comes in pieces. A CR ends its line at once; an LF right after it belongs to it. */
class LineSplitter {
  #rest = "";
  #afterCarriageReturn = false;

  push(text: string, take: (line: string) => void): void {
    let start = this.#afterCarriageReturn && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#afterCarriageReturn = false;
    let lineFeed = text.indexOf("\n", start);
    let carriageReturn = text.indexOf("\r", start);
    while (lineFeed !== -1 || carriageReturn !== -1) {
      const atReturn = carriageReturn !== -1 && (lineFeed === -1 || carriageReturn < lineFeed);
      const end = atReturn ? carriageReturn : lineFeed;
      const line = this.#rest + text.slice(start, end);
      this.#rest = "";
      start = end + 1;
      if (atReturn && start === text.length) this.#afterCarriageReturn = true;
      if (atReturn && start === lineFeed) start += 1;
      // Each is searched for again only once it is passed: a chunk is read through once, whatever it holds.
      if (lineFeed !== -1 && lineFeed < start) lineFeed = text.indexOf("\n", start);
      if (carriageReturn !== -1 && carriageReturn < start) carriageReturn = text.indexOf("\r", start);
      take(line);
    }
    this.#rest += text.slice(start);
    if (this.#rest.length > EVENT_UNITS_MAX) throw new EventTooLarge();
  }

  end(): readonly string[] {
    return this.#rest === "" ? [] : [this.#rest];
  }
}

/** Collects the fields of one event until it is complete. */
class EventBuilder {
  #name = "";
  #data: string | undefined;
  #dataLines = 0;

  /** Takes one line; the answer is the event that it completed, if it did. */
  take(line: string): ServerSentEvent | undefined {
    if (line === "") return this.finish();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined; // a comment: servers send them to keep the connection open
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field !== "data" && field !== "event") return undefined;
    // Only a first line is looked at, so that no event is parsed again and again.
    const finished = this.#dataLines === 1 && isWhole(this.#data ?? "") ? this.finish() : undefined;
    if (field === "event") this.#name = value;
    else {
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      this.#dataLines += 1;
    }
    if ((this.#data?.length ?? 0) > EVENT_UNITS_MAX) throw new EventTooLarge();
    return finished;
  }

  finish(): ServerSentEvent | undefined {
    const data = this.#data;
    const event = this.#name === "" ? "message" : this.#name;
    this.#name = "";
    this.#data = undefined;
    this.#dataLines = 0;
    return data === undefined ? undefined : { event, data };
  }
}

/** No valid JSON goes on after a whole object, so nothing that was meant as one event is cut in two. */
function isWhole(data: string): boolean {
  if (data === "[DONE]") return true;
  return data.startsWith("{") && data.trimEnd().endsWith("}") && parseJson(data) !== undefined;
}
