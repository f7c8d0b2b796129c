import type { Interface } from "node:readline";
import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import { Writable } from "node:stream";
import { asError } from "../base/errors.ts";
import { BoundedQueue } from "../base/queue.ts";
import type { Clock } from "../base/world.ts";
import { codeOf } from "../base/world.ts";
import type { Complete, LineInput, LineTerminal } from "../client/line/terminal.ts";
import type { Output } from "./output.ts";

const LINES_AHEAD_MAX = 1_000;
const HISTORY_LINES_MAX = 500;
/** The screen, what scrolled off it, and the cursor back to its corner. */
const CLEAR = "\u001b[2J\u001b[3J\u001b[H";

export interface TtyOptions {
  readonly output: Output;
  readonly clock: Clock;
  /** False for a terminal that can only print, such as TERM=dumb: no editing, no cursor moves. */
  readonly canMove: boolean;
}

export interface TtyTerminal extends LineTerminal, Disposable {
  /** Ctrl-C that reached the process instead of the line editor. */
  interrupt(): void;
}

/**
 * The line client's terminal where a person sits at one: line editing and history by `node:readline`.
 *
 * What is printed while a line is being typed goes above it. While streamed text stands in the middle of a line, what
 * is typed stays unseen and appears under the next whole line; none of it is lost. Disposing it leaves raw mode.
 *
 * A terminal that went back to the shell, or is gone, is no longer ours: nothing is drawn on it, and that is no error.
 */
export function ttyTerminal(options: TtyOptions): TtyTerminal {
  const { output, clock, canMove } = options;
  const inputs = new BoundedQueue<LineInput>(LINES_AHEAD_MAX);
  let midLine = false;
  let drawn = false;
  let promptText = "";
  /** The editor is gone, as after Ctrl-D: what is printed from then on has no line to be typed below it. */
  let closed = false;
  let gone = false;
  let complete: Complete | undefined;

  const editor: Interface = createInterface({
    input: process.stdin,
    output: canMove ? editorOutput(() => midLine) : process.stdout,
    terminal: canMove,
    historySize: HISTORY_LINES_MAX,
    completer: (typed: string, done: (error: null, completed: [string[], string]) => void) => {
      completed(typed).then(
        (found) => done(null, found),
        () => done(null, [[], typed]), // whoever lists the commands has ended: nothing is completed
      );
    },
    escapeCodeTimeout: 50,
  });

  /** What was typed becomes the text that all candidates share; typed again, they are listed. */
  async function completed(typed: string): Promise<[string[], string]> {
    const found = await complete?.(typed);
    if (found === undefined) return [[], typed];
    return [found.text === typed ? [...found.candidates] : [found.text], typed];
  }

  function push(input: LineInput): void {
    if (!inputs.push(input)) process.stdout.write("\u0007");
  }

  function interrupt(): void {
    push({ kind: "interrupt", atMs: clock.monotonic() });
  }

  function erase(): void {
    if (!drawn || !canMove || closed || gone) return;
    moveCursor(process.stdout, 0, -editor.getCursorPos().rows);
    cursorTo(process.stdout, 0);
    clearScreenDown(process.stdout);
    drawn = false;
  }

  function draw(): void {
    if (midLine || closed || gone) return;
    editor.setPrompt(promptText);
    if (canMove) editor.prompt(true);
    else process.stdout.write(promptText);
    drawn = true;
  }

  /** Leaves raw mode. The system refuses that with EIO to a process whose job the shell has given up. */
  function leaveRawMode(): void {
    if (!canMove || gone) return;
    try {
      process.stdin.setRawMode(false);
    } catch (thrown) {
      if (!isTerminalGone(thrown)) throw thrown;
      gone = true;
    }
  }

  /**
   * In raw mode the terminal does not act on Ctrl-Z itself. What it would have stopped is the whole job: this process
   * alone is not what the shell waits for.
   */
  function suspend(): void {
    process.once("SIGCONT", () => {
      process.stdin.setRawMode(true);
      drawn = false;
      draw();
    });
    process.stdin.setRawMode(false);
    process.kill(0, "SIGTSTP");
  }

  editor.on("line", (text) => {
    drawn = false;
    push({ kind: "line", text });
  });
  editor.on("SIGINT", interrupt);
  editor.on("SIGTSTP", suspend);
  editor.on("close", () => {
    // What is printed next begins on a line of its own.
    if (drawn) process.stdout.write("\n");
    closed = true;
    drawn = false;
    inputs.end();
  });

  return {
    interactive: true,
    redraws: canMove,
    get columns() {
      return output.columns;
    },
    interrupt,
    completesWith(given) {
      complete = given;
    },
    ...(canMove
      ? {
          clear() {
            erase();
            if (!gone) process.stdout.write(CLEAR);
            draw();
          },
        }
      : {}),
    async *input(signal) {
      const end = () => {
        leaveRawMode(); // whatever is written from here on must know whether the terminal is ours
        inputs.end();
      };
      signal.addEventListener("abort", end, { once: true });
      try {
        if (!signal.aborted) yield* inputs;
      } finally {
        signal.removeEventListener("abort", end);
      }
    },
    async write(text) {
      if (gone) return; // it is in the session
      erase();
      await output.write(text);
      midLine = !text.endsWith("\n");
      if (canMove) draw();
    },
    prompt(text) {
      const next = text ?? "";
      if (drawn && next === promptText) return;
      erase();
      promptText = next;
      draw();
    },
    [Symbol.dispose]() {
      leaveRawMode();
      if (gone) return;
      erase();
      editor.close();
    },
  };
}

/** The runtime's error for it has no code. */
function isTerminalGone(thrown: unknown): boolean {
  const error = asError(thrown);
  return codeOf(error) === "EIO" || /^setRawMode failed with errno: 5$/.test(error.message);
}

/** The editor's view of the screen: it may draw only while no streamed text stands unfinished on the last line. */
function editorOutput(muted: () => boolean): Writable {
  const view = new Writable({
    write(chunk, _encoding, done) {
      if (muted()) done();
      else process.stdout.write(chunk, () => done());
    },
  });
  Object.defineProperty(view, "columns", { get: () => process.stdout.columns });
  Object.defineProperty(view, "rows", { get: () => process.stdout.rows });
  process.stdout.on("resize", () => view.emit("resize"));
  return view;
}
