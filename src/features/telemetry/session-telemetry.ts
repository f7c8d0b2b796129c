import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import type { FinishReason, ModelBlock, ModelUsage } from "../../providers/provider.ts";
import { NO_USAGE } from "../../providers/provider.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { SubAgentContext, ToolOutput } from "../../tools/tool.ts";
import type { Redact } from "./content.ts";
import { inputAttributes, outputAttribute, textAttribute } from "./content.ts";
import type { Exporter } from "./exporter.ts";
import type { Attributes, SpanContext } from "./otlp.ts";
import type { OpenSpan } from "./tracer.ts";
import { Tracer } from "./tracer.ts";

const MS_PER_SECOND = 1_000;
const AGENT = "cinch";
/** Name for an unknown tool: the name that a model uses is free text without a limit. */
const NO_TOOL = "_OTHER";

export interface SessionTelemetryDependencies {
  readonly world: Pick<World, "clock" | "random">;
  readonly exporter: Exporter;
  /** Attributes of every span of the session. */
  readonly session: { readonly id: string; readonly log: string; readonly profile: string };
  /** The call of another session for which this one works. */
  readonly parentCall?: CallId;
  /** Span of the program that started this one. */
  readonly parentSpan?: SpanContext | undefined;
  /** Returns US dollars of one call; null if its price is unknown. */
  readonly costOf: (usage: ModelUsage, provider: string, model: string) => number | null;
  /** Removes secrets from content; undefined if no content is sent. */
  readonly content: Redact | undefined;
}

/**
 * Reports one session as spans with the GenAI conventions (OBS-01): the session, in it each turn (`invoke_agent`), in
 * that each attempt of a request (`chat`) and each call of a tool (`execute_tool`). A sub-agent is inside the call
 * that it answers, and so is the session of a task that a call hands on.
 */
export class SessionTelemetry {
  readonly #dependencies: SessionTelemetryDependencies;
  readonly #tracer: Tracer;
  readonly #session: OpenSpan;
  /** By the number of a turn, and for sub-agents by the call that they answer. */
  readonly #agents = new Map<number | CallId, OpenSpan>();
  readonly #calls = new Map<CallId, OpenSpan>();

  constructor(dependencies: SessionTelemetryDependencies) {
    this.#dependencies = dependencies;
    const { id, log, profile } = dependencies.session;
    const { exporter, parentCall, parentSpan } = dependencies;
    const parent = parentCall === undefined ? parentSpan : exporter.calls.get(parentCall);
    this.#tracer = new Tracer(dependencies.world, exporter, parent);
    const attributes = { "session.id": id, "gen_ai.conversation.id": log, "cinch.profile": profile };
    this.#session = this.#tracer.begin("session", { parent, attributes });
  }

