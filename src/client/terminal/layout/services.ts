import type { HarnessError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/world.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../../protocol/commands/results.ts";
import type { QueryKind } from "../../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../../protocol/queries/queries.ts";
import type { SessionView } from "../../../view/session/session-view.ts";
import type { NoteTone } from "../../../view/transcript/items.ts";
import type { Transcript } from "../../../view/transcript/transcript.ts";
import type { ActionName } from "../keys/actions.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { OpenSession } from "../options.ts";
import type { Overlay } from "./part.ts";

/** The session that is shown, for the parts of the screen. */
export interface ShownSession {
  /** Absent until a session is open. */
  readonly open: OpenSession | undefined;
  readonly view: SessionView;
  readonly transcript: Transcript;
  /** The client that this is; absent until the engine is reached. */
  readonly self: string | undefined;
  /** Sends a command; returns the answer, or the refusal. Waits for the engine. */
  send<Sent extends Command>(command: Sent): Promise<AcceptedOf<Sent["kind"]> | HarnessError>;
  /** Sends a query; returns the answer, or the refusal. Waits for the engine. */
  query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind> | HarnessError>;
}

/** Services of the client for the parts of its screen. */
export interface Services {
  readonly session: ShownSession;
  readonly clock: Pick<Clock, "monotonic" | "now" | "timer">;
  readonly keys: KeyTable;
  /** Asks for a new frame. */
  redraw(): void;
  /** Shows a sentence in place of the status line until the next key, and for some seconds. */
  say(text: string, tone?: NoteTone): void;
  /** Opens a part above the others. */
  open(overlay: Overlay): void;
  close(overlay: Overlay): void;
  /** Carries out an action as its key would. */
  run(action: ActionName): void;
  /** Inserts a text into the draft at the cursor. */
  insert(text: string): void;
}
