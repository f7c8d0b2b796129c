import { Cancelled, HarnessError, hasReason, messageOf } from "../../base/errors.ts";
import { failureOf } from "../../base/files/storage-problem.ts";
import type { ClientId, InputId, SessionId } from "../../base/ids.ts";
import { durationText } from "../../base/text/duration.ts";
import type { World } from "../../base/world.ts";
import type { ContentBlock, InputBlock } from "../../protocol/content.ts";
import type { Event, TurnEndReason } from "../../protocol/events/events.ts";
import type { ModelInUse } from "../../providers/choosing/model-in-use.ts";
import type { History, RequestContext, RequestMiddleware } from "../../providers/middleware.ts";
import type { Provider, ToolSchema } from "../../providers/provider.ts";
import type { SubAgentContext } from "../../tools/tool.ts";
import type { Bus } from "../bus/bus.ts";
import type { Origin } from "../bus/origin.ts";
import type { Redaction } from "../bus/redaction.ts";
import { CancelNode } from "../cancel.ts";
import type { Conversation } from "./conversation.ts";
import type { DispatchContext, Dispatcher } from "./dispatch.ts";
import type { Reply } from "./reply.ts";
import type { StepError } from "./step.ts";
import { TurnTiming } from "./timing.ts";
import type { TurnLimits } from "./turn-limits.ts";

/** The engine of one session: everything a turn works with, wired by the composition. */
export interface EngineParts {
  readonly world: World;
  readonly session: SessionId;
  readonly bus: Bus;
  readonly conversation: Conversation;
  readonly dispatcher: Dispatcher;
  readonly redaction: Redaction;
  /** What stands around the provider call, outermost first. */
  readonly requestMiddleware: readonly RequestMiddleware[];
  /** What the model is told it can call; constant within a run (LIB-07). */
  readonly tools: () => readonly ToolSchema[];
  /** Asked anew for each round, so that SetModel works in the middle of a session. */
  readonly model: () => ModelInUse;
  /** Provider calls of one agent in one turn. */
  readonly roundsMax: number;
  /** Limits of a turn, shared with all its sub-agents. */
  readonly limits: TurnLimits;
  /** Set in a sub-agent: its turn is part of the turn of the call above. */
  readonly within?: SubAgentContext;
  /** Told of each finished block of an answer, in order, as it finishes: for embedders that want whole blocks. */
  readonly onBlock?: (block: ContentBlock) => void;
}

/** The CustomEvent of the namespace `cinch` that tells where an input entered a turn: `{inputId, turn, round}`. */
export const INPUT_DELIVERED = "InputDelivered";

/** An input that enters a turn which runs already. */
export interface Interjection {
  readonly inputId: InputId;
  readonly content: readonly InputBlock[];
  readonly originator: ClientId;
}

export type TurnEnded = Extract<Event, { kind: "TurnEnded" }>;

/** What one SendInput starts: its number, its place in the cancel tree, its clock, and how it ends. */
export class Turn implements Disposable {
  readonly number: number;
  readonly origin: Origin;
  readonly originator: ClientId;
  readonly cancel: CancelNode;
  readonly timing: TurnTiming;
  readonly #parts: EngineParts;
  readonly #writeMsBefore: number;
  #begun: readonly InputBlock[] | undefined;
  #timer: Disposable | undefined;
  rounds = 0;
  /** The error that has ended it. */
  error: HarnessError | undefined;

  constructor(parts: EngineParts, number: number, originator: ClientId, parent?: AbortSignal) {
    this.#parts = parts;
    this.number = number;
    this.originator = originator;
    const parentCall = parts.within?.parentCall;
    this.origin = { originator, ...(parentCall === undefined ? {} : { parentCall }) };
    this.cancel = new CancelNode(parent);
    this.timing = new TurnTiming(parts.world.clock);
    this.#writeMsBefore = parts.bus.writeMs;
  }

