import type { InputId } from "../../../base/ids.ts";
import type { Clock } from "../../../base/world.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { SessionView } from "../../../view/session/session-view.ts";
import type { LineTerminal } from "../input/terminal.ts";
import type { PrinterOptions } from "./event-printer.ts";
import { EventPrinter } from "./event-printer.ts";

/** A notice waits so long for the end of a line of streamed text, which may have come to a halt. */
export const NOTICE_MS_MAX = 1_000;

/** A notice waits so long for the end of a block of code. */
const NOTICE_IN_CODE_MS_MAX = 5_000;

export interface ScreenOptions extends Omit<PrinterOptions, "answers" | "holdsNotices" | "columns"> {
  readonly terminal: LineTerminal;
  readonly clock: Pick<Clock, "timer">;
  /** Has something done soon, by whoever waits for it. */
  readonly soon: (work: () => Promise<void>) => void;
}

/** What a person sees of a session: its events, and what is said to them beside, each on lines of its own. */
export class Screen implements Disposable {
  readonly #options: ScreenOptions;
  readonly #printer: EventPrinter;
  #holding: Disposable | undefined;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#printer = new EventPrinter({
      ...options,
      answers: true,
      holdsNotices: true,
      columns: () => this.columns,
    });
  }

  /** The session as far as it was shown. */
  get view(): SessionView {
    return this.#printer.view;
  }

  /** A waiting input is taken back only to be sent at once: that is not told as withdrawn. */
  resends(inputId: InputId): void {
    this.#printer.resends(inputId);
  }

  /** How wide it is now; undefined where that is not known. */
  get columns(): number | undefined {
    return this.#options.terminal.columns;
  }

  async show(envelope: Envelope): Promise<void> {
    await this.#write(this.#printer.print(envelope));
  }

  /** Takes in an event that stands on the screen already. */
  recall(envelope: Envelope): void {
    this.#printer.print(envelope);
  }

  /** Says something now, wrapped by words. @param quotes wraps quoted lines too; else they are printed as they stand. */
  async say(text: string, { quotes = false }: { readonly quotes?: boolean } = {}): Promise<void> {
    await this.#write(this.#printer.line(text, quotes));
  }

  /** Says something that does not cut a line of streamed text: at its end, or after `NOTICE_MS_MAX`. */
  async note(text: string): Promise<void> {
    await this.#write(this.#printer.notice(text));
  }

  /** Clears the screen, and what scrolled off it; false where there is none. */
  clear(): boolean {
    const { terminal } = this.#options;
    if (terminal.clear === undefined) return false;
    terminal.clear();
    return true;
  }

  /** Says what still waits. */
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
      const ms = this.#printer.isInCode ? NOTICE_IN_CODE_MS_MAX : NOTICE_MS_MAX;
      this.#holding ??= clock.timer(ms, () => soon(() => this.flush()));
    }
    if (text !== "") await terminal.write(text);
  }
}
