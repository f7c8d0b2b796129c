import type { JsonObject } from "../../../base/json.ts";
import { isObject } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Skill, Triggers } from "./skill.ts";

export const TRIGGERS_MAX = 32;
export const TRIGGER_CHARACTERS_MAX = 128;

/** Characters of a prompt that are searched, and words of it that may be paths. */
const PROMPT_CHARACTERS_MAX = 65_536;
const PATHS_MAX = 200;
/** Characters of an invalid entry shown in a message. */
const SHOWN_CHARACTERS_MAX = 80;
const GLOB = /[*?[{/]|^[^\s.]*\.[A-Za-z0-9]+$/;

/**
 * Parses `triggers:` of a head: a list of texts, each a file pattern or words of a prompt, or a table of `globs`
 * (also `files`, `paths`) and `keywords`. Invalid, too long or too many entries are dropped. The open specification
 * does not define this field.
 */
export function parseTriggers(head: JsonObject): Triggers {
  const { triggers } = head;
  if (isObject(triggers)) {
    const globs = ["globs", "files", "paths"].flatMap((key) => textsOf(triggers[key]));
    return bounded({ globs, keywords: textsOf(triggers["keywords"]) });
  }
  const texts = textsOf(triggers);
  return bounded({
    globs: texts.filter((text) => GLOB.test(text)),
    keywords: texts.filter((text) => !GLOB.test(text)),
  });
}

const TABLE_KEYS = ["globs", "files", "paths", "keywords"];

/** Returns why entries of `triggers:` are dropped; empty if all are valid. */
export function triggerProblems({ triggers }: JsonObject): readonly string[] {
  if (triggers === undefined || triggers === null) return [];
  if (!isObject(triggers)) return listProblems(triggers, "");
  const unknown = Object.keys(triggers).filter((key) => !TABLE_KEYS.includes(key));
  return [
    ...unknown.map((key) => `has no ${key}: write globs and keywords`),
    ...TABLE_KEYS.flatMap((key) =>
      triggers[key] === undefined ? [] : listProblems(triggers[key], ` in ${key}`),
    ),
  ];
}

function listProblems(value: unknown, where: string): readonly string[] {
  const list = typeof value === "string" ? value.split(",") : value;
  if (!Array.isArray(list)) return [`must be texts${where}, in a list or with commas between them`];
  const problems = list.slice(0, TRIGGERS_MAX).flatMap((item) => entryProblem(item) ?? []);
  if (list.length > TRIGGERS_MAX) problems.push(`has more than ${TRIGGERS_MAX} entries${where}`);
  return problems;
}

function entryProblem(item: unknown): string | undefined {
  const shown = shortened(JSON.stringify(item) ?? "", SHOWN_CHARACTERS_MAX);
  if (typeof item !== "string") return `${shown} is not a text`;
  const text = item.trim();
  if (text.length > TRIGGER_CHARACTERS_MAX)
    return `${shown} has more than ${TRIGGER_CHARACTERS_MAX} characters`;
  return GLOB.test(text) || wordsOf(text) !== "" ? undefined : `${shown} has no letter or digit`;
}

function bounded({ globs, keywords }: Triggers): Triggers {
  return {
    globs: globs.slice(0, TRIGGERS_MAX),
    keywords: keywords
      .map(wordsOf)
      .filter((text) => text !== "")
      .slice(0, TRIGGERS_MAX),
  };
}

function textsOf(value: unknown): readonly string[] {
  const list = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return list
    .filter((item) => typeof item === "string")
    .map((item) => item.trim())
    .filter((item) => item !== "" && item.length <= TRIGGER_CHARACTERS_MAX);
}

/** Returns why a skill applies to a prompt, as a half sentence; undefined if it does not. */
export function findPromptTrigger(prompt: string, { triggers }: Pick<Skill, "triggers">): string | undefined {
  const text = prompt.slice(0, PROMPT_CHARACTERS_MAX);
  const { keywords, globs } = triggers;
  if (keywords.length > 0) {
    const words = ` ${wordsOf(text)} `;
    const keyword = keywords.find((each) => words.includes(` ${each} `));
    if (keyword !== undefined) return `the prompt says "${keyword}"`;
  }
  if (globs.length === 0) return undefined;
  const path = pathsIn(text).find((each) => findFileTrigger(each, globs) !== undefined);
  return path === undefined ? undefined : `the prompt names ${path}`;
}

/** Returns the first pattern that matches a path. A pattern without a slash is compared with the file's name only. */
export function findFileTrigger(path: string, globs: readonly string[]): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return globs.find((glob) => new Bun.Glob(glob).match(glob.includes("/") ? path : name));
}

/** Reduces a text to lower-case letters and digits of any script, with one space between words. */
function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .join(" ");
}

/** Returns the words that may be paths of files: those with a dot or a slash inside. */
function pathsIn(text: string): readonly string[] {
  const words = text.split(/[\s"'`()<>[\]{},;]+/).map((word) => word.replace(/^@|[.:!?]+$/g, ""));
  return words.filter((word) => /[^.][./][^.]/.test(word) && word.length <= 1_024).slice(0, PATHS_MAX);
}
