import { ownWords } from "../base/brand.ts";
import { Cancelled, HarnessError, messageOf } from "../base/errors.ts";
import type { JsonSchema } from "../base/json.ts";
import type { Fields, Reason } from "../base/reasons.ts";
import { isReason } from "../base/reasons.ts";
import type { World } from "../base/world.ts";
import type { AttachedClient } from "../control/multiplex/client.ts";
import { PERMISSION_TIMEOUT_MS } from "../control/multiplex/questions.ts";
import type { Session } from "../control/multiplex/session.ts";
import type { ModelInUse } from "../engine/turn.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { Envelope, EnvelopeOf } from "../protocol/envelope.ts";
import type { TurnEndReason } from "../protocol/events.ts";
import type { RequestMiddleware } from "../provider/middleware.ts";
import { retry } from "../provider/retry.ts";
import { memorySessionStore } from "../session/memory-store.ts";
import type { ToolMiddleware } from "../tool/middleware.ts";
import { ToolRegistry } from "../tool/registry.ts";
import type { CallPlan, Tool as EngineTool } from "../tool/tool.ts";
import { ToolFailure } from "../tool/tool.ts";
import { composeSession } from "./session.ts";

/** Rounds of one prompt, unless the configuration says otherwise ([B] § Configuration; an engine session has 50). */
export const PROMPT_ROUNDS_MAX = 10;
export const OUTPUT_TOKENS_MAX = 4_096;
export const DEFAULT_MODEL = "claude-3-haiku-20240307";

/** How the agent of a `Harness` is set up ([B] § Configuration). */
export interface HarnessConfig {
  /** Key of the Anthropic API. */
  readonly apiKey: string;
  /** An id, or haiku, sonnet, opus. A retired id is answered with its successor. Absent: `DEFAULT_MODEL`. */
  readonly model?: string;
  /** Tokens in each answer; absent: 4096. */
  readonly maxTokens?: number;
  /** Absent: none. */
  readonly systemPrompt?: string;
  /** Provider calls of one prompt; absent: 10. */
  readonly maxTurns?: number;
  /** Another server that speaks the Anthropic Messages API. */
  readonly baseUrl?: string;
}

/** A tool that the agent can use ([B] § Interfaces). */
export interface HarnessTool {
  readonly name: string;
  /** At most 250 characters. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Rare or numerous: found by ToolSearch instead of being declared in every request. */
  readonly lazy?: boolean;
  /** Runs with input that fits the schema; what it throws is the call's failure, which the model sees. */
  execute(input: unknown, options: { readonly signal: AbortSignal }): Promise<string>;
}

/** Told of whole blocks, in order ([B] § Streaming). What it throws does not disturb the run. */
export interface EventHandler {
  onText?(text: string): void;
  onToolCall?(id: string, name: string, input: unknown): void;
  onToolResult?(id: string, result: string, isError: boolean): void;
}

/** How a prompt ended. */
export interface PromptResult {
  readonly text: string;
  /** "complete", or for instance "turn_limit": reaching maxTurns is an end, not an error ([B], LIB-09). */
  readonly reason: TurnEndReason;
  /** Provider calls made. */
  readonly turns: number;
}

/** What a `Harness` stands on; the package's own entry fills it in. */
export interface FacadeParts {
  readonly world: World;
  /** `note`: a sentence for the embedder, where another model than the named one is used. */
  model(config: HarnessConfig): ModelInUse & { readonly note?: string };
}

/**
 * The library façade: one conversation with an agent, on the same engine as everything else ([B] § Go API).
 *
 * Nothing is kept on disk. The embedder's own tools run without asking: it is the embedder who decides what they do.
 */
export class AgentConversation implements AsyncDisposable {
  readonly #config: HarnessConfig;
  readonly #tools: readonly HarnessTool[];
  readonly #handler: EventHandler;
  readonly #parts: FacadeParts;
  readonly #client: AttachedClient;
  readonly #model: ModelInUse;
  /** What the embedder should know: that a retired model was replaced. */
  readonly notices: readonly string[];
  #session: Promise<Session> | undefined;
  #running = false;

  /** @throws HarnessError when there is no API key, or a tool is not as it must be. */
  constructor(
    config: HarnessConfig,
    tools: readonly HarnessTool[],
    handler: EventHandler,
    parts: FacadeParts,
  ) {
    if (typeof config.apiKey !== "string" || config.apiKey.trim() === "") {
      throw new HarnessError("UsageInvalid", {
        problem: "a Harness needs an apiKey: new Harness({ apiKey }, tools)",
      });
    }
    this.#config = config;
    this.#tools = tools;
    this.#handler = handler;
    this.#parts = parts;
    const { note, ...model } = parts.model(config);
    this.#model = model;
    this.notices = note === undefined ? [] : [note];
    this.#client = { id: parts.world.ids.next("cli"), identityClass: "human", label: "library" };
  }

  /**
   * Runs the agent on a prompt until it answers without a tool call, or reaches `maxTurns`.
   *
   * @throws HarnessError when the API fails, or another prompt is running; `signal.reason` when it was aborted, a
   * `Cancelled` after `cancel`.
   */
  async prompt(content: string, options: { readonly signal?: AbortSignal } = {}): Promise<PromptResult> {
    if (this.#running) {
      throw new HarnessError("InvalidCommand", {
        kind: "prompt",
        why: "another prompt is running; await it or cancel it",
      });
    }
    this.#running = true;
    try {
      options.signal?.throwIfAborted();
      return await this.#run(content, options.signal);
    } finally {
      this.#running = false;
    }
  }

  /** Cancels the running prompt, which then rejects. Safe at any time. */
  cancel(): void {
    this.#cancel().catch((thrown: unknown) => {
      this.#parts.world.log.for("library").write("warn", "cancelling failed", { what: String(thrown) });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const session = await this.#session;
    await session?.end("user");
  }

