import type { EventHandler, HarnessConfig, HarnessTool } from "./harness/embedder.ts";
import { AgentConversation } from "./harness/facade.ts";
import { libraryParts } from "./harness/library.ts";

export { Cancelled, HarnessError } from "./base/errors.ts";
export type { EventHandler, HarnessConfig, HarnessTool, PromptResult } from "./harness/embedder.ts";
export type { Plugin, PluginHarness } from "./plugin/plugin.ts";

/**
 * An agent with the embedder's own tools, on cinch's engine ([B] § Go API).
 *
 *     const harness = new Harness({ apiKey }, [weather], { onText: console.log });
 *     await harness.prompt("Do I need an umbrella?");
 *
 * @throws HarnessError at construction when there is no API key.
 */
export class Harness extends AgentConversation {
  constructor(config: HarnessConfig, tools: readonly HarnessTool[] = [], handler: EventHandler = {}) {
    super(config, tools, handler, libraryParts());
  }
}
