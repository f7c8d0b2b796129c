import { basename, join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { relativeWithin } from "../../../base/files/below.ts";
import { codeOf } from "../../../base/world.ts";
import { sha256 } from "../../../guard/trust/ledger/item.ts";
import type { TrustFile } from "../../../session/guard/trust.ts";
import type { ToolCall, ToolMiddleware } from "../../../tools/middleware.ts";
import { errorOutput } from "../../../tools/output.ts";
import type { ToolContext } from "../../../tools/tool.ts";
import { isSkillFile } from "../format/load-skills.ts";
import type { Skill } from "../format/skill.ts";
import { findFileTrigger } from "../format/triggers.ts";
import type { SkillCopies } from "../skill-copies.ts";

export interface SkillFileDependencies {
  /** The active skills; does not wait. */
  readonly known: () => readonly Skill[];
  readonly copies: SkillCopies;
  /** Returns the text of a skill that a call has triggered; undefined if the conversation contains it. */
  readonly applies: (skill: Skill, why: string, context: ToolContext) => Promise<string | undefined>;
}

const SKILLS_PER_CALL_MAX = 2;

/**
 * Checks the files of skills around the calls that use them (tier 3).
 *
 * Copies that a call names are verified before it runs. A command that names a changed program in a skill's own
 * folder is refused (S42). A skill whose pattern matches a file that a call used is added to the call's result.
 */
export function skillFileMiddleware({ known, copies, applies }: SkillFileDependencies): ToolMiddleware {
  return async function skillCalls(call, context, next) {
    const skills = known();
    if (skills.length === 0) return await next(call, context);
    const text = textOf(call);
    if (text.includes(copies.folder)) {
      for (const skill of skills) {
        const folder = copies.folderOf(skill);
        if (folder === undefined || !text.includes(folder)) continue;
        const problem = await readyProblem(skill, copies);
        if (problem !== undefined) return errorOutput(problem);
      }
    }
    if (call.plan?.target.kind === "command" && context.onlyReads !== true) {
      for (const skill of skills) {
        const changed = await changedProgram(skill, text, context);
        if (changed !== undefined) return errorOutput(changed);
      }
    }
    const output = await next(call, context);
    // Only the main conversation is tracked, not those of sub-agents.
    if (output.isError === true || context.within !== undefined) return output;
    const added: string[] = [];
    for (const path of pathsOf(call, context)) {
      for (const skill of skills) {
        if (added.length === SKILLS_PER_CALL_MAX) break;
        if (findFileTrigger(path, skill.triggers.globs) === undefined) continue;
        const applied = await applies(skill, `this call used ${path}`, context);
        if (applied !== undefined) added.push(applied);
      }
    }
    if (added.length === 0) return output;
    return {
      ...output,
      content: [...output.content, ...added.map((each) => ({ type: "text", text: each }) as const)],
    };
  };
}

/** Returns the text of a call in which files may be named. */
function textOf({ plan, input }: ToolCall): string {
  if (plan?.target.kind === "command") return `${plan.target.command}\n${plan.target.cwd}`;
  if (plan?.target.kind === "paths") return plan.target.paths.map(({ path }) => path).join("\n");
  return typeof input === "string" ? input : "";
}

/** Returns the files that a call used, relative to the workspace. */
function pathsOf({ plan }: ToolCall, { workspace }: ToolContext): readonly string[] {
  if (plan?.target.kind !== "paths") return [];
  return plan.target.paths.flatMap(({ path }) => relativeWithin(workspace.root, path) || []);
}

/** Prepares the copies of a skill's files. Returns why that failed; undefined on success. */
async function readyProblem(skill: Skill, copies: SkillCopies): Promise<string | undefined> {
  try {
    await copies.ready(skill);
    return undefined;
  } catch (thrown) {
    return `The files of the skill ${skill.name} cannot be made ready: ${messageOf(thrown)}`;
  }
}

/** Returns the problem if a command names a program of the skill that differs from the acknowledged one. */
async function changedProgram(
  skill: Skill,
  text: string,
  { world }: ToolContext,
): Promise<string | undefined> {
  if (skill.source === "builtin" || !namesFolder(text, skill.path)) return undefined;
  for (const file of skill.files) {
    if (isSkillFile(file.path) || !text.includes(basename(file.path))) continue;
    const path = join(skill.path, file.path);
    if (await isAsAcknowledged(path, file, world.files)) continue;
    return `${path} is not what the user has acknowledged, and was not run. After a look at it they can acknowledge it with /skills:reload; the Skill tool gives a copy of what was acknowledged.`;
  }
  return undefined;
}

/** Compares the last two names only, because a command may be relative. */
function namesFolder(text: string, folder: string): boolean {
  return text.includes(folder.split("/").slice(-2).join("/"));
}

async function isAsAcknowledged(
  path: string,
  { bytes, sha256: hash }: TrustFile,
  files: ToolContext["world"]["files"],
): Promise<boolean> {
  try {
    const info = await files.lstat(path);
    if (info === undefined) return true; // nothing there can run
    if (info.kind !== "file" || info.size !== bytes.length) return false;
    return sha256(await files.readRange(path, 0, bytes.length)) === hash;
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return false;
  }
}
