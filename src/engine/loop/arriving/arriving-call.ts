import type { CallId } from "../../../base/ids.ts";
import { head } from "../../../base/text/text.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { ARGS_DELTA_CHARACTERS_MAX } from "../../../protocol/events/progress-limits.ts";
import type { RedactingStream } from "../../../safety/redact.ts";

/** Characters of the arguments of one call that are shown while they come. */
export const ARGS_CHARACTERS_MAX = 262_144;

/** A call that the model writes: its arguments are redacted as they come, and shown in pieces. */
export class ArrivingCall {
  readonly id: CallId;
  readonly #tool: string;
  readonly #index: number;
  readonly #stream: RedactingStream;
  /** Redacted text that is not shown yet. */
  #waiting = "";
  #shown = "";
  #isCut = false;
  #isCutTold = false;
  #isTold = false;
  /** Time at which the last piece was shown. */
  shownAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    id: CallId,
    { name, index }: { readonly name: string; readonly index: number },
    stream: RedactingStream,
  ) {
    this.id = id;
    this.#tool = name;
    this.#index = index;
    this.#stream = stream;
  }

  push(text: string): void {
    if (!this.#isCut) this.#add(this.#stream.push(text));
  }

  /** Adds what the redaction has held. */
  end(): void {
    if (!this.#isCut) this.#add(this.#stream.end());
  }

  /** True if there is something to show. */
  get hasNews(): boolean {
    return !this.#isTold || this.#waiting !== "" || this.#isCut !== this.#isCutTold;
  }

  /** True if subscribers know of it. */
  get isShown(): boolean {
    return this.#isTold;
  }

  /** Takes the next piece to show. */
  next(): PayloadOf<"ToolArgsDelta"> {
    const text = head(this.#waiting, ARGS_DELTA_CHARACTERS_MAX);
    const offset = this.#shown.length;
    this.#waiting = this.#waiting.slice(text.length);
    this.#shown += text;
    this.#isTold = true;
    this.#isCutTold = this.#isCut && this.#waiting === "";
    return { ...this.#piece(text, offset), ...this.#cutMark };
  }

  /** Returns all that was shown, in pieces. */
  again(): readonly PayloadOf<"ToolArgsDelta">[] {
    if (!this.#isTold) return [];
    const pieces: PayloadOf<"ToolArgsDelta">[] = [];
    let offset = 0;
    do {
      const text = head(this.#shown.slice(offset), ARGS_DELTA_CHARACTERS_MAX);
      pieces.push(this.#piece(text, offset));
      offset += text.length;
    } while (offset < this.#shown.length);
    const last = pieces.pop();
    return [...pieces, ...(last === undefined ? [] : [{ ...last, ...this.#cutMark }])];
  }

  /** Returns the piece that says that no call comes of it. */
  voided(): PayloadOf<"ToolArgsDelta"> {
    return { ...this.#piece("", this.#shown.length), void: true };
  }

  get #cutMark(): { readonly cut?: true } {
    return this.#isCutTold ? { cut: true } : {};
  }

  #add(text: string): void {
    const room = ARGS_CHARACTERS_MAX - this.#shown.length - this.#waiting.length;
    this.#isCut = text.length > room;
    this.#waiting += head(text, room);
  }

  #piece(text: string, offset: number): PayloadOf<"ToolArgsDelta"> {
    const place = this.#index === 0 ? {} : { index: this.#index };
    return { callId: this.id, tool: this.#tool, text, offset, ...place };
  }
}
