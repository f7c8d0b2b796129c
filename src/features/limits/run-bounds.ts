import type { LogId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { OpenedLog } from "../../session/history/resumed-log.ts";
import type { Limits, RunDefaults } from "../../session/plan/run-parts.ts";
import { least } from "../../session/plan/run-settings.ts";
import type { SessionPart } from "../../session/session-part.ts";
import type { SessionStore } from "../../session/store/store.ts";
import type { Level } from "../../tools/tool-facts.ts";
import { LEVELS } from "../../tools/tool-facts.ts";

/** The CustomEvent of the namespace `cinch` near the beginning of a log: what its session was begun with that narrows it. */
const BOUNDED = "Bounded";
/** It stands behind what tells of whom the session came. */
const WITHIN_EVENTS = 16;

/**
 * Has a new log tell what its session may do at most, as far as that was said for it alone. Undefined where nothing was;
 * what holds for every session of an engine holds there again.
 */
export function bounding(
  log: Pick<OpenedLog, "isOld">,
  { begun = {}, atMost = {} }: Pick<RunDefaults, "begun" | "atMost">,
): SessionPart | undefined {
  const bounds = lowestOf(begun, atMost);
  if (log.isOld || Object.keys(bounds).length === 0) return undefined;
  const payload = { namespace: "cinch", kind: BOUNDED, payload: bounds };
  return { serve: ({ publish }) => publish({ kind: "CustomEvent", payload }) };
}

/**
 * What a further run on a log starts from: one that an agent asks for may do no more than the session was begun with, so
 * that it sheds nothing by ending a session and going on with it. A person says anew what counts.
 */
export async function heldToBounds(defaults: RunDefaults, logId: LogId): Promise<RunDefaults> {
  if (defaults.atMost === undefined) return defaults;
  const bounds = await boundsIn(defaults.store, logId);
  return { ...defaults, atMost: lowestOf(defaults.atMost, bounds) };
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

/** Both limits at once: of each kind the lower one. */
export function lowestOf(one: Limits, other: Limits): Limits {
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