  /** Starts its limits. Not for a sub-agent's turn, which shares those of the turn above. */
  limit(): void {
    const { limits, world } = this.#parts;
    limits.begin();
    const { msLeft, msMax = msLeft } = limits;
    if (msLeft === undefined) return;
    const limit = durationText(msMax ?? msLeft);
    this.#timer = world.clock.timer(msLeft, () =>
      this.cancel.cancel(new HarnessError("TimeLimitReached", { limit })),
    );
  }

  /**
   * Tells everybody that it has begun, and resolves once the input cannot be lost any more. What was `added` to the input
   * goes to the model with it, and is nobody's words. An input that had waited is begun with the same event.
   */
  async begin(
    input: readonly InputBlock[],
    added: readonly InputBlock[] = [],
    inputId?: InputId,
  ): Promise<void> {
    const { bus, conversation, redaction } = this.#parts;
    const { number: turn, originator } = this;
    const content = redaction.input(input);
    this.#begun = content;
    const waited = inputId === undefined ? {} : { inputId };
    this.publish({ kind: "TurnStarted", payload: { turn, originator, content: [...content], ...waited } });
    conversation.addInput([...content, ...redaction.input(added)], turn);
    await bus.commit("power");
  }

  /** Puts an input that came in the middle into the history, and resolves once it cannot be lost any more. */
  async interject(
    { inputId, content, originator }: Interjection,
    added: readonly InputBlock[] = [],
  ): Promise<void> {
    const { bus, conversation, redaction } = this.#parts;
    const { number: turn, rounds: round } = this;
    const payload = { namespace: "cinch", kind: INPUT_DELIVERED, payload: { inputId, turn, round } };
    // In one batch: an input that is told as delivered stands in the history, also after a crash.
    bus.publish({ kind: "CustomEvent", payload }, { originator });
    conversation.addInput([...redaction.input(content), ...redaction.input(added)], turn);
    await bus.commit("power");
  }

  publish(event: Event): void {
    this.#parts.bus.publish(event, this.origin);
  }

  /** What a request middleware sees of this turn's conversation, and what it may put in its place. */
  get history(): History {
    const { conversation } = this.#parts;
    return {
      get messages() {
        return conversation.messages;
      },
      replace: (view, told) => conversation.replace(view, { turn: this.number, origin: this.origin }, told),
    };
  }

  requestContext(round: number, provider: Provider): RequestContext {
    const { within } = this.#parts;
    return {
      world: this.#parts.world,
      signal: this.cancel.signal,
      session: this.#parts.session,
      originator: this.originator,
      provider,
      turn: this.number,
      round,
      history: this.history,
      ...(this.#begun === undefined ? {} : { turnInput: this.#begun }),
      ...within,
      emit: (event) => this.publish(event),
      spent: (component, ms) => this.timing.spent(component, ms),
    };
  }

  dispatchContext(): DispatchContext {
    const { originator, origin, number: turn, cancel, timing } = this;
    return { originator, origin, turn, cancel, timing };
  }

  /** Ends it as the loop decided. */
  end(reason: TurnEndReason, told: { readonly error?: StepError; readonly reply?: Reply } = {}): TurnEnded {
    if (told.error !== undefined) this.#publishError(this.#stepError(told.error, told.reply));
    this.timing.spent("log_write", this.#parts.bus.writeMs - this.#writeMsBefore);
    this.publish({ kind: "TurnTiming", payload: this.timing.payload(this.number) });
    return { kind: "TurnEnded", payload: { turn: this.number, reason, rounds: this.rounds } };
  }

  /**
   * Ends it after something was thrown: a cancel, a refusal, a failure or a bug. Never the session (ENG-12).
   * @throws what ended the bus, since then nobody can be told.
   */
  fail(thrown: unknown): TurnEnded {
    if (this.#parts.bus.failure !== undefined) throw this.#parts.bus.failure;
    if (this.cancel.signal.aborted) return this.#stopped(this.cancel.cause);
    const error = thrown instanceof HarnessError ? thrown : this.#bug(thrown);
    this.#publishError(error);
    const budget = error.reason === "CostBudgetExceeded" || error.reason === "CostUnknown";
    if (error.reason === "CompactionStuck" || error.reason === "NoProgress") return this.end("no_progress");
    return this.end(budget ? "budget" : "error");
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.cancel[Symbol.dispose]();
  }

  #stopped(cause: unknown): TurnEnded {
    if (hasReason(cause, "TimeLimitReached")) {
      this.#publishError(cause);
      return this.end("time_limit");
    }
    const by = cause instanceof Cancelled ? cause.by : "engine";
    this.publish({ kind: "Cancelled", payload: { turn: this.number, by, reason: messageOf(cause) } });
    return this.end("cancelled");
  }

  #bug(thrown: unknown): HarnessError {
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    this.#parts.world.log.for("engine").write("error", "a turn failed", { what: messageOf(thrown), stack });
    return failureOf(thrown);
  }

  #stepError(reason: StepError, reply: Reply | undefined): HarnessError {
    const { id: model, outputTokensMax } = this.#parts.model();
    switch (reason) {
      case "OutputTruncated":
        return new HarnessError(reason, { model, tokens: String(outputTokensMax) });
      case "EmptyResponse":
        return new HarnessError(reason, { model });
      case "ResponseRefused":
        return new HarnessError(reason, { model, detail: reply?.rawFinish ?? "" });
      case "TurnLimitReached":
        return new HarnessError(reason, { rounds: this.#roundsText() });
    }
  }

  #roundsText(): string {
    const { roundsLeft, roundsMax } = this.#parts.limits;
    return roundsLeft === 0 && roundsMax > this.rounds
      ? `${roundsMax}, those of sub-agents included`
      : String(this.rounds);
  }

  #publishError(error: HarnessError): void {
    this.error = error;
    const { reason, message, fields } = error;
    this.publish({ kind: "Error", payload: { reason, message, details: { ...fields } } });
  }
}
