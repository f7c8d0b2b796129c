import { fstatSync, readFileSync } from "node:fs";
import { asError, HarnessError } from "../../base/errors.ts";
import { codeOf } from "../../base/world.ts";

/** One of the process's own output streams. */
export interface Output {
  /**
   * Resolves once the system has taken the bytes. A slow reader so slows the writer, and nothing is left at exit.
   * @throws OutputClosed if the reader has closed the stream; HarnessError OutputUnwritable if the disk is full.
   */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
  /** Current width of the terminal; absent if it is unknown, or there is no terminal. */
  readonly columns?: number | undefined;
}

/** The reader of standard output has gone. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** Returns standard output: the answer or the JSON, and nothing else. */
export function standardOutput(): Output {
  if (wasClosed(1)) return CLOSED;
  if (!isTerminal(1)) return sinkOutput(Bun.stdout);
  const stream = withErrorsHeard(process.stdout); // now: the terminal client writes to it by itself
  return streamOutput(() => stream);
}

/** Returns standard error: everything else. A missing reader, or a full disk, never ends the work. */
export function standardError(): Output {
  const output = isTerminal(2) ? streamOutput(openedError) : sinkOutput(Bun.stderr);
  let hasFailed = false;
  return {
    isTerminal: output.isTerminal,
    async write(text) {
      if (hasFailed) return;
      try {
        await output.write(text);
      } catch {
        hasFailed = true; // there is no other place to report it
      }
    },
  };
}

/** Replaces a standard output that was closed at the start, as by `>&-`. Writing to it fails. */
const CLOSED: Output = {
  isTerminal: false,
  write: (text) =>
    text === ""
      ? Promise.resolve()
      : Promise.reject(new HarnessError("OutputUnwritable", { detail: "it was closed at the start" })),
};

/**
 * Returns true if a descriptor was closed when this process started. The runtime has then opened the null device there,
 * and marked it to be closed on exec, which no inherited descriptor can be.
 *
 * On a system without /proc this is unknown: writes there are silently lost.
 */
export function wasClosed(descriptor: 1): boolean {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch (thrown) {
    return codeOf(asError(thrown)) === "EBADF";
  }
}

const CLOSE_ON_EXEC = 0o2_000_000;

/**
 * Returns true for a terminal. Node's streams know it too, but making one, or loading `node:tty`, takes longer than a
 * whole start of cinch: files and pipes need neither.
 */
function isTerminal(descriptor: 1 | 2): boolean {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false; // closed
  }
  return process.getBuiltinModule("node:tty").isatty(descriptor);
}

/**
 * Returns an output on a stream, which is asked for with its first use. The line editor draws on a terminal's stream
 * too, so both keep their order.
 */
function streamOutput(opened: () => NodeJS.WriteStream): Output {
  return {
    isTerminal: true,
    get columns() {
      const { columns } = opened();
      return columns > 0 ? columns : undefined; // a terminal that does not know its width says 0
    },
    write(text) {
      if (text === "") return Promise.resolve();
      return new Promise((resolve, reject) => {
        opened().write(text, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(outputError(error));
        });
      });
    },
  };
}

let standardErrorStream: NodeJS.WriteStream | undefined;

function openedError(): NodeJS.WriteStream {
  standardErrorStream ??= withErrorsHeard(process.stderr);
  return standardErrorStream;
}

/** Listens for errors: without a listener, a failed write would also end the process as an uncaught error event. */
function withErrorsHeard(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return stream.on("error", () => undefined);
}

function sinkOutput(file: Bun.BunFile): Output {
  let sink: Bun.FileSink | undefined;
  return {
    isTerminal: false,
    async write(text) {
      if (text === "") return;
      sink ??= file.writer();
      try {
        await sink.write(text);
        await sink.flush();
      } catch (thrown) {
        throw outputError(asError(thrown));
      }
    },
  };
}

/** Returns the error of a write to an output stream as `Output.write` throws it. */
export function outputError(error: Error): Error {
  const closed = ["EPIPE", "ERR_STREAM_DESTROYED", "EBADF", "ECONNRESET"].includes(codeOf(error) ?? "");
  if (closed) return new OutputClosed("nobody reads the output", { cause: error });
  return new HarnessError("OutputUnwritable", { detail: error.message }, { cause: error });
}
