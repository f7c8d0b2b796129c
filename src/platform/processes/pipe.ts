import { closeSync } from "node:fs";
import { fromC } from "../c-library.ts";

const O_CLOEXEC = 0o2000000;

/**
 * A pipe of the kernel, of which a child is to have the end to write to.
 *
 * What the runtime itself gives a child are sockets, which Linux lets nobody open again: `tee /dev/stderr` fails there.
 *
 * Whose descriptor is whose: the runtime makes one of its own when the reader is taken, and closes that when the reader
 * has come to the end or was cancelled. Ours to read from is closed in the same breath, and ours to write to when the
 * scope of the pipe is left. So each is closed once, and none under a number that has become somebody else's.
 *
 * Reading waits in the event loop and keeps no thread. At most a few hundred KiB are read ahead.
 */
export class Pipe implements Disposable {
  readonly writeEnd: number;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #taken = false;

  /** @throws an error of the system, EMFILE, where there is no descriptor for the runtime. */
  constructor(readEnd: number, writeEnd: number) {
    this.writeEnd = writeEnd;
    try {
      this.#reader = Bun.file(readEnd).stream().getReader();
    } catch (thrown) {
      closeSync(writeEnd);
      throw thrown;
    } finally {
      closeSync(readEnd);
    }
  }

  /** Whoever takes it cancels it or reads it to its end. */
  take(): ReadableStreamDefaultReader<Uint8Array> {
    this.#taken = true;
    return this.#reader;
  }

  [Symbol.dispose](): void {
    closeSync(this.writeEnd);
    if (!this.#taken) void this.#reader.cancel();
  }
}

type MakePipe = (ends: Int32Array, flags: number) => number;
let makePipe: MakePipe | "none" | undefined;

/** Whether there are such pipes here: on Linux, where the C library can be called. Looks once, which takes about 1 ms. */
export function givesPipes(): boolean {
  return pipeMaker() !== "none";
}

/** Undefined where there are none here, or no more because of a limit: the runtime will meet that limit too, and tell it. */
export function openPipe(): Pipe | undefined {
  const ends = openEnds();
  return ends === undefined ? undefined : new Pipe(ends.readEnd, ends.writeEnd);
}

/** Opens both ends of a pipe, which the caller closes; undefined as with `openPipe`. */
export function openEnds(): { readonly readEnd: number; readonly writeEnd: number } | undefined {
  const make = pipeMaker();
  const ends = new Int32Array(2);
  if (make === "none" || make(ends, O_CLOEXEC) !== 0) return undefined;
  const [readEnd, writeEnd] = ends;
  return readEnd === undefined || writeEnd === undefined ? undefined : { readEnd, writeEnd };
}

function pipeMaker(): MakePipe | "none" {
  makePipe ??= fromC({ pipe2: { args: ["ptr", "i32"], returns: "i32" } })?.pipe2 ?? "none";
  return makePipe;
}
