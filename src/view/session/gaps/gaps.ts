import type { EventSeq } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { isMissing, reachedBy } from "../../follow.ts";
import { isTurnEnded, isTurnStarted } from "../../turn-marks.ts";
import { planModeOf } from "../plan-mode.ts";
import type { WaitingInput } from "../waiting.ts";
import { listedInputs } from "../waiting.ts";

/** Part of a view that lists what is open now, and that a gap in the events makes unknown. */
export type UnknownPart = "turn" | "calls" | "subAgents" | "questions" | "waiting" | "tasks" | "planMode";

/** Events that a gap kept from this reader. */
export interface MissedEvents {
  /** The last of them. Costs, turns, rules and other records of the view lack what these events said. */
  readonly upTo: EventSeq;
  /**
   * Parts that later events have not settled yet: more may be open than they list, and uncertain entries may be over.
   */
  readonly unknown: readonly UnknownPart[];
  /** The last event that listed the waiting inputs. */
  readonly listed?: EventSeq;
}

const OF_ONE_RUN = ["turn", "calls", "subAgents", "questions", "tasks", "planMode"] as const;
const ALL: readonly UnknownPart[] = [...OF_ONE_RUN, "waiting"];

/** The view before an event, as far as a gap concerns it. */
interface ViewBefore {
  readonly reached: EventSeq;
  readonly missed?: MissedEvents;
  readonly waiting: readonly WaitingInput[];
}

/**
 * Returns the missed events after one more event; the same value if it settles no part.
 * @param isNewRun the event is the first of another run.
 */
export function missedAfter(
  view: ViewBefore,
  envelope: Envelope,
  isNewRun: boolean,
): MissedEvents | undefined {
  const { missed } = view;
  if (isMissing(envelope)) return { upTo: reachedBy(envelope), unknown: ALL };
  if (missed === undefined || missed.unknown.length === 0) return missed;
  const settled = settledParts(view, envelope, isNewRun);
  const isList = listedInputs(envelope) !== undefined;
  if (settled.length === 0 && !isList) return missed;
  const unknown = missed.unknown.filter((part) => !settled.includes(part));
  return { ...missed, unknown, ...(isList ? { listed: envelope.id } : {}) };
}

/**
 * Returns true if an event shows that no input waits: the start of a turn without the list that comes right before it
 * while inputs wait.
 */
export function showsNoneWaiting(
  { reached, missed }: Omit<ViewBefore, "waiting">,
  envelope: Envelope,
): boolean {
  return isTurnStarted(envelope) && reached !== missed?.upTo && reached !== missed?.listed;
}

function settledParts(view: ViewBefore, envelope: Envelope, isNewRun: boolean): readonly UnknownPart[] {
  // The start of a run that comes right after the gap may lie in it.
  const ofRun = isNewRun && view.reached !== view.missed?.upTo ? OF_ONE_RUN : [];
  return [...ofRun, ...partsSettledBy(view, envelope)];
}

function partsSettledBy(view: ViewBefore, envelope: Envelope): readonly UnknownPart[] {
  if (envelope.parentCall !== undefined) return [];
  if (isTurnEnded(envelope)) return ["turn", "calls", "subAgents"];
  if (isTurnStarted(envelope)) {
    const waiting = showsNoneWaiting(view, envelope) ? (["waiting"] as const) : [];
    return ["turn", "calls", "subAgents", ...waiting];
  }
  if (envelope.kind === "SessionEnded") return ["calls", "subAgents", "questions"];
  if (planModeOf(envelope) !== undefined) return ["planMode"];
  const listed = listedInputs(envelope);
  const isWhole = listed?.every((id) => view.waiting.some(({ inputId }) => inputId === id));
  return isWhole === true ? ["waiting"] : [];
}
