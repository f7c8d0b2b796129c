/** Size of a terminal in cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A whole picture of the screen: one text for each row, at most as wide as the screen. */
export interface ScreenFrame {
  /** Styled rows, the top one first. Missing rows are empty, and rows beyond the screen are not shown. */
  readonly rows: readonly string[];
  /** The place of the real cursor, from 0; absent: hidden. */
  readonly cursor?: { readonly row: number; readonly column: number };
  /** True: it takes the whole screen, also where the client shares the screen with a scrollback. Default: false. */
  readonly isWhole?: boolean;
}

/** A key as it is bound: `a`, `A`, `enter`, `ctrl+c`, `shift+tab`, `alt+b`, `pageUp`, `f1`. */
export interface KeyInput {
  readonly kind: "key";
  readonly key: string;
  /** The characters that it types; absent for keys that type nothing. */
  readonly text?: string;
}

/** A pasted text, whole, as the terminal marks it. */
export interface PasteInput {
  readonly kind: "paste";
  readonly text: string;
}

/** A mouse event; cells from 0. */
export interface MouseInput {
  readonly kind: "mouse";
  readonly type: "press" | "release" | "drag" | "move" | "wheel";
  readonly button: "left" | "middle" | "right" | "none";
  readonly row: number;
  readonly column: number;
  /** Direction of the wheel: -1 up, 1 down; 0 for other events. */
  readonly wheel: -1 | 0 | 1;
  readonly shift: boolean;
}

/** The focus of the window that the terminal is in: a change, or that changes will be reported. */
export interface FocusInput {
  readonly kind: "focus";
  readonly isFocused: boolean;
}

/** The background that the terminal names; its colours from 0 to 255. It may come late, or never. */
export interface BackgroundInput {
  readonly kind: "background";
  readonly colour: readonly [red: number, green: number, blue: number];
}

export type ScreenInput = KeyInput | PasteInput | MouseInput | FocusInput | BackgroundInput;

/** Uses of the mouse: nothing, the wheel alone, or clicks and selections too. */
export type MouseMode = "off" | "wheel" | "full";

/** The screen of a terminal, as this client uses it. Only `screen/` knows the library behind it. */
export interface TerminalScreen {
  readonly size: Size;
  /** Asks for a new frame soon: at most one every 16 ms, and at once after a key. */
  redraw(): void;
  setMouse(mode: MouseMode): void;
  /** Names the window while this client has the terminal; the name before comes back with the shell. */
  setTitle(title: string): void;
  /** Writes a control sequence outside of frames: a bell, a clipboard, a notification. */
  control(sequence: string): void;
  /** Gives the terminal to another program or to the shell; `resume` takes it back and draws everything again. */
  suspend(): void;
  resume(): void;
  /** Suspends the screen and stops the job, as Ctrl-Z does; takes the terminal back when the job is continued. */
  stopJob(): void;
  /** Restores the terminal. @param farewell lines for the main screen. */
  stop(farewell: readonly string[]): void;
}

export interface TerminalScreenOptions {
  /** Returns the picture to show. It is called for each frame. */
  readonly draw: (size: Size) => ScreenFrame;
  /**
   * Returns the rows that are finished since the last call, for the scrollback of an inline screen. A full screen never
   * asks. `isLast`: the client ends, and what is shown of unfinished ones stays as it is.
   */
  readonly finished: (size: Size, isLast: boolean) => readonly string[];
  readonly input: (input: ScreenInput) => void;
  readonly mouse: MouseMode;
}
