import type { Event } from "../../protocol/events/events.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { Skill } from "./format/skill.ts";
import type { SkillCopies } from "./skill-copies.ts";
import type { SkillSet } from "./skill-set.ts";

/** The current skills of a session, for the parts that use them. */
export interface SessionSkills {
  /** Waits until every question about them is answered. */
  load(signal: AbortSignal): Promise<SkillSet>;
  /** Returns the active skills without waiting; undefined before they are loaded. */
  known(): SkillSet | undefined;
  /** Replaces the active skills by the built-in ones and the acknowledged ones of these items. */
  replace(items: readonly TrustItem[], problems: readonly string[]): Promise<SkillSet>;
  /** Prepares a skill's files, reports its use, and returns its text. */
  activate(skill: Skill, why: string, emit: (event: Event) => void): Promise<string>;
  /** Does the same if the conversation does not contain the skill yet. */
  activateOnce(skill: Skill, why: string, emit: (event: Event) => void): Promise<string | undefined>;
  copies(): Promise<SkillCopies>;
}
