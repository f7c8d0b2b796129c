import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { messageOf } from "../../base/errors.ts";
import { decode, shortened } from "../../base/text/text.ts";
import type { Child, Spawn, World } from "../../base/world.ts";
import type { DiagnosticSource, SourceSettings } from "./diagnostic-source.ts";
import { fileMatcher } from "./file-matcher.ts";

/** Limit for its output; further output is read, so that it can continue, and dropped. */
export const CHECKER_BYTES_MAX = 16 * 1_024;
const TEXT_CHARACTERS_MAX = 6_000;
/** Placeholder in a command for the changed files. Without it they are appended. */
const FILES = "{files}";
/** Variable that marks every process of a run, so that those that leave its group are ended too. */
const MARK = "CINCH_CHECKER";

export interface CheckerDependencies {
  readonly world: Pick<World, "clock" | "ids" | "machine">;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Returns the function that starts it: in the sandbox. @throws Error with the reason if it cannot be started. */
  readonly spawn: () => Promise<Spawn>;
}

/** Returns a checker: a program that runs on the files after each edit. Its output is the report (TOOL-11). */
export function checker(settings: SourceSettings, dependencies: CheckerDependencies): DiagnosticSource {
  const { name, waitMs } = settings;
  return {
    name,
    covers: fileMatcher(settings.files, dependencies.root),
    stale: () => undefined, // it reads all files on each run
    async check(paths, signal) {
      using limit = deadline(dependencies.world.clock, waitMs, signal);
      try {
        return await whileAlive(run(settings, paths, dependencies, limit.signal), limit.signal);
      } catch (thrown) {
        signal.throwIfAborted();
        const why = limit.reached ? `has not ended within ${waitMs / 1_000} s` : messageOf(thrown);
        return `[${name}: ${why}]`;
      }
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function run(
  { name, command }: SourceSettings,
  paths: readonly string[],
  { world, root, env, spawn }: CheckerDependencies,
  signal: AbortSignal,
): Promise<string> {
  const argv = argvOf(command, paths);
  const start = await spawn();
  signal.throwIfAborted();
  await using child = start({
    argv,
    cwd: root,
    env: { ...env, PWD: root, [MARK]: `${world.ids.next("call")}.${world.machine.pid}` },
    mark: MARK,
  });
  const [exit, said] = await whileAlive(Promise.all([child.exited, everything(child)]), signal);
  if (exit.kind === "failed") throw exit.error;
  const isFine = exit.kind === "code" && exit.code === 0;
  if (isFine && said === "") return `[${name}: no problems]`;
  const how = exit.kind === "code" ? `exit ${exit.code}` : exit.signal;
  return `[${name}${isFine ? "" : `: ${how}`}]\n${shortened(said, TEXT_CHARACTERS_MAX)}`.trimEnd();
}

function argvOf(
  command: SourceSettings["command"],
  paths: readonly string[],
): readonly [string, ...string[]] {
  const [program, ...args] = command;
  if (!args.includes(FILES)) return [program, ...args, ...paths];
  return [program, ...args.flatMap((arg) => (arg === FILES ? paths : [arg]))];
}

async function everything({ stdout, stderr }: Child): Promise<string> {
  const [out, err] = await Promise.all([capture(stdout), capture(stderr)]);
  return `${out}\n${err}`.trim();
}

async function capture(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    if (bytes < CHECKER_BYTES_MAX) chunks.push(chunk.subarray(0, CHECKER_BYTES_MAX - bytes));
    bytes += chunk.length;
  }
  return decode(Buffer.concat(chunks)).trim();
}
