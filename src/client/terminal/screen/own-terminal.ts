import { ProcessTerminal } from "@earendil-works/pi-tui";
import type { Clock } from "../../../base/world.ts";
import { InputChunks } from "./chunks.ts";

type Read = (chunk: string) => void;

/** The library's terminal. It ends pastes whose end is lost, and marks pastes without marks. */
export class OwnTerminal extends ProcessTerminal {
  readonly #clock: Pick<Clock, "timer">;
  #stopReading: () => void = () => undefined;

  constructor(clock: Pick<Clock, "timer">) {
    super();
    this.#clock = clock;
  }

  override start(onInput: (data: string) => void, onResize: () => void): void {
    const { stdin } = process;
    const before = new Set(stdin.listeners("data"));
    super.start(onInput, onResize);
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

  override stop(): void {
    this.#stopReading();
    super.stop();
  }
}
