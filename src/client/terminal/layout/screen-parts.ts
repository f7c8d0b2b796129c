import type { DrawnRow } from "../drawing/span.ts";
import type { Size } from "../screen/screen.ts";
import type { OfferPart, ScreenPart, SidePart } from "./part.ts";

/** The parts of the screen, from the top to the bottom. */
export interface ScreenParts {
  readonly header: (columns: number) => readonly DrawnRow[];
  readonly transcript: ScreenPart;
  /** Rows of the features between the transcript and the draft. */
  readonly above: (columns: number) => readonly DrawnRow[];
  /** The line above the draft. */
  readonly rule: (columns: number) => DrawnRow;
  readonly dock: ScreenPart & {
    readonly takesKeys: boolean;
    noteKey(): void;
  };
  /** The question of a feature above the line, while no other is asked. Default: there is none. */
  readonly offer?: () => OfferPart | undefined;
  readonly input: ScreenPart;
  /** The part at the right edge of all but the last row; undefined if there is none. */
  readonly side: () => SidePart | undefined;
  readonly status: (columns: number) => DrawnRow;
  /** Rows that leave the transcript for the scrollback, since the last call. Default: none. */
  readonly finished?: (size: Size, isLast: boolean) => readonly DrawnRow[];
  /** Called after each frame: what belongs to no part may begin its timers. */
  readonly drawn?: () => void;
}
