import { invalidAnswer } from "./errors.ts";

/** One frame of a stream of server-sent events. */
export interface SseFrame {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/**
 * Reads frames out of text that comes in pieces, wherever those are cut. Comments are passed over; a frame that is not
 * finished at the end of the stream is none.
 */
export class SseReader {
  readonly #charsMax: number;
  readonly #url: string;
  #rest = "";
  #wasReturn = false;
  #isFirst = true;
  #id: string | undefined;
  #event = "";
  #data: string[] = [];
  #chars = 0;

  constructor(url: string, charsMax: number) {
    this.#url = url;
    this.#charsMax = charsMax;
  }

  /** The frames that are finished by this piece. @throws CinchError InvalidAnswer for a frame above the limit. */
  take(piece: string): readonly SseFrame[] {
    let text = piece;
    if (text === "") return [];
    if (this.#isFirst) text = text.replace(/^\ufeff/, "");
    this.#isFirst = false;
    // A line may end in both characters, and the cut may lie between them.
    if (this.#wasReturn && text.startsWith("\n")) text = text.slice(1);
    if (text !== "") this.#wasReturn = text.endsWith("\r");
    const frames: SseFrame[] = [];
    const ends = /\r\n|\r|\n/g;
    let from = 0;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      const frame = this.#line(this.#rest + text.slice(from, end.index));
      this.#rest = "";
      from = ends.lastIndex;
      if (frame !== undefined) frames.push(frame);
    }
    this.#rest += text.slice(from);
    if (this.#rest.length + this.#chars > this.#charsMax)
      throw invalidAnswer(this.#url, `an event of more than ${this.#charsMax} characters`);
    return frames;
  }

  #line(line: string): SseFrame | undefined {
    if (line === "") return this.#finish();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") {
      this.#data.push(value);
      this.#chars += value.length;
    } else if (name === "event") this.#event = value;
    else if (name === "id") this.#id = value;
    return undefined;
  }

  #finish(): SseFrame | undefined {
    const frame = {
      id: this.#id,
      event: this.#event === "" ? "message" : this.#event,
      data: this.#data.join("\n"),
    };
    const isEmpty = this.#data.length === 0;
    [this.#event, this.#data, this.#chars, this.#id] = ["", [], 0, undefined];
    return isEmpty ? undefined : frame;
  }
}
