import type { JsonObject } from "../../../base/json.ts";
import type { TrustFile } from "../../../session/guard/trust.ts";

/** The sources of skills. A later one overrides an earlier one with the same name (SKL-03). */
export const SKILL_SOURCES = ["builtin", "user", "project"] as const;
export type SkillSource = (typeof SKILL_SOURCES)[number];

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";
export const SKILL_NAME_CHARACTERS_MAX = 64;
/** `/skills:reload` is a command of cinch. */
export const RESERVED_SKILL_NAMES: ReadonlySet<string> = new Set(["reload"]);
export const SKILL_DESCRIPTION_CHARACTERS_MAX = 1_024;
export const COMPATIBILITY_CHARACTERS_MAX = 500;

/** Conditions under which a skill loads automatically ([A] § SKILL.md). */
export interface Triggers {
  /** Patterns of files that a prompt mentions or a call touches. */
  readonly globs: readonly string[];
  /** Lower-case words of a prompt. */
  readonly keywords: readonly string[];
}

/** One skill, read from a folder with a SKILL.md according to the open specification. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly source: SkillSource;
  /** The folder, absolute and resolved; `builtin:NAME` for a built-in one. */
  readonly path: string;
  /** The Markdown after the head. */
  readonly body: string;
  readonly triggers: Triggers;
  /** All other fields of the head, unchanged: licence, compatibility, metadata, allowed-tools and the like. */
  readonly fields: JsonObject;
  /** Every file of the folder, including the SKILL.md, with paths relative to the folder. */
  readonly files: readonly TrustFile[];
}

/** A problem of a skill, for a person. */
export interface SkillProblem {
  /** The file's path as the person knows it. */
  readonly path: string;
  /** Counted from 1; omitted if the problem concerns no line. */
  readonly line?: number;
  readonly field?: string;
  readonly problem: string;
}

/** Renders a problem as `PATH:LINE: FIELD: what is wrong`. */
export function skillProblemText({ path, line, field, problem }: SkillProblem): string {
  return `${path}${line === undefined ? "" : `:${line}`}: ${field === undefined ? "" : `${field}: `}${problem}`;
}
