import { existsSync, readdirSync, readFileSync } from "node:fs";
import { codeOf } from "../../base/world.ts";
import { environmentHasEntry, ifReadable } from "./process-environment.ts";

/** Time for the processes of a group to end after SIGTERM. */
export const TERM_GRACE_MS = 1_000;
/** Time for the kernel to remove them after SIGKILL. */
export const KILL_WAIT_MS_MAX = 500;
const LOOK_AGAIN_MS = 5;

/** A leader younger than this has children with higher ids only, unless the ids wrapped around. */
const YOUNG_MS = 10_000;

/** Up to this number, ids are checked one by one instead of listing all processes. */
const FEW_PIDS = 16;

/** Positions of the kernel flags and the start time in `/proc/PID/stat`, counted from the state. */
const FLAGS_FIELD = 6;
const STARTED_FIELD = 19;
/** Flag of a process that is exiting (`PF_EXITING`). */
const EXITING = 4;

/** All processes that one child has started, as far as this machine reports them. */
export interface ProcessGroup {
  /** Id of the leader, which is also the id of its group and of its session. */
  readonly leader: number;
  readonly startedAtMs: number;
  /** `NAME=value` in the environment of every process that belongs to it. */
  readonly mark?: string;
  /**
   * True if the leader's exit was seen. Its id may then be another process's, which must not be taken for the group.
   */
  hasExited?(): boolean;
}

/**
 * Ids and start times of members seen while the group is being ended. When its parent dies, a process that left the
 * group loses its last connection to it, and must not be forgotten.
 */
type SeenProcesses = Map<number, string>;

/**
 * Returns the ids of the living processes, without zombies; the leader is included while it runs.
 *
 * On Linux these are: the group, the session (jobs of a shell have groups of their own), children of any of them, and
 * processes with the mark in their environment, which finds those in a new session. A process in a new session that
 * lost its parent and has another environment is found only if it was `seen` before. Otherwise only the pid namespace
 * of a sandbox ends it. On other systems only the group is visible, by its leader's id.
 */
export function livingMembers(group: ProcessGroup, seen?: SeenProcesses): readonly number[] {
  return scanGroup(group, seen).living;
}

export interface GroupScan {
  /** The ids that `livingMembers` returns. */
  readonly living: readonly number[];
  /** True if no process younger than the leader is exiting: if none is living either, there is nothing to wait for. */
  readonly isQuiet: boolean;
}

/** Scans once for the living members and for what `waitForExiting` waits for. */
export function scanGroup(group: ProcessGroup, seen: SeenProcesses = new Map()): GroupScan {
  if (process.platform !== "linux") {
    return { living: groupAnswers(group.leader) ? [group.leader] : [], isQuiet: true };
  }
  const living = candidates(group);
  // An id is reused only when no group and no session has it: then all processes of those have ended.
  const isAnothers = group.hasExited?.() === true && living.some(({ pid }) => pid === group.leader);
  const members = new Set<number>();
  for (const each of living) {
    const isOurs = (!isAnothers && isUnder(each, group.leader)) || isMarked(each, group.mark);
    if (isOurs || seen.get(each.pid) === each.started) members.add(each.pid);
  }
  let before: number;
  do {
    before = members.size;
    for (const each of living) if (members.has(each.parent)) members.add(each.pid);
  } while (members.size > before);
  for (const { pid, started } of living) if (members.has(pid)) seen.set(pid, started);
  return { living: [...members], isQuiet: living.every(({ isExiting }) => !isExiting) };
}

/** Ends a whole group: SIGTERM, then SIGKILL for the rest. Takes at most 1.5 s. */
export async function endGroup(group: ProcessGroup): Promise<void> {
  const seen: SeenProcesses = new Map();
  let living = livingMembers(group, seen);
  if (living.length === 0) return;
  signalGroup(group, "SIGTERM", living);
  signalGroup(group, "SIGCONT", living); // a stopped process would not handle the signal
  living = await waitForEnd(group, seen, TERM_GRACE_MS);
  const until = performance.now() + KILL_WAIT_MS_MAX;
  while (living.length > 0 && performance.now() < until) {
    signalGroup(group, "SIGKILL", living); // repeatedly: it may have forked in between
    living = await waitForEnd(group, seen, LOOK_AGAIN_MS);
  }
}

