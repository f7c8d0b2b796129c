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

/** What one plugin has registered. It stays as it is from then on. */
export interface Registered {
  readonly name: string;
  /** Where it came from, for people: its path, or who gave it. */
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

/** The names that one plugin lays claim to, each with what it is in words: "the tool Roll". */
export function claimsOf(plugin: Registered): readonly string[] {
  const own = plugin.namespaces.has(plugin.name) ? [] : [plugin.name];
  return [
    ...[...own, ...plugin.namespaces.keys()].map((name) => `the namespace ${name}`),
    ...plugin.tools.map(({ name }) => `the tool ${name}`),
    ...[...plugin.providers.keys()].map((name) => `the provider ${name}`),
    ...plugin.transports.map(({ name }) => `the transport ${name}`),
  ];
}
