import { readdirSync, readFileSync } from "node:fs";
import type { Duplex } from "node:stream";
import type { Clock } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { cFunctions } from "../c-library.ts";
import { peerCredentials } from "./peer-credentials.ts";

const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
const REAP_MS = 30_000;
const STARTED_FIELD = 19;
/** Deeper than any chain of parents. */
const DEPTH_MAX = 512;
const LOOKS_MAX = 3;

/** Classification of the process at the other end of a Unix socket. */
export type PeerVerdict =
  /** A process of this user that was started neither by this process nor by its descendants. */
  | { readonly kind: "unrelated"; readonly pid: number }
  | { readonly kind: "refused"; readonly problem: string };

/** While it is held, no descendant of this process can hide its ancestry. */
export interface DescendantTracker extends Disposable {
  /** Classifies the peer; refuses it if anything is uncertain. */
  judge(stream: Duplex): PeerVerdict;
}

/**
 * Makes this process inherit its orphans (Linux): a process that creates a new session, forks twice, or loses its
 * parent otherwise becomes a child of this process, not of the system. So the chain of parents shows every descendant.
 *
 * Ended orphans are collected every 30 s. If this is not available, `judge` refuses every peer.
 */
export function trackDescendants(clock: Pick<Clock, "timer">): DescendantTracker {
  const c = cFunctions({
    prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
    waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
  });
  const isHeld = c?.prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) === 0;
  let seen: ReadonlyMap<string, number> = new Map();
  let timer: Disposable | undefined;
  /**
   * The runtime collects its own children as soon as it handles events, which it does between any two timers: a
   * process found ended a third time is an orphan of another parent.
   */
  function reap(): void {
    const looks = new Map<string, number>();
    for (const { pid, started } of endedChildren()) {
      const name = `${pid} ${started}`;
      const look = (seen.get(name) ?? 0) + 1;
      if (look < LOOKS_MAX || c?.waitpid(pid, null, WNOHANG) !== pid) looks.set(name, look);
    }
    seen = looks;
    timer = clock.timer(REAP_MS, reap);
  }
  if (isHeld) reap();
  return {
    judge: (stream) => (isHeld ? judge(stream) : refused("this system does not tell who descends from whom")),
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      c?.prctl(PR_SET_CHILD_SUBREAPER, 0n, 0n, 0n, 0n);
    },
  };
}

function judge(stream: Duplex): PeerVerdict {
  const peer = peerCredentials(stream);
  if (peer === undefined) return refused("its process cannot be determined");
  if (peer.uid !== process.geteuid?.()) return refused("it runs as another user");
  for (let look = 0; look < LOOKS_MAX; look++) {
    const found = descends(peer.pid);
    if (found === "changed") continue; // a parent has just ended
    return found
      ? refused("it was started by the engine, or by what the engine started")
      : { kind: "unrelated", pid: peer.pid };
  }
  return refused("its chain of parents cannot be followed");
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** In ticks since the system started. */
  readonly started: number;
  readonly state: string;
}

/** Returns true if the chain of parents of a process includes this one; `changed` if it changed during the check. */
function descends(pid: number): boolean | "changed" {
  const chain: Process[] = [];
  let next = pid;
  while (next !== 0) {
    if (next === process.pid) return true;
    const each = processOf(next);
    const child = chain.at(-1);
    // A reused id belongs to a process younger than the child that names it.
    if (each === undefined || (child !== undefined && each.started > child.started)) return "changed";
    if (chain.length === 0 && (each.state === "Z" || each.state === "X")) return "changed";
    if (chain.push(each) > DEPTH_MAX) return "changed";
    next = each.parent;
  }
  const holds = chain.every(({ pid: id, parent, started }) => {
    const now = processOf(id);
    return now?.parent === parent && now.started === started;
  });
  return holds ? false : "changed";
}

function endedChildren(): readonly Process[] {
  return childIds()
    .flatMap((pid) => processOf(pid) ?? [])
    .filter(({ parent, state }) => parent === process.pid && state === "Z");
}

/**
 * Returns the children of this process, where the kernel lists them; else all processes, whose number has no limit.
 * Each thread has a list of its own: a child, also one that was inherited, is in that of one thread.
 */
function childIds(): readonly number[] {
  const threads = "/proc/self/task";
  try {
    return readdirSync(threads).flatMap((thread) =>
      idsIn(readFileSync(`${threads}/${thread}/children`, "latin1").split(" ")),
    );
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" && codeOf(thrown) !== "ESRCH") throw thrown; // no lists, or a thread has just ended
    return idsIn(readdirSync("/proc"));
  }
}

function idsIn(names: readonly string[]): readonly number[] {
  return names.map(Number).filter((pid) => pid > 0);
}

/** Returns undefined if it does not exist or cannot be read. */
function processOf(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent] = fields;
    return { pid, parent: Number(parent), started: Number(fields[STARTED_FIELD]), state };
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return undefined;
    throw thrown;
  }
}

function refused(problem: string): PeerVerdict {
  return { kind: "refused", problem };
}
