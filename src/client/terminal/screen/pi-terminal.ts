import { ProcessTerminal } from "@earendil-works/pi-tui";
import type { Clock } from "../../../base/world.ts";
import { InputChunks } from "./chunks.ts";
import { RESIZED_MS } from "./resizing.ts";

type Read = (chunk: string) => void;

export interface PiTerminalOptions {
  readonly clock: Pick<Clock, "timer">;
  /** Gets each sequence of the terminal first. Returns false for one that it leaves to the library. Default: none. */
  readonly takes?: (sequence: string) => boolean;
  /** True: a change of the size counts once the size stays: a storm of them costs one picture. Default: false. */
  readonly settlesSize?: boolean;
  /**
   * Called once a change of the size is over, also if the size is as before: the terminal may have cut what it shows.
   */
  readonly resized?: () => void;
}

/**
 * The library's terminal. It ends pastes whose end is lost, and marks pastes without marks. Reports of the mouse and of
 * the focus go past the library, which would keep them for itself.
 */
export class PiTerminal extends ProcessTerminal {
  readonly #clock: Pick<Clock, "timer">;
  readonly #takes: (sequence: string) => boolean;
  readonly #settlesSize: boolean;
  readonly #onSettled: () => void;
  /** The size of the last resize that is over; undefined: the size as it is now. */
  #size: { readonly columns: number; readonly rows: number } | undefined;
  #resizing: Disposable | undefined;
  #endInput: () => void = () => undefined;

  constructor({
    clock,
    takes = () => false,
    settlesSize = false,
    resized = () => undefined,
  }: PiTerminalOptions) {
    super();
    this.#clock = clock;
    this.#takes = takes;
    this.#settlesSize = settlesSize;
    this.#onSettled = resized;
  }

  override start(onInput: (data: string) => void, onResize: () => void): void {
    const { stdin } = process;
    const before = new Set(stdin.listeners("data"));
    if (this.#settlesSize) this.#size = { columns: super.columns, rows: super.rows };
    super.start(
      (sequence) => {
        if (!this.#takes(sequence)) onInput(sequence);
      },
      () => (this.#settlesSize ? this.#resized(onResize) : onResize()),
    );
    const readers = stdin.listeners("data").filter((each) => !before.has(each)) as Read[];
    const pass = (text: string) => {
      if (text !== "") for (const each of readers) each(text);
    };
    const chunks = new InputChunks();
    let wait: Disposable | undefined;
    const read: Read = (chunk) => {
      wait?.[Symbol.dispose]();
      pass(chunks.read(chunk));
      const { endsAfterMs } = chunks;
      if (endsAfterMs !== undefined) wait = this.#clock.timer(endsAfterMs, () => pass(chunks.flush()));
    };
    for (const each of readers) stdin.off("data", each);
    stdin.on("data", read);
    this.#endInput = () => {
      wait?.[Symbol.dispose]();
      pass(chunks.flush());
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
      this.#onSettled();
      onResize();
    });
  }

  /** Reads no more, and gives away what was held. `stop` does the same; a screen calls it before it leaves. */
  endInput(): void {
    const end = this.#endInput;
    this.#endInput = () => undefined;
    end();
  }

  override stop(): void {
    this.#resizing?.[Symbol.dispose]();
    this.endInput();
    super.stop();
  }
}
