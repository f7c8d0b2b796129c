import { basename, dirname, join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { decodeWrittenText } from "../../base/files/written-text.ts";
import type { Files } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { repositoryRoot } from "../../config/repository-root.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { readExtensions } from "../../guard/trust/project-files.ts";
import { ITEM_FILE_BYTES_MAX, readFolderItem } from "../../guard/trust/review/read-item.ts";
import type { ReadSettings } from "../../session/commands/cli-command.ts";
import type { SettingsHere } from "../../session/feature.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import { builtinSkills } from "./builtin/builtin-skills.ts";
import { skillsInPacks } from "./builtin/packs.ts";
import { skillPacksPart } from "./config.ts";
import type { CheckedProblem } from "./format/check-skill.ts";
import { checkSkill } from "./format/check-skill.ts";
import { isSkillFile, loadSkills } from "./format/load-skills.ts";
import type { Skill } from "./format/skill.ts";
import { SKILL_FILE } from "./format/skill.ts";
import { SkillSet } from "./skill-set.ts";
import { SKILL_FILES } from "./trust-files.ts";

/** The state of a skill: active, or why it is not. */
export type SkillState = "active" | "new" | "changed" | "shadowed";

export interface ReviewedSkill {
  readonly skill: Skill;
  readonly state: SkillState;
}

export interface SkillsReview {
  readonly skills: readonly ReviewedSkill[];
  /** Sentences for the user. */
  readonly notices: readonly string[];
}

/** Returns every skill that a session here would find, active or not, for `cinch skills list`. */
export async function reviewSkills(
  {
    world,
    paths,
    workingDir,
    environment,
  }: Pick<SettingsHere, "world" | "paths" | "workingDir" | "environment">,
  { profile, judge }: Pick<ReadSettings, "profile" | "judge">,
): Promise<SkillsReview> {
  const here = await world.files.realpath(workingDir);
  const root = (await repositoryRoot(world.files, here)) ?? here;
  const { items, problems } = await readExtensions(
    { world, paths, wishes: { environment } },
    root,
    SKILL_FILES,
  );
  const judged = await judge(items, root);
  const pending = new Map<TrustItem, "new" | "changed">(
    judged.pending.map(({ item, verdict }) => [item, verdict.kind]),
  );
  const found: ReviewedSkill[] = [];
  const skillProblems = [];
  for (const folder of builtinSkills(skillsInPacks(settingsOf(skillPacksPart, { profile }).skillPacks))) {
    const { skills } = await loadSkills(folder);
    found.push(...skills.map((skill) => ({ skill, state: "active" as const })));
  }
  for (const item of items) {
    const loaded = await loadSkills({ path: item.path, source: item.scope, files: item.files });
    const state: SkillState = pending.get(item) ?? "active";
    found.push(...loaded.skills.map((skill) => ({ skill, state })));
    skillProblems.push(...loaded.problems);
  }
  const active = found.filter(({ state }) => state === "active").map(({ skill }) => skill);
  const set = new SkillSet(active, skillProblems, [...problems, ...judged.notices]);
  const skills = found.map(({ skill, state }): ReviewedSkill => {
    const isShadowed = state === "active" && set.find(skill.name) !== skill;
    return { skill, state: isShadowed ? "shadowed" : state };
  });
  return { skills, notices: set.notices };
}

const FOLDERS_MAX = 10_000;
const DEPTH_MAX = 6;

/**
 * Checks skills against the open specification: a folder with a SKILL.md, the SKILL.md itself, or a folder of such
 * folders. An invalid path is reported as a problem. With `arePlaces`, a folder may contain no skills.
 */
export async function checkSkills(
  files: Files,
  paths: readonly string[],
  { arePlaces = false }: { readonly arePlaces?: boolean } = {},
): Promise<{ readonly checked: number; readonly problems: readonly CheckedProblem[] }> {
  const problems: CheckedProblem[] = [];
  let checked = 0;
  for (const givenPath of paths) {
    const info = await files.stat(givenPath);
    const isFile = info?.kind === "file" && isSkillFile(givenPath);
    const path = isFile ? dirname(givenPath) : givenPath;
    const found = isFile || info?.kind === "directory" ? await skillFolders(files, path) : [];
    if (info === undefined) problems.push(wrong(givenPath, "there is no such folder"));
    else if (info.kind !== "directory" && !isFile) problems.push(wrong(givenPath, "it is not a directory"));
    else if (found.length === 0 && !arePlaces) problems.push(wrong(givenPath, `it has no ${SKILL_FILE}`));
    for (const { folder, file } of found) {
      checked += 1;
      problems.push(...(await checkFile(files, folder, file)));
    }
  }
  return { checked, problems };
}

async function checkFile(files: Files, folder: string, file: string): Promise<readonly CheckedProblem[]> {
  const path = join(folder, file);
  try {
    const size = (await files.stat(path))?.size ?? 0;
    if (size > ITEM_FILE_BYTES_MAX)
      return [wrong(path, `it has ${size} bytes, more than ${ITEM_FILE_BYTES_MAX}, and is never loaded`)];
    const written = decodeWrittenText(await files.read(path, ITEM_FILE_BYTES_MAX));
    if (written.kind === "problem") return [{ ...wrong(path, written.problem), line: written.line }];
    const folderPath = await files.realpath(folder);
    const problems = await checkSkill(written.text, { path, folder: basename(folderPath) });
    const item = await readFolderItem(files, { root: "/", path: folderPath, kind: "skill", scope: "user" });
    if (item.kind !== "refused") return problems;
    const leftOut = {
      path: folder,
      problem: `cinch leaves it out: it ${item.why}`,
      severity: "warning",
    } as const;
    return [...problems, leftOut];
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return [wrong(path, `it cannot be read: ${messageOf(thrown)}`)];
  }
}

interface SkillFolderPath {
  readonly folder: string;
  readonly file: string;
}

/** Returns the folders with a SKILL.md in a folder, including itself. Links are not followed. */
async function skillFolders(files: Files, root: string): Promise<readonly SkillFolderPath[]> {
  const found: SkillFolderPath[] = [];
  const folders = [{ path: root, depth: 0 }];
  for (const { path, depth } of folders.values()) {
    const entries = [...(await files.list(path))].sort((a, b) => (a.name < b.name ? -1 : 1));
    const named = entries.filter(({ name, kind }) => kind !== "directory" && /^skill\.md$/i.test(name));
    const file = named.find(({ name }) => name === SKILL_FILE) ?? named[0];
    if (file !== undefined) found.push({ folder: path, file: file.name });
    if (depth === DEPTH_MAX) continue;
    for (const { name, kind } of entries)
      if (kind === "directory" && name !== "node_modules" && name !== ".git" && folders.length < FOLDERS_MAX)
        folders.push({ path: join(path, name), depth: depth + 1 });
  }
  return found;
}

function wrong(path: string, problem: string): CheckedProblem {
  return { path, problem, severity: "error" };
}
