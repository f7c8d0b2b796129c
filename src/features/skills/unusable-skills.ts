import type { PendingItem } from "../../guard/trust/trust-gate.ts";
import { visible } from "../../safety/hidden.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import { loadSkills } from "./format/load-skills.ts";
import { problemText } from "./format/skill.ts";

export interface UnusableSkills {
  readonly items: ReadonlySet<TrustItem>;
  /** Sentences for the person: what is wrong with each. */
  readonly notices: readonly string[];
}

/**
 * Of what nobody has acknowledged, the folders that no skill would come of, whatever a person said of them: there is
 * nothing in them to read first. Once one is mended it is another content, and has to be acknowledged like any.
 */
export async function unusableSkills(pending: readonly PendingItem[]): Promise<UnusableSkills> {
  const items = new Set<TrustItem>();
  const notices: string[] = [];
  for (const { item } of pending) {
    if (item.kind !== "skill") continue;
    const { skills, problems } = await loadSkills({ path: item.path, source: item.scope, files: item.files });
    if (skills.length > 0) continue;
    items.add(item);
    notices.push(...problems.map((problem) => visible(problemText(problem))));
  }
  return { items, notices };
}
