import type { CallId, InputId } from "../../../base/ids.ts";
import type { Clock } from "../../../base/world.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { LeftOut } from "../../../view/session/limits.ts";
import { leftOutNotice, shortenedLists } from "../../../view/session/limits.ts";
import type { SessionStep } from "../../../view/session/session-view.ts";
import type { CopyResult } from "../../slash/slash-context.ts";
import type { LineTerminal } from "../input/terminal.ts";
import type { PrinterOptions } from "./event-printer.ts";
import { EventPrinter } from "./event-printer.ts";

/** Longest wait of a notice for the end of a streamed line, which may have stalled. */
export const HELD_NOTICE_MS_MAX = 1_000;

/** Longest wait of a notice for the end of a code block. */
const NOTICE_IN_CODE_MS_MAX = 5_000;

export interface ScreenOptions extends Omit<PrinterOptions, "answers" | "holdsNotices" | "columns"> {
  readonly terminal: LineTerminal;
  readonly clock: Pick<Clock, "timer">;
  /** Queues work to run soon. */
  readonly soon: (work: () => Promise<void>) => void;
  /** Returns the change that a call has made, as quoted lines; undefined if it is not known. */
  readonly writtenChange?: (callId: CallId) => Promise<readonly string[] | undefined>;
}

/** Prints a session's events and the client's notices, each on separate lines. */
export class SessionScreen implements Disposable {
  readonly #options: ScreenOptions;
  readonly #printer: EventPrinter;
  #holding: Disposable | undefined;
  /** Entries that the session's lists lack, as far as that was printed. */
  #leftOut: LeftOut = {};

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#printer = new EventPrinter({
      ...options,
      answers: true,
      holdsNotices: true,
      columns: () => this.columns,
    });
  }

  /** Suppresses the "withdrawn" line of an input that is withdrawn only to be sent again. */
  resends(inputId: InputId): void {
    this.#printer.resends(inputId);
  }

  /** Current width in columns; undefined if unknown. */
  get columns(): number | undefined {
    return this.#options.terminal.columns;
  }

  async show(envelope: Envelope, session: SessionStep): Promise<void> {
    await this.#lookUpChange(envelope);
    await this.#write(this.#printer.print(envelope, session));
    const { leftOut } = session.after;
    if (leftOut !== this.#leftOut) await this.#tellLeftOut(leftOut);
  }

  /** Looks up what a call has changed in a file that it wrote as a whole; not for calls of the history. */
  async #lookUpChange(envelope: Envelope): Promise<void> {
    const { writtenChange, past = 0 } = this.#options;
    const callId = envelope.id > past ? this.#printer.wholeWritten(envelope) : undefined;
    const change = callId === undefined ? undefined : await writtenChange?.(callId);
    if (callId !== undefined && change !== undefined) this.#printer.changed(callId, change);
  }

  /** Prints once for each list of the session that it lacks entries, those of its history too. */
  async #tellLeftOut(leftOut: LeftOut): Promise<void> {
    const before = new Set(shortenedLists(this.#leftOut));
    this.#leftOut = leftOut;
    for (const list of shortenedLists(leftOut)) if (!before.has(list)) await this.note(leftOutNotice(list));
  }

  /** Applies an event that is on the screen already. */
  recall(envelope: Envelope, session: SessionStep): void {
    this.#printer.print(envelope, session);
  }

  /** Prints a text now, wrapped by words. @param quotes true to wrap quoted lines too. */
  async say(text: string, { quotes = false }: { readonly quotes?: boolean } = {}): Promise<void> {
    await this.#write(this.#printer.line(text, quotes));
  }

  /** Prints a text at the end of the streamed line, or after `HELD_NOTICE_MS_MAX`. */
  async note(text: string): Promise<void> {
    await this.#write(this.#printer.notice(text));
  }

  /** Clears the screen and the scrollback; returns false without a screen. */
  clear(): boolean {
    const { terminal } = this.#options;
    if (terminal.clear === undefined) return false;
    terminal.clear();
    return true;
  }

  /** Puts a text into the clipboard of the terminal. */
  copy(text: string): CopyResult {
    return this.#options.terminal.copy?.(text) ?? "no-terminal";
  }

  /** Prints the waiting notices. */
  async flush(): Promise<void> {
    if (this.#printer.isHolding) await this.#write(this.#printer.flush());
  }

  [Symbol.dispose](): void {
    this.#holding?.[Symbol.dispose]();
    this.#holding = undefined;
  }

  async #write(text: string): Promise<void> {
    const { terminal, clock, soon } = this.#options;
    if (!this.#printer.isHolding) this[Symbol.dispose]();
    else {
      const ms = this.#printer.isInCode ? NOTICE_IN_CODE_MS_MAX : HELD_NOTICE_MS_MAX;
      this.#holding ??= clock.timer(ms, () => soon(() => this.flush()));
    }
    if (text !== "") await terminal.write(text);
  }
}
