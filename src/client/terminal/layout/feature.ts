import type { HarnessError } from "../../../base/errors.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { EngineNotice } from "../../../view/notes/engine-text.ts";
import type { SessionStep } from "../../../view/session/session-view.ts";
import type { DrawnRow } from "../drawing/span.ts";
import type { SendHow } from "../input/message.ts";
import type { ActionName } from "../keys/actions.ts";
import type { OfferPart, SidePart } from "./part.ts";
import type { Services } from "./services.ts";

/**
 * A feature of the client that the composition lists (`features.ts`). Each has its folder below `features/`, and is
 * deleted with that folder and its line in the list.
 */
export interface TerminalFeature {
  /** Effects of actions that no part with the focus has taken. */
  readonly actions?: Readonly<Partial<Record<ActionName, () => void>>>;
  /** Actions that typed commands stand for without words behind them, such as `/cost`. */
  readonly panels?: Readonly<Record<string, ActionName>>;
  /** Rows that it shows between the transcript and the draft. Called for each frame. */
  above?(columns: number): readonly DrawnRow[];
  /** A question that can wait. The first feature that has one now has the place. */
  readonly offer?: OfferPart | undefined;
  /** Called once the screen is open, after the first frame. Until then `services.screen` throws. */
  started?(): void;
  /** The part at the right edge. The first feature that has one has the place. */
  readonly side?: SidePart;
  /** Returns how the session treats changes, for the status line and the line above the draft. */
  mode?(): string | undefined;
  /** Takes a sentence about the engine itself: it is away, or answers again. */
  engineNotice?(notice: EngineNotice): void;
  /** Takes an event of the session that is shown, with the views before and after it. */
  changed?(envelope: Envelope, step: SessionStep): void;
  /** Called once another session is shown, before its events. */
  opened?(): void;
  /** Called once the engine is reached. */
  reached?(): void;
  /** Called if the engine refuses an input of the person, which is back in the draft by then. */
  refused?(failure: HarnessError): void;
  /** Called when the window of the terminal gets or loses the focus. */
  focused?(isFocused: boolean): void;
  /**
   * Takes a text that the person sends. Returns false for one that it leaves to others. The first feature that takes
   * it has it; what none takes is sent as an input. Returns a promise for one that waits for a change of the session,
   * such as another one to be shown: true once it is made, and the message is sent then; false if it cannot be, and the
   * message comes back into the draft.
   */
  send?(text: string, how: SendHow): boolean | Promise<boolean>;
  /**
   * Stops what the person has started with it, before a turn is cancelled. Returns false if nothing of it runs.
   */
  stop?(): boolean;
  /** Called when the client ends, before the screen is given back. */
  [Symbol.dispose]?(): void;
}

export type MakeTerminalFeature = (services: Services) => TerminalFeature;
