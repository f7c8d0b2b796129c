import type { Event } from "../../protocol/events/events.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { Skill } from "./format/skill.ts";
import type { KeptSkills } from "./kept-skills.ts";
import type { SkillSet } from "./skill-set.ts";

/** What a session's skills are now, for the parts that work with them. */
export interface SessionSkills {
  /** Waits until every question about them is settled. */
  load(signal: AbortSignal): Promise<SkillSet>;
  /** Those that count now; waits for nothing. */
  known(): SkillSet | undefined;
  /** Others count from now on: the built-in ones, and what of these items a person has acknowledged. */
  replace(items: readonly TrustItem[], problems: readonly string[]): Promise<SkillSet>;
  /** The text of a skill, with its files made ready and its use told. */
  activate(skill: Skill, why: string, emit: (event: Event) => void): Promise<string>;
  /** The same, where the conversation has it not yet. */
  activateOnce(skill: Skill, why: string, emit: (event: Event) => void): Promise<string | undefined>;
  kept(): Promise<KeptSkills>;
}
