import { Cancelled, HarnessError, hasReason, messageOf } from "../../base/errors.ts";
import { toHarnessError } from "../../base/files/storage-problem.ts";
import type { ClientId, InputId, SessionId } from "../../base/ids.ts";
import { refusalOf } from "../../base/reasons.ts";
import { durationText } from "../../base/text/duration.ts";
import type { World } from "../../base/world.ts";
import type { ContentBlock, InputBlock } from "../../protocol/content.ts";
import type { Event, PayloadOf, TurnEndReason } from "../../protocol/events/events.ts";
import type { ModelInUse } from "../../providers/choosing/model-in-use.ts";
import type { History, RequestContext, RequestMiddleware } from "../../providers/middleware.ts";
import type { ToolSchema } from "../../providers/provider.ts";
import type { TurnSpend } from "../../session/budget/turn-spend.ts";
import type { SubAgentContext } from "../../tools/tool.ts";
import type { Bus } from "../bus/bus.ts";
import type { EventOrigin } from "../bus/origin.ts";
import type { Redaction } from "../bus/redaction.ts";
import { CancelNode } from "../cancel.ts";
import { ArrivingCalls } from "./arriving/arriving-calls.ts";
import type { Conversation } from "./conversation.ts";
import type { DispatchContext, Dispatcher } from "./dispatch.ts";
import type { ModelReply } from "./reply.ts";
import type { StepError } from "./step.ts";
import { TurnTiming } from "./timing.ts";
import type { TurnLimits } from "./turn-limits.ts";

/** The engine of one session: everything a turn works with, wired by the composition. */
export interface EngineDependencies {
  readonly world: World;
  readonly session: SessionId;
  readonly bus: Bus;
  readonly conversation: Conversation;
  readonly dispatcher: Dispatcher;
  readonly redaction: Redaction;
  /** Request middleware around the provider call, outermost first. */
  readonly requestMiddleware: readonly RequestMiddleware[];
  /** Tools declared to the model; constant within a run (LIB-07). */
  readonly tools: () => readonly ToolSchema[];
  /** Called for each round, so that SetModel works in the middle of a session. */
  readonly model: () => ModelInUse;
  /** Provider calls of one agent in one turn. */
  readonly roundsMax: number;
  /** Limits of a turn, shared with all its sub-agents. */
  readonly limits: TurnLimits;
  /** Cost of a turn, shared with all its sub-agents. */
  readonly spend: TurnSpend;
  /** Set in a sub-agent: its turn is part of the turn of the call above. */
  readonly within?: SubAgentContext;
  /** Called for each finished block of an answer, in order, for embedders that want whole blocks. */
  readonly onBlock?: (block: ContentBlock) => void;
}

/**
 * CustomEvent of the namespace `cinch` that reports the turn and round that an input entered: `{inputId, turn, round}`.
 */
export const INPUT_DELIVERED = "InputDelivered";

/** An input that enters a running turn. */
export interface Interjection {
  readonly inputId: InputId;
  readonly content: readonly InputBlock[];
  readonly originator: ClientId;
}

export type TurnEnded = Extract<Event, { kind: "TurnEnded" }>;

/** One turn, started by a SendInput: its number, its cancel node, its timing, and its end. */
export class Turn implements Disposable {
  readonly number: number;
  readonly origin: EventOrigin;
  readonly originator: ClientId;
  readonly cancel: CancelNode;
  readonly timing: TurnTiming;
  readonly arriving: ArrivingCalls;
  readonly #parts: EngineDependencies;
  readonly #writeMsBefore: number;
  #openingInput: readonly InputBlock[] | undefined;
  #timer: Disposable | undefined;
  rounds = 0;
  /** Error that ended it. */
  error: HarnessError | undefined;

  constructor(parts: EngineDependencies, number: number, originator: ClientId, parent?: AbortSignal) {
    this.#parts = parts;
    this.number = number;
    this.originator = originator;
    const parentCall = parts.within?.parentCall;
    this.origin = { originator, ...(parentCall === undefined ? {} : { parentCall }) };
    this.cancel = new CancelNode(parent);
    this.timing = new TurnTiming(parts.world.clock);
    const { world, bus, redaction } = parts;
    this.arriving = new ArrivingCalls({ world, bus, redaction, origin: this.origin });
    this.#writeMsBefore = parts.bus.writeMs;
  }

