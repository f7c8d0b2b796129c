import type { PluginRules } from "../../session/guard/policy.ts";
import type { JudgedProject } from "../../session/guard/trust.ts";
import type { EngineHost } from "../../session/host.ts";
import type { EngineFeatures } from "./open-features.ts";

/**
 * Loads the permission rules that features bring. A session does this before it chooses its model: a plugin may bring
 * the model, too.
 */
export async function rulesOfFeatures(
  reading: Promise<{ readonly files: JudgedProject }>,
  { host, features }: { readonly host: EngineHost; readonly features: Pick<EngineFeatures, "all" | "of"> },
): Promise<PluginRules | undefined> {
  const { files: project } = await reading;
  const found: PluginRules[] = [];
  for (const feature of features.all) {
    const rules = await feature.rules?.({ project, host, engine: () => features.of(feature) });
    if (rules !== undefined) found.push(rules);
  }
  return found.length === 0
    ? undefined
    : {
        rules: found.flatMap(({ rules }) => rules),
        tools: found.flatMap(({ tools }) => tools),
        isPending: found.some(({ isPending }) => isPending),
      };
}
