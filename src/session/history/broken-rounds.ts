import type { CallId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { isShellEvent } from "../../view/event-facts.ts";
import type { BackReader } from "./read-back.ts";
import type { BrokenAgent } from "./unfinished.ts";

/** Agents of a broken turn whose provider calls are counted. */
const AGENTS_MAX = 1_000;

/**
 * Counts the provider calls of the turn that a killed process left, from the events, the newest first: those that
 * reported a cost, and the one that was cut off (decision 0010).
 *
 * Done at the end of a turn or at its start: an earlier turn is none of its business.
 */
export class BrokenRounds implements BackReader {
  readonly #agents = new Map<CallId | undefined, CountedAgent>();
  #isDone = false;

  get done(): boolean {
    return this.#isDone;
  }

  /**
   * Returns the rounds of the session's own agent.
   * @param waits calls of its last answer have no result: it was not asking the provider.
   */
  rounds(waits: boolean): number {
    return roundsOf(this.#agents.get(undefined), waits);
  }

  /** Sub-agents whose turn was running, the oldest first. */
  get subAgents(): readonly BrokenAgent[] {
    return this.#agents
      .entries()
      .toArray()
      .toReversed()
      .flatMap(([parentCall, agent]) => {
        const { turn, openCalls } = agent;
        if (parentCall === undefined || turn === undefined) return [];
        return [{ parentCall, turn, rounds: roundsOf(agent, openCalls > 0) }];
      });
  }

  add(event: Envelope): void {
    if (this.#isDone || isShellEvent(event)) return;
    const { parentCall } = event;
    const isOwn = parentCall === undefined;
    if (isOwn && (event.kind === "TurnEnded" || event.kind === "TurnStarted")) {
      this.#isDone = true;
      return;
    }
    const known = this.#agents.get(parentCall);
    if (known === undefined && this.#agents.size >= AGENTS_MAX) return;
    const agent = known ?? newAgent();
    if (!agent.isOver) count(agent, event);
    this.#agents.set(parentCall, agent);
  }
}

interface CountedAgent {
  /** Provider calls that reported their cost. */
  reported: number;
  /** True if its newest events show a provider call that had ended, false if one was running; undefined without any. */
  hasAnswer: boolean | undefined;
  /** Calls without a result; below zero while only their results were read. */
  openCalls: number;
  /** Number of the turn that was running, once its start was read. */
  turn: number | undefined;
  /** The newest turn was read to its start, or had ended. */
  isOver: boolean;
}

function newAgent(): CountedAgent {
  return { reported: 0, hasAnswer: undefined, openCalls: 0, turn: undefined, isOver: false };
}

function roundsOf(agent: CountedAgent | undefined, waits: boolean): number {
  const { reported = 0, hasAnswer = false } = agent ?? {};
  return reported + (hasAnswer || waits ? 0 : 1);
}

function count(agent: CountedAgent, { kind, payload }: Envelope): void {
  switch (kind) {
    case "CostIncremented":
      if (payload.purpose === "summary") return;
      agent.reported += 1;
      agent.hasAnswer ??= true;
      return;
    case "ToolCallStarted":
      agent.openCalls += 1;
      agent.hasAnswer ??= true;
      return;
    case "ToolResult":
      agent.openCalls -= 1;
      agent.hasAnswer ??= false;
      return;
    case "TextDelta":
    case "ThinkingDelta":
      agent.hasAnswer ??= false;
      return;
    case "TurnStarted":
      agent.turn = payload.turn;
      agent.isOver = true;
      return;
    case "TurnEnded":
      agent.isOver = true;
      return;
    default:
      return;
  }
}
