import { ownWords } from "../base/brand.ts";
import { Cancelled, HarnessError, messageOf } from "../base/errors.ts";
import type { SessionId } from "../base/ids.ts";
import type { LogLevel } from "../base/log.ts";
import type { World } from "../base/world.ts";
import type { AttachedClient } from "../control/multiplex/client.ts";
import { PERMISSION_TIMEOUT_MS } from "../control/multiplex/questions.ts";
import type { Session } from "../control/multiplex/session.ts";
import type { ModelInUse } from "../engine/turn.ts";
import type { Plugin } from "../plugin/plugin.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { Event } from "../protocol/events.ts";
import type { RequestMiddleware } from "../provider/middleware.ts";
import { knownModel } from "../provider/prices.ts";
import { retry } from "../provider/retry.ts";
import { memorySessionStore } from "../session/memory-store.ts";
import { SEAL_KEY_BYTES } from "../session/seal.ts";
import type { ToolMiddleware } from "../tool/middleware.ts";
import { ToolRegistry } from "../tool/registry.ts";
import type { ToolSource } from "../tool/tool.ts";
import { redactor } from "../trust/redact.ts";
import { openCompaction } from "./compaction.ts";
import { embeddedTool } from "./embedded-tool.ts";
import type { EventHandler, HarnessConfig, HarnessTool, PromptResult } from "./embedder.ts";
import { PROMPT_ROUNDS_MAX } from "./embedder.ts";
import type { FacadePlugins } from "./facade-plugins.ts";
import { resultOf } from "./prompt-result.ts";
import { bothPaths, sealedFiles } from "./sealed-files.ts";
import { composeSession } from "./session.ts";

/** What a `Harness` is extended with. */
export interface HarnessPlugins {
  readonly plugins?: readonly Plugin[];
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
  readonly #handler: EventHandler;
  readonly #parts: FacadeParts;
  readonly #client: AttachedClient;
  readonly #model: ModelInUse;
  readonly #plugins: readonly Plugin[];
  readonly #library: ToolSource;
  /** What the embedder should know: that a retired model was replaced. */
  readonly notices: readonly string[];
  #session: Promise<Session> | undefined;
  /** Cancels the prompt that runs. */
  #prompt: AbortController | undefined;
  #disposed = false;

  /** @throws HarnessError when there is no API key, a limit is no whole number, or a tool is not as it must be. */
  constructor(
    config: HarnessConfig,
    tools: readonly HarnessTool[],
    handler: EventHandler,
    parts: FacadeParts,
    options: HarnessPlugins = {},
  ) {
    assertUsable(config);
    this.#config = config;
    this.#library = { name: "library", tools: () => tools.map(embeddedTool) };
    new ToolRegistry().add(this.#library); // what is wrong with one is told here
    this.#handler = handler;
    this.#parts = parts;
    this.#plugins = options.plugins ?? [];
    const { note, ...model } = parts.model(config);
    this.#model = model;
    this.notices = note === undefined ? [] : [note];
    this.#client = { id: parts.world.ids.next("cli"), identityClass: "human", label: "library" };
  }

  /**
   * Runs the agent on a prompt until it answers without a tool call, or reaches `maxTurns`.
   *
   * @throws HarnessError when the API fails, another prompt is running, there is no text, or the harness was disposed;
   * `signal.reason` when it was aborted, a `Cancelled` after `cancel`.
   */
  async prompt(content: string, options: { readonly signal?: AbortSignal } = {}): Promise<PromptResult> {
    if (this.#disposed) throw new HarnessError("EngineStopping", {});
    // A block without text would stand in the history of every later prompt too.
    if (typeof content !== "string" || content.trim() === "")
      throw misuse("a prompt is a text, and not empty");
    if (this.#prompt !== undefined) {
      throw new HarnessError("InvalidCommand", {
        kind: "prompt",
        why: "another prompt is running; await it or cancel it",
      });
    }
    const prompt = new AbortController();
    const { signal } = options;
    this.#prompt = prompt;
    try {
      return await this.#run(
        content,
        signal === undefined ? prompt.signal : AbortSignal.any([signal, prompt.signal]),
      );
    } finally {
      this.#prompt = undefined;
    }
  }

  /** Cancels the running prompt, which then rejects. Safe at any time. */
  cancel(): void {
    this.#prompt?.abort(new Cancelled("library", "the prompt was cancelled"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const session = await this.#session?.catch(() => undefined); // the prompt that opened it has told why it failed
    await session?.end("user");
  }

  async #run(content: string, signal: AbortSignal): Promise<PromptResult> {
    signal.throwIfAborted();
    const session = await this.#opened();
    signal.throwIfAborted();
    const stop = new AbortController();
    const events = session.subscribe(undefined, stop.signal);
    const cancel = () => this.#cancelTurn(session);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const block = { type: "text" as const, text: content };
      await session.send({ kind: "SendInput", sessionId: session.id, content: [block] }, this.#client);
      if (signal.aborted) cancel(); // it may have come before there was a turn to cancel
      return await resultOf(events, signal);
    } finally {
      signal.removeEventListener("abort", cancel);
      stop.abort();
    }
  }

