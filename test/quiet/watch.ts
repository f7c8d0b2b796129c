import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { signalIfRunning } from "../support/processes.ts";

/** One thing that the kernel was asked for while a line ran. */
export interface Call {
  readonly name: string;
  /** The arguments and the result, as strace prints them. */
  readonly text: string;
}

// One line after another, each in a shell of its own that begins where the Bash tool's begin: without parameters,
// standard input at its end. The name of a file that is nowhere marks in the trace where a line begins.
const DRIVER = `
ulimit -t 20
mapfile -d '' -t CASES < "$1"
for NUMBER in "\${!CASES[@]}"; do
  { : < "/@line/$NUMBER"; } 2> /dev/null
  ( cd "$2" || exit; REPLY=\${CASES[NUMBER]}; unset CASES NUMBER; set --; eval -- "$REPLY" ) < /dev/null
done
`;
const CALLS =
  "execve,execveat,open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,mknod,mknodat,truncate,ftruncate,chmod,fchmod,fchmodat,chown,lchown,fchown,fchownat,utime,utimes,utimensat,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,socket,connect,bind,mount,settimeofday,clock_settime,sethostname";
/** The time that a batch of lines has, in milliseconds. */
export interface Deadline {
  readonly startMs: number;
  readonly lineMs: number;
}
const DEADLINE: Deadline = { startMs: 30_000, lineMs: 500 };

/** Stands in for the calls of a line that was still running when its time was over. */
export const ENDLESS: Call = { name: "endless", text: ")" };

/**
 * Runs lines with the programs of this machine under strace, and gives what each of them asked the kernel for. A line
 * that does not end by itself is ended, and has one call, `ENDLESS`; the lines behind it run all the same.
 */
export async function watch(
  lines: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  deadline: Deadline = DEADLINE,
): Promise<readonly (readonly Call[])[]> {
  const done: (readonly Call[])[] = [];
  while (done.length < lines.length) {
    const rest = lines.slice(done.length);
    const { calls, stopped } = await traced(rest, cwd, env, deadline);
    if (stopped === undefined) return [...done, ...calls];
    // Under load a batch may be too slow as a whole: the line where it stopped has its time once more, alone.
    const again = await traced([lines[done.length + stopped] ?? ""], cwd, env, deadline);
    done.push(...calls.slice(0, stopped), again.stopped === undefined ? (again.calls[0] ?? []) : [ENDLESS]);
  }
  return done;
}

interface Traced {
  readonly calls: readonly (readonly Call[])[];
  /** The place of the line that ran when the time was over. */
  readonly stopped?: number;
}

async function traced(
  lines: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  { startMs, lineMs }: Deadline,
): Promise<Traced> {
  const folder = mkdtempSync(join(tmpdir(), "cinch-watch-"));
  try {
    const [cases, trace] = [join(folder, "cases"), join(folder, "trace")];
    writeFileSync(cases, lines.map((line) => `${line}\0`).join(""));
    const shell = ["/bin/bash", "--norc", "--noprofile", "-c", DRIVER, "bash", cases, cwd];
    const flags = ["-f", "-qq", "-y", "-s", "4096", "--signal=none", "--seccomp-bpf", "-o", trace];
    const child = Bun.spawn(["strace", ...flags, "-e", `trace=${CALLS}`, ...shell], {
      cwd,
      env: { ...env, PWD: cwd },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a group that can be ended as a whole: a program outlives the strace that watched it
    });
    let isLate = false;
    using _limit = hostWorld(SILENT_LOG).clock.timer(startMs + lines.length * lineMs, () => {
      isLate = true;
      signalIfRunning(-child.pid, "SIGKILL");
    });
    // What the lines print is read and dropped: a pipe, as in the Bash tool, since grep reads less where
    // nobody listens.
    await Promise.all([child.exited, drained(child.stdout), drained(child.stderr)]);
    const calls = callsByLine(readFileSync(trace, "latin1"), lines.length);
    if (isLate) {
      const stopped = calls.findLastIndex((each) => each !== undefined);
      return { calls: calls.map((each) => each ?? []), stopped: Math.max(stopped, 0) };
    }
    const missed = lines.find((_, at) => calls[at] === undefined);
    if (missed !== undefined) throw new Error(`this line was not run: ${JSON.stringify(missed)}`);
    return { calls: lines.map((_, at) => calls[at] ?? []) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function drained(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const _chunk of stream);
}

function callsByLine(trace: string, count: number): (Call[] | undefined)[] {
  const calls = new Array<Call[] | undefined>(count);
  const unfinished = new Map<string, string>();
  let at: Call[] | undefined;
  for (const row of trace.split("\n")) {
    const [, pid = "", rest = ""] = /^(\d+) +(.*)$/s.exec(row) ?? [];
    const begun = / <unfinished \.\.\.>$/.exec(rest);
    if (begun !== null) {
      unfinished.set(pid, rest.slice(0, begun.index));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    const whole = resumed === null ? rest : `${unfinished.get(pid) ?? ""}${resumed[1]}`;
    const marked = /"\/@line\/(\d+)"/.exec(whole)?.[1];
    if (marked !== undefined) {
      at = [];
      calls[Number(marked)] = at;
      continue;
    }
    const [, name, text = ""] = /^(\w+)\((.*)$/s.exec(whole) ?? [];
    if (name !== undefined) at?.push({ name, text });
  }
  return calls;
}
