import { visibleLine } from "../../../safety/hidden.ts";
import type { TrustItem, UnusableItems } from "../../../session/guard/trust.ts";
import { loadSkills } from "./load-skills.ts";
import { skillProblemText } from "./skill.ts";

/**
 * Returns the folders that hold no valid skill. A person need not acknowledge them, because nothing of them is
 * loaded. A corrected one has other content, and has to be acknowledged like any.
 */
export async function findUnusableSkills(pending: readonly TrustItem[]): Promise<UnusableItems> {
  const items = new Set<TrustItem>();
  const notices: string[] = [];
  for (const item of pending) {
    if (item.kind !== "skill") continue;
    const { skills, problems } = await loadSkills({ path: item.path, source: item.scope, files: item.files });
    if (skills.length > 0) continue;
    items.add(item);
    notices.push(...problems.map((problem) => visibleLine(skillProblemText(problem))));
  }
  return { items, notices };
}
