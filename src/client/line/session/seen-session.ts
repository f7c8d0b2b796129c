import type { CallId, ClientId, SessionId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { PayloadOf, TurnEndReason } from "../../../protocol/events/events.ts";
import { planModeOf } from "../../../view/session/plan-mode.ts";
import type { KnownTask } from "../../../view/session/tasks.ts";
import { tasksAfter } from "../../../view/session/tasks.ts";
import { endingText } from "../../../view/texts/ending-text.ts";
import { isRefusal } from "../../../view/turn-result.ts";
import type { LineClientOptions } from "../options.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { SeenTurns } from "./seen-turns.ts";
import { Spending } from "./spending.ts";

type SeenOptions = Pick<LineClientOptions, "model" | "quietCost">;

/**
 * What a session is known to be by the events that were seen of it. Those of an earlier run of the same log are history:
 * they count for what it cost and what was said, and nothing of them runs.
 */
export class SeenSession {
  readonly spending = new Spending();
  readonly memories = new MemoryWatch();
  readonly turns = new SeenTurns();
  readonly #session: () => SessionId;
  readonly #quietCost: boolean;
  #turn: { readonly number: number; readonly by: ClientId } | undefined;
  #lastTurn: TurnEndReason | undefined;
  #refused = 0;
  /** Calls that were denied because nobody was left to answer. */
  readonly #unanswered = new Set<CallId>();
  /** What runs in its background, and what has run there. */
  tasks: readonly KnownTask[] = [];
  /** Whether it plans, and changes nothing until a person approves a plan. */
  planMode = false;
  /** What the person has allowed for this session, as rules. */
  rules: readonly string[] = [];

  /** The model in use, as `provider:name`. */
  model: string;

  /** @param session the run that is watched now: it is another one after its engine was started anew. */
  constructor(session: () => SessionId, { model, quietCost = false }: SeenOptions) {
    this.#session = session;
    this.model = model;
    this.#quietCost = quietCost;
  }

  /** The turn that runs. */
  get turn(): number | undefined {
    return this.#turn?.number;
  }

  /** Who began the turn that runs. */
  get originator(): ClientId | undefined {
    return this.#turn?.by;
  }

  /** How the last turn ended. */
  get lastTurn(): TurnEndReason | undefined {
    return this.#lastTurn;
  }

  /** Calls of the last turn that did not run because nobody had allowed them; what a person has denied is none. */
  get refused(): number {
    return this.#refused;
  }

  /** A call is denied because nobody is left to answer. */
  leaveUnanswered(callId: CallId): void {
    this.#unanswered.add(callId);
  }

  isUnanswered(callId: CallId): boolean {
    return this.#unanswered.has(callId);
  }

  /** Whether an event is this run's and no sub-agent's. */
  isOwn(envelope: Envelope): boolean {
    return envelope.session === this.#session() && envelope.parentCall === undefined;
  }

  add(envelope: Envelope): void {
    this.spending.add(envelope);
    this.memories.add(envelope);
    this.turns.add(envelope);
    if (!this.isOwn(envelope)) return;
    this.tasks = tasksAfter(this.tasks, envelope);
    this.planMode = planModeOf(envelope) ?? this.planMode;
    if (envelope.kind === "TurnStarted") {
      this.#turn = { number: envelope.payload.turn, by: envelope.payload.originator };
      this.#refused = 0;
    }
    if (envelope.kind === "Error" && isRefusal(envelope.payload)) this.#countRefusal(envelope.payload);
    if (envelope.kind === "PermissionAnswered") this.#remember(envelope);
    if (envelope.kind === "ModelChanged") this.model = envelope.payload.model;
    if (envelope.kind === "RuleRevoked") {
      const { rule } = envelope.payload;
      this.rules = this.rules.filter((held) => held !== rule);
    }
  }

  /** Once the end of the turn that runs was dealt with: how it is told, empty where there is nothing to tell. */
  ended(envelope: Envelope): string | undefined {
    if (!this.isOwn(envelope) || envelope.kind !== "TurnEnded" || envelope.payload.turn !== this.turn)
      return undefined;
    this.#turn = undefined;
    this.#lastTurn = envelope.payload.reason;
    return this.#endText(envelope.payload);
  }

  #countRefusal({ details = {} }: PayloadOf<"Error">): void {
    const { because, callId } = details;
    const isSaid = because === "answer" && !this.#unanswered.has(callId as CallId);
    if (!isSaid) this.#refused += 1;
  }

  #endText({ reason, rounds }: Extract<Envelope, { kind: "TurnEnded" }>["payload"]): string {
    const cost = this.#quietCost ? undefined : this.spending.text();
    const facts = [rounds === undefined ? undefined : `rounds: ${rounds}`, cost];
    const told = facts.filter((fact) => fact !== undefined).join(", ");
    const line = [endingText(reason), told].filter((part) => part !== undefined && part !== "").join("; ");
    return line === "" ? "" : `-- ${line}`;
  }

  #remember(envelope: Extract<Envelope, { kind: "PermissionAnswered" }>): void {
    const { decision, scope, rule, counted } = envelope.payload;
    const lasting = counted && decision === "allow" && (scope === "argv_glob" || scope === "tool");
    if (lasting && rule !== undefined && !this.rules.includes(rule)) this.rules = [...this.rules, rule];
  }
}
