import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, LogId, SessionId } from "../../base/ids.ts";
import { count } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { branchLog } from "../../session/history/branch.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import type { SessionPoint } from "../../view/session-point.ts";
import { isTurnEnded, isTurnStarted } from "../../view/turn-marks.ts";

const PAGE_EVENTS = 500;

export interface BranchedSession {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly at: EventSeq;
}

/**
 * Branches a session at the end of a turn, by default the last one, even while it is in use (SES-08).
 * @throws HarnessError NotABoundary, which names the nearest; UsageInvalid if there is no such turn.
 */
export async function branchAt(
  { store, world }: { readonly store: SessionStore; readonly world: World },
  info: LogInfo,
  place: SessionPoint | undefined,
  signal: AbortSignal,
): Promise<BranchedSession> {
  const at = await boundaryAt(store, info, place);
  const [logId, session] = [world.ids.next("log"), world.ids.next("sess")];
  const { workingDir, profile, model, effort } = info;
  const createdAt = new Date(world.clock.now()).toISOString();
  const { pid, processStart } = world.machine;
  const thinking = defined({ effort });
  const target = { logId, session, workingDir, profile, model, ...thinking, createdAt };
  await branchLog(store, info.logId, at, target, { pid, processStart }, signal);
  return { session, logId, at };
}

async function boundaryAt(
  store: Pick<SessionStore, "eventsBefore">,
  info: LogInfo,
  place: SessionPoint | undefined,
): Promise<EventSeq> {
  if (place?.kind === "event") return place.event;
  const found = await lastEventThat(store, info, (event) => isTurnEnded(event, place?.turn));
  if (found !== undefined) return found.id;
  const what = place === undefined ? "turn" : `turn ${place.turn}`;
  const event = place === undefined ? "" : `; an event is written with an e: e${place.turn}`;
  const problem = `the session ${info.session} has no ${what} that has ended; it has ${count(info.turns, "turn")}${event}`;
  throw new HarnessError("UsageInvalid", { problem });
}

/**
 * Returns the first event at or above the start of a turn, or an event. @throws HarnessError UsageInvalid if it does
 * not exist.
 */
export async function placeOf(
  store: Pick<SessionStore, "eventsBefore">,
  info: LogInfo,
  place: SessionPoint,
): Promise<EventSeq> {
  if (place.kind === "event") {
    if (place.event <= info.lastEvent) return place.event;
    throw new HarnessError("UsageInvalid", {
      problem: `there is no event ${place.event}; the last one is ${info.lastEvent}`,
    });
  }
  const found = await lastEventThat(store, info, (event) => isTurnStarted(event, place.turn));
  if (found !== undefined) return found.id;
  throw new HarnessError("UsageInvalid", {
    problem: `there is no turn ${place.turn}; the session has ${count(info.turns, "turn")}`,
  });
}

async function lastEventThat(
  store: Pick<SessionStore, "eventsBefore">,
  { logId, lastEvent }: LogInfo,
  fits: (event: Envelope) => boolean,
): Promise<Envelope | undefined> {
  for (let before = lastEvent; before > 0; ) {
    const page = await store.eventsBefore(logId, before, PAGE_EVENTS);
    const found = page.findLast(fits);
    if (found !== undefined) return found;
    before = (page[0]?.id ?? 1) - 1;
  }
  return undefined;
}
