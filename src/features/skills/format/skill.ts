import type { JsonObject } from "../../../base/json.ts";
import type { TrustFile } from "../../../session/guard/trust.ts";

/** Where a skill comes from; a later one takes the name of an earlier one (SKL-03). */
export const SKILL_SOURCES = ["builtin", "user", "project"] as const;
export type SkillSource = (typeof SKILL_SOURCES)[number];

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";
export const NAME_CHARACTERS_MAX = 64;
/** `/skills:reload` is a command, and stays it. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(["reload"]);
export const SKILL_DESCRIPTION_CHARACTERS_MAX = 1_024;
export const COMPATIBILITY_CHARACTERS_MAX = 500;

/** What makes a skill apply by itself ([A] § SKILL.md). */
export interface Triggers {
  /** Of files that a prompt mentions or a call touches. */
  readonly globs: readonly string[];
  /** Words of a prompt, in small letters. */
  readonly keywords: readonly string[];
}

/** One skill as it was read: what the loader makes of a folder with a SKILL.md, per the open specification. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly source: SkillSource;
  /** The folder, absolute and resolved; of a built-in one `builtin:NAME`. */
  readonly path: string;
  /** The Markdown behind the head. */
  readonly body: string;
  readonly triggers: Triggers;
  /** What else the head says, as it says it: licence, compatibility, metadata, allowed-tools and the like. */
  readonly fields: JsonObject;
  /** Every file in the folder, by its path below it, the SKILL.md too. */
  readonly files: readonly TrustFile[];
}

/** Something that is wrong with a skill, for a person. */
export interface SkillProblem {
  /** Of the file, as the person knows it. */
  readonly path: string;
  /** Counted from 1; absent where it is about no line. */
  readonly line?: number;
  readonly field?: string;
  readonly problem: string;
}

/** `PATH:LINE: FIELD: what is wrong`. */
export function problemText({ path, line, field, problem }: SkillProblem): string {
  return `${path}${line === undefined ? "" : `:${line}`}: ${field === undefined ? "" : `${field}: `}${problem}`;
}
