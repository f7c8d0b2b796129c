import { parseJson } from "../../../base/json.ts";
import type { TextPattern } from "./text-pattern.ts";
import { KnownPattern } from "./text-pattern.ts";

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

/** Returns the pattern of the event that was just taken; undefined if events like it may not be joined. */
export type FindPattern = (data: string) => TextPattern | undefined;

const LINE_FEED = 10;
const BLANK = 32;

/**
 * Reads a `text/event-stream` from pushed bytes. Chunk boundaries do not change the events (PROV-10, R06).
 *
 * Accepts LF, CR and CRLF, a byte order mark, comments, unknown fields, and characters split over chunks; invalid
 * UTF-8 becomes U+FFFD. Two extensions serve careless servers. A last event without its blank line is delivered at
 * the end. Events with a single newline between them stay apart. One ends where the next begins if its data is a
 * whole JSON object or `[DONE]`. It also ends there if its data is broken JSON that the next whole object cannot
 * belong to.
 *
 * Every event is passed on as soon as it is complete, from within `push` or `end`. Consecutive events of one pattern
 * that come in one chunk are passed on as one, with their texts joined: most of an answer that comes fast costs a few
 * searches then, and one event where there were hundreds (PERF-02).
 * @throws EventTooLarge, and any error of the callback; push nothing after that.
 */
export class EventStreamReader {
  readonly #decoder = new TextDecoder("utf-8");
  readonly #lines = new Lines();
  readonly #take: TakeEvent;
  readonly #pattern: KnownPattern;
  #name = "";
  #data: string | undefined;
  #dataLines = 0;
  #lastLine = "";
  /** True if the first line of the data began an object. */
  #isJson = false;

  /** @param patternOf called after an event that another one follows in the same chunk. Default: no event is joined. */
  constructor(take: TakeEvent, patternOf: FindPattern = () => undefined) {
    this.#take = take;
    this.#pattern = new KnownPattern(patternOf);
  }

  push(chunk: Uint8Array): void {
    this.#read(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Ends the stream: the rest is its last event. */
  end(): void {
    this.#read(this.#decoder.decode());
    const rest = this.#lines.end();
    if (rest !== "") this.#takeLine(rest);
    this.#finish();
  }

  #read(text: string): void {
    const lines = this.#lines;
    lines.push(text);
    while (true) {
      if (this.#data === undefined && this.#name === "" && lines.isPlain)
        lines.skipTo(this.#takeUsual(text, lines.at));
      const line = lines.next();
      if (line === undefined) return;
      this.#takeLine(line);
    }
  }

  /**
   * Takes the events of the usual form, one data line after an event line or none, without looking at each line.
   * Returns where other text begins, or an event that is not complete.
   */
  #takeUsual(text: string, from: number): number {
    const pattern = this.#pattern;
    let at = from;
    while (at < text.length) {
      const joined = pattern.join(text, at);
      if (joined !== undefined) {
        this.#deliver(joined.name, joined.data);
        at = joined.end;
        continue;
      }
      const nameEnd = text.startsWith("event: ", at) ? text.indexOf("\n", at) : at - 1;
      if (nameEnd < at - 1 || !text.startsWith("data:", nameEnd + 1)) return at;
      const dataAt = nameEnd + (text.charCodeAt(nameEnd + 6) === BLANK ? 7 : 6);
      const end = text.indexOf("\n", dataAt);
      if (end === -1 || text.charCodeAt(end + 1) !== LINE_FEED) return at;
      const name = nameEnd < at ? "" : text.slice(at + "event: ".length, nameEnd);
      const data = text.slice(dataAt, end);
      this.#deliver(name, data);
      if (end + 2 < text.length) pattern.learn(name, { lead: text.slice(at, dataAt), data });
      at = end + 2;
    }
    return at;
  }

  #takeLine(line: string): void {
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
  }

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
    const name = this.#name;
    this.#name = "";
    this.#data = undefined;
    this.#dataLines = 0;
    if (data !== undefined) this.#deliver(name, data);
  }

  #deliver(name: string, data: string): void {
    if (data.length > EVENT_UNITS_MAX) throw new EventTooLarge();
    this.#take(name === "" ? "message" : name, data);
  }
}

/** Lines of a text that comes in pieces. A CR ends its line at once; an LF right after it belongs to it. */
class Lines {
  #text = "";
  #at = 0;
  /** The next of each from `#at` on; -1 if the piece has no more. Each is passed once, so a piece is scanned once. */
  #lineFeed = -1;
  #carriageReturn = -1;
  /** Beginning of a line that the piece before did not end. */
  #rest = "";
  #afterCarriageReturn = false;

  /** Takes the next piece, once `next` has returned all lines of the one before. */
  push(text: string): void {
    this.#text = text;
    this.#at = this.#afterCarriageReturn && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#afterCarriageReturn = false;
    this.#lineFeed = text.indexOf("\n", this.#at);
    this.#carriageReturn = text.indexOf("\r", this.#at);
  }

  /** Position in the piece. */
  get at(): number {
    return this.#at;
  }

  /** True at the beginning of a line, if the rest of the piece has no CR. */
  get isPlain(): boolean {
    return this.#rest === "" && this.#carriageReturn === -1;
  }

  /** Leaves out what was read otherwise: whole lines, in a piece that is plain. */
  skipTo(at: number): void {
    if (at === this.#at) return;
    this.#at = at;
    this.#lineFeed = this.#text.indexOf("\n", at);
  }

  /**
   * Returns the next whole line of the piece; undefined if there is none.
   * @throws EventTooLarge for a line that does not end.
   */
  next(): string | undefined {
    const [text, start, lineFeed, carriageReturn] = [
      this.#text,
      this.#at,
      this.#lineFeed,
      this.#carriageReturn,
    ];
    if (lineFeed === -1 && carriageReturn === -1) {
      this.#rest += text.slice(start);
      this.#at = text.length;
      if (this.#rest.length > EVENT_UNITS_MAX) throw new EventTooLarge();
      return undefined;
    }
    const atReturn = carriageReturn !== -1 && (lineFeed === -1 || carriageReturn < lineFeed);
    const end = atReturn ? carriageReturn : lineFeed;
    const line = this.#rest + text.slice(start, end);
    this.#rest = "";
    let after = end + 1;
    if (atReturn && after === text.length) this.#afterCarriageReturn = true;
    if (atReturn && after === lineFeed) after += 1;
    this.#at = after;
    if (lineFeed !== -1 && lineFeed < after) this.#lineFeed = text.indexOf("\n", after);
    if (carriageReturn !== -1 && carriageReturn < after) this.#carriageReturn = text.indexOf("\r", after);
    return line;
  }

  /** Returns the line that the text ended in. */
  end(): string {
    return this.#rest;
  }
}

/** No valid JSON continues after a whole object, so no event is split by mistake. */
function isWhole(data: string): boolean {
  if (data === "[DONE]") return true;
  return data.startsWith("{") && data.trimEnd().endsWith("}") && parseJson(data) !== undefined;
}
