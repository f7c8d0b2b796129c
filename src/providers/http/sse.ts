import { parseJson } from "../../base/json.ts";

/** Limit of one event or line, in UTF-16 units; a longer one is no answer of a model. */
export const EVENT_UNITS_MAX = 16 * 1024 * 1024;

/** Thrown for an event longer than `EVENT_UNITS_MAX`. The dialects report it as StreamMalformed. */
export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge";
  constructor() {
    super(`an event of more than ${EVENT_UNITS_MAX} characters`);
  }
}

/** Takes one event: its name ("message" if it has none) and its data lines joined by LF. */
export type TakeEvent = (name: string, data: string) => void;

/**
 * Reads a `text/event-stream` from pushed bytes. Chunk boundaries do not change the events (PROV-10, R06).
 *
 * Accepts LF, CR and CRLF, a byte order mark, comments, unknown fields, and characters split over chunks; invalid
 * UTF-8 becomes U+FFFD. Two extensions serve careless servers. A last event without its blank line is delivered at
 * the end. Events with a single newline between them stay apart. One ends where the next begins if its data is a
 * whole JSON object or `[DONE]`. It also ends there if its data is broken JSON that the next whole object cannot
 * belong to.
 *
 * Every event is passed on as soon as it is complete, from within `push` or `end`.
 * @throws EventTooLarge, and any error of the callback; push nothing after that.
 */
export class EventStreamReader {
  readonly #decoder = new TextDecoder("utf-8");
  readonly #lines = new LineSplitter();
  readonly #take: TakeEvent;
  #name = "";
  #data: string | undefined;
  #dataLines = 0;
  #lastLine = "";
  /** True if the first line of the data began an object. */
  #isJson = false;

  constructor(take: TakeEvent) {
    this.#take = take;
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(this.#decoder.decode(chunk, { stream: true }), this.#takeLine);
  }

  /** Ends the stream: the rest is its last event. */
  end(): void {
    this.#lines.push(this.#decoder.decode(), this.#takeLine);
    this.#lines.end(this.#takeLine);
    this.#finish();
  }

  readonly #takeLine = (line: string): void => {
    if (line === "") {
      this.#finish();
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return; // a comment: servers send them to keep the connection open
    const field = colon === -1 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event") return;
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (this.#dataLines > 0 && this.#isNext(field, value)) this.#finish();
    if (field === "event") {
      this.#name = value;
      return;
    }
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    this.#dataLines += 1;
    this.#lastLine = value;
    if (this.#data.length > EVENT_UNITS_MAX) throw new EventTooLarge();
  };

  /** Returns true for a line that begins another event without a blank line before it. */
  #isNext(field: string, value: string): boolean {
    // No line is parsed twice, so that no event is read again and again.
    if (this.#dataLines === 1) {
      if (isWhole(this.#lastLine)) return true;
      this.#isJson = this.#lastLine.startsWith("{");
    }
    // What is no JSON is read as the standard has it.
    if (!this.#isJson) return false;
    if (field === "event") return true;
    // An event that is broken takes the next one with it only where the next could be a part of it.
    return (value === "[DONE]" || !"[,:{".includes(this.#lastLine.trimEnd().at(-1) ?? "[")) && isWhole(value);
  }

  /** The event is complete; one without data is none. */
  #finish(): void {
    const data = this.#data;
    const name = this.#name === "" ? "message" : this.#name;
    this.#name = "";
    this.#data = undefined;
    this.#dataLines = 0;
    if (data !== undefined) this.#take(name, data);
  }
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
      // Each is searched again only after it is passed, so a chunk is scanned once.
      if (lineFeed !== -1 && lineFeed < start) lineFeed = text.indexOf("\n", start);
      if (carriageReturn !== -1 && carriageReturn < start) carriageReturn = text.indexOf("\r", start);
      take(line);
    }
    this.#rest += text.slice(start);
    if (this.#rest.length > EVENT_UNITS_MAX) throw new EventTooLarge();
  }

  end(take: (line: string) => void): void {
    if (this.#rest !== "") take(this.#rest);
  }
}

/** No valid JSON continues after a whole object, so no event is split by mistake. */
function isWhole(data: string): boolean {
  if (data === "[DONE]") return true;
  return data.startsWith("{") && data.trimEnd().endsWith("}") && parseJson(data) !== undefined;
}
