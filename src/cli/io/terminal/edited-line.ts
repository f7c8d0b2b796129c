import type { Interface } from "node:readline";
import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import { Writable } from "node:stream";
import type { WriteStream } from "node:tty";
import { asError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { AskedLine, LineInput } from "../../../client/line/input/terminal.ts";
import type { TypedPiece } from "../../../view/terminal/bracketed-paste.ts";
import type { SecretEntered } from "./secret-field.ts";
import { SecretField } from "./secret-field.ts";
import type { TtyKeys } from "./tty-keys.ts";
import { ttyKeys } from "./tty-keys.ts";
import type { LineEditor } from "./typed-line.ts";
import { TypedLine } from "./typed-line.ts";

export const BELL = "\u0007";
/** The screen, what scrolled off it, and the cursor back to its corner. */
const CLEAR = "\u001b[2J\u001b[3J\u001b[H";
const HISTORY_LINES_MAX = 500;

export interface EditedLineOptions {
  readonly clock: Clock;
  readonly screen: WriteStream;
  /** False for a terminal that can only print: nothing is edited, and nothing is erased. */
  readonly canMove: boolean;
  /** True if prompts follow the questions. */
  readonly hasPrompts: boolean;
  /** Returns candidates for the typed text, and the part of it that they replace. */
  readonly complete: (typed: string) => Promise<[string[], string]>;
  /** Called with each entered line. */
  readonly onLine: (input: LineInput) => void;
  /** Called for Ctrl-C. */
  readonly onInterrupt: () => void;
  /** Called when no line can be entered any more. */
  readonly onEnd: () => void;
}

/**
 * Access to the terminal: "closed" once the editor is gone, as after Ctrl-D, so that further output has no line below
 * it; "lost" once the terminal went back to the shell, or was closed.
 */
type Access = "open" | "closed" | "lost";

/** A question for a secret, which takes all keys instead of the line. */
interface SecretQuestion {
  readonly text: string;
  readonly field: SecretField;
  readonly settle: (secret: string | undefined) => void;
}

/**
 * The line that a person edits, by `node:readline`, below the output on the screen.
 *
 * It is hidden while streamed text is in the middle of a line. `TypedLine` decides about answers and pastes. Nothing is
 * drawn on a terminal that is lost, and that is no error.
 */
export class EditedLine implements LineEditor, Disposable {
  readonly canEdit: boolean;
  readonly hasPrompts: boolean;
  readonly #screen: WriteStream;
  readonly #keys: TtyKeys;
  readonly #editor: Interface;
  readonly #typed: TypedLine;
  #access: Access = "open";
  #isMidLine = false;
  #isDrawn = false;
  #prompt = "";
  #secret: SecretQuestion | undefined;

  constructor({
    clock,
    screen,
    canMove,
    hasPrompts,
    complete,
    onLine,
    onInterrupt,
    onEnd,
  }: EditedLineOptions) {
    this.canEdit = canMove;
    this.hasPrompts = hasPrompts;
    this.#screen = screen;
    this.#keys = ttyKeys({ clock, canMove, screen, take: (piece) => this.#take(piece) });
    this.#editor = createInterface({
      input: this.#keys.input,
      output: canMove ? editorOutput(screen, () => this.#isMidLine || this.#secret !== undefined) : screen,
      terminal: canMove,
      historySize: HISTORY_LINES_MAX,
      completer: (typed: string, done: (error: null, completed: [string[], string]) => void) => {
        complete(typed).then(
          (found) => done(null, found),
          () => done(null, [[], typed]), // the source of the commands has ended: nothing is completed
        );
      },
      escapeCodeTimeout: 50,
    });
    this.#typed = new TypedLine(clock, this);
    this.#editor.on("line", (text) => {
      this.#isDrawn = false;
      onLine(this.#typed.entered(text));
    });
    this.#editor.on("SIGINT", onInterrupt);
    this.#editor.on("SIGTSTP", () => this.#suspend());
    this.#editor.on("close", () => {
      this.#end();
      onEnd();
    });
  }

  get line(): string {
    return this.#editor.line;
  }

  get cursor(): number {
    return this.#editor.cursor;
  }

  get isLost(): boolean {
    return this.#access === "lost";
  }

  replace(line: string, cursor: number): void {
    if (!this.canEdit) return;
    this.erase();
    Object.assign(this.#editor, { line, cursor });
    this.#draw();
  }

  redraw(): void {
    this.erase();
    this.#draw();
  }

  press(keys: string): void {
    this.#keys.pass(keys);
  }

  tell(text: string): void {
    this.erase();
    this.#screen.write(this.#isMidLine ? BELL : `${text}\n`);
    this.#draw();
  }

  /** Shows a prompt, and takes the question that the next line answers; undefined for none. */
  ask(prompt: string, asked: AskedLine | undefined): void {
    const isOther = this.#typed.ask(asked);
    if (this.#isDrawn && !isOther && prompt === this.#prompt) return;
    this.erase();
    this.#prompt = prompt;
    this.#draw();
  }

  /**
   * Asks for a secret instead of the line: nothing of it is shown, and the line comes back. Resolves to undefined if
   * the person gives up, the signal aborts, or the terminal goes.
   */
  async askSecret(text: string, signal: AbortSignal): Promise<string | undefined> {
    if (!this.canEdit || this.#access !== "open" || signal.aborted) return undefined;
    const { promise, resolve: settle } = Promise.withResolvers<string | undefined>();
    const giveUp = () => this.#endSecret("left");
    giveUp(); // one at a time
    this.erase();
    this.#secret = { text, field: new SecretField(), settle };
    this.#draw();
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  #take(piece: TypedPiece): void {
    if (this.#secret === undefined) {
      this.#typed.take(piece);
      return;
    }
    const entered = this.#secret.field.take(piece);
    if (entered !== undefined) this.#endSecret(entered);
  }

  #endSecret(entered: SecretEntered): void {
    const asked = this.#secret;
    if (asked === undefined) return;
    this.erase();
    this.#secret = undefined;
    this.#draw();
    asked.settle(entered === "left" ? undefined : entered.text);
  }

  /** Shows the line again below a written text, unless that ends in the middle of a line. */
  showBelow(text: string): void {
    this.#isMidLine = !text.endsWith("\n");
    if (this.canEdit) this.#draw();
  }

  /** Clears the screen and the scrollback. */
  clear(): void {
    this.erase();
    if (!this.isLost) this.#screen.write(CLEAR);
    this.#draw();
  }

  /** Removes the line from the screen, so that output can take its place. */
  erase(): void {
    if (!this.#isDrawn || !this.canEdit || this.#access !== "open") return;
    moveCursor(this.#screen, 0, -this.#rowsAbove());
    cursorTo(this.#screen, 0);
    clearScreenDown(this.#screen);
    this.#isDrawn = false;
  }

  /** Returns the number of rows between the cursor and the first row of what is drawn. */
  #rowsAbove(): number {
    if (this.#secret === undefined) return this.#editor.getCursorPos().rows;
    return Math.floor(this.#secret.text.length / Math.max(1, this.#screen.columns));
  }

  #draw(): void {
    if (this.#isMidLine || this.#access !== "open") return;
    if (this.#secret !== undefined) {
      this.#screen.write(this.#secret.text);
      this.#isDrawn = true;
      return;
    }
    const shown = this.#typed.isEarly ? "" : this.#prompt;
    this.#editor.setPrompt(shown);
    if (this.canEdit) this.#editor.prompt(true);
    else this.#screen.write(shown);
    this.#isDrawn = true;
  }

  /** Leaves raw mode. The system refuses that with EIO to a process whose job the shell has given up. */
  leaveRawMode(): void {
    if (!this.canEdit || this.isLost) return;
    this.#endSecret("left"); // the terminal shows again what is typed
    try {
      this.#keys.leave();
    } catch (thrown) {
      if (!isTerminalGone(thrown)) throw thrown;
      this.#access = "lost";
    }
  }

  /**
   * In raw mode the terminal does not act on Ctrl-Z itself. It would have stopped the whole job: the shell does not
   * wait for this process alone.
   */
  #suspend(): void {
    process.once("SIGCONT", () => {
      this.#keys.enter();
      this.#isDrawn = false;
      this.#draw();
    });
    this.#keys.leave();
    process.kill(0, "SIGTSTP");
  }

  /** Gives the terminal back once the editor is closed. Further output begins on a new line. */
  #end(): void {
    if (this.#isDrawn) this.#screen.write("\n");
    if (!this.isLost) this.#access = "closed";
    this.#isDrawn = false;
    this.#typed[Symbol.dispose]();
    this.#keys[Symbol.dispose]();
    this.leaveRawMode();
  }

  [Symbol.dispose](): void {
    this.leaveRawMode();
    if (this.isLost) return;
    this.erase();
    this.#editor.close();
  }
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
