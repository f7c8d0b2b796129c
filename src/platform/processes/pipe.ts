import { closeSync } from "node:fs";
import { cFunctions } from "../c-library.ts";

const O_CLOEXEC = 0o2000000;

/**
 * A kernel pipe whose write end is for a child.
 *
 * The runtime itself gives a child sockets, which Linux cannot open again: `tee /dev/stderr` fails there.
 *
 * Ownership of descriptors: the runtime duplicates the read end when the reader is taken, and closes its copy at the
 * end or on cancel. This class closes its own read end at the same time, and its write end when the pipe is disposed.
 * So each is closed once, and never under a number that was reused.
 *
 * Reading waits in the event loop and needs no thread. At most a few hundred KiB are read ahead.
 */
export class Pipe implements Disposable {
  readonly writeEnd: number;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #taken = false;

  /** @throws a system error, EMFILE, if the runtime gets no descriptor. */
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

  /** Transfers the reader: the taker cancels it or reads it to its end. */
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

/**
 * Returns true if kernel pipes are available: on Linux, if the C library can be called. Checks once, which takes
 * about 1 ms.
 */
export function hasKernelPipes(): boolean {
  return pipeMaker() !== "none";
}

/** Returns undefined if pipes are unavailable, or at a limit: the runtime will meet that limit too, and report it. */
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
  makePipe ??= cFunctions({ pipe2: { args: ["ptr", "i32"], returns: "i32" } })?.pipe2 ?? "none";
  return makePipe;
}
