import { HarnessError } from "../../../base/errors.ts";
import { nearestWords } from "../../../base/text/near.ts";
import { settingsOf } from "../../../config/settings/settings.ts";
import type { ProfileProblem } from "../../../session/feature.ts";
import type { SessionPlan } from "../../../session/plan.ts";
import { skillPacksPart } from "../config.ts";

/** Named groups of built-in skills, as profiles list them in `skill_packs`. */
export const SKILL_PACKS: Readonly<Record<string, readonly string[]>> = {
  builtin: ["code-review", "skill-writing"],
  review: ["code-review"],
  authoring: ["skill-writing"],
};

/** Returns a problem for each pack of a profile that does not exist. */
export function packProblems(
  profile: Pick<SessionPlan["profile"], "sections" | "path">,
): readonly ProfileProblem[] {
  return settingsOf(skillPacksPart, { profile })
    .skillPacks.filter((pack) => !Object.hasOwn(SKILL_PACKS, pack))
    .map((pack) => ({ key: skillPacksPart.keys.skillPacks.key, error: unknownPack(pack) }));
}

/**
 * Returns the names of the built-in skills in these packs, each once.
 * @throws HarnessError UnknownSkillPack, which names the nearest.
 */
export function skillsInPacks(packs: readonly string[]): readonly string[] {
  return [...new Set(packs.flatMap(skillsOf))];
}

function skillsOf(pack: string): readonly string[] {
  const skills = Object.hasOwn(SKILL_PACKS, pack) ? SKILL_PACKS[pack] : undefined;
  if (skills === undefined) throw unknownPack(pack);
  return skills;
}

function unknownPack(pack: string): HarnessError {
  const known = Object.keys(SKILL_PACKS);
  const [meant] = nearestWords(pack, known);
  const hint = meant === undefined ? `Known: ${known.join(", ")}.` : `Did you mean '${meant}'?`;
  return new HarnessError("UnknownSkillPack", { name: pack, hint });
}
