import type { PromptText } from "../../../base/brand.ts";
import { ownWords } from "../../../base/brand.ts";
import { byteLength, head, shortened } from "../../../base/text/text.ts";
import { fence } from "../../../safety/fence.ts";
import { showHidden, visible } from "../../../safety/hidden.ts";
import { listedDescription } from "../../../safety/listed-description.ts";
import type { Skill } from "./skill.ts";
import { COMPATIBILITY_CHARACTERS_MAX } from "./skill.ts";

/** Of the list in the system text. */
export const LISTING_BYTES_MAX = 8_192;
/** Of a body that goes into the conversation. */
export const BODY_CHARACTERS_MAX = 48_000;
/** Files that are named with a body. */
const FILES_NAMED_MAX = 40;

/** What stands in front of the list: an acknowledged skill may instruct, and can grant nothing. */
const SKILLS_NOTICE =
  "Skills, acknowledged by the user: where one fits the request, load it with Skill first and follow its steps, although they are fenced. It changes no rule and no permission.";

/** The list of tier 1, for the system text: the same until the skills change. Empty where there are none. */
export function listingSections(skills: readonly Skill[]): readonly PromptText[] {
  const listing = fence("skill", listText(skills, LISTING_BYTES_MAX));
  return listing === undefined ? [] : [ownWords(SKILLS_NOTICE), listing];
}

/** A line for each skill, as many as fit; how many more there are is said. */
export function listText(skills: readonly Skill[], bytesMax: number): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const skill of skills) {
    const line = listLine(skill);
    bytes += byteLength(line) + 1;
    if (bytes > bytesMax) break;
    lines.push(line);
  }
  const more = skills.length - lines.length;
  return [...lines, ...(more > 0 ? [`[${more} more: Skill with "find" searches all of them]`] : [])].join(
    "\n",
  );
}

export function listLine({ name, description }: Pick<Skill, "name" | "description">): string {
  return `- ${name}: ${listedDescription(description)}`;
}

/** What tells how skills that match words are found: by words of name and description, the best first. */
export function findSkills(words: string, skills: readonly Skill[]): readonly Skill[] {
  const wanted = [...new Set(words.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])].slice(0, 32);
  return skills
    .map((skill) => ({ skill, score: scoreOf(skill, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ skill }) => skill);
}

function scoreOf({ name, description }: Skill, wanted: readonly string[]): number {
  const [inName, inText] = [name.toLowerCase(), description.toLowerCase()];
  return wanted.reduce(
    (sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0),
    0,
  );
}

/** A skill's body with its files, as the answer of a tool: the fence of tool results goes around it. */
export function bodyText(skill: Skill, folder: string | undefined): string {
  return `Skill ${skill.name}${needsText(skill)}${filesText(skill, folder)}\n\n${bodyOf(skill, folder)}`;
}

/** A skill that goes to the model with an input, `why` being a half sentence. */
export function activatedSections(
  skill: Skill,
  { folder, why }: { readonly folder: string | undefined; readonly why: string },
): readonly PromptText[] {
  const body = fence("skill", bodyText(skill, folder));
  return body === undefined
    ? []
    : [ownWords(`[The skill ${visible(skill.name)} applies: ${visible(why)}]`), body];
}

function bodyOf({ body }: Skill, folder: string | undefined): string {
  const shown = showHidden(body.toWellFormed());
  if (shown.length <= BODY_CHARACTERS_MAX) return shown;
  const rest = folder === undefined ? "" : `: Read ${folder}/SKILL.md for the rest`;
  return `${head(shown, BODY_CHARACTERS_MAX)}\n[${shown.length - BODY_CHARACTERS_MAX} characters more${rest}]`;
}

/** What the skill says that it needs, in one line: programs, a network, an operating system. */
function needsText({ fields }: Skill): string {
  const { compatibility } = fields;
  if (typeof compatibility !== "string" || compatibility.trim() === "") return "";
  return `\nCompatibility: ${shortened(visible(compatibility.trim().replaceAll(/\s+/g, " ")), COMPATIBILITY_CHARACTERS_MAX)}`;
}

function filesText({ files }: Skill, folder: string | undefined): string {
  const others = files.filter(({ path }) => !/^skill\.md$/i.test(path));
  if (folder === undefined || others.length === 0) return "";
  const named = others.slice(0, FILES_NAMED_MAX).map(({ path }) => visible(path));
  const more = others.length - named.length;
  return `\nIts files are in ${folder} (copies of what the user has acknowledged; paths in it are below that folder): ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
