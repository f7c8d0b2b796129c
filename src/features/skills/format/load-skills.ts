import { posix } from "node:path";
import { below } from "../../../base/files/below.ts";
import { writtenText } from "../../../base/files/written-text.ts";
import type { JsonObject } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";
import type { TrustFile } from "../../../session/guard/trust.ts";
import type { FieldProblem } from "./check-skill.ts";
import { ruleProblems, unknownFields } from "./check-skill.ts";
import type { Skill, SkillProblem, SkillSource } from "./skill.ts";
import { RESERVED_NAMES, SKILL_FILE } from "./skill.ts";
import { parseSkillFile } from "./skill-head.ts";
import { triggersOf } from "./triggers.ts";

/** A folder as it was read, with every file in it. */
export interface SkillFolder {
  /** Absolute and resolved; of a built-in one `builtin:NAME`. */
  readonly path: string;
  readonly source: SkillSource;
  readonly files: readonly TrustFile[];
}

export interface LoadedSkills {
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** What may stand behind `/skills:`, in a path, and in a line of a list. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

/**
 * Makes skills of a folder: one for each SKILL.md in it, however deep, with the files that lie in its folder (SKL-01).
 *
 * Lenient, since real skills break the rules: what can be used is used, and what breaks the specification is told with
 * file, line and field. Only one without a description, or without a name that can be called, is left out. Fields that the
 * specification does not know are passed on, and told where they read like one that was mistyped.
 * @param pause waited for before each head: to read one can take a tenth of a second, and a folder may hold many.
 */
export async function loadSkills(
  folder: SkillFolder,
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<LoadedSkills> {
  const heads = folder.files.filter(({ path }) => isSkillFile(path));
  // SKILL.md goes before a file of its name in other letters in the same folder.
  const kept = heads.filter(
    ({ path }) => path.endsWith(SKILL_FILE) || !heads.some((other) => isPreferred(other.path, path)),
  );
  const skills: Skill[] = [];
  const problems: SkillProblem[] = [];
  if (kept.length === 0) problems.push({ path: folder.path, problem: `it has no ${SKILL_FILE}` });
  for (const file of kept) {
    const told = (problem: Omit<SkillProblem, "path">) =>
      void problems.push({ path: `${folder.path}/${file.path}`, ...problem });
    await pause();
    const skill = await skillOf(folder, file, told);
    if (skill !== undefined) skills.push(skill);
  }
  return { skills, problems };
}

export function isSkillFile(path: string): boolean {
  return /(?:^|\/)skill\.md$/i.test(path);
}

function isPreferred(path: string, to: string): boolean {
  return path.endsWith(SKILL_FILE) && posix.dirname(path) === posix.dirname(to);
}

type Tell = (problem: Omit<SkillProblem, "path">) => void;

async function skillOf(folder: SkillFolder, file: TrustFile, told: Tell): Promise<Skill | undefined> {
  const written = writtenText(file.bytes);
  if (written.kind === "problem") told({ line: written.line, problem: written.problem });
  const parsed = await parseSkillFile(decode(file.bytes), { lenient: true });
  if (parsed.kind === "problem") {
    told({ line: parsed.line, problem: `${parsed.problem}; the skill is left out` });
    return undefined;
  }
  if (parsed.told !== undefined)
    told({ ...parsed.told, problem: `${parsed.told.problem}; the head was read line by line` });
  const { head, body, lineOf } = parsed;
  const below = posix.dirname(file.path);
  const path = below === "." ? folder.path : `${folder.path}/${below}`;
  const called = calledBy(head, posix.basename(path.replace(/^builtin:/, "")), ({ field, problem }) =>
    told({ line: lineOf(field), field, problem }),
  );
  if (called === undefined) return undefined;
  return {
    ...called,
    source: folder.source,
    path,
    body,
    triggers: triggersOf(head),
    fields: fieldsOf(head),
    files: filesBelow(folder.files, below),
  };
}

/** Name and description of a skill, with everything told that is wrong with its head; undefined where it is left out. */
function calledBy(
  head: JsonObject,
  inFolder: string,
  told: (problem: FieldProblem) => void,
): Pick<Skill, "name" | "description"> | undefined {
  const { name, problem: nameless } = nameOf(head, inFolder);
  if (nameless !== undefined) told({ field: "name", problem: nameless });
  if (name === undefined) return undefined;
  const broken = ruleProblems(head, inFolder);
  const description = descriptionOf(head["description"]);
  if (description === "") {
    const why = broken.find(({ field }) => field === "description")?.problem ?? "is missing";
    told({ field: "description", problem: `${why}; the skill is left out` });
    return undefined;
  }
  for (const each of broken) if (each.field !== "name" || nameless === undefined) told(each);
  for (const { field, meant } of unknownFields(head))
    if (meant !== undefined) told({ field, problem: `is passed on unread; did you mean ${meant}?` });
  return { name, description };
}

/** The head's own name where it can be called, else the folder's; with what is wrong where that is not the head's own. */
function nameOf(head: JsonObject, folder: string): { readonly name?: string; readonly problem?: string } {
  const said = typeof head["name"] === "string" ? head["name"].normalize("NFKC").trim() : "";
  const inFolder = folder.normalize("NFKC");
  const name = [said, inFolder].find((each) => NAME.test(each));
  if (name === undefined)
    return { problem: "neither it nor the folder's name can be called; the skill is left out" };
  const lower = name.toLowerCase();
  if (RESERVED_NAMES.has(lower))
    return { problem: `/skills:${lower} is a command, so no skill can have this name; it is left out` };
  if (said === "") return { name, problem: `is missing; the skill goes by its folder's name, ${name}` };
  return name === said
    ? { name }
    : { name, problem: `cannot be called; the skill goes by its folder's name, ${name}` };
}

function descriptionOf(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed().replaceAll(/\s+/g, " ").trim() : "";
}

function fieldsOf(head: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(head).filter(([key]) => key !== "name" && key !== "description"));
}

function filesBelow(files: readonly TrustFile[], folder: string): readonly TrustFile[] {
  if (folder === ".") return files;
  return files.flatMap((file) => {
    const path = below(folder, file.path) ?? "";
    return path === "" ? [] : [{ ...file, path }];
  });
}
