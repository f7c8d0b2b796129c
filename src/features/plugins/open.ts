import type { OpenFeature } from "../../session/feature.ts";
import type { PluginRules } from "../../session/guard/policy.ts";
import type { SessionHost } from "../../session/host.ts";
import type { EnginePlugins } from "./engine-plugins.ts";
import type { SessionPlugins } from "./load-session-plugins.ts";
import { openSessionPlugins } from "./open-session-plugins.ts";

/** Returns the permission rules of plugins. */
export function pluginRules({
  active,
  isPending,
}: Pick<SessionPlugins, "active" | "isPending">): PluginRules {
  const others = active.some(({ sources }) => sources.length > 0); // tools of a source are known only at run time
  return {
    rules: active.flatMap(({ rules }) => rules),
    tools: active.flatMap(({ tools }) => tools.map(({ name }) => name)),
    isPending: isPending || others,
  };
}

/** Opens the plugins of one session. */
export async function openPlugins(host: SessionHost, engine: EnginePlugins): Promise<OpenFeature> {
  const { world, session, publish, follow, trust } = host;
  const source = host.log.resumed.lastTurn > 0 ? "resume" : "new";
  const extendRules = (active: SessionPlugins["active"]) =>
    host.extendRules(pluginRules({ active, isPending: false }));
  const sessionHost = { world, session, publish, follow, source, trust, extendRules } as const;
  return openSessionPlugins(sessionHost, await engine.forSession(trust.project));
}
