import { nearestWords } from "../../base/text/near.ts";
import type { Skill, SkillProblem } from "./format/skill.ts";
import { skillProblemText } from "./format/skill.ts";

/** Skills of one session, from all sources. */
export const SKILLS_MAX = 1_000;

/** Names listed in a hint. */
const HINTED_MAX = 20;

/**
 * The skills of one session by name. If two share a name, the later one counts, in the order built-in, user, project
 * (SKL-03). That is reported, because a repository's skill must not pass for another one.
 */
export class SkillSet {
  readonly #skills: ReadonlyMap<string, Skill>;
  /** Sentences for the user. */
  readonly notices: readonly string[];

  /**
   * @param all in the order of their sources.
   * @param unreadNotices sentences about folders that were not read.
   */
  constructor(
    all: readonly Skill[],
    problems: readonly SkillProblem[],
    unreadNotices: readonly string[] = [],
  ) {
    const skills = new Map<string, Skill>();
    const shadows: string[] = [];
    for (const skill of all.slice(0, SKILLS_MAX)) {
      const before = skills.get(skill.name);
      if (before !== undefined) shadows.push(shadowText(skill, before));
      skills.set(skill.name, skill);
    }
    const more = all.length - SKILLS_MAX;
    if (more > 0) shadows.push(`${more} skills were left out, since ${SKILLS_MAX} are loaded.`);
    this.#skills = skills;
    this.notices = [
      ...unreadNotices,
      ...problems.map((each) => skillProblemText(each).replace(/(?<!\?)$/, ".")),
      ...shadows,
    ];
  }

  /** All skills sorted by name, independent of the disk's order. */
  get list(): readonly Skill[] {
    return [...this.#skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get names(): readonly string[] {
    return this.list.map(({ name }) => name);
  }

  /**
   * Finds a skill by name, also if accents are separate characters, as some keyboards and file systems produce them.
   */
  find(name: string): Skill | undefined {
    return this.#skills.get(name) ?? this.#skills.get(name.normalize("NFKC"));
  }

  /** Returns a hint about an unknown name. */
  hint(name: string): string {
    const [meant] = nearestWords(name, this.names);
    if (meant !== undefined) return `Did you mean ${meant}?`;
    const rest = this.#skills.size - HINTED_MAX;
    const names = this.names.slice(0, HINTED_MAX).join(", ");
    return names === "" ? "There are none." : `There are: ${names}${rest > 0 ? `, and ${rest} more` : ""}.`;
  }
}

function shadowText({ name, path, source }: Skill, before: Skill): string {
  const what = before.source === "builtin" ? "the built-in skill of this name" : `the one in ${before.path}`;
  return `The ${source} skill ${name} (${path}) replaces ${what}.`;
}
