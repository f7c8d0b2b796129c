import { PASTE_OFF } from "../../../view/terminal/bracketed-paste.ts";
import { guarded } from "../lifecycle/guarded.ts";
import { INLINE_KILLED, INLINE_MODES_OFF, INLINE_PANEL_KILLED } from "../lifecycle/modes.ts";
import type { HeldTerminal, TerminalLifecycle } from "../lifecycle/terminal-lifecycle.ts";
import type { LiveRegion } from "./frames/append-frame.ts";
import { appendFrame, eraseRegion, NO_REGION } from "./frames/append-frame.ts";
import { WholeFrame } from "./frames/whole-frame.ts";
import { inputsOf } from "./input.ts";
import { PiTerminal } from "./pi-terminal.ts";
import { readSizeAgain } from "./resizing.ts";
import type { ScreenFrame, Size, TerminalScreen, TerminalScreenOptions } from "./screen.ts";
import { CURSOR_ON, FOCUS_OFF, FOCUS_ON } from "./sequences.ts";
import { WindowTitle } from "./window-title.ts";

/** Shortest time between two frames that no key asked for. */
const FRAME_MS = 16;

const UNKNOWN: Size = { columns: 0, rows: 0 };

export interface AppendScreenOptions extends TerminalScreenOptions {
  /** True if the terminal wraps rows again when its width changes. */
  readonly reflows: boolean;
  /** Time after which a terminal whose size has changed has reported the last one. */
  readonly resizedMs: number;
}

/**
 * Shows frames at the bottom of the main screen, and appends finished rows to the scrollback above them: these are
 * written once, and no saved line is erased, also when the size changes. The mouse is the terminal's. A frame
 * that takes the whole screen is shown on the alternate screen.
 */
export function openAppendScreen(options: AppendScreenOptions, life: TerminalLifecycle): TerminalScreen {
  return new AppendScreen({ ...options, ...guarded(options) }, life);
}

class AppendScreen implements TerminalScreen {
  readonly #options: AppendScreenOptions;
  readonly #terminal: PiTerminal;
  readonly #life: TerminalLifecycle;
  readonly #title = new WindowTitle();
  #region: LiveRegion = NO_REGION;
  /** Size of the screen on which the region was drawn. */
  #drawnOn: Size = UNKNOWN;
  /** Present while a frame takes the whole screen. */
  #whole: WholeFrame | undefined;
  /** Present while the terminal is ours. */
  #held: HeldTerminal | undefined;
  #nextFrame: Disposable | undefined;
  #resize: Disposable | undefined;
  #isOver = false;

  constructor(options: AppendScreenOptions, life: TerminalLifecycle) {
    this.#options = options;
    this.#life = life;
    this.#terminal = new PiTerminal({ clock: life.clock });
    this.#start();
  }

