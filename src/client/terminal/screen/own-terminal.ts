import { ProcessTerminal } from "@earendil-works/pi-tui";
import type { Clock } from "../../../base/world.ts";
import { InputChunks } from "./chunks.ts";

type Read = (chunk: string) => void;

/**
 * The library's terminal. It ends pastes whose end is lost, and marks pastes without marks. Reports of the mouse and of
 * the focus go past the library, which would keep them for itself.
 */
export class OwnTerminal extends ProcessTerminal {
  readonly #clock: Pick<Clock, "timer">;
  readonly #takes: (sequence: string) => boolean;
  #stopReading: () => void = () => undefined;

  /** @param takes gets each sequence of the terminal first. Returns false for one that it leaves to the library. */
  constructor(clock: Pick<Clock, "timer">, takes: (sequence: string) => boolean = () => false) {
    super();
    this.#clock = clock;
    this.#takes = takes;
  }

  override start(onInput: (data: string) => void, onResize: () => void): void {
    const { stdin } = process;
    const before = new Set(stdin.listeners("data"));
    super.start((sequence) => {
      if (!this.#takes(sequence)) onInput(sequence);
    }, onResize);
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
      if (endsAfterMs !== undefined) wait = this.#clock.timer(endsAfterMs, () => pass(chunks.endPaste()));
    };
    for (const each of readers) stdin.off("data", each);
    stdin.on("data", read);
    this.#stopReading = () => {
      wait?.[Symbol.dispose]();
      stdin.off("data", read);
    };
  }

  /** Reads the size now: the signal about a change may still be on its way. A change calls `onResize` at once. */
  refreshSize(): void {
    (process.stdout as { _refreshSize?(): void })._refreshSize?.();
  }

  override stop(): void {
    this.#stopReading();
    super.stop();
  }
}
