import { EventEmitter } from "node:events";
import type { Size } from "../../../src/client/terminal/screen/screen.ts";
import type { MemoryTerminal } from "./memory-terminal.ts";
import type { PlayedClock } from "./played-clock.ts";

/** The streams and timers of this process, as a library that knows no other ones uses them. */
export interface PlayedProcess extends Disposable {
  /** Gives a chunk to whoever reads the standard input. */
  read(chunk: string): void;
  /** Says that the terminal has another size. */
  resized(): void;
  /** Errors that nobody handled. */
  readonly escaped: unknown[];
  /** True while a client reads the keyboard itself. */
  readonly isRaw: boolean;
  /** Readers of the keyboard, and listeners to its size. */
  readonly listeners: number;
}

class Input extends EventEmitter {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
  setEncoding(): this {
    return this;
  }
  resume(): this {
    return this;
  }
  pause(): this {
    return this;
  }
}

class Output extends EventEmitter {
  readonly isTTY = true;
  readonly #terminal: MemoryTerminal;
  /** The size of the last signal about one, as a runtime keeps it. */
  #known: Size;

  constructor(terminal: MemoryTerminal) {
    super();
    this.#terminal = terminal;
    this.#known = terminal.size;
  }

  get columns(): number {
    return this.#known.columns;
  }
  get rows(): number {
    return this.#known.rows;
  }
  /** Reads the size again; the runtime has this method, too. */
  _refreshSize(): void {
    const { columns, rows } = this.#terminal.size;
    if (columns === this.#known.columns && rows === this.#known.rows) return;
    this.resized();
  }
  resized(): void {
    this.#known = this.#terminal.size;
    this.emit("resize");
  }
  write(text: string): boolean {
    this.#terminal.write(text);
    return true;
  }
}

/**
 * Puts a terminal in memory and a played clock in the place of this process's terminal and timers, until it is
 * disposed. The library of the screen takes both from the process, and nothing else does meanwhile.
 */
export function playProcess(terminal: MemoryTerminal, clock: PlayedClock): PlayedProcess {
  using undo = new DisposableStack();
  const [input, output] = [new Input(), new Output(terminal)];
  const escaped: unknown[] = [];
  const note = (thrown: unknown) => void escaped.push(thrown);
  replace(undo, process, "stdin", input);
  replace(undo, process, "stdout", output);
  replace(undo, performance, "now", () => clock.monotonic());
  replace(undo, globalThis, "setTimeout", (callback: () => void, ms = 0) => clock.timer(ms, callback));
  replace(undo, globalThis, "clearTimeout", (timer?: Partial<Disposable>) => timer?.[Symbol.dispose]?.());
  for (const name of ["unhandledRejection", "uncaughtException"]) {
    process.on(name, note);
    undo.defer(() => void process.off(name, note));
  }
  const held = undo.move();
  return {
    read: (chunk) => void input.emit("data", chunk),
    resized: () => output.resized(),
    escaped,
    get isRaw() {
      return input.isRaw;
    },
    get listeners() {
      return input.listenerCount("data") + output.listenerCount("resize");
    },
    [Symbol.dispose]: () => held.dispose(),
  };
}

function replace(undo: DisposableStack, owner: object, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  undo.defer(() => {
    if (before === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, before);
  });
}
