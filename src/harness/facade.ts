import { ownWords } from "../base/brand.ts";
import { Cancelled, HarnessError, messageOf } from "../base/errors.ts";
import type { SessionId } from "../base/ids.ts";
import type { LogLevel } from "../base/log.ts";
import type { World } from "../base/world.ts";
import { costCap } from "../budget/cap.ts";
import { costMeter } from "../budget/meter.ts";
import { Spend } from "../budget/spend.ts";
import type { AttachedClient } from "../control/multiplex/client.ts";
import { PERMISSION_TIMEOUT_MS } from "../control/multiplex/questions.ts";
import type { Session } from "../control/multiplex/session.ts";
import type { ModelInUse } from "../engine/turn.ts";
import type { Plugin } from "../plugin/plugin.ts";
import { progressGuard, REPEATED_FAILURES_MAX, REPEATED_RESULTS_MAX } from "../progress/guard.ts";
import type { ContentBlock, InputBlock } from "../protocol/content.ts";
import type { Event } from "../protocol/events.ts";
import type { Message } from "../protocol/message.ts";
import type { RequestMiddleware } from "../provider/middleware.ts";
import { knownModel } from "../provider/prices.ts";
import { retry } from "../provider/retry.ts";
import { memorySessionStore } from "../session/memory-store.ts";
import { SEAL_KEY_BYTES } from "../session/seal.ts";
import { validHistory } from "../session/valid-history.ts";
import type { ToolMiddleware } from "../tool/middleware.ts";
import { ToolRegistry } from "../tool/registry.ts";
import type { ToolSource } from "../tool/tool.ts";
import { UNTRUSTED_NOTICE } from "../trust/fence.ts";
import { redactor } from "../trust/redact.ts";
import { openCompaction } from "./compaction.ts";
import { embeddedTool } from "./embedded-tool.ts";
import type { EventHandler, HarnessConfig, HarnessTool, PromptResult } from "./embedder.ts";
import { assertUsable, promptBlocks } from "./facade-checks.ts";
import type { FacadePlugins } from "./facade-plugins.ts";
import { promptLimits } from "./prompt-limits.ts";
import { resultOf } from "./prompt-result.ts";
import { sealedFiles } from "./sealed-files.ts";
import { composeSession } from "./session.ts";

/** What a `Harness` is extended with. */
export interface HarnessPlugins {
  readonly plugins?: readonly Plugin[];
}