  /** Wraps each call of a tool, the invalid ones too. */
  readonly tool: ToolMiddleware = async (call, context, next) => {
    const { exporter, content } = this.#dependencies;
    // A person's own command belongs to no turn.
    const parent = context.byUser === true ? this.#session : this.#agent(context.turn, context.within);
    const name = call.tool.missing === true ? NO_TOOL : call.name;
    const attributes: Attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": call.id,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.arguments": content && textAttribute(JSON.stringify(call.input) ?? "", content),
    };
    const span = this.#tracer.begin(`execute_tool ${name}`, { parent, attributes });
    this.#calls.set(call.id, span);
    exporter.calls.set(call.id, span);
    let error: string | undefined;
    try {
      const output = await next(call, context);
      if (output.isError === true)
        error = output.refusal ?? (output.timedOut === true ? "timeout" : "tool_error");
      span.add({ "gen_ai.tool.call.result": content && textAttribute(resultOf(output), content) });
      return output;
    } catch (thrown) {
      error = errorOf(thrown, context.signal);
      throw thrown;
    } finally {
      this.#endAgent(call.id, error);
      this.#calls.delete(call.id);
      exporter.calls.delete(call.id);
      const failed = defined({ "error.type": error });
      exporter.tools.record(span.elapsedMs() / MS_PER_SECOND, { "gen_ai.tool.name": name, ...failed });
      span.end(error);
    }
  };

  /** Wraps each attempt of a request. */
  readonly attempt: RequestMiddleware = (request, context, next) => this.#attempt(request, context, next);

  async *#attempt(...[request, context, next]: Parameters<RequestMiddleware>) {
    const { exporter, content } = this.#dependencies;
    const { name: provider, server } = context.provider;
    const known = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": providerName(provider),
      "gen_ai.request.model": request.model,
      "server.address": server?.address,
      "server.port": server?.port,
    };
    const parent = this.#agent(context.turn, context);
    parent.add({
      "gen_ai.provider.name": known["gen_ai.provider.name"],
      "gen_ai.request.model": request.model,
    });
    const span = this.#tracer.begin(`chat ${request.model}`, {
      parent,
      kind: "client",
      attributes: {
        ...known,
        "gen_ai.request.max_tokens": request.outputTokensMax,
        "gen_ai.conversation.id": this.#dependencies.session.log,
        "cinch.purpose": context.purpose,
        ...(content === undefined ? {} : inputAttributes(request, content)),
      },
    });
    let firstMs: number | undefined;
    let usage: ModelUsage = NO_USAGE;
    let finish: FinishReason | undefined;
    let model: string | undefined;
    let error: string | undefined = "left";
    const blocks: ModelBlock[] = [];
    try {
      for await (const event of next(request, context)) {
        if (event.kind === "usage") usage = event.usage;
        else firstMs ??= span.elapsedMs();
        if (event.kind === "finish") ({ reason: finish, model } = event);
        if (event.kind === "block" && content !== undefined) blocks.push(event.block);
        yield event;
      }
      error = undefined;
    } catch (thrown) {
      error = errorOf(thrown, context.signal);
      throw thrown;
    } finally {
      const seconds = span.elapsedMs() / MS_PER_SECOND;
      const failed = defined({ "error.type": error });
      const finished = finish === undefined ? undefined : finishName(finish);
      const answered = { ...known, "gen_ai.response.model": model };
      exporter.operations.record(seconds, { ...answered, ...failed });
      if (firstMs !== undefined) exporter.firstToken.record(firstMs / MS_PER_SECOND, answered);
      if (usage !== NO_USAGE) this.#countTokens(usage, span, answered);
      const usd = usage === NO_USAGE ? null : this.#dependencies.costOf(usage, provider, request.model);
      span.add({
        "gen_ai.response.model": model,
        "cinch.cost_usd": usd ?? undefined,
        "gen_ai.response.finish_reasons": finished === undefined ? undefined : [finished],
        "cinch.time_to_first_token": firstMs === undefined ? undefined : firstMs / MS_PER_SECOND,
        "gen_ai.output.messages": content && outputAttribute(blocks, finished, content),
      });
      span.end(error);
    }
  }

  #countTokens(usage: ModelUsage, span: OpenSpan, known: Attributes): void {
    const { tokens } = this.#dependencies.exporter;
    const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    tokens.record(input, { ...known, "gen_ai.token.type": "input" });
    tokens.record(usage.outputTokens, { ...known, "gen_ai.token.type": "output" });
    span.add({
      "gen_ai.usage.input_tokens": input,
      "gen_ai.usage.output_tokens": usage.outputTokens,
      "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
      "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
    });
  }

  turnEnded(turn: number, reason: TurnEndReason): void {
    this.#agents.get(turn)?.add({ "cinch.turn.end_reason": reason });
    this.#endAgent(turn, reason === "error" || reason === "cancelled" ? reason : undefined);
  }

  /** Ends open spans: the session is over. */
  end(): void {
    for (const key of [...this.#agents.keys()]) this.#endAgent(key, undefined);
    this.#session.end();
  }

  /** Returns the span of the turn, or of the sub-agent that answers a call; it begins with its first action. */
  #agent(turn: number, { parentCall, agents }: Partial<SubAgentContext> = {}): OpenSpan {
    const key = parentCall ?? turn;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const parent = (parentCall === undefined ? undefined : this.#calls.get(parentCall)) ?? this.#session;
    const name = agents?.at(-1) ?? AGENT;
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": name,
      "gen_ai.conversation.id": this.#dependencies.session.log,
      "cinch.turn": turn,
    };
    const span = this.#tracer.begin(`invoke_agent ${name}`, { parent, attributes });
    this.#agents.set(key, span);
    return span;
  }

  #endAgent(key: number | CallId, error: string | undefined): void {
    this.#agents.get(key)?.end(error);
    this.#agents.delete(key);
  }
}

/** Names that the conventions spell differently. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([["vertex", "gcp.vertex_ai"]]);
function providerName(name: string): string {
  return PROVIDERS.get(name) ?? name;
}

const FINISHES: Readonly<Partial<Record<FinishReason, string>>> = {
  tool_use: "tool_call",
  refused: "content_filter",
};
function finishName(reason: FinishReason): string {
  return FINISHES[reason] ?? reason;
}

/** Returns a word of a small set, never free text. */
function errorOf(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "cancelled";
  if (thrown instanceof HarnessError) return thrown.reason;
  return thrown instanceof Error ? thrown.name : "_OTHER";
}

function resultOf({ content }: ToolOutput): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
