import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { decode, head } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { isInside } from "../../../tools/containment.ts";

/** The longest time for one git call. The checkout of a large repository takes longest. */
const GIT_MS_MAX = 300_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
const PROBLEM_CHARACTERS_MAX = 400;
const FILTERS_MAX = 256;

/** Runs git in a folder and returns its output. @throws HarnessError WorktreeFailed; the signal's reason. */
export type Git = (cwd: string, args: readonly string[], signal: AbortSignal) => Promise<string>;

/**
 * Returns git for the repository with its configuration, objects and references in `common`. Files or links in a git
 * directory cannot redirect it, because their writer could name another configuration, and with it programs. Omit
 * `common` only for finding the repository.
 */
export type GitFor = (common?: string) => Git;

interface GitCall {
  readonly args: readonly string[];
  readonly settings: typeof HARMLESS;
  readonly common?: string;
}

/** Disables settings of a repository that would make git run something or access the network (S34). */
const HARMLESS: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.attributesFile", "/dev/null"],
  ["core.sshCommand", "false"],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["core.askPass", "false"],
  ["core.logAllRefUpdates", "false"],
  ["submodule.recurse", "false"],
  ["protocol.allow", "never"],
  ["safe.bareRepository", "explicit"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

/**
 * Finds the user's git and runs it with a minimal environment: no configuration of the user or the machine, no hooks,
 * no filters, no network, no questions.
 * @throws HarnessError WorktreeFailed if there is no git.
 */
export async function openGit(
  world: Pick<World, "spawn" | "clock" | "files">,
  { path, root }: { readonly path: string | undefined; readonly root: string },
): Promise<GitFor> {
  const program = await findGit(world, path ?? "", root);
  const run = async (
    cwd: string,
    { args, settings, common }: GitCall,
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly output: string; readonly problem: string }> => {
    signal.throwIfAborted();
    using limit = deadline(world.clock, GIT_MS_MAX, signal);
    await using child = world.spawn({
      argv: [program, ...args],
      cwd,
      env: {
        ...environment(path ?? "", settings),
        ...defined({ GIT_COMMON_DIR: common }),
      },
    });
    const [output, problem, exit] = await whileAlive(
      Promise.all([text(child.stdout), text(child.stderr), child.exited]),
      limit.signal,
    );
    return { code: exit.kind === "code" ? exit.code : -1, output, problem };
  };
  return (common) => async (cwd, args, signal) => {
    const at = defined({ common });
    // The repository names filters, which git would run. Clearing each name disables them.
    const place = args.slice(
      0,
      Math.max(
        0,
        args.findIndex((word) => !word.startsWith("--")),
      ),
    );
    const listing = [...place, "config", "--includes", "--null", "--name-only", "--get-regexp", "^filter\\."];
    const listed = await run(cwd, { args: listing, settings: HARMLESS, ...at }, signal);
    const names = [...new Set(listed.output.split("\0").flatMap(filterOf))];
    if (names.length > FILTERS_MAX)
      throw worktreeFailed(`the repository names more than ${FILTERS_MAX} filters`);
    const off = names.flatMap((name) => [
      [`${name}.clean`, ""] as const,
      [`${name}.smudge`, ""] as const,
      [`${name}.process`, ""] as const,
      [`${name}.required`, "false"] as const,
    ]);
    const { code, output, problem } = await run(
      cwd,
      { args, settings: [...HARMLESS, ...off], ...at },
      signal,
    );
    if (code === 0) return output;
    const words = head(problem.replaceAll(/\s+/g, " ").trim(), PROBLEM_CHARACTERS_MAX);
    throw worktreeFailed(`git ${args[place.length]}: ${words === "" ? `it ended with ${code}` : words}`);
  };
}

export function worktreeFailed(problem: string, cause?: unknown): HarnessError {
  return new HarnessError("WorktreeFailed", { problem }, defined({ cause }));
}

/** Returns the error for a worktree that is not removed. */
export function worktreeStays(problem: string): HarnessError {
  return new HarnessError("WorktreeStays", { problem });
}

/** Returns `filter.NAME` of a key below it. */
function filterOf(key: string): readonly string[] {
  const name = /^(filter\..+)\.[^.]+$/s.exec(key)?.[1];
  return name === undefined ? [] : [name];
}

function environment(path: string, settings: typeof HARMLESS): Readonly<Record<string, string>> {
  return {
    PATH: path,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_COUNT: String(settings.length),
    // Set by variables, because a filter's name may contain characters that end a key on a command line.
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}

/** Returns the first git in PATH that is not a file of the repository (S33). */
async function findGit({ files }: Pick<World, "files">, path: string, root: string): Promise<string> {
  for (const folder of path.split(":")) {
    if (!folder.startsWith("/") || isInside(root, folder)) continue;
    const program = `${folder}/git`;
    const info = await files.stat(program);
    if (info?.kind === "file" && (info.mode & 0o111) !== 0 && !isInside(root, await files.realpath(program)))
      return program;
  }
  throw worktreeFailed("there is no git in PATH");
}

async function text(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= OUTPUT_BYTES_MAX) chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}
