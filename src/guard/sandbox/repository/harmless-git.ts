import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { defined } from "../../../base/defined.ts";
import { decode, head } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { findTrustedProgram, trustedPath } from "../policy/trusted-program.ts";

const PROBLEM_CHARACTERS_MAX = 400;
const FILTERS_MAX = 256;

/** Result of one git call. */
export type GitOutcome =
  /** `isCut`: it wrote more than the limit. */
  | { readonly kind: "done"; readonly output: string; readonly isCut: boolean }
  /** `why` is a phrase. */
  | { readonly kind: "failed"; readonly why: string };

export interface GitRequest {
  readonly cwd: string;
  readonly args: readonly string[];
  /** Folder of configuration, objects and references: see `GIT_COMMON_DIR`. */
  readonly common?: string | undefined;
  /** Settings that replace those of the repository. */
  readonly settings?: readonly GitSettingPair[];
  readonly timeMs: number;
  readonly outputBytesMax: number;
}

export type GitSettingPair = readonly [key: string, value: string];

/**
 * Runs git with a minimal environment: no configuration of the user or the machine, no hooks, no filters, no network,
 * no questions, and no program that the repository names (S34).
 * @throws the signal's reason, or that of the time limit.
 */
export type HarmlessGit = (request: GitRequest, signal: AbortSignal) => Promise<GitOutcome>;

/** Disables settings of a repository that would make git run something or access the network (S34). */
const HARMLESS: readonly GitSettingPair[] = [
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
 * Finds the user's git: the first in `path` that no agent can replace (S33). Undefined if there is none.
 * @param writable folders that agents may write: the root of the repository, and those of all sessions.
 */
export async function findHarmlessGit(
  world: Pick<World, "spawn" | "clock" | "files">,
  { path, writable }: { readonly path: string; readonly writable: readonly string[] },
): Promise<HarmlessGit | undefined> {
  const search = { path, files: world.files, writable };
  const program = await findTrustedProgram("git", search);
  if (program === undefined) return undefined;
  const searched = await trustedPath(search);
  const run = async (
    { cwd, args, common, settings = [], timeMs, outputBytesMax }: GitRequest,
    signal: AbortSignal,
  ) => {
    signal.throwIfAborted();
    using limit = deadline(world.clock, timeMs, signal);
    const env = {
      ...environment(searched, [...HARMLESS, ...settings]),
      ...defined({ GIT_COMMON_DIR: common }),
    };
    await using child = world.spawn({ argv: [program, ...args], cwd, env });
    const [output, problem, exit] = await whileAlive(
      Promise.all([text(child.stdout, outputBytesMax), text(child.stderr, PROBLEM_BYTES_MAX), child.exited]),
      limit.signal,
    );
    return { code: exit.kind === "code" ? exit.code : -1, output, problem: problem.text };
  };
  return async (request, signal) => {
    const { args, settings = [] } = request;
    // The repository names filters, which git would run. Clearing each name disables them.
    const place = args.slice(0, placeWords(args));
    const listing = [...place, "config", "--includes", "--null", "--name-only", "--get-regexp", "^filter\\."];
    const listed = await run({ ...request, args: listing }, signal);
    const names = [...new Set(listed.output.text.split("\0").flatMap(filterOf))];
    if (names.length > FILTERS_MAX || listed.output.isCut)
      return { kind: "failed", why: `the repository names more than ${FILTERS_MAX} filters` };
    const off = names.flatMap((name): GitSettingPair[] => [
      [`${name}.clean`, ""],
      [`${name}.smudge`, ""],
      [`${name}.process`, ""],
      [`${name}.required`, "false"],
    ]);
    const { code, output, problem } = await run({ ...request, settings: [...settings, ...off] }, signal);
    if (code === 0) return { kind: "done", output: output.text, isCut: output.isCut };
    const words = head(problem.replaceAll(/\s+/g, " ").trim(), PROBLEM_CHARACTERS_MAX);
    return {
      kind: "failed",
      why: `git ${args[place.length]}: ${words === "" ? `it ended with ${code}` : words}`,
    };
  };
}

const PROBLEM_BYTES_MAX = 65_536;

/** Returns the number of words before the git command: they say where the repository is. */
function placeWords(args: readonly string[]): number {
  return Math.max(
    0,
    args.findIndex((word) => !word.startsWith("--")),
  );
}

/** Returns `filter.NAME` of a key below it. */
function filterOf(key: string): readonly string[] {
  const name = /^(filter\..+)\.[^.]+$/s.exec(key)?.[1];
  return name === undefined ? [] : [name];
}

function environment(path: string, settings: readonly GitSettingPair[]): Readonly<Record<string, string>> {
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

async function text(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
  }
  return { text: decode(Buffer.concat(chunks)), isCut: bytes > bytesMax };
}
