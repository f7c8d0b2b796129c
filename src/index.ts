import type { EventHandler, HarnessConfig, HarnessTool } from "./app/library/embedder.ts";
import type { HarnessPlugins } from "./app/library/facade.ts";
import { AgentConversation } from "./app/library/facade.ts";
import { libraryParts } from "./app/library/library.ts";

export type {
  CallRetry,
  CallUsage,
  EventHandler,
  HarnessConfig,
  HarnessTool,
  HarnessWire,
  PromptResult,
  Usage,
} from "./app/library/embedder.ts";
export type { HarnessPlugins } from "./app/library/facade.ts";
export { Cancelled, HarnessError } from "./base/errors.ts";
export type { ContentBlock, InputBlock } from "./protocol/content.ts";
export type { Message } from "./protocol/message.ts";
export type { RequestMiddleware } from "./providers/middleware.ts";
export type { ModelEvent, ModelRequest, Provider } from "./providers/provider.ts";
export type {
  Plugin,
  PluginCall,
  PluginCallContext,
  PluginCommand,
  PluginCommandContext,
  PluginHarness,
  PluginListener,
  PluginMiddlewareOptions,
  PluginPlace,
  PluginRequestMiddleware,
  PluginTool,
  PluginToolMiddleware,
  PluginTransport,
  PluginWords,
} from "./session/plugins/plugin.ts";
export type {
  PluginHook,
  PluginHookAnswer,
  PluginHookOptions,
  PluginMoments,
} from "./session/plugins/plugin-moments.ts";
export type { PluginSession } from "./session/plugins/plugin-session.ts";
export type { CallPlan, Tool, ToolOutput, ToolSource } from "./tools/tool.ts";
export type { Level } from "./tools/tool-facts.ts";

/**
 * An agent with the embedder's own tools, on cinch's engine ([B] § Go API).
 *
 *     const harness = new Harness({ apiKey }, [weather], { onText: console.log });
 *     await harness.prompt("Do I need an umbrella?");
 *
 * @throws HarnessError at construction when there is no API key.
 */
export class Harness extends AgentConversation {
  constructor(
    config: HarnessConfig,
    tools: readonly HarnessTool[] = [],
    handler: EventHandler = {},
    options: HarnessPlugins = {},
  ) {
    super(config, tools, handler, libraryParts(), options);
  }
}