  /** Starts its limits. Not for a sub-agent's turn, which shares those of the turn above. */
  limit(): void {
    const { limits, spend, world } = this.#parts;
    limits.begin();
    spend.begin();
    const { msLeft, msMax = msLeft } = limits;
    if (msLeft === undefined) return;
    const limit = durationText(msMax ?? msLeft);
    this.#timer = world.clock.timer(msLeft, () =>
      this.cancel.cancel(new HarnessError("TimeLimitReached", { limit })),
    );
  }

  /**
   * Publishes its start. Its first request may leave before the log has it, and nothing of the answer is used before
   * that. `added` goes to the model with the input and is nobody's words. An input that had waited begins with the
   * same event.
   */
  begin(input: readonly InputBlock[], added: readonly InputBlock[] = [], inputId?: InputId): void {
    const { conversation, redaction } = this.#parts;
    const { number: turn, originator } = this;
    const content = redaction.input(input);
    this.#openingInput = content;
    const waited = inputId === undefined ? {} : { inputId };
    this.publish({ kind: "TurnStarted", payload: { turn, originator, content: [...content], ...waited } });
    conversation.addInput([...content, ...redaction.input(added)], turn);
  }

  /** Adds input that was accepted before to a running turn's history, and resolves when the log says so. */
  async interject(
    { inputId, content, originator }: Interjection,
    added: readonly InputBlock[] = [],
  ): Promise<void> {
    const { bus, conversation, redaction } = this.#parts;
    const { number: turn, rounds: round } = this;
    const payload = { namespace: "cinch", kind: INPUT_DELIVERED, payload: { inputId, turn, round } };
    // In one batch: an input reported as delivered is in the history, even after a crash.
    bus.publish({ kind: "CustomEvent", payload }, { ...this.origin, originator });
    conversation.addInput([...redaction.input(content), ...redaction.input(added)], turn);
    await bus.commit("process");
  }

  publish(event: Event): void {
    if (event.kind === "CostIncremented") this.#parts.spend.add(event, this.origin.parentCall);
    this.#parts.bus.publish(event, this.origin);
  }

  /** The conversation as request middleware sees it, and can replace it. */
  get history(): History {
    const { conversation } = this.#parts;
    return {
      get messages() {
        return conversation.messages;
      },
      replace: (view, told) => conversation.replace(view, { turn: this.number, origin: this.origin }, told),
    };
  }

  requestContext(round: number, { provider, replaced }: ModelInUse): RequestContext {
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
      ...(this.#openingInput === undefined ? {} : { turnInput: this.#openingInput }),
      ...(replaced === undefined ? {} : { modelReplaced: replaced }),
      ...within,
      emit: (event) => this.publish(event),
      spent: (component, ms) => this.timing.spent(component, ms),
    };
  }

  dispatchContext(): DispatchContext {
    const { originator, origin, number: turn, cancel, timing } = this;
    return { originator, origin, turn, cancel, timing };
  }

  /** Ends it with the loop's decision. */
  end(
    reason: TurnEndReason,
    outcome: { readonly error?: StepError; readonly reply?: ModelReply } = {},
  ): TurnEnded {
    if (outcome.error !== undefined) this.#publishError(this.#stepError(outcome.error, outcome.reply));
    this.timing.spent("log_write", this.#parts.bus.writeMs - this.#writeMsBefore);
    this.publish({ kind: "TurnTiming", payload: this.timing.payload(this.number) });
    const payload = { turn: this.number, reason, rounds: this.rounds };
    const error = this.error === undefined ? {} : { error: errorPayload(this.error) };
    const ended: TurnEnded = { kind: "TurnEnded", payload: { ...payload, ...error } };
    if (this.#parts.within === undefined)
      return { kind: "TurnEnded", payload: { ...ended.payload, ...this.#parts.spend.endedBy(ended) } };
    this.#parts.spend.add(ended, this.origin.parentCall);
    return ended;
  }

  /**
   * Ends it after an error: a cancel, a refusal, a failure or a bug. Never ends the session (ENG-12).
   * @throws the error that ended the bus, since no event can be published then.
   */
  fail(thrown: unknown): TurnEnded {
    if (this.#parts.bus.failure !== undefined) throw this.#parts.bus.failure;
    if (this.cancel.signal.aborted) return this.#stopped(this.cancel.cause);
    const error = thrown instanceof HarnessError ? thrown : this.#bug(thrown);
    this.#publishError(error);
    return this.end(refusalOf(error.reason)?.endsTurn ?? "error");
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
    return toHarnessError(thrown);
  }

  #stepError(reason: StepError, reply: ModelReply | undefined): HarnessError {
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
    this.publish({ kind: "Error", payload: errorPayload(error) });
  }
}

/** Returns an error as the Error event and the end of its turn have it. */
export function errorPayload({ reason, message, fields }: HarnessError): PayloadOf<"Error"> {
  return { reason, message, details: { ...fields } };
}
