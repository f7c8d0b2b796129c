import type { ProviderFactory } from "../../../providers/registry.ts";
import type { Effect } from "../../../session/guard/rule.ts";
import type {
  PluginCommand,
  PluginMiddlewareOptions,
  PluginRequestMiddleware,
  PluginTool,
  PluginToolMiddleware,
  PluginTransport,
} from "../../../session/plugins/plugin.ts";
import type { ToolSource } from "../../../tools/tool.ts";
import type { PluginHealth } from "../runtime/containment.ts";
import type { RegisteredHook } from "../runtime/hooks.ts";
import type { RegisteredListener } from "../runtime/listeners.ts";

/** The version of the contract of plugins. A change that breaks plugins increments it; an addition does not. */
export const PLUGIN_API_VERSION = 1;

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
  const ownNamespace = plugin.namespaces.has(plugin.name) ? [] : [plugin.name];
  return [
    ...[...ownNamespace, ...plugin.namespaces.keys()].map((name) => `the namespace ${name}`),
    ...plugin.tools.map(({ name }) => `the tool ${name}`),
    ...[...plugin.providers.keys()].map((name) => `the provider ${name}`),
    ...plugin.transports.map(({ name }) => `the transport ${name}`),
  ];
}
