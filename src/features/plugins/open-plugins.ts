import type { OpenFeature } from "../../session/feature.ts";
import type { PluginRules } from "../../session/guard/policy.ts";
import type { SessionHost } from "../../session/host.ts";
import type { EnginePlugins } from "./engine-plugins.ts";
import { openSessionPlugins } from "./plugins.ts";
import type { SessionPlugins } from "./session-plugins.ts";

/** Returns the permission rules of plugins. */
export function rulesOf({ active, isPending }: Pick<SessionPlugins, "active" | "isPending">): PluginRules {
  const others = active.some(({ sources }) => sources.length > 0); // their tools are known to themselves alone
  return {
    rules: active.flatMap(({ rules }) => rules),
    tools: active.flatMap(({ tools }) => tools.map(({ name }) => name)),
    isPending: isPending || others,
  };
}

/** Opens the plugins of one session. */
export async function openPlugins(host: SessionHost, engine: EnginePlugins): Promise<OpenFeature> {
  const { world, session, publish, follow } = host;
  const source = host.log.resumed.lastTurn > 0 ? "resume" : "new";
  const extendRules = (active: SessionPlugins["active"]) =>
    host.extendRules(rulesOf({ active, isPending: false }));
  const surface = { world, session, publish, follow, source, extendRules } as const;
  return openSessionPlugins(surface, await engine.of(host.trust));
}