  #cancelTurn(session: Session): void {
    session
      .send({ kind: "CancelTurn", sessionId: session.id }, this.#client)
      .catch((thrown: unknown) => this.#log("warn", "cancelling failed", thrown));
  }

  /** One session for all prompts; where opening it failed, the next prompt tries again. */
  #opened(): Promise<Session> {
    this.#session ??= this.#open().catch((thrown: unknown) => {
      this.#session = undefined;
      throw thrown;
    });
    return this.#session;
  }

  /** What was opened is freed with the session, or when it cannot be composed. */
  async #open(): Promise<Session> {
    await using undo = new AsyncDisposableStack();
    const held = undo.use(new AsyncDisposableStack());
    const { world } = this.#parts;
    const model = this.#model;
    const store = memorySessionStore(world.machine);
    const [logId, session] = [world.ids.next("log"), world.ids.next("sess")];
    const plugins = await this.#openPlugins(session);
    if (plugins !== undefined) held.use(plugins.host);
    const registry = new ToolRegistry();
    for (const source of [this.#library, ...(plugins?.part.tools ?? [])]) registry.add(source);
    const scratch = await world.files.makeTemporary("cinch-library-");
    held.defer(() => world.files.remove(scratch));
    const createdAt = new Date(world.clock.now()).toISOString();
    const log = { logId, session, workingDir: "", profile: "library", model: model.id, createdAt };
    const writer = await store.create(log, {
      pid: world.machine.pid,
      processStart: world.machine.processStart,
    });
    held.use(writer);
    if (plugins !== undefined) held.defer(plugins.part.close);
    let publish: (event: Event) => void = () => undefined;
    const key = world.random.bytes(SEAL_KEY_BYTES);
    const directories = await bothPaths(world.files, scratch);
    const secrets = redactor([]);
    const composed = composeSession({
      world: { ...world, files: sealedFiles(world.files, { directories, key, random: world.random }) },
      session,
      logId,
      store,
      writer,
      history: [],
      lastTurn: 0,
      tools: (tell) => {
        publish = tell;
        return registry;
      },
      ...(plugins === undefined ? {} : momentsOf(plugins)),
      onQuestions: (_, follow) => plugins?.part.serve({ publish: (event) => publish(event), follow }),
      workspace: { root: scratch, cwd: scratch, seen: new Map(), env: {}, scratch },
      telemetry: [this.#tellResults()],
      gate: () => plugins?.part.gate ?? [],
      inner: [],
      requestMiddleware: [
        ...(plugins?.part.request ?? []),
        systemPrompt(this.#config.systemPrompt ?? ""),
        openCompaction({
          world,
          keys: [],
          windowOf: (provider, name) => knownModel(provider, name)?.contextTokens,
          redact: (text) => secrets.text(text),
          before: async (moment, context) => await plugins?.part.onCompact(moment, context),
        }),
        retry(),
      ],
      redactor: secrets,
      model: () => model,
      setModel: () =>
        Promise.reject(new HarnessError("InvalidCommand", { kind: "SetModel", why: "make another Harness" })),
      revokeRule: () => false,
      promoteRule: async () => false,
      roundsMax: this.#config.maxTurns ?? PROMPT_ROUNDS_MAX,
      attended: false,
      permissionTimeoutMs: PERMISSION_TIMEOUT_MS,
      onBlock: (block) => this.#tellBlock(block),
      settle: async () => await plugins?.part.settle(),
      close: () => held.disposeAsync(),
    });
    undo.move(); // the session frees it
    return composed;
  }

  /** Loaded only where there are some. A failure leaves nothing, and the next prompt tries again. */
  async #openPlugins(session: SessionId): Promise<FacadePlugins | undefined> {
    if (this.#plugins.length === 0) return undefined;
    const { openFacadePlugins } = await import("./facade-plugins.ts");
    return await openFacadePlugins(this.#parts.world, this.#plugins, session);
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

  /** An `async` handler fits the type too: its failure must not end the embedder's process as nobody's. */
  #tell(call: () => unknown): void {
    const failed = (thrown: unknown) => this.#log("error", "an event handler threw", thrown);
    try {
      Promise.resolve(call()).catch(failed);
    } catch (thrown) {
      failed(thrown);
    }
  }

  #log(level: LogLevel, message: string, thrown: unknown): void {
    this.#parts.world.log.for("library").write(level, message, { what: messageOf(thrown) });
  }
}

function assertUsable(config: HarnessConfig): void {
  if (typeof config.apiKey !== "string" || config.apiKey.trim() === "") {
    throw misuse("a Harness needs an apiKey: new Harness({ apiKey }, tools)");
  }
  for (const name of ["maxTurns", "maxTokens"] as const) {
    const limit = config[name] ?? 1;
    // Not a number at all would be no limit at all.
    if (!Number.isSafeInteger(limit) || limit < 1) throw misuse(`${name} is a whole number of at least 1`);
  }
}

function misuse(problem: string): HarnessError {
  return new HarnessError("UsageInvalid", { problem });
}

function momentsOf({ part: { onInput, onTurnEnd, onFollowed } }: FacadePlugins) {
  return { onInput, onTurnEnd, onFollowed };
}

function systemPrompt(text: string): RequestMiddleware {
  return (request, context, next) =>
    next(
      text === "" ? request : { ...request, system: [{ name: "library", text: ownWords(text) }] },
      context,
    );
}