  get size(): Size {
    return { columns: Math.max(1, this.#terminal.columns), rows: Math.max(1, this.#terminal.rows) };
  }

  redraw(): void {
    if (this.#held === undefined) return;
    this.#nextFrame ??= this.#life.clock.timer(FRAME_MS, () => this.#draw());
  }

  /** The mouse selects and scrolls in the terminal itself: its cells move with the scrollback. */
  setMouse(): void {}

  setTitle(title: string): void {
    this.control(this.#title.set(title));
  }

  control(sequence: string): void {
    if (this.#held !== undefined) this.#terminal.write(sequence);
  }

  suspend(): void {
    this.#leave([]);
  }

  stopJob(): void {
    this.suspend();
    this.#life.stopJob(() => this.resume());
  }

  resume(): void {
    if (this.#held === undefined && !this.#isOver) this.#start();
  }

  stop(farewell: readonly string[]): void {
    this.#isOver = true;
    this.#readSize();
    const rest = this.#held === undefined ? [] : this.#options.finished(this.size, true);
    this.#leave(rest);
    // Long lines wrap: a command on them is copied whole.
    if (farewell.length > 0) this.#terminal.write(`${farewell.join("\n")}\n`);
  }

  #continued(): void {
    this.suspend();
    this.resume();
  }

  #start(): void {
    this.#terminal.start(
      (data) => this.#input(data),
      () => this.#resized(),
    );
    this.#held = this.#life.hold(
      INLINE_KILLED,
      () => this.#restore(),
      () => this.#continued(),
    );
    this.control(`${FOCUS_ON}${this.#title.again()}\r`);
    this.#draw();
  }

  #input(data: string): void {
    if (this.#isOver) return;
    for (const input of inputsOf(data)) this.#options.input(input);
    this.#draw();
  }

  #draw(): void {
    this.#nextFrame?.[Symbol.dispose]();
    this.#nextFrame = undefined;
    this.#readSize();
    // The size is changing: the terminal moves the rows meanwhile.
    if (this.#held === undefined || this.#resize !== undefined) return;
    const { size } = this;
    const frame = this.#options.draw(size);
    if (frame.isWhole === true) this.#drawWhole(frame, size);
    else this.#append(frame, size);
  }

  #readSize(): void {
    if (this.#held !== undefined) readSizeAgain();
  }

  #append(frame: ScreenFrame, size: Size): void {
    this.#leaveWhole();
    this.#eraseIfResized(size);
    const finished = this.#options.finished(size, false);
    // What is finished is no part of the live rows any more.
    const live = finished.length === 0 ? frame : this.#options.draw(size);
    const { text, region } = appendFrame(this.#region, { ...live, finished }, size.columns);
    this.#region = region;
    if (text !== "") this.#terminal.write(text);
  }

  #drawWhole(frame: ScreenFrame, size: Size): void {
    if (this.#whole === undefined) {
      this.#whole = new WholeFrame((text) => this.#terminal.write(text));
      this.#held?.changeModes(INLINE_PANEL_KILLED);
    }
    this.#whole.draw(frame, size);
  }

  #leaveWhole(): void {
    if (this.#whole === undefined) return;
    this.#whole[Symbol.dispose]();
    this.#whole = undefined;
    this.#held?.changeModes(INLINE_KILLED);
  }

  /** Erases a region of another size, which the terminal has moved: also one behind a frame that took all of it. */
  #eraseIfResized(size: Size): void {
    const { columns, rows } = this.#drawnOn;
    if (columns !== size.columns || rows !== size.rows) this.#erase(size);
  }

  #erase(size: Size): void {
    const { reflows } = this.#options;
    const { columns } = size;
    if (this.#region.rows.length > 0) this.#terminal.write(eraseRegion(this.#region, { columns, reflows }));
    this.#region = NO_REGION;
    this.#drawnOn = size;
  }

  #resized(): void {
    this.#resize?.[Symbol.dispose]();
    this.#resize = this.#life.clock.timer(this.#options.resizedMs, () => {
      this.#resize = undefined;
      this.#readSize();
      if (this.#resize !== undefined) return; // it changes still
      if (this.#whole === undefined) this.#erase(this.size);
      else {
        this.#whole.reset();
        this.#drawnOn = UNKNOWN; // the terminal has moved the region, also if the size is as before
      }
      this.#draw();
    });
  }

  /** Gives the terminal back below the last of some rows, which take the place of the live region. */
  #leave(rows: readonly string[]): void {
    this.#terminal.endInput(); // a part of a paste that is held is no less typed
    if (this.#held === undefined) return;
    this.#readSize();
    this.#nextFrame?.[Symbol.dispose]();
    this.#nextFrame = undefined;
    this.#resize?.[Symbol.dispose]();
    this.#resize = undefined;
    this.#leaveWhole();
    const { size } = this;
    this.#eraseIfResized(size);
    const { text } = appendFrame(
      this.#region,
      { finished: rows, rows: [""], cursor: { row: 0, column: 0 } },
      size.columns,
    );
    this.#region = NO_REGION;
    this.#terminal.write(`${text}${CURSOR_ON}${FOCUS_OFF}${this.#title.restored()}`);
    this.#terminal.stop();
    this.#held[Symbol.dispose]();
    this.#held = undefined;
  }

  /** Restores the terminal of a process that is about to end: nothing waits for a stream any more. */
  #restore(): void {
    if (this.#held === undefined) return;
    this.#isOver = true;
    this.#leave([]);
    this.#life.writeNow(`${PASTE_OFF}${INLINE_MODES_OFF}`);
  }
}
