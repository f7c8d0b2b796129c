import { parseJson } from "../../base/json.ts";

/** One event, or one line of it, longer than this is no answer of a model. UTF-16 units. */
export const EVENT_UNITS_MAX = 16 * 1024 * 1024;

/** The stream holds an event longer than `EVENT_UNITS_MAX`. The dialects tell it as StreamMalformed. */
export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge";
  constructor() {
    super(`an event of more than ${EVENT_UNITS_MAX} characters`);
  }
}

/** Takes one event: its name ("message" where none was given) and its data lines joined by LF. */
export type TakeEvent = (name: string, data: string) => void;

/**
 * Reads a `text/event-stream` that is pushed in: the same events however the bytes were cut (PROV-10, R06).
 *
 * Takes LF, CR and CRLF, a byte order mark, comments, unknown fields, and characters split over chunks; bytes that
 * are not UTF-8 become U+FFFD. Beyond the standard, for servers that are careless: a last event without its blank
 * line is delivered at the end, and events with a single newline between them stay apart: one ends where the next begins,
 * if its data is a whole JSON object or `[DONE]`, or is broken JSON that the next whole object cannot be a part of.
 *
 * Every event is handed over as soon as it is complete, from within `push` or `end`.
 * @throws EventTooLarge, and whatever the taker throws; nothing is to be pushed after that.
 */
export class EventStreamReader {
  readonly #decoder = new TextDecoder("utf-8");
  readonly #lines = new LineSplitter();
  readonly #take: TakeEvent;
  #name = "";
  #data: string | undefined;
  #dataLines = 0;
  #lastLine = "";
  /** The first line of the data began an object. */
  #isJson = false;

  constructor(take: TakeEvent) {
    this.#take = take;
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(this.#decoder.decode(chunk, { stream: true }), this.#takeLine);
  }

  /** The stream has ended: what is left of it is its last event. */
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

  /** True for a line that begins another event, though no blank line ended the one before. */
  #isNext(field: string, value: string): boolean {
    // No line is looked at twice, so that no event is read again and again.
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
      // Each is searched for again only once it is passed: a chunk is read through once, whatever it holds.
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

/** No valid JSON goes on after a whole object, so nothing that was meant as one event is cut in two. */
function isWhole(data: string): boolean {
  if (data === "[DONE]") return true;
  return data.startsWith("{") && data.trimEnd().endsWith("}") && parseJson(data) !== undefined;
}
