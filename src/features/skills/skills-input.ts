import { HarnessError } from "../../base/errors.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { TurnContext } from "../../session/moments.ts";
import type { CurrentSkills } from "./current-skills.ts";
import type { Skill } from "./format/skill.ts";
import type { SkillSet } from "./skill-set.ts";

/** Skills that one prompt may load by triggers. */
const TRIGGERED_MAX = 3;

interface ChosenSkill {
  readonly skill: Skill;
  readonly why: string;
}

/**
 * Returns the texts of the skills that go with an input: the one that a person asked for, and triggered ones that the
 * conversation does not contain (SKL-03).
 * @throws HarnessError SkillMissing; the signal's reason.
 */
export async function skillsForInput(
  skills: CurrentSkills,
  content: readonly InputBlock[],
  { wanted, at }: { readonly wanted: string | undefined; readonly at: TurnContext },
): Promise<readonly InputBlock[]> {
  const messages = at.messages?.().length;
  if (messages !== undefined) skills.trackMessages(messages);
  const set = await skills.load(at.signal);
  const asked = wanted === undefined ? undefined : findSkill(set, wanted, skills);
  const added: InputBlock[] = [];
  for (const { skill, why } of await chooseSkills(set, content, { asked, turn: at.turn, skills })) {
    const texts = await skills.addToInput(skill, { why, turn: at.turn, emit: at.emit });
    added.push(...texts.map((text) => ({ type: "text" as const, text })));
  }
  return added;
}

function findSkill(set: SkillSet, wanted: string, { canReload }: Pick<CurrentSkills, "canReload">): Skill {
  const asked = set.find(wanted);
  if (asked !== undefined) return asked;
  const name = wanted.slice(0, 100).toWellFormed();
  const anew = canReload ? " If it was written or acknowledged since: /skills:reload." : "";
  throw new HarnessError("SkillMissing", { name, hint: `${set.hint(name)}${anew}` });
}

async function chooseSkills(
  set: SkillSet,
  content: readonly InputBlock[],
  {
    asked,
    turn,
    skills,
  }: {
    readonly asked: Skill | undefined;
    readonly turn: number;
    readonly skills: Pick<CurrentSkills, "isInConversation">;
  },
): Promise<readonly ChosenSkill[]> {
  const chosen: ChosenSkill[] = asked === undefined ? [] : [{ skill: asked, why: "the user asked for it" }];
  const triggered = set.list.filter(({ triggers }) => triggers.globs.length + triggers.keywords.length > 0);
  if (triggered.length === 0) return chosen;
  const { findPromptTrigger } = await import("./format/triggers.ts");
  const prompt = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  for (const skill of triggered) {
    if (chosen.length === TRIGGERED_MAX) break;
    if (skill === asked || skills.isInConversation(skill, turn)) continue;
    const why = findPromptTrigger(prompt, skill);
    if (why !== undefined) chosen.push({ skill, why });
  }
  return chosen;
}
