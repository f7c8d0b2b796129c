import type { SessionId } from "../../base/ids.ts";
import type { Permitting } from "../../guard/permissions/permitting.ts";
import type { PluginRules } from "../../session/guard/policy.ts";
import type { OpenedLog } from "../../session/history/resumed-log.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { SessionPart } from "../../session/session-part.ts";
import type { SessionPlugins } from "./session-plugins.ts";

/** What the session's plugins say about permissions. */
export function rulesOf(plugins: Pick<SessionPlugins, "active" | "isPending"> | undefined): {
  readonly pluginRules?: PluginRules;
} {
  if (plugins === undefined) return {};
  const { active, isPending } = plugins;
  const others = active.some(({ sources }) => sources.length > 0); // their tools are known to themselves alone
  return {
    pluginRules: {
      rules: active.flatMap(({ rules }) => rules),
      tools: active.flatMap(({ tools }) => tools.map(({ name }) => name)),
      isPending: isPending || others,
    },
  };
}

/** What the plugins add to the session. Loaded only where there are some. */
export async function openPluginPart(
  { defaults, session, log, plugins }: PartSources,
  permission: Pick<Permitting, "extend">,
): Promise<SessionPart | undefined> {
  if (plugins === undefined) return undefined;
  const { pluginPart } = await import("./plugins.ts");
  return pluginPart({
    world: defaults.world,
    session,
    plugins,
    source: log.resumed.lastTurn > 0 ? "resume" : "new",
    extendRules(active) {
      const rules = rulesOf({ active, isPending: false });
      if (rules.pluginRules !== undefined) permission.extend(rules.pluginRules);
    },
  });
}

interface PartSources {
  readonly defaults: Pick<RunDefaults, "world">;
  readonly session: SessionId;
  readonly log: Pick<OpenedLog, "resumed">;
  readonly plugins?: SessionPlugins;
}
