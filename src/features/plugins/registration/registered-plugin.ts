import type { ProviderFactory } from "../../../providers/registry.ts";
import type { Effect } from "../../../session/guard/rule.ts";
import type { ToolSource } from "../../../tools/tool.ts";
import type { PluginHealth } from "../runtime/containment.ts";
import type { RegisteredHook } from "../runtime/hooks.ts";
import type { RegisteredListener } from "../runtime/listeners.ts";
import type {
  PluginCommand,
  PluginMiddlewareOptions,
  PluginRequestMiddleware,
  PluginTool,
  PluginToolMiddleware,
  PluginTransport,
} from "./plugin.ts";

export interface RegisteredToolMiddleware extends PluginMiddlewareOptions {
  readonly run: PluginToolMiddleware;
}

export interface RegisteredRequestMiddleware extends PluginMiddlewareOptions {
  readonly run: PluginRequestMiddleware;
}

/** The registrations of one plugin. They do not change afterwards. */
export interface RegisteredPlugin {
  readonly name: string;
  /** The origin of the plugin, for messages: its path, or who passed it in. */
  readonly from: string;
  readonly health: PluginHealth;
  /** Aborts when the engine ends. */
  readonly signal: AbortSignal;
  readonly tools: readonly PluginTool[];
  readonly sources: readonly Pick<ToolSource, "tools" | "late">[];
  readonly toolMiddleware: readonly RegisteredToolMiddleware[];
  readonly requestMiddleware: readonly RegisteredRequestMiddleware[];
  readonly listeners: readonly RegisteredListener[];
  readonly hooks: readonly RegisteredHook[];
  readonly namespaces: ReadonlyMap<string, readonly PluginCommand[]>;
  readonly rules: readonly { readonly effect: Effect; readonly text: string }[];
  readonly providers: ReadonlyMap<string, ProviderFactory>;
  readonly transports: readonly PluginTransport[];
}

/** Returns the names that one plugin claims, each with its kind: "the tool Roll". */
export function claimedNames(plugin: RegisteredPlugin): readonly string[] {
  const own = plugin.namespaces.has(plugin.name) ? [] : [plugin.name];
  return [
    ...[...own, ...plugin.namespaces.keys()].map((name) => `the namespace ${name}`),
    ...plugin.tools.map(({ name }) => `the tool ${name}`),
    ...[...plugin.providers.keys()].map((name) => `the provider ${name}`),
    ...plugin.transports.map(({ name }) => `the transport ${name}`),
  ];
}
