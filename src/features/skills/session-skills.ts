import type { SessionId } from "../../base/ids.ts";
import type { Profile } from "../../config/profile.ts";
import type { ProjectTrust } from "../../guard/trust/project-trust.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { SessionSurface } from "../../session/session-part.ts";
import type { Workspace } from "../../tools/tool.ts";
import type { Skill } from "./format/skill.ts";
import type { KeptSkills } from "./kept-skills.ts";
import type { SkillSet } from "./skill-set.ts";

/** What a session's skills are found with. */
export interface SkillSources {
  readonly session: SessionId;
  readonly logId: string;
  readonly profile: Profile;
  readonly trust: ProjectTrust;
  readonly workspace: Workspace;
  readonly place: Pick<RunMaterial["place"], "told">;
  readonly defaults: RunDefaults;
}

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
  readonly surface: SessionSurface | undefined;
}
