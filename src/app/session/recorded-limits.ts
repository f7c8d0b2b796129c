import type { LogId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Limits, SessionWishes } from "../../session/plan.ts";
import { least } from "../../session/plan.ts";
import type { SessionStore } from "../../session/store/store.ts";
import type { Level } from "../../tools/tool-facts.ts";
import { LEVELS } from "../../tools/tool-facts.ts";

/**
 * Kind of the CustomEvent of the namespace `cinch` near the beginning of a log: the limits that its session was
 * opened with.
 */
const BOUNDED = "Bounded";
/** It stands behind the event that names the session's origin. */
const WITHIN_EVENTS = 16;

/** Returns the event that records the limits of a new session; undefined if there are none. */
export function limitsEvent({
  begun = {},
  atMost = {},
}: Pick<SessionWishes, "begun" | "atMost">): Event | undefined {
  const bounds = lowestLimits(begun, atMost);
  if (Object.keys(bounds).length === 0) return undefined;
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind: BOUNDED, payload: bounds } };
}

/**
 * Returns the wishes for a further run on a log: a session that an agent asks for keeps the limits it was opened with,
 * so ending a session and resuming it removes none. A person may set others.
 */
export async function applyRecordedLimits(
  wishes: SessionWishes,
  store: Pick<SessionStore, "events">,
  logId: LogId,
): Promise<SessionWishes> {
  if (wishes.atMost === undefined) return wishes;
  const bounds = await boundsIn(store, logId);
  return { ...wishes, atMost: lowestLimits(wishes.atMost, bounds) };
}

async function boundsIn(store: Pick<SessionStore, "events">, logId: LogId): Promise<Limits> {
  for (const { kind, payload } of await store.events(logId, 0, WITHIN_EVENTS))
    if (kind === "CustomEvent" && payload.namespace === "cinch" && payload.kind === BOUNDED)
      return boundsFrom(payload.payload);
  return {};
}

function boundsFrom(value: unknown): Limits {
  if (!isObject(value)) return {};
  const level = LEVELS.find((each) => each === value["level"]);
  const { maxTurns, maxCostUsd, maxTimeMs } = value;
  return {
    ...(level === undefined ? {} : { level }),
    ...(value["strict"] === true ? { strict: true } : {}),
    ...(typeof maxTurns === "number" ? { maxTurns } : {}),
    ...(typeof maxCostUsd === "number" ? { maxCostUsd } : {}),
    ...(typeof maxTimeMs === "number" ? { maxTimeMs } : {}),
  };
}

/** Returns the lower limit of each kind. */
export function lowestLimits(one: Limits, other: Limits): Limits {
  const level = lowestLevel([one.level, other.level]);
  const maxTurns = least(one.maxTurns, other.maxTurns);
  const maxCostUsd = least(one.maxCostUsd, other.maxCostUsd);
  const maxTimeMs = least(one.maxTimeMs, other.maxTimeMs);
  return {
    ...(level === undefined ? {} : { level }),
    ...(one.strict === true || other.strict === true ? { strict: true } : {}),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
  };
}

function lowestLevel(levels: readonly (Level | undefined)[]): Level | undefined {
  return LEVELS.find((each) => levels.includes(each));
}