/** The machine and the model of a `Harness`; the package's own entry fills it in. */
export interface FacadeParts {
  readonly world: World;
  /** Names a folder for what is too long for a request; nothing is there until something is. */
  scratch(): AsyncDisposable & { readonly path: string };
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
  #session: Promise<Opened> | undefined;
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
   * Runs the agent on a prompt until it answers without a tool call, or reaches `maxTurns`. A prompt is a text, or blocks of
   * text and images.
   *
   * @throws HarnessError when the API fails, another prompt is running, there is no text, or the harness was disposed;
   * `signal.reason` when it was aborted, a `Cancelled` after `cancel`.
   */
  async prompt(
    content: string | readonly InputBlock[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<PromptResult> {
    if (this.#disposed) throw new HarnessError("EngineStopping", {});
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
        await promptBlocks(content),
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
    const opened = await this.#session?.catch(() => undefined); // the prompt that opened it rejected with the reason
    await opened?.session.end("user");
  }

  /**
   * Returns the conversation so far, for `history` of another `Harness`: plain data, valid for a provider, with secrets
   * redacted. After a compaction it begins with the summary.
   */
  async history(): Promise<readonly Message[]> {
    if (this.#session === undefined) return validHistory(await this.#given());
    return await (await this.#session).history();
  }

  /** @throws HarnessError UsageInvalid, naming the message that is wrong. */
  async #given(): Promise<readonly Message[]> {
    const { history } = this.#config;
    if (history === undefined) return [];
    const { readMessages } = await import("../protocol/read.ts");
    return readMessages(history);
  }

  async #run(content: InputBlock[], signal: AbortSignal): Promise<PromptResult> {
    signal.throwIfAborted();
    const { session } = await this.#opened();
    signal.throwIfAborted();
    const stop = new AbortController();
    const events = session.subscribe(undefined, stop.signal);
    const cancel = () => this.#cancelTurn(session);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const input = { kind: "SendInput", sessionId: session.id, content } as const;
      await session.send(input, this.#client);
      if (signal.aborted) cancel(); // it may have come before there was a turn to cancel
      return await resultOf(events, this.#watcher, signal);
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
  #opened(): Promise<Opened> {
    this.#session ??= this.#open().catch((thrown: unknown) => {
      this.#session = undefined;
      throw thrown;
    });
    return this.#session;
  }

  /** What was opened is freed with the session, or when it cannot be composed. */
  async #open(): Promise<Opened> {
    const history = validHistory(await this.#given());
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
    const { path: scratch } = held.use(this.#parts.scratch());
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
    const directories = [scratch];
    const secrets = redactor([]);
    const guard = progressGuard({ failuresMax: REPEATED_FAILURES_MAX, resultsMax: REPEATED_RESULTS_MAX });
    const composed = composeSession({
      world: { ...world, files: sealedFiles(world.files, { directories, key, random: world.random }) },
      session,
      logId,
      store,
      writer,
      history,
      recovered: history,
      lastTurn: 0,
      tools: (tell) => {
        publish = tell;
        return registry;
      },
      ...(plugins === undefined ? {} : momentsOf(plugins)),
      onQuestions: (_, follow) => plugins?.part.serve({ publish: (event) => publish(event), follow }),
      workspace: { root: scratch, cwd: scratch, seen: new Map(), env: {}, scratch },
      telemetry: [guard.tool, this.#tellResults()],
      gate: () => plugins?.part.gate ?? [],
      inner: [],
      requestMiddleware: [
        guard.request,
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
        ...this.#budget(),
      ],
      redactor: secrets,
      model: () => model,
      setModel: () =>
        Promise.reject(new HarnessError("InvalidCommand", { kind: "SetModel", why: "make another Harness" })),
      revokeRule: () => false,
      promoteRule: async () => undefined,
      ...promptLimits(this.#config, world.clock),
      attended: false,
      permissionTimeoutMs: PERMISSION_TIMEOUT_MS,
      onBlock: (block) => this.#tellBlock(block),
      settle: async () => await plugins?.part.settle(),
      close: () => held.disposeAsync(),
    });
    undo.move(); // the session frees it
    return {
      session: composed,
      history: async () => validHistory((await store.messages(logId)).map(({ message }) => message)),
    };
  }

  /** Counts what each call costs, and refuses those beyond the cap. */
  #budget(): readonly RequestMiddleware[] {
    const { maxCostUsd: capUsd } = this.#config;
    const spend = new Spend();
    const priceOf = (provider: string, model: string) => knownModel(provider, model)?.price;
    return [
      ...(capUsd === undefined ? [] : [costCap({ capUsd, spend, priceOf, unknownPrice: "refuse" })]),
      costMeter(priceOf, spend),
    ];
  }

  get #watcher(): Parameters<typeof resultOf>[1] {
    return {
      onUser: (content) => this.#tell(() => this.#handler.onUser?.(content)),
      onUsage: (usage) => this.#tell(() => this.#handler.onUsage?.(usage)),
      onRetry: (retry) => this.#tell(() => this.#handler.onRetry?.(retry)),
    };
  }

  /** Loaded only where there are some. A failure leaves nothing, and the next prompt tries again. */
  async #openPlugins(session: SessionId): Promise<FacadePlugins | undefined> {
    if (this.#plugins.length === 0) return undefined;
    const { openFacadePlugins } = await import("./facade-plugins.ts");
    return await openFacadePlugins(this.#parts.world, this.#plugins, session);
  }

  #tellBlock(block: ContentBlock): void {
    if (block.type === "text") this.#tell(() => this.#handler.onText?.(block.text));
    if (block.type === "thinking" && block.text !== "")
      this.#tell(() => this.#handler.onReasoning?.(block.text));
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

/** The one session of a `Harness`. */
interface Opened {
  readonly session: Session;
  history(): Promise<readonly Message[]>;
}

function momentsOf({ part: { onInput, onTurnEnd, onFollowed } }: FacadePlugins) {
  return { onInput, onTurnEnd, onFollowed };
}

/** Stands first; what plugins added comes after. The word on fences goes with every request, since results are fenced. */
function systemPrompt(text: string): RequestMiddleware {
  const own = [
    ...(text === "" ? [] : [{ name: "library", text: ownWords(text) }]),
    { name: "environment", text: ownWords(UNTRUSTED_NOTICE) },
  ];
  return (request, context, next) => next({ ...request, system: [...own, ...request.system] }, context);
}
