import type { DrawnRow } from "../drawing/span.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { KeyInput, MouseInput, Size } from "../screen/screen.ts";

/** Rows and cursor of a part of the screen. */
export interface DrawnPart {
  /** At most as many rows as the part was given. */
  readonly rows: readonly DrawnRow[];
  /** The place of the cursor in the rows, from 0; absent if it has none. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** A part of the screen that can have the focus. */
export interface ScreenPart {
  /** Contexts in which its keys are looked up, the nearest one first. */
  readonly contexts: readonly KeyContext[];
  /** Returns its rows in the given size. Called for each frame: it must be fast, and have no effect on others. */
  draw(size: Size): DrawnPart;
  /** Called behind each frame that shows it, with the size that it was drawn in: the effects of being in sight. */
  drawn?(size: Size): void;
  /** Carries out an action of its contexts. Returns false for one that it leaves to others. */
  act(action: ActionName): boolean;
  /** Takes a key before its action is looked up. Returns false for one that is looked up. */
  key?(input: KeyInput): boolean;
  /** Takes characters that are bound to nothing. Returns false if it takes none: the draft gets them. */
  type?(text: string): boolean;
  /** Takes a pasted text. Returns false if it takes none: the draft gets it. */
  paste?(text: string): boolean;
  /** Takes a mouse event, with the row and column in this part. */
  mouse?(input: MouseInput): boolean;
}

/** A part at the right edge, beside the others. Keys never go to it. */
export interface SidePart extends ScreenPart {
  /** Returns its columns on a screen of this size; 0 while it is hidden. Called for each frame. */
  columns(size: Size): number;
  /** Called behind each frame of the parts, also while it is hidden: with 0 columns then. */
  drawn?(size: Size): void;
}

/**
 * A question of a feature that can wait, between the rows of the features and the draft. It is drawn only whole, and
 * while nothing else is asked; then it takes keys before the draft does.
 */
export interface OfferPart extends ScreenPart {
  /** True if a key goes to it first. */
  readonly takesKeys: boolean;
  /** Counts a key that it did not take: it restarts the time until it takes keys. */
  noteKey(): void;
  /** Called behind each frame without it. */
  hidden(): void;
}

/** A part above the others, with a title. It has the focus while it is open. */
export interface Overlay extends ScreenPart {
  readonly title: string;
  /** `full`: the whole screen; `bottom`: rows above the draft. */
  readonly place: "full" | "bottom";
  /** True: it shows the open question, and counts keys for it by itself. */
  readonly isQuestion?: true;
  /** True: it is about the session that is shown, and closes when another one is. */
  readonly isOfSession?: true;
  /** Called once it is closed, in whichever way. */
  closed?(): void;
}

/** Helps with the draft while it is written, such as a list of completions. */
export interface DraftAssistant {
  /** Contexts in which keys are looked up before those of the draft; empty while it is closed. */
  readonly contexts: readonly KeyContext[];
  /** Carries out an action of its contexts. Returns false for one that it leaves to the draft. */
  act(action: ActionName): boolean;
  /**
   * Called after each key and each change of the draft. `isTyped`: the key typed or deleted a part of the text; false
   * after moves, pastes and any other key.
   */
  draftChanged(isTyped: boolean): void;
}

/** Returns a part in at most `height` rows. The row with the cursor is one of them. */
export function inSight({ rows, cursor }: DrawnPart, height: number): DrawnPart {
  const first = Math.max(0, (cursor?.row ?? 0) - height + 1);
  const shown = { rows: rows.slice(first, first + height) };
  return cursor === undefined ? shown : { ...shown, cursor: { ...cursor, row: cursor.row - first } };
}