/**
 * Waits until no process younger than the leader is exiting, if all visible members have ended.
 *
 * The first process of a pid namespace loses its environment, and with it the mark, before it ends the others of the
 * namespace. Such a process cannot be assigned any more, so other exiting processes are waited for too: some
 * microseconds, and at most 0.5 s.
 */
export async function waitForExiting(group: ProcessGroup): Promise<void> {
  if (process.platform !== "linux" || group.mark === undefined) return;
  const until = performance.now() + KILL_WAIT_MS_MAX;
  while (candidates(group).some(({ isExiting }) => isExiting) && performance.now() < until)
    await Bun.sleep(1);
}

/** Signals the group and those of its members that have left it. */
export function signalGroup(
  group: ProcessGroup,
  signal: NodeJS.Signals,
  members: readonly number[] = livingMembers(group),
): void {
  if (members.length === 0) return;
  if (process.platform !== "linux") {
    send(-group.leader, signal);
    return;
  }
  const groups = new Map(members.map((pid) => [pid, processOf(pid)?.group]));
  // One call also reaches processes that are forked concurrently.
  if ([...groups.values()].includes(group.leader)) send(-group.leader, signal);
  for (const [pid, its] of groups) if (its !== group.leader) send(pid, signal);
}

async function waitForEnd(group: ProcessGroup, seen: SeenProcesses, ms: number): Promise<readonly number[]> {
  const until = performance.now() + ms;
  let living = livingMembers(group, seen);
  while (living.length > 0 && performance.now() < until) {
    await Bun.sleep(LOOK_AGAIN_MS);
    living = livingMembers(group, seen);
  }
  return living;
}

/** A living process of this machine. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Start time by the system's count: a reused id has another. */
  readonly started: string;
  /** True if it runs no more code, but still exists. */
  readonly isExiting: boolean;
}

function isUnder(each: Process, leader: number): boolean {
  return each.group === leader || each.session === leader;
}

function isMarked(each: Process, mark: string | undefined): boolean {
  return mark !== undefined && environmentHasEntry(each.pid, `${mark}\0`);
}

/**
 * Returns every living process that may belong to a group.
 *
 * Ids are assigned in order, so the members of a young leader have ids from its own to the newest. Reading one
 * process costs some microseconds, and listing all costs more. If few were started since, only those are read (an id
 * of a thread answers for its process). If another was started in between, its parent may be gone already, and all
 * are listed after all.
 */
function candidates({ leader, startedAtMs }: ProcessGroup): readonly Process[] {
  const isYoung = performance.now() - startedAtMs < YOUNG_MS;
  const newestBefore = lastPid();
  if (isYoung && newestBefore >= leader && newestBefore - leader < FEW_PIDS) {
    const few = processesOf(range(leader, newestBefore));
    if (lastPid() === newestBefore) return few;
  }
  const all = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
  const newest = lastPid(); // after the list, so that none in it is younger
  const isInOrder = isYoung && newest >= leader;
  return processesOf(isInOrder ? all.filter((pid) => pid >= leader && pid <= newest) : all);
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function lastPid(): number {
  return Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1));
}

function processesOf(pids: readonly number[]): readonly Process[] {
  return pids.flatMap((pid) => processOf(pid) ?? []);
}

/** Returns a living process (Linux); undefined if there is none, or it cannot be read. */
export function processOf(pid: number): Process | undefined {
  if (!existsSync(`/proc/${pid}`)) return undefined; // most often: an error for each would cost more than the look
  const stat = ifReadable(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  if (state === "Z" || state === "X") return undefined;
  const started = fields[STARTED_FIELD] ?? "";
  const isExiting = (Number(fields[FLAGS_FIELD]) & EXITING) !== 0;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), started, isExiting };
}

function groupAnswers(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === "EPERM";
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== "ESRCH" && code !== "EPERM") throw thrown; // already gone, or no longer killable by this user
  }
}
