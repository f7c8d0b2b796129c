import { Cancelled, HarnessError, messageOf } from "../../base/errors.ts";
import type { LogLevel } from "../../base/log.ts";
import type { World } from "../../base/world.ts";
import type { ContentBlock, InputBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import { validHistory } from "../../session/history/valid-history.ts";
import type { Plugin } from "../../session/plugins/plugin.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import { ToolRegistry } from "../../tools/registry.ts";
import type { ToolSource } from "../../tools/tool.ts";
import type { LibraryModel, OpenConversation } from "./conversation.ts";
import { openConversation } from "./conversation.ts";
import { engineTool } from "./embedded-engine/engine-tool.ts";
import { runEmbeddedPrompt } from "./embedded-engine/run-prompt.ts";
import type { EventHandler, HarnessConfig, HarnessTool, PromptResult } from "./embedder.ts";
import { assertUsable, promptBlocks } from "./facade-checks.ts";
import type { PromptWatcher } from "./prompt-result.ts";

/** Extensions of a `Harness`. */
export interface HarnessPlugins {
  readonly plugins?: readonly Plugin[];
}

/** The machine and the model of a `Harness`; the package's own entry fills it in. */
export interface FacadeDependencies {
  readonly world: World;
  model(config: HarnessConfig): LibraryModel;
}

/**
 * The library façade: one conversation with an agent, on the same engine as everything else ([B] § Go API).
 *
 * Nothing is kept on disk. The embedder's own tools run without asking: it is the embedder who decides what they do.
 */
export class AgentConversation implements AsyncDisposable {
  readonly #config: HarnessConfig;
  readonly #handler: EventHandler;
  readonly #dependencies: FacadeDependencies;
  readonly #model: LibraryModel;
  readonly #plugins: readonly Plugin[];
  readonly #library: ToolSource;
  /** Notices for the embedder, such as a retired model that was replaced. */
  readonly notices: readonly string[];
  #session: Promise<OpenConversation> | undefined;
  /** Cancels the prompt that runs. */
  #prompt: AbortController | undefined;
  #disposed = false;

  /** @throws HarnessError when there is no API key, a limit is no whole number, or a tool is not as it must be. */
  constructor(
    config: HarnessConfig,
    tools: readonly HarnessTool[],
    handler: EventHandler,
    dependencies: FacadeDependencies,
    options: HarnessPlugins = {},
  ) {
    assertUsable(config);
    this.#config = config;
    this.#library = { name: "library", tools: () => tools.map(engineTool) };
    new ToolRegistry().add(this.#library); // its errors are reported here
    this.#handler = handler;
    this.#dependencies = dependencies;
    this.#plugins = options.plugins ?? [];
    this.#model = dependencies.model(config);
    const { note } = this.#model;
    this.notices = note === undefined ? [] : [note];
  }

  /**
   * Runs the agent on a prompt until it answers without a tool call, or reaches `maxTurns`. A prompt is a text, or
   * blocks of text and images.
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
    await opened?.[Symbol.asyncDispose]();
  }

  /**
   * Returns the conversation so far, for `history` of another `Harness`: plain data, valid for a provider, with secrets
   * redacted. After a compaction it begins with the summary.
   */
  async history(): Promise<readonly Message[]> {
    if (this.#session === undefined) return validHistory(await this.#readHistory());
    return await (await this.#session).history();
  }

  /** @throws HarnessError UsageInvalid, naming the message that is wrong. */
  async #readHistory(): Promise<readonly Message[]> {
    const { history } = this.#config;
    if (history === undefined) return [];
    const { readMessages } = await import("../../protocol/read.ts");
    return readMessages(history);
  }

  async #run(content: InputBlock[], signal: AbortSignal): Promise<PromptResult> {
    signal.throwIfAborted();
    const { session, connection } = await this.#conversation();
    return await runEmbeddedPrompt(content, {
      connection,
      session,
      signal,
      watcher: this.#watcher,
      onCancelFailed: (thrown) => this.#log("warn", "cancelling failed", thrown),
    });
  }

  /** Returns the one session for all prompts. If opening it failed, the next prompt tries again. */
  #conversation(): Promise<OpenConversation> {
    this.#session ??= this.#open().catch((thrown: unknown) => {
      this.#session = undefined;
      throw thrown;
    });
    return this.#session;
  }

  async #open(): Promise<OpenConversation> {
    return await openConversation(
      {
        config: this.#config,
        world: this.#dependencies.world,
        model: this.#model,
        library: this.#library,
        tellResults: this.#tellResults(),
        onBlock: (block) => this.#tellBlock(block),
        plugins: this.#plugins,
      },
      validHistory(await this.#readHistory()),
    );
  }

  get #watcher(): PromptWatcher {
    return {
      onUser: (content) => this.#tell(() => this.#handler.onUser?.(content)),
      onUsage: (usage) => this.#tell(() => this.#handler.onUsage?.(usage)),
      onRetry: (retry) => this.#tell(() => this.#handler.onRetry?.(retry)),
    };
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
    this.#dependencies.world.log.for("library").write(level, message, { what: messageOf(thrown) });
  }
}
