import { defined } from "../../base/defined.ts";
import type { EventSeq, InputId, SessionId } from "../../base/ids.ts";
import { isObject, stringAt } from "../../base/json.ts";
import { head } from "../../base/text/text.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import type { Cost } from "../../view/costs/cost.ts";
import { addCost, NO_COST } from "../../view/costs/cost.ts";
import { isShellEvent } from "../../view/event-facts.ts";
import { inputTexts } from "../../view/input-text.ts";
import { isTurnStarted } from "../../view/turn-marks.ts";
import type { TurnState } from "../../view/turn-result.ts";
import { deliveredInput, foldTurn, NEW_TURN } from "../../view/turn-result.ts";

const FIRST_WORDS_UNITS_MAX = 100;

/** A turn in a few facts. */
export interface TurnDigest {
  readonly turn: number;
  readonly startedAt: string;
  /** First and last event. */
  readonly from: EventSeq;
  readonly to?: EventSeq;
  readonly firstWords: string;
  readonly calls: number;
  readonly failedCalls: number;
  readonly rounds: number;
  readonly cost: Cost;
  /** Absent if it has not ended. */
  readonly ended?: TurnEndReason;
}

/** Files that were saved before a turn changed them. */
export interface CheckpointDigest {
  readonly turn: number;
  readonly event: EventSeq;
  readonly files: number;
  readonly notRestorable: number;
}

/** Summary of a log, folded from its events. */
export interface LogDigest {
  readonly turns: readonly TurnDigest[];
  /** Number of events. The id of the last one is higher where a crash took some. */
  readonly events: number;
  /** Cost while no turn ran: compaction on request. */
  readonly betweenTurns: Cost;
  readonly checkpoints: readonly CheckpointDigest[];
  /** First words of inputs that were accepted and have not started. */
  readonly waiting: readonly string[];
  readonly compactions: number;
  readonly rewinds: number;
  readonly runs: number;
  /** The log that was exported, if this one was imported; "unknown" if its file did not say. */
  readonly importedFrom?: string;
  /** The session that delegated this task, by its log; see `taskOf` of the composition. */
  readonly taskOf?: string;
  /** The session that this one continues under another profile. */
  readonly wentOnFrom?: SessionId;
}

type Building = { -readonly [Key in keyof TurnDigest]: TurnDigest[Key] };

/** Folds the events of a log, each at its time: only first words of their content are kept. */
export async function digestOf(events: AsyncIterable<Envelope>): Promise<LogDigest> {
  const turns: Building[] = [];
  const checkpoints: CheckpointDigest[] = [];
  const waiting = new Map<InputId, string>();
  const runs = new Set<string>();
  let betweenTurns = NO_COST;
  let state = NEW_TURN;
  let count = 0;
  let compactions = 0;
  let rewinds = 0;
  let importedFrom: string | undefined;
  let taskOf: string | undefined;
  let wentOnFrom: SessionId | undefined;
  for await (const event of events) {
    count += 1;
    runs.add(event.session);
    const newest = turns.at(-1);
    const turn = newest?.to === undefined ? newest : undefined;
    if (turn !== undefined || isTurnStarted(event)) state = foldTurn(state, event);
    if (turn !== undefined) turn.cost = state.costs.total;
    else if (event.kind === "CostIncremented") betweenTurns = addCost(betweenTurns, event.payload);
    if (event.parentCall !== undefined || isShellEvent(event)) continue;
    switch (event.kind) {
      case "TurnStarted":
        if (event.payload.inputId !== undefined) waiting.delete(event.payload.inputId);
        turns.push(newTurn(event));
        break;
      case "TurnEnded":
        if (turn !== undefined) endTurn(turn, event.id, state);
        break;
      case "ToolCallStarted":
        if (turn !== undefined) turn.calls += 1;
        break;
      case "ToolResult":
        if (turn !== undefined && event.payload.isError === true) turn.failedCalls += 1;
        break;
      case "InputQueued":
      case "InputEdited":
        waiting.set(event.payload.inputId, firstWords(event.payload.content));
        break;
      case "InputWithdrawn":
        waiting.delete(event.payload.inputId);
        break;
      case "CheckpointMade": {
        const { turn: number, files, notRestorable = [] } = event.payload;
        checkpoints.push({ turn: number, event: event.id, files, notRestorable: notRestorable.length });
        break;
      }
      case "CompactionTriggered":
        compactions += 1;
        break;
      case "ProfileSwitched":
        if (event.id === 1) wentOnFrom = event.payload.previous;
        break;
      case "CustomEvent": {
        const { namespace, kind, payload } = event.payload;
        const delivered = deliveredInput(event);
        if (delivered !== undefined) waiting.delete(delivered);
        if (namespace !== "cinch" || !isObject(payload)) break;
        if (kind === "Rewound") rewinds += 1;
        if (kind === "Imported") importedFrom = stringAt(payload, "from") ?? "unknown";
        if (kind === "Delegated") taskOf = stringAt(payload, "log") ?? "unknown";
        break;
      }
      default:
        break;
    }
  }
  return {
    turns,
    events: count,
    betweenTurns,
    checkpoints,
    waiting: [...waiting.values()],
    compactions,
    rewinds,
    runs: runs.size,
    ...defined({ importedFrom, taskOf, wentOnFrom }),
  };
}

function newTurn({ id, ts, payload }: Extract<Envelope, { kind: "TurnStarted" }>): Building {
  return {
    turn: payload.turn,
    startedAt: ts,
    from: id,
    firstWords: firstWords(payload.content ?? []),
    calls: 0,
    failedCalls: 0,
    rounds: 0,
    cost: NO_COST,
  };
}

function endTurn(turn: Building, id: EventSeq, { ended }: TurnState): void {
  turn.to = id;
  if (ended === undefined) return;
  turn.ended = ended.reason;
  turn.rounds = ended.rounds;
}

type Content = Extract<Envelope, { kind: "InputQueued" }>["payload"]["content"];

function firstWords(content: Content): string {
  for (const part of inputTexts(content, (type) => `(${type})`)) {
    const text = part.replaceAll(/\s+/g, " ").trim();
    if (text !== "") return head(text, FIRST_WORDS_UNITS_MAX);
  }
  return "";
}
