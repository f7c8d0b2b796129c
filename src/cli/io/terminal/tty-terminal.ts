import type { Interface } from "node:readline";
import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import { Writable } from "node:stream";
import type { WriteStream } from "node:tty";
import { BoundedQueue } from "../../../base/async/queue.ts";
import { asError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { Complete, LineInput, LineTerminal } from "../../../client/line/input/terminal.ts";
import type { Output } from "../output.ts";
import { ttyKeys } from "./tty-keys.ts";
import { TypedLine } from "./typed-line.ts";

const LINES_AHEAD_MAX = 1_000;
const HISTORY_LINES_MAX = 500;
/** The screen, what scrolled off it, and the cursor back to its corner. */
const BELL = "\u0007";
const CLEAR = "\u001b[2J\u001b[3J\u001b[H";

export interface TtyOptions {
  readonly output: Output;
  readonly clock: Clock;
  /** The stream of `output`; standard output when omitted. */
  readonly screen?: WriteStream;
  /** False for a terminal that can only print, such as TERM=dumb: no editing, no cursor moves. */
  readonly canMove: boolean;
  /** False for a command that only asks questions. Default: true. */
  readonly hasPrompts?: boolean;
}

export interface TtyTerminal extends LineTerminal, Disposable {
  /** Called for a Ctrl-C that reached the process instead of the line editor. */
  interrupt(): void;
}

/**
 * Returns the line client's terminal for a person, with line editing and history by `node:readline`.
 *
 * Output during typing appears above the line. While streamed text is in the middle of a line, typed text is hidden,
 * and appears under the next whole line; none of it is lost. Disposing it leaves raw mode. `TypedLine` decides about
 * answers and pastes. On a terminal that went back to the shell, or was closed, nothing is drawn, and that is no error.
 */
export function ttyTerminal(options: TtyOptions): TtyTerminal {
  const { output, clock, canMove, hasPrompts = true, screen = process.stdout } = options;
  const inputs = new BoundedQueue<LineInput>(LINES_AHEAD_MAX);
  let midLine = false;
  let drawn = false;
  let promptText = "";
  /** True once the editor is gone, as after Ctrl-D: further output has no line to be typed below it. */
  let closed = false;
  let hasLostTerminal = false;
  let complete: Complete | undefined;

  const keys = ttyKeys({ clock, canMove, screen, take: (piece) => typed.take(piece) });
  const editor: Interface = createInterface({
    input: keys.input,
    output: canMove ? editorOutput(screen, () => midLine) : screen,
    terminal: canMove,
    historySize: HISTORY_LINES_MAX,
    completer: (typed: string, done: (error: null, completed: [string[], string]) => void) => {
      completed(typed).then(
        (found) => done(null, found),
        () => done(null, [[], typed]), // the source of the commands has ended: nothing is completed
      );
    },
    escapeCodeTimeout: 50,
  });

  const typed = new TypedLine(clock, {
    ...{ canEdit: canMove, hasPrompts },
    get line() {
      return editor.line;
    },
    get cursor() {
      return editor.cursor;
    },
    replace(line, cursor) {
      if (!canMove) return;
      erase();
      Object.assign(editor, { line, cursor });
      draw();
    },
    redraw() {
      erase();
      draw();
    },
    press: keys.pass,
    tell(text) {
      erase();
      screen.write(midLine ? BELL : `${text}\n`);
      draw();
    },
  });

  /** Completes the typed text to the common beginning of all candidates; the second time, lists them. */
  async function completed(typed: string): Promise<[string[], string]> {
    const found = await complete?.(typed);
    if (found === undefined) return [[], typed];
    return [found.text === typed ? [...found.candidates] : [found.text], typed];
  }

  function push(input: LineInput): void {
    if (!inputs.push(input)) screen.write(BELL);
  }

  function interrupt(): void {
    push({ kind: "interrupt", atMs: clock.monotonic() });
  }

  function erase(): void {
    if (!drawn || !canMove || closed || hasLostTerminal) return;
    moveCursor(screen, 0, -editor.getCursorPos().rows);
    cursorTo(screen, 0);
    clearScreenDown(screen);
    drawn = false;
  }

  function draw(): void {
    if (midLine || closed || hasLostTerminal) return;
    const shown = typed.isEarly ? "" : promptText;
    editor.setPrompt(shown);
    if (canMove) editor.prompt(true);
    else screen.write(shown);
    drawn = true;
  }

  /** Leaves raw mode. The system refuses that with EIO to a process whose job the shell has given up. */
  function leaveRawMode(): void {
    if (!canMove || hasLostTerminal) return;
    try {
      keys.leave();
    } catch (thrown) {
      if (!isTerminalGone(thrown)) throw thrown;
      hasLostTerminal = true;
    }
  }

  /**
   * In raw mode the terminal does not act on Ctrl-Z itself. It would have stopped the whole job: the shell does not
   * wait for this process alone.
   */
  function suspend(): void {
    process.once("SIGCONT", () => {
      keys.enter();
      drawn = false;
      draw();
    });
    keys.leave();
    process.kill(0, "SIGTSTP");
  }

  editor.on("line", (text) => {
    drawn = false;
    push(typed.entered(text));
  });
  editor.on("SIGINT", interrupt);
  editor.on("SIGTSTP", suspend);
  editor.on("close", () => {
    // Further output begins on a new line.
    if (drawn) screen.write("\n");
    closed = true;
    drawn = false;
    typed[Symbol.dispose]();
    keys[Symbol.dispose]();
    leaveRawMode();
    inputs.end();
  });

  return {
    interactive: true,
    redraws: canMove,
    get columns() {
      return output.columns;
    },
    interrupt,
    completesWith(completer) {
      complete = completer;
    },
    ...(canMove
      ? {
          clear() {
            erase();
            if (!hasLostTerminal) screen.write(CLEAR);
            draw();
          },
        }
      : {}),
    async *input(signal) {
      const end = () => {
        leaveRawMode(); // every write from here on must know whether the terminal is ours
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
      if (hasLostTerminal) return; // it is in the session
      erase();
      await output.write(text);
      midLine = !text.endsWith("\n");
      if (canMove) draw();
    },
    prompt(text, asked) {
      const next = text ?? "";
      const isOther = typed.ask(asked);
      if (drawn && !isOther && next === promptText) return;
      erase();
      promptText = next;
      draw();
    },
    [Symbol.dispose]() {
      leaveRawMode();
      if (hasLostTerminal) return;
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

/** Returns the editor's view of the screen: it may draw only while no unfinished streamed text is on the last line. */
function editorOutput(screen: WriteStream, muted: () => boolean): Writable {
  const view = new Writable({
    write(chunk, _encoding, done) {
      if (muted()) done();
      else screen.write(chunk, () => done());
    },
  });
  Object.defineProperty(view, "columns", { get: () => screen.columns });
  Object.defineProperty(view, "rows", { get: () => screen.rows });
  screen.on("resize", () => view.emit("resize"));
  return view;
}
