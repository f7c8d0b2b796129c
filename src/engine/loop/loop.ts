import { unreachable } from "../../base/assert.ts";
import { HarnessError } from "../../base/errors.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import { ProviderError } from "../../providers/error.ts";
import type { RequestContext } from "../../providers/middleware.ts";
import { chainRequest } from "../../providers/middleware.ts";
import type { ModelRequest } from "../../providers/provider.ts";
import type { ToolOutput } from "../../tools/tool.ts";
import { collectReply } from "./collect-reply.ts";
import { SINGLE_CALL } from "./dispatch.ts";
import { providerAnswer } from "./provider-answer.ts";
import type { ModelReply, PendingCall } from "./reply.ts";
import { ReplyBuilder } from "./reply.ts";
import { nextStep } from "./step.ts";
import type { EngineDependencies, Turn, TurnEnded } from "./turn.ts";

/**
 * Called between two rounds, when every call is answered: adds new user input to the history, and returns true if
 * there was any.
 */
export type BetweenRounds = (turn: Turn) => Promise<boolean>;

const NOTHING_BETWEEN: BetweenRounds = async () => false;

/**
 * Runs the agent loop: ask the model, run its calls, ask again, until there is a reason to stop ([A] § The agent
 * loop, ENG-01). The turn has begun: its input is in the history.
 *
 * Resolves to the event that ends the turn, which the caller publishes when the session is free for the next input
 * (ENG-11). Errors of a provider, a tool or a middleware are handled; only a log that cannot be written throws.
 */
export async function runTurn(
  turn: Turn,
  parts: EngineDependencies,
  between: BetweenRounds = NOTHING_BETWEEN,
): Promise<TurnEnded> {
  try {
    for (let round = 1; ; round++) {
      // Sub-agents of the previous round may have used up the limit.
      if (parts.limits.roundsLeft === 0) return turn.end("turn_limit", { error: "TurnLimitReached" });
      parts.limits.count(1);
      turn.rounds = round;
      const reply = await ask(turn, parts, round);
      const roundsMax = parts.limits.roundsLeft === 0 ? round : parts.roundsMax;
      const step = nextStep(reply, round, roundsMax);
      switch (step.kind) {
        case "dispatch":
          await dispatchInOrder(step.calls, turn, parts);
          await between(turn);
          break;
        case "again":
          break;
        case "yield":
          parts.conversation.answer(reply.calls, new Map(), "the turn ended before it", turn.number);
          if (goesOn(step.reason) && round < roundsMax && (await between(turn))) break;
          return turn.end(step.reason, { reply, ...(step.error === undefined ? {} : { error: step.error }) });
        default:
          return unreachable(step);
      }
    }
  } catch (thrown) {
    return turn.fail(thrown);
  } finally {
    turn.arriving.close();
  }
}

/** Returns true for an end that further user input may prevent: the model had nothing more to do. */
function goesOn(reason: TurnEndReason): boolean {
  return reason === "complete" || reason === "yield";
}

/**
 * Makes one provider call. Everything that arrived is in the history, even if the answer broke off (ENG-18).
 *
 * If the session takes another model before anything of the answer came, the same round goes to that one.
 */
async function ask(turn: Turn, parts: EngineDependencies, round: number): Promise<ModelReply> {
  while (true) {
    turn.cancel.signal.throwIfAborted();
    // The log can fail between the end of a call and its answer in the history, which then lacks it.
    if (parts.bus.failure !== undefined) throw parts.bus.failure;
    await parts.bus.commitOutcomes();
    turn.cancel.signal.throwIfAborted();
    const { replaced } = parts.model();
    turn.arriving.close(); // also where no provider is asked: the places of the last answer are free again
    const builder = new ReplyBuilder(parts.world.ids, parts.redaction, (index) => turn.arriving.idOf(index));
    try {
      await receive(builder, turn, { parts, round });
    } catch (thrown) {
      if (parts.bus.failure !== undefined) throw thrown;
      const { reply, hasContent } = builder;
      if (replaced?.aborted === true && !hasContent && !turn.cancel.signal.aborted) continue;
      parts.conversation.addReply(reply, turn.number);
      parts.conversation.answer(reply.calls, new Map(), "the answer broke off", turn.number);
      throw thrown;
    }
    parts.conversation.addReply(builder.reply, turn.number);
    return builder.reply;
  }
}

