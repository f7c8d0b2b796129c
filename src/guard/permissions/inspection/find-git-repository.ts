import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { readOnlyEnvironment } from "../../../base/child-environment.ts";
import { messageOf } from "../../../base/errors.ts";
import { decode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { findTrustedProgram, NO_GIT } from "../../sandbox/policy/trusted-program.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import { agentFolders } from "../rules/workspace-paths.ts";

const GIT_MS_MAX = 5_000;
const ANSWER_BYTES_MAX = 65_536;

/** The repository that git uses in a directory. */
export type GitAnswer =
  /**
   * `own`: git directory of this working tree. `common`: shared by all of them, with the configuration. `top`: the
   * working tree.
   */
  | {
      readonly kind: "repository";
      readonly gitDirectory: string;
      readonly common: string;
      readonly top: string;
    }
  /** git finds no repository, or none that it would use. */
  | { readonly kind: "none" }
  | { readonly kind: "unknown"; readonly why: string };

export type FindGitRepository = (directory: string) => Promise<GitAnswer>;

/**
 * Asks git itself which repository it uses, in the environment of a read-only command (PERM-04).
 *
 * `git rev-parse` reads configuration and runs nothing that it names. Each directory is asked about once.
 */
export function gitRepositoryFinder(says: RunGit): FindGitRepository {
  const answers = new Map<string, Promise<GitAnswer>>();
  return (directory) => {
    let answer = answers.get(directory);
    if (answer === undefined) {
      answer = asked(directory, says);
      answers.set(directory, answer);
    }
    return answer;
  };
}

/**
 * Runs git in a directory with arguments that only read its configuration. A string is the reason why it did
 * not answer.
 */
export type RunGit = (
  directory: string,
  args: readonly string[],
) => Promise<{ readonly code: number; readonly output: string; readonly problem: string } | string>;

/** Returns a function that runs git in the environment of a read-only command. */
export function gitRunner(
  world: Pick<World, "spawn" | "clock" | "files">,
  env: Readonly<Record<string, string>>,
  workspace: WorkspacePaths,
): RunGit {
  const surroundings = { ...readOnlyEnvironment(env), LC_ALL: "C" };
  return async (directory, args) => {
    // The first, as bash finds it. Relative folders are checked by name: see `workspaceProgramProblem`.
    const program = await findTrustedProgram("git", {
      ...{ path: env["PATH"] ?? "", files: world.files, which: "first" },
      writable: agentFolders(workspace),
    });
    if (program === undefined) return NO_GIT;
    using limit = deadline(world.clock, GIT_MS_MAX, new AbortController().signal);
    try {
      await using child = world.spawn({ argv: [program, ...args], cwd: directory, env: surroundings });
      const [output, problem, exit] = await whileAlive(
        Promise.all([text(child.stdout), text(child.stderr), child.exited]),
        limit.signal,
      );
      return { code: exit.kind === "code" ? exit.code : -1, output, problem };
    } catch (thrown) {
      if (!limit.signal.aborted) throw thrown;
      return `git did not answer in ${GIT_MS_MAX} ms (${messageOf(thrown)})`;
    }
  };
}

async function asked(directory: string, says: RunGit): Promise<GitAnswer> {
  const answer = await says(directory, [
    "rev-parse",
    "--path-format=absolute",
    "--absolute-git-dir",
    "--git-common-dir",
    "--show-toplevel",
  ]);
  if (typeof answer === "string") return { kind: "unknown", why: answer };
  const { code, output, problem } = answer;
  if (code === 128 && problem.startsWith("fatal: not a git repository (or any")) return { kind: "none" };
  const [gitDirectory, common, top, end, ...more] = output.split("\n");
  if (code === 0 && end === "" && more.length === 0 && gitDirectory && common && top)
    return { kind: "repository", gitDirectory, common, top };
  return { kind: "unknown", why: `git does not say which repository it uses in ${directory}` };
}

async function text(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= ANSWER_BYTES_MAX) chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}
