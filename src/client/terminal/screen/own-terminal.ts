import { ProcessTerminal } from "@earendil-works/pi-tui";
import type { Clock } from "../../../base/world.ts";
import { InputChunks } from "./chunks.ts";

/** A terminal that has not marked the end of a paste by then has lost the mark. */
const PASTE_END_MS = 2_000;

/** A terminal that is being resized has its new size once it was left alone for so long. */
const RESIZED_MS = 50;

type Read = (chunk: string) => void;

/** The library's terminal. It ends pastes whose end is lost, and marks pastes without marks. */
export class OwnTerminal extends ProcessTerminal {
  readonly #clock: Pick<Clock, "timer">;
  #size: { readonly columns: number; readonly rows: number } | undefined;
  #resizing: Disposable | undefined;
  #stopReading: () => void = () => undefined;

  constructor(clock: Pick<Clock, "timer">) {
    super();
    this.#clock = clock;
  }

  override start(onInput: (data: string) => void, onResize: () => void): void {
    const { stdin } = process;
    const before = new Set(stdin.listeners("data"));
    this.#size = { columns: super.columns, rows: super.rows };
    super.start(onInput, () => this.#resized(onResize));
    const readers = stdin.listeners("data").filter((each) => !before.has(each)) as Read[];
    const pass = (text: string) => {
      if (text !== "") for (const each of readers) each(text);
    };
    const chunks = new InputChunks();
    let wait: Disposable | undefined;
    const read: Read = (chunk) => {
      wait?.[Symbol.dispose]();
      pass(chunks.read(chunk));
      if (chunks.isPasting) wait = this.#clock.timer(PASTE_END_MS, () => pass(chunks.endPaste()));
    };
    for (const each of readers) stdin.off("data", each);
    stdin.on("data", read);
    this.#stopReading = () => {
      wait?.[Symbol.dispose]();
      stdin.off("data", read);
    };
  }

  /** The size of the last resize that is over: a storm of them costs one picture. */
  override get columns(): number {
    return this.#size?.columns ?? super.columns;
  }

  override get rows(): number {
    return this.#size?.rows ?? super.rows;
  }

  #resized(onResize: () => void): void {
    this.#resizing?.[Symbol.dispose]();
    this.#resizing = this.#clock.timer(RESIZED_MS, () => {
      this.#size = { columns: super.columns, rows: super.rows };
      onResize();
    });
  }

  override stop(): void {
    this.#resizing?.[Symbol.dispose]();
    this.#stopReading();
    super.stop();
  }
}
