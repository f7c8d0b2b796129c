import type { RefusalsOf } from "../../../base/reasons.ts";
import { errorsOf } from "../../../base/reasons.ts";

/** Reasons and texts of the errors of `features/skills/format/`. */
export const ERRORS = errorsOf({
  SkillProblem: "<problem>",
  SkillMissing: "There is no active skill '<name>' in this session. <hint>",
  UnknownSkillPack: "There is no skill pack '<name>'. <hint> Profiles list packs in skill_packs.",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  SkillMissing: { status: 404, isUsage: true },
  UnknownSkillPack: { isUsage: true },
};
