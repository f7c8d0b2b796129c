import { codeOf } from "../base/world.ts";

/** One of the process's own output streams. */
export interface Output {
  /**
   * Ends once the system has taken the bytes, so a slow reader slows the writer and nothing is left when the process
   * exits.
   * @throws OutputClosed when nobody reads any more, and the system's error when the disk is full.
   */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
}

/** The reader of standard output has gone. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/** Standard output: the answer or the JSON, and nothing else. */
export function standardOutput(): Output {
  return outputTo(process.stdout);
}

/** Standard error: everything else. That nobody reads it, or that it is full, never ends the work it speaks of. */
export function standardError(): Output {
  const output = outputTo(process.stderr);
  return {
    isTerminal: output.isTerminal,
    async write(text) {
      try {
        await output.write(text);
      } catch {
        // There is nowhere left to tell it.
      }
    },
  };
}

function outputTo(stream: NodeJS.WriteStream): Output {
  // Without a listener, a failed write would also end the process as an uncaught error event.
  stream.on("error", () => undefined);
  return {
    isTerminal: stream.isTTY === true,
    write(text) {
      if (text === "") return Promise.resolve();
      return new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (error === null || error === undefined) resolve();
          else
            reject(isClosed(error) ? new OutputClosed("nobody reads the output", { cause: error }) : error);
        });
      });
    },
  };
}

function isClosed(error: Error): boolean {
  return ["EPIPE", "ERR_STREAM_DESTROYED", "EBADF", "ECONNRESET"].includes(codeOf(error) ?? "");
}
