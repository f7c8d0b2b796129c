import { KeybindingsManager, setKeybindings, TUI_KEYBINDINGS, TuiAltScreen } from "@earendil-works/pi-tui";
import { PASTE_OFF } from "../../../view/terminal/bracketed-paste.ts";
import { guarded } from "../lifecycle/guarded.ts";
import { MODES_OFF } from "../lifecycle/modes.ts";
import type { TerminalLifecycle } from "../lifecycle/terminal-lifecycle.ts";
import { FrameWriter } from "./frames/frame-writer.ts";
import { inputsOf } from "./input.ts";
import { PiTerminal } from "./pi-terminal.ts";
import type { MouseMode, ScreenInput, Size, TerminalScreen, TerminalScreenOptions } from "./screen.ts";
import { FOCUS_OFF, FOCUS_ON, MOUSE_OFF } from "./sequences.ts";
import { WindowTitle } from "./window-title.ts";

const MOUSE_MODES: Readonly<Record<MouseMode, string>> = {
  off: MOUSE_OFF,
  wheel: `${MOUSE_OFF}\u001b[?1000h\u001b[?1006h`,
  full: `${MOUSE_OFF}\u001b[?1000h\u001b[?1002h\u001b[?1006h`,
};
/** Ask if the terminal reports the focus (DECRQM), and for its background (OSC 11). */
const FOCUS_QUERY = "\u001b[?1004$p";
const BACKGROUND_QUERY = "\u001b]11;?\u0007";

/**
 * Opens the alternate screen of this process's terminal and shows frames on it: only changed rows are written, each
 * frame in one synchronized update, with the real cursor at the caret. The terminal is restored however the process
 * ends; handlers that throw do not end it.
 */
export function openFullScreen(options: TerminalScreenOptions, life: TerminalLifecycle): TerminalScreen {
  return new FullScreen({ ...options, ...guarded(options) }, life);
}

class FullScreen implements TerminalScreen {
  readonly #options: TerminalScreenOptions;
  readonly #terminal: PiTerminal;
  readonly #tui: OwnFrames;
  readonly #writer = new FrameWriter();
  readonly #life: TerminalLifecycle;
  #mouse: MouseMode;
  readonly #title = new WindowTitle();
  /** Present while the terminal is ours. */
  #held: Disposable | undefined;
  #isOver = false;
  #isDrawingSoon = false;

  constructor(options: TerminalScreenOptions, life: TerminalLifecycle) {
    this.#options = options;
    this.#life = life;
    this.#terminal = new PiTerminal({
      clock: life.clock,
      takes: (data) => this.#takes(data),
      settlesSize: true,
      resized: () => this.#writer.reset(),
    });
    this.#mouse = options.mouse;
    // Keys, the mouse, selections and search are this client's own: the library has none to itself.
    setKeybindings(new KeybindingsManager(noKeys()));
    this.#tui = new OwnFrames(this.#terminal, () => this.#draw());
    this.#tui.setTerminalColorSchemeNotifications(true);
    this.#tui.onTerminalColorSchemeChange(() => this.control(BACKGROUND_QUERY));
    this.#tui.addInputListener((data) => {
      this.#give(inputsOf(data));
      return { consume: true };
    });
    this.#start();
  }

  get size(): Size {
    return { columns: Math.max(1, this.#terminal.columns), rows: Math.max(1, this.#terminal.rows) };
  }

  redraw(): void {
    if (this.#held !== undefined) this.#tui.requestRender();
  }

  setMouse(mode: MouseMode): void {
    this.#mouse = mode;
    this.control(MOUSE_MODES[mode]);
  }

  setTitle(title: string): void {
    this.control(this.#title.set(title));
  }

  control(sequence: string): void {
    if (this.#held !== undefined) this.#terminal.write(sequence);
  }

  suspend(): void {
    this.#leave();
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
    this.#leave();
    if (farewell.length > 0) this.#terminal.write(`${farewell.join("\n")}\n`);
  }

  #continued(): void {
    this.suspend();
    this.resume();
  }

  /** Takes reports of the mouse and of the focus. Returns false for any other sequence. */
  #takes(data: string): boolean {
    const inputs = inputsOf(data);
    if (!inputs.every(({ kind }) => kind === "mouse" || kind === "focus") || inputs.length === 0)
      return false;
    this.#give(inputs);
    return true;
  }

  #give(inputs: readonly ScreenInput[]): void {
    if (this.#isOver) return;
    for (const input of inputs) this.#options.input(input);
    this.#drawSoon();
  }

  #start(): void {
    this.#writer.reset();
    this.#tui.start();
    this.#held = this.#life.hold(
      MODES_OFF,
      () => this.#restore(),
      () => this.#continued(),
    );
    const title = this.#title.again();
    const queries = `${FOCUS_QUERY}${BACKGROUND_QUERY}`;
    this.control(`${FOCUS_ON}${MOUSE_MODES[this.#mouse]}${title}${queries}`);
    this.#tui.renderNow();
  }

  #leave({ givesTitleBack = true } = {}): void {
    this.#terminal.endInput(); // a part of a paste that is held is no less typed
    if (this.#held === undefined) return;
    const title = givesTitleBack ? this.#title.restored() : "";
    this.control(`${MOUSE_OFF}${FOCUS_OFF}${title}`);
    this.#tui.stop({ preserveScreen: true });
    this.#held[Symbol.dispose]();
    this.#held = undefined;
  }

  /** Restores the terminal of a process that is about to end: nothing waits for a stream any more. */
  #restore(): void {
    if (this.#held === undefined) return;
    this.#isOver = true;
    this.#leave({ givesTitleBack: false }); // the modes below do
    this.#life.writeNow(`${PASTE_OFF}${MODES_OFF}`);
  }

  /** Draws at once, but only after all keys that have come together: they have one frame. */
  #drawSoon(): void {
    if (this.#isDrawingSoon) return;
    this.#isDrawingSoon = true;
    queueMicrotask(() => {
      this.#isDrawingSoon = false;
      if (this.#held !== undefined) this.#tui.renderNow();
    });
  }

  #draw(): void {
    if (this.#held === undefined) return;
    const { size } = this;
    const bytes = this.#writer.update(this.#options.draw(size), size);
    if (bytes !== "") this.#terminal.write(bytes);
  }
}

/** The library's screen with its modes, its input and its clock of frames. The frames themselves are written here. */
class OwnFrames extends TuiAltScreen {
  readonly #draw: () => void;

  constructor(terminal: PiTerminal, draw: () => void) {
    super(terminal, true, undefined, { mouse: false, copyOnSelect: false });
    this.#draw = draw;
  }

  protected override doRender(): void {
    this.#draw();
  }
}

/** Returns the library's actions without keys. */
function noKeys(): typeof TUI_KEYBINDINGS {
  const entries = Object.entries(TUI_KEYBINDINGS).map(([name, each]) => [name, { ...each, defaultKeys: [] }]);
  return Object.fromEntries(entries);
}
