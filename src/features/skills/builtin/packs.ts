import { HarnessError } from "../../../base/errors.ts";
import { near } from "../../../base/text/near.ts";

/** Named groups of built-in skills, as profiles list them in `skill_packs`. */
export const SKILL_PACKS: Readonly<Record<string, readonly string[]>> = {
  builtin: ["code-review", "skill-writing"],
  review: ["code-review"],
  authoring: ["skill-writing"],
};

/**
 * The names of the built-in skills in these packs, each once.
 * @throws HarnessError UnknownSkillPack, which names the nearest.
 */
export function packedSkills(packs: readonly string[]): readonly string[] {
  return [...new Set(packs.flatMap(skillsOf))];
}

function skillsOf(pack: string): readonly string[] {
  const skills = Object.hasOwn(SKILL_PACKS, pack) ? SKILL_PACKS[pack] : undefined;
  if (skills !== undefined) return skills;
  const known = Object.keys(SKILL_PACKS);
  const [meant] = near(pack, known);
  const hint = meant === undefined ? `Known: ${known.join(", ")}.` : `Did you mean '${meant}'?`;
  throw new HarnessError("UnknownSkillPack", { name: pack, hint });
}
