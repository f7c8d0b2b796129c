import type { Subprocess } from "bun";
import { track } from "./guard.ts";

/** Transport of a subscribed client. */
export type Wire = "ws" | "sse" | "sse-unix";

/** One event as a client has it. */
export interface Arrival {
  /** 0 where the other side gives none. */
  readonly id: number;
  /** Nanoseconds of the machine's monotonic clock, which all processes share. */
  readonly atNs: number;
  /** The text of a piece of an answer, else the event's kind. */
  readonly text: string;
}

/** Work of a process of clients: see `watchers.ts`. */
export interface WatchSpec {
  readonly wire: Wire;
  readonly url: string;
  readonly socket: string;
  readonly token: string;
  /** One client for each. */
  readonly sessions: readonly string[];
  /** True if nothing is read from the last one. */
  readonly stalled: boolean;
}

/** A process that answers each line of its input with one line of JSON. */
export interface Asked extends Disposable {
  readonly pid: number;
  /** The first line that it printed. */
  readonly said: Promise<unknown>;
  ask(line: string): Promise<unknown>;
}

export function startAsked(
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Asked {
  const child: Subprocess<"pipe", "pipe", "inherit"> = track(
    Bun.spawn([...argv], { ...options, stdio: ["pipe", "pipe", "inherit"] }),
  );
  const lines = linesOf(child.stdout);
  const read = async () => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`a measured process ended early: ${argv.slice(-2).join(" ")}`);
    return JSON.parse(value) as unknown;
  };
  let last: Promise<unknown> = read();
  return {
    pid: child.pid,
    said: last,
    ask(line) {
      child.stdin.write(`${line}\n`);
      child.stdin.flush();
      last = last.then(read);
      return last;
    },
    [Symbol.dispose]: () => child.kill("SIGKILL"),
  };
}

/** Text in UTF-8, line by line, as it comes; what follows the last line feed is left out. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
