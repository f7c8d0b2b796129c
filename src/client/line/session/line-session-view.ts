import type { CallId, ClientId, SessionId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { PayloadOf, TurnEndReason } from "../../../protocol/events/events.ts";
import { PRICE_UNKNOWN, printPrice, withBefore } from "../../../view/costs/cost.ts";
import type { Costs } from "../../../view/costs/cost-book.ts";
import { CostBook } from "../../../view/costs/cost-book.ts";
import { totalCost } from "../../../view/costs/session-costs.ts";
import type { UsedMemories } from "../../../view/session/memories.ts";
import type { RunView } from "../../../view/session/run-view.ts";
import type { SessionStep } from "../../../view/session/session-view.ts";
import { NEW_SESSION, runOf, sessionStep } from "../../../view/session/session-view.ts";
import type { KnownTask } from "../../../view/session/tasks.ts";
import type { Turns } from "../../../view/session/turns.ts";
import type { WaitingInput } from "../../../view/session/waiting.ts";
import { endingText } from "../../../view/texts/ending-text.ts";
import type { LineClientOptions } from "../options.ts";
import type { RunningWork } from "../output/work-text.ts";
import { workOf } from "../output/work-text.ts";

type SeenOptions = Pick<LineClientOptions, "model" | "quietCost" | "isLabelled">;

/**
 * The session view of the line client, with the state that only this client has.
 *
 * Events of an earlier run of the same log are history: their costs and turns are counted, but nothing of them runs.
 */
export class LineSessionView {
  readonly #book = new CostBook();
  readonly #session: () => SessionId;
  readonly #quietCost: boolean;
  readonly #isLabelled: boolean;
  #view = NEW_SESSION;
  /** The turn whose end is being processed. */
  #ending: RunView["turn"];
  #unknownTold = false;
  /** Calls that were denied because no person could answer. */
  readonly #unanswered = new Set<CallId>();
  /** The model chosen at the start or by this client, until an event names another. */
  #chosen: { readonly of: string | undefined; readonly model: string };

  /** @param session returns the current run, which changes when the engine restarts. */
  constructor(session: () => SessionId, { model, quietCost = false, isLabelled = false }: SeenOptions) {
    this.#session = session;
    this.#chosen = { of: undefined, model };
    this.#quietCost = quietCost;
    this.#isLabelled = isLabelled;
  }

  /** Number of the running turn. */
  get turn(): number | undefined {
    return (this.#ending ?? this.#run.turn)?.number;
  }

  /** Work of the running turn; undefined if none runs. */
  get work(): RunningWork | undefined {
    const { turn, calls, compacting } = this.#run;
    return turn === undefined ? undefined : workOf(turn.number, calls, compacting !== undefined);
  }

  /** The client that started the running turn. */
  get originator(): ClientId | undefined {
    return (this.#ending ?? this.#run.turn)?.originator;
  }

  /** End reason of the last turn. */
  get lastTurn(): TurnEndReason | undefined {
    return this.#run.ended;
  }

  /** Number of calls of the last turn that were denied for want of permission, without those that a person denied. */
  get refused(): number {
    const isSaid = ({ isAnswer, callId }: RunView["refusals"][number]) =>
      isAnswer && !this.#unanswered.has(callId as CallId);
    return this.#run.refusals.filter((refusal) => !isSaid(refusal)).length;
  }

  /** Background tasks, running and ended. */
  get tasks(): readonly KnownTask[] {
    return this.#run.tasks;
  }

  get memories(): UsedMemories {
    return this.#view.memories;
  }

  /** Inputs that wait for a turn. */
  get waiting(): readonly WaitingInput[] {
    return this.#view.waiting;
  }

  get turns(): Turns {
    return this.#view.turns;
  }

  /** True in plan mode, which changes nothing until a person approves a plan. */
  get planMode(): boolean {
    return this.#run.planMode;
  }

  /** Folders that were added to the workspace of the run. */
  get folders(): readonly string[] {
    return this.#run.folders ?? [];
  }

  /** The model in use, as `provider:name`. */
  get model(): string {
    const { model } = this.#run;
    return model === undefined || this.#chosen.of === model ? this.#chosen.model : model;
  }

  set model(model: string) {
    this.#chosen = { of: this.#run.model, model };
  }

  /** All costs and their breakdown. */
  get costs(): Costs {
    return this.#book.costs;
  }

  /** Marks a call as denied because no person can answer. */
  leaveUnanswered(callId: CallId): void {
    this.#unanswered.add(callId);
  }

  isUnanswered(callId: CallId): boolean {
    return this.#unanswered.has(callId);
  }

  /** Returns true for an event of this run that no sub-agent caused. */
  isOwn(envelope: Envelope): boolean {
    return envelope.session === this.#session() && envelope.parentCall === undefined;
  }

  /** Reads one more event. Returns the views before and after it. */
  add(envelope: Envelope): SessionStep {
    const { turn } = this.#run;
    const step = sessionStep(this.#view, envelope);
    this.#view = step.after;
    this.#book.add(envelope);
    if (this.isOwn(envelope) && envelope.kind === "TurnEnded" && envelope.payload.turn === turn?.number)
      this.#ending = turn;
    return step;
  }

  /** Ends the running turn and returns its line, which may be empty; undefined if no turn ends. */
  ended(envelope: Envelope): string | undefined {
    if (!this.isOwn(envelope) || envelope.kind !== "TurnEnded" || this.#ending === undefined)
      return undefined;
    this.#ending = undefined;
    return this.#endText(envelope.payload);
  }

  get #run(): RunView {
    return runOf(this.#view, this.#session());
  }

  #endText({ reason, rounds }: PayloadOf<"TurnEnded">): string {
    const cost = this.#quietCost ? undefined : this.#costText();
    const facts = [rounds === undefined ? undefined : `rounds: ${rounds}`, cost];
    const text = facts.filter((fact) => fact !== undefined).join(", ");
    const line = [endingText(reason), text].filter((part) => part !== undefined && part !== "").join("; ");
    if (this.#isLabelled) return line === "" ? "Turn ended." : `Turn ended: ${line}`;
    return line === "" ? "" : `-- ${line}`;
  }

  /**
   * Returns the costs of the turn and the session. Without a known price, prints a notice once and returns undefined.
   */
  #costText(): string | undefined {
    const { costs } = this.#view;
    const total = totalCost(costs);
    const [turn, session] = [costs.turn.total, total].map(printPrice);
    if (turn !== PRICE_UNKNOWN || session !== PRICE_UNKNOWN) {
      const { before } = costs;
      const together =
        before === undefined ? "" : `, ${printPrice(withBefore(total, before))} with those before it`;
      return `${turn} this turn, ${session} this session${together}`;
    }
    if (this.#unknownTold) return undefined;
    this.#unknownTold = true;
    return PRICE_UNKNOWN;
  }
}
