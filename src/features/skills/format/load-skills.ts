import { posix } from "node:path";
import { relativeWithin } from "../../../base/files/below.ts";
import { decodeWrittenText } from "../../../base/files/written-text.ts";
import type { JsonObject } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";
import type { TrustFile } from "../../../session/guard/trust.ts";
import type { SkillFieldProblem } from "./check-skill.ts";
import { specificationProblems, unknownFields } from "./check-skill.ts";
import type { Skill, SkillProblem, SkillSource } from "./skill.ts";
import { RESERVED_SKILL_NAMES, SKILL_FILE } from "./skill.ts";
import { parseSkillFile } from "./skill-head.ts";
import { parseTriggers } from "./triggers.ts";

/** The content of a skill folder. */
export interface SkillFolder {
  /** Absolute and resolved; `builtin:NAME` for a built-in one. */
  readonly path: string;
  readonly source: SkillSource;
  readonly files: readonly TrustFile[];
}

export interface LoadedSkills {
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** Names that can be typed after `/skills:`, and that are safe in a path and in a line of a list. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

/**
 * Creates skills from a folder: one for each SKILL.md in it, at any depth, with the files of its folder (SKL-01).
 *
 * It is lenient, because many skills violate the specification: usable skills are used, and violations are reported
 * with file, line and field. Only a skill without a description, or without a name that can be typed, is left out.
 * Unknown fields are passed on, and reported if they look misspelt.
 * @param pause awaited before each head: reading one can take 0.1 s, and a folder may hold many.
 */
export async function loadSkills(
  folder: SkillFolder,
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<LoadedSkills> {
  const heads = folder.files.filter(({ path }) => isSkillFile(path));
  // SKILL.md comes before a file with its name in other letter case in the same folder.
  const usableHeads = heads.filter(
    ({ path }) => path.endsWith(SKILL_FILE) || !heads.some((other) => isPreferred(other.path, path)),
  );
  const skills: Skill[] = [];
  const problems: SkillProblem[] = [];
  if (usableHeads.length === 0) problems.push({ path: folder.path, problem: `it has no ${SKILL_FILE}` });
  for (const file of usableHeads) {
    const report = (problem: Omit<SkillProblem, "path">) =>
      void problems.push({ path: `${folder.path}/${file.path}`, ...problem });
    await pause();
    const skill = await skillOf(folder, file, report);
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

type ReportProblem = (problem: Omit<SkillProblem, "path">) => void;

async function skillOf(
  folder: SkillFolder,
  file: TrustFile,
  report: ReportProblem,
): Promise<Skill | undefined> {
  const written = decodeWrittenText(file.bytes);
  if (written.kind === "problem") report({ line: written.line, problem: written.problem });
  const parsed = await parseSkillFile(decode(file.bytes), { lenient: true });
  if (parsed.kind === "problem") {
    report({ line: parsed.line, problem: `${parsed.problem}; the skill is left out` });
    return undefined;
  }
  if (parsed.yamlProblem !== undefined)
    report({
      ...parsed.yamlProblem,
      problem: `${parsed.yamlProblem.problem}; the head was read line by line`,
    });
  const { head, body, lineOf } = parsed;
  const below = posix.dirname(file.path);
  const path = below === "." ? folder.path : `${folder.path}/${below}`;
  const called = readNameAndDescription(
    head,
    posix.basename(path.replace(/^builtin:/, "")),
    ({ field, problem }) => report({ line: lineOf(field), field, problem }),
  );
  if (called === undefined) return undefined;
  return {
    ...called,
    source: folder.source,
    path,
    body,
    triggers: parseTriggers(head),
    fields: fieldsOf(head),
    files: filesBelow(folder.files, below),
  };
}

/**
 * Returns name and description of a skill and reports all problems of its head. Returns undefined if the skill is
 * left out.
 */
function readNameAndDescription(
  head: JsonObject,
  inFolder: string,
  report: (problem: SkillFieldProblem) => void,
): Pick<Skill, "name" | "description"> | undefined {
  const { name, problem: nameless } = nameOf(head, inFolder);
  if (nameless !== undefined) report({ field: "name", problem: nameless });
  if (name === undefined) return undefined;
  const broken = specificationProblems(head, inFolder);
  const description = descriptionOf(head["description"]);
  if (description === "") {
    const why = broken.find(({ field }) => field === "description")?.problem ?? "is missing";
    report({ field: "description", problem: `${why}; the skill is left out` });
    return undefined;
  }
  for (const each of broken) if (each.field !== "name" || nameless === undefined) report(each);
  for (const { field, suggestion } of unknownFields(head))
    if (suggestion !== undefined)
      report({ field, problem: `is passed on unread; did you mean ${suggestion}?` });
  return { name, description };
}

/** Returns the head's name if it can be typed, otherwise the folder's, with the problem of the head's name. */
function nameOf(head: JsonObject, folder: string): { readonly name?: string; readonly problem?: string } {
  const declaredName = typeof head["name"] === "string" ? head["name"].normalize("NFKC").trim() : "";
  const inFolder = folder.normalize("NFKC");
  const name = [declaredName, inFolder].find((each) => NAME.test(each));
  if (name === undefined)
    return { problem: "neither it nor the folder's name can be called; the skill is left out" };
  const lower = name.toLowerCase();
  if (RESERVED_SKILL_NAMES.has(lower))
    return { problem: `/skills:${lower} is a command, so no skill can have this name; it is left out` };
  if (declaredName === "")
    return { name, problem: `is missing; the skill goes by its folder's name, ${name}` };
  return name === declaredName
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
    const path = relativeWithin(folder, file.path) ?? "";
    return path === "" ? [] : [{ ...file, path }];
  });
}
