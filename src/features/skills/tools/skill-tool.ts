import type { InputOf } from "../../../tools/arguments.ts";
import { textOutput } from "../../../tools/output.ts";
import type { CallPlan, Tool, ToolContext } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import type { Skill } from "../format/skill.ts";
import type { SkillSet } from "../skill-set.ts";
import { SKILL_FACTS } from "../tools.ts";

export interface SkillToolDependencies {
  /** Resolves to the active skills. @throws the signal's reason. */
  readonly load: (signal: AbortSignal) => Promise<SkillSet>;
  /** Prepares a skill's files, reports its use, and returns its text. */
  readonly activate: (skill: Skill, context: ToolContext) => Promise<string>;
  /** True if the session had skills from the start or a person has added some. Otherwise ToolSearch finds this tool. */
  readonly isUsed: () => boolean;
}

const INPUT = {
  type: "object",
  properties: { name: { type: "string" }, find: { type: "string" } },
} as const;

interface SkillPlan extends CallPlan {
  readonly name?: string;
  readonly find?: string;
}

const FOUND_BYTES_MAX = 16_384;

/** Loads a skill by its name, or searches all of them (SKL-02, TOOL-05). It only reads, and is never asked for. */
export function skillTool({ load, activate, isUsed }: SkillToolDependencies): Tool<SkillPlan> {
  return {
    ...SKILL_FACTS,
    description:
      'Loads a skill by its name: instructions for a kind of task. "find" searches all skills by words, with more than the list in the system text.',
    aliases: {},
    inputSchema: INPUT,
    get lazy() {
      return !isUsed();
    },
    async plan(input) {
      const { name, find } = input as InputOf<typeof INPUT>;
      if ((name === undefined) === (find === undefined))
        throw new ToolFailure('Give "name", the skill to load, or "find", words to search for.');
      const summary = `Skill:${(name ?? `find ${find}`).slice(0, 100).toWellFormed()}`;
      return { summary, target: { kind: "none" }, ...(name === undefined ? { find: find ?? "" } : { name }) };
    },
    async run({ name, find }, context) {
      const skills = await load(context.signal);
      const { findSkills, skillListText } = await import("../format/skill-texts.ts");
      if (name === undefined) {
        const found = findSkills(find ?? "", skills.list);
        if (found.length === 0)
          return textOutput(`No skill matches. There are ${skills.names.length} in all.`);
        return textOutput(skillListText(found, FOUND_BYTES_MAX));
      }
      const skill = skills.find(name);
      if (skill === undefined)
        throw new ToolFailure(
          `There is no active skill of this name. ${skills.hint(name)} A new or changed one becomes active once the user has acknowledged it.`,
        );
      return textOutput(await activate(skill, context));
    },
  };
}