  async #cancel(): Promise<void> {
    const session = await this.#session;
    if (session === undefined || !this.#running) return;
    await session.send({ kind: "CancelTurn", sessionId: session.id }, this.#client);
  }

  async #run(content: string, signal: AbortSignal | undefined): Promise<PromptResult> {
    this.#session ??= this.#open();
    const session = await this.#session;
    const stop = new AbortController();
    const events = session.subscribe(undefined, stop.signal);
    const onAbort = () => this.cancel();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const block = { type: "text" as const, text: content };
      await session.send({ kind: "SendInput", sessionId: session.id, content: [block] }, this.#client);
      if (signal?.aborted) this.cancel();
      return await resultOf(events, signal);
    } finally {
      signal?.removeEventListener("abort", onAbort);
      stop.abort();
    }
  }

  async #open(): Promise<Session> {
    const { world } = this.#parts;
    const model = this.#model;
    const registry = new ToolRegistry();
    registry.add({ name: "library", tools: () => this.#tools.map(engineTool) });
    const store = memorySessionStore(world.machine);
    const scratch = await world.files.makeTemporary("cinch-library-");
    const [logId, session] = [world.ids.next("log"), world.ids.next("sess")];
    const createdAt = new Date(world.clock.now()).toISOString();
    const log = { logId, session, workingDir: "", profile: "library", model: model.id, createdAt };
    const writer = await store.create(log, {
      pid: world.machine.pid,
      processStart: world.machine.processStart,
    });
    return composeSession({
      world,
      session,
      logId,
      store,
      writer,
      history: [],
      lastTurn: 0,
      tools: () => registry,
      workspace: { root: scratch, cwd: scratch, seen: new Map(), env: {}, scratch },
      telemetry: [this.#tellResults()],
      gate: () => [],
      inner: [],
      requestMiddleware: [systemPrompt(this.#config.systemPrompt ?? ""), retry()],
      model: () => model,
      setModel: () =>
        Promise.reject(new HarnessError("InvalidCommand", { kind: "SetModel", why: "make another Harness" })),
      revokeRule: () => false,
      roundsMax: this.#config.maxTurns ?? PROMPT_ROUNDS_MAX,
      attended: false,
      permissionTimeoutMs: PERMISSION_TIMEOUT_MS,
      onBlock: (block) => this.#tellBlock(block),
      settle: () => Promise.resolve(),
      close: async () => {
        await writer[Symbol.asyncDispose]();
        await world.files.remove(scratch);
      },
    });
  }

  #tellBlock(block: ContentBlock): void {
    if (block.type === "text") this.#tell(() => this.#handler.onText?.(block.text));
    if (block.type === "tool_use")
      this.#tell(() => this.#handler.onToolCall?.(block.id, block.name, block.input));
  }

  #tellResults(): ToolMiddleware {
    return async (call, context, next) => {
      const output = await next(call, context);
      const text = output.content.map((block) => (block.type === "text" ? block.text : "")).join("");
      this.#tell(() => this.#handler.onToolResult?.(call.id, text, output.isError ?? false));
      return output;
    };
  }

  #tell(call: () => void): void {
    try {
      call();
    } catch (thrown) {
      this.#parts.world.log.for("library").write("error", "an event handler threw", { what: String(thrown) });
    }
  }
}

/** An embedder's tool as the engine takes it. What it may do is the embedder's affair; it counts as mutating. */
function engineTool(tool: HarnessTool): EngineTool<LibraryPlan> {
  const { name, description, inputSchema, lazy } = tool;
  return {
    name,
    description,
    inputSchema,
    mutating: true,
    level: "DangerFullAccess",
    ...(lazy === undefined ? {} : { lazy }),
    plan: (input) => Promise.resolve({ summary: name, target: { kind: "none" }, input }),
    async run({ input }, { signal }) {
      try {
        return { content: [{ type: "text", text: await tool.execute(input, { signal }) }] };
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        throw new ToolFailure(messageOf(thrown), { cause: thrown });
      }
    },
  };
}

interface LibraryPlan extends CallPlan {
  readonly input: unknown;
}

function systemPrompt(text: string): RequestMiddleware {
  return (request, context, next) =>
    next(
      text === "" ? request : { ...request, system: [{ name: "library", text: ownWords(text) }] },
      context,
    );
}

/** Follows one turn to its end. */
async function resultOf(
  events: AsyncIterable<Envelope>,
  signal: AbortSignal | undefined,
): Promise<PromptResult> {
  let text = "";
  let failure: EnvelopeOf<"Error">["payload"] | undefined;
  for await (const event of events) {
    if (event.kind === "ToolResult") text = ""; // what was said before a call is not the answer
    if (event.kind === "TextDelta") text += event.payload.text;
    if (event.kind === "Error") failure = event.payload;
    if (event.kind !== "TurnEnded") continue;
    const { reason, rounds = 0 } = event.payload;
    if (reason === "cancelled")
      throw signal?.aborted ? signal.reason : new Cancelled("library", "the prompt was cancelled");
    if (reason === "error") throw errorOf(failure);
    return { text, reason, turns: rounds };
  }
  throw new HarnessError("EngineStopping", {});
}

/** The error that an Error event tells of, as it was raised. */
function errorOf(failure: EnvelopeOf<"Error">["payload"] | undefined): HarnessError {
  if (failure === undefined || !isReason(failure.reason)) {
    return new HarnessError("InternalError", { what: failure?.message ?? "a turn failed without an error" });
  }
  return new HarnessError(failure.reason, (failure.details ?? {}) as Fields<Reason>); // as the engine published them
}