/** Sends the next request to the model that counts now, and reads the answer into `builder`. */
async function receive(
  builder: ReplyBuilder,
  turn: Turn,
  { parts, round }: { readonly parts: EngineDependencies; readonly round: number },
): Promise<void> {
  const model = parts.model();
  const { provider } = model;
  const request = openRequest(parts);
  const middleware = turn.timing.start("request_middleware");
  const firstByte = turn.timing.start("provider_first_byte");
  const total = turn.timing.start("provider_total");
  const logged = logRequest(request, turn.requestContext(round, model));
  try {
    const send = chainRequest(parts.requestMiddleware, (final, context) => {
      middleware();
      // The round before is written while the provider works.
      parts.bus.writeSoon();
      return providerAnswer(final, context, turn.arriving.attempt());
    });
    const stream = send(request, turn.requestContext(round, model));
    const { bus, redaction, onBlock } = parts;
    const sink = {
      bus,
      redaction,
      origin: turn.origin,
      family: provider.family,
      arriving: turn.arriving,
      onFirst: firstByte,
      onBlock,
    };
    await collectReply(stream, builder, sink);
    logged.answered(builder.reply);
  } catch (thrown) {
    logged.failed(thrown);
    throw thrown;
  } finally {
    total();
  }
}

/** Builds the next request before the middleware: the history and the tools, with nothing added. */
export function openRequest(parts: EngineDependencies): ModelRequest {
  const { id: model, outputTokensMax, thinking } = parts.model();
  return {
    model,
    system: [],
    messages: parts.conversation.messages,
    tools: parts.tools(),
    outputTokensMax,
    cache: { prefix: false, messages: [] },
    ...(thinking === undefined ? {} : { thinking }),
    ...(parts.bus.isWatched ? {} : { isUnwatched: true }),
  };
}

interface ToldRequest {
  answered(reply: ModelReply): void;
  failed(thrown: unknown): void;
}

/** Logs one provider call in the operational log: how much was sent and the result, without content. */
function logRequest(
  { model, messages, tools }: ModelRequest,
  { world, session, turn, round, provider, signal, modelReplaced }: RequestContext,
): ToldRequest {
  const log = world.log.for(`provider.${provider.name}`);
  const which = { session, turn, round, model };
  const startMs = world.clock.monotonic();
  const elapsed = () => Math.round(world.clock.monotonic() - startMs);
  log.write("debug", "request", { ...which, messages: messages.length, tools: tools.length });
  return {
    answered({ finish, calls, usage }) {
      log.write("debug", "answer", { ...which, finish, calls: calls.length, ...usage, ms: elapsed() });
    },
    failed(thrown) {
      if (signal.aborted) return log.write("debug", "request cancelled", { ...which, ms: elapsed() });
      if (modelReplaced?.aborted === true)
        return log.write("debug", "request given up for another model", { ...which, ms: elapsed() });
      const reason = thrown instanceof HarnessError ? thrown.reason : "InternalError";
      const status = thrown instanceof ProviderError ? thrown.status : undefined;
      log.write("warn", "request failed", { ...which, reason, status, ms: elapsed() });
    },
  };
}

/**
 * Runs the calls of one answer in order and stops at the first failure ([B] § Tool Execution, ENG-04). Calls that may
 * run in parallel do so if the session has opted in (ENG-20).
 *
 * Every call is answered in the history, even on cancel or error: providers refuse a call without its result.
 */
async function dispatchInOrder(
  calls: readonly PendingCall[],
  turn: Turn,
  parts: EngineDependencies,
): Promise<void> {
  const results = new Map<string, ToolOutput>();
  let why = "the turn was ended before it";
  try {
    let failed: PendingCall | undefined;
    for (let rest = calls; rest.length > 0; ) {
      const isLone = rest.length === 1 && failed === undefined;
      const { count, onlyRead } = isLone
        ? SINGLE_CALL
        : await parts.dispatcher.together(rest, turn.dispatchContext());
      // Read-only calls continue after a failure; calls that may change something do not.
      if (failed !== undefined && !onlyRead) break;
      const group = rest.slice(0, count);
      failed = (await dispatchTogether(group, { turn, parts, results })) ?? failed;
      if (failed !== undefined) why = `${failed.name} failed before it`;
      if (failed !== undefined && !onlyRead) break;
      rest = rest.slice(count);
    }
  } finally {
    if (parts.bus.failure === undefined) parts.conversation.answer(calls, results, why, turn.number);
  }
}

interface Dispatching {
  readonly turn: Turn;
  readonly parts: EngineDependencies;
  readonly results: Map<string, ToolOutput>;
}

/**
 * Runs calls in parallel, each to its end, whatever the others return: every call that ran gets its true result.
 * Returns the first that failed.
 */
async function dispatchTogether(
  calls: readonly PendingCall[],
  { turn, parts, results }: Dispatching,
): Promise<PendingCall | undefined> {
  const ended = await Promise.allSettled(
    calls.map(async (call) => {
      turn.arriving.started(call.id);
      results.set(call.id, await parts.dispatcher.dispatch(call, turn.dispatchContext()));
    }),
  );
  for (const each of ended) if (each.status === "rejected") throw each.reason;
  return calls.find((call) => results.get(call.id)?.isError === true);
}
