import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { decode } from "../../../base/text/text.ts";
import type { SpawnOptions, World } from "../../../base/world.ts";
import type { Confine } from "../../../session/guard/sandbox.ts";

const PROBE_MS_MAX = 10_000;
const PROBE_BYTES_MAX = 16_384;

/**
 * Prints the properties that a confined process must have, and tries what it must not be able to do. Starts no program:
 * each would take as long as the rest.
 */
export const PROBE_SCRIPT = `
while read -r name value _; do case $name in
CapEff:|CapBnd:|NoNewPrivs:|Seccomp:) echo "$name$value";;
esac; done </proc/self/status
{ : >"$1"; } 2>/dev/null && echo "wrote:outside"
{ : >"$2"; } 2>/dev/null && echo "wrote:workspace"
{ : >/tmp/.cinch-probe; } 2>/dev/null && echo "wrote:tmp"
[[ -e $3 ]] && echo "sees:workshop"
echo done
`;

/** Signals by which another process, or a limit, ends a trial. Others are a fault of the trial itself. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set([
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGKILL",
  "SIGTERM",
  "SIGXCPU",
]);
/** Exit codes of bwrap when its command was ended by one of them. */
const CODES_FROM_OUTSIDE: ReadonlySet<number> = new Set([129, 130, 131, 137, 143, 152]);

/** Problem of a trial that was ended from outside, as the kernel does when memory runs out. */
export const TRIAL_KILLED = "the trial was killed";

export interface ProbePaths {
  /** A file that must not be created. */
  readonly outside: string;
  /** A file that may be created: below the folder that is `/tmp` inside. */
  readonly workshop: string;
  readonly root: string;
  /** Ends the trial. Default: it runs to its end. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a small command in the sandbox and checks what it could do: that bwrap ends with 0 does not prove the
 * confinement. Returns the reason for a failure, or undefined.
 */
export async function probeSandbox(
  world: Pick<World, "spawn" | "files" | "clock">,
  confine: Confine,
  { outside, workshop, root, signal = new AbortController().signal }: ProbePaths,
): Promise<string | undefined> {
  const options: SpawnOptions = {
    argv: ["/bin/bash", "--norc", "--noprofile", "-c", PROBE_SCRIPT, "probe", outside, "/dev/null", workshop],
    cwd: root,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin" },
  };
  const { lines, complained, isKilled } = await run(world, confine.wrap(options), signal);
  if (isKilled) return TRIAL_KILLED;
  const wanted = [
    "CapEff:0000000000000000",
    "CapBnd:0000000000000000",
    "NoNewPrivs:1",
    "Seccomp:2",
    "wrote:tmp",
    "done",
  ];
  const missing = wanted.filter((line) => !lines.includes(line));
  if (lines.length === 0 || !lines.includes("done")) return complained || "the probe said nothing";
  if (missing.length > 0) return `inside, ${missing.join(", ")} does not hold`;
  if (lines.includes("wrote:outside") || (await world.files.lstat(outside)) !== undefined) {
    await world.files.remove(outside);
    return "a command inside could write outside";
  }
  if (lines.includes("sees:workshop")) return "a command inside sees what belongs to the sandbox";
  return undefined;
}

async function run(
  world: Pick<World, "spawn" | "clock">,
  options: SpawnOptions,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly string[]; readonly complained: string; readonly isKilled: boolean }> {
  signal.throwIfAborted();
  await using child = world.spawn(options);
  using limit = deadline(world.clock, PROBE_MS_MAX, signal);
  const [out, err] = await whileAlive(
    Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]),
    limit.signal,
  );
  const exit = await child.exited;
  const why = exit.kind === "failed" ? exit.error.message : err.trim();
  const isKilled =
    exit.kind === "signal"
      ? FROM_OUTSIDE.has(exit.signal)
      : exit.kind === "code" && CODES_FROM_OUTSIDE.has(exit.code);
  return { lines: out.split("\n").filter((line) => line !== ""), complained: why, isKilled };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size <= PROBE_BYTES_MAX) parts.push(chunk);
  }
  return decode(Buffer.concat(parts));
}
