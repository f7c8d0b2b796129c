import { basename, dirname, join } from "node:path";
import { byteLength, count } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf, PathMoved } from "../../../base/world.ts";
import type { InputOf } from "../../../tools/arguments.ts";
import { textOutput } from "../../../tools/output.ts";
import type { CallPlan, Tool, ToolContext } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import { SKILL_FILE } from "../format/skill.ts";
import { SKILL_WRITE_FACTS } from "../tools.ts";

export interface SkillWriteDependencies {
  /** Absolute folders for skills of the project and of the user; no user folder without a home. */
  readonly folders: { readonly project: string; readonly user: string | undefined };
  /** Reads all skills again after one was written. Returns a sentence about the effect. */
  readonly rescan: (context: ToolContext) => Promise<string>;
}

const INPUT = {
  type: "object",
  properties: {
    name: { type: "string", description: "lowercase letters, digits, hyphens" },
    content: { type: "string", description: "the whole file" },
    file: { type: "string", description: "scripts/x.sh and the like; absent: SKILL.md" },
    scope: { enum: ["project", "user"], description: "absent: project" },
  },
  required: ["name", "content"],
} as const;

type WriteInput = InputOf<typeof INPUT>;

interface WritePlan extends CallPlan {
  readonly path: string;
  readonly content: string;
}

const FILE_BYTES_MAX = 262_144;
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}){0,3}$/;

/**
 * Writes a skill, or a file of one ([A] § Future, SKL-05). The skill is inactive until a person has acknowledged it,
 * even if it was active before.
 */
export function skillWriteTool({ folders, rescan }: SkillWriteDependencies): Tool<WritePlan> {
  return {
    ...SKILL_WRITE_FACTS,
    description:
      "Writes a skill, or a file of one: its SKILL.md as a whole, or with file another one below its folder. The skill is inactive until the user has acknowledged it. The skill skill-writing tells how.",
    aliases: {},
    inputSchema: INPUT,
    lazy: true,
    async plan(input, { world }) {
      const { name, content, file = SKILL_FILE, scope = "project" } = input as WriteInput;
      const folder = folders[scope];
      if (folder === undefined) throw new ToolFailure("There is no home folder for skills of the user.");
      await assertWritable({ name, content, file });
      const spelled = join(folder, name, file);
      const path = await resolveExisting(world.files, spelled);
      // A link in a repository could lead to any file.
      if (
        path !==
        join(await resolveExisting(world.files, dirname(dirname(folder))), ...tailOf(folder), name, file)
      )
        throw new ToolFailure(`${spelled} leads elsewhere through a link, and is not written.`);
      return {
        summary: `SkillWrite:${scope} ${name}/${file}`,
        target: { kind: "paths", paths: [{ path, access: "write" }] },
        path,
        content,
        ...(scope === "user"
          ? { level: "DangerFullAccess" as const, levelWhy: "it is for all your projects" }
          : {}),
      };
    },
    async run({ path, content }, context) {
      const { signal, world } = context;
      signal.throwIfAborted();
      try {
        await world.files.writeResolved(path, content);
      } catch (thrown) {
        if (codeOf(thrown) === undefined && !(thrown instanceof PathMoved)) throw thrown;
        throw new ToolFailure(`${path} cannot be written: ${(thrown as Error).message}`, { cause: thrown });
      }
      return textOutput(`Written: ${path}. ${await rescan(context)}`);
    },
  };
}

/** @throws ToolFailure with all problems. */
async function assertWritable({ name, content, file }: Required<Omit<WriteInput, "scope">>): Promise<void> {
  const { checkSkill, nameProblems } = await import("../format/check-skill.ts");
  const problems = nameProblems(name, name).map((problem) => `name: ${problem}`);
  const isOwn = !name.includes("/") && name !== "reload";
  if (!isOwn) problems.push("name: cannot be a path, or reload");
  if (!FILE_NAME.test(file) || file.includes(".."))
    problems.push("file: must be a plain path below the skill's folder, such as scripts/check.sh");
  if (file !== SKILL_FILE && basename(file).toLowerCase() === SKILL_FILE.toLowerCase())
    problems.push(`file: a ${SKILL_FILE} stands in the skill's own folder`);
  if (byteLength(content) > FILE_BYTES_MAX) problems.push(`content: has more than ${FILE_BYTES_MAX} bytes`);
  if (problems.length === 0 && file === SKILL_FILE) {
    const found = await checkSkill(content, { path: SKILL_FILE, folder: name });
    problems.push(
      ...found
        .filter(({ severity }) => severity === "error")
        .map(
          ({ line = 1, field, problem }) =>
            `line ${line}: ${field === undefined ? "" : `${field}: `}${problem}`,
        ),
    );
  }
  if (problems.length > 0)
    throw new ToolFailure(`Not written (${count(problems.length, "problem")}): ${problems.join("; ")}.`);
}

function tailOf(folder: string): readonly string[] {
  return [basename(dirname(folder)), basename(folder)];
}

/** Resolves every link in the existing part of a path. */
async function resolveExisting(files: Files, path: string): Promise<string> {
  if ((await files.lstat(path)) !== undefined) {
    try {
      return await files.realpath(path);
    } catch (thrown) {
      if (codeOf(thrown) === undefined) throw thrown;
      throw new ToolFailure(`${path} is a link to something that does not exist.`, { cause: thrown });
    }
  }
  const parent = dirname(path);
  return parent === path ? path : join(await resolveExisting(files, parent), basename(path));
}
