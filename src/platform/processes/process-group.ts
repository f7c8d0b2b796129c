import { readdirSync, readFileSync } from "node:fs";
import { codeOf } from "../../base/world.ts";
import { carries, ifReadable } from "./process-environment.ts";

/** How long the processes of a group may take to end by themselves after SIGTERM. */
export const TERM_GRACE_MS = 1_000;
/** How long the kernel may take to remove them after SIGKILL, before nobody waits any more. */
export const KILL_WAIT_MS_MAX = 500;
const LOOK_AGAIN_MS = 5;

/** A leader younger than this has children with higher ids only, unless the ids began anew meanwhile. */
const YOUNG_MS = 10_000;

/** So many ids are looked up one by one rather than in a list of all processes. */
const FEW_PIDS = 16;

/** Where `/proc/PID/stat` has the flags of the kernel and the time of the start, counted from the state. */
const FLAGS_FIELD = 6;
const STARTED_FIELD = 19;
/** Of these flags: it is on its way out (`PF_EXITING`). */
const EXITING = 4;

/** All processes that one child of ours has started, as far as this machine tells. */
export interface ProcessGroup {
  /** Id of the leader, which is also the id of its group and of its session. */
  readonly leader: number;
  readonly startedAtMs: number;
  /** `NAME=value` in the environment of every process that belongs to it. */
  readonly mark?: string;
  /** Whether the leader has been seen to its end. Its id may then be another's, which the group must not be taken for. */
  hasExited?(): boolean;
}

/**
 * What was seen of a group while it was being ended: ids, and when each was started. The death of its parent takes the
 * last tie of a process that has left the group, and it must not be forgotten for that.
 */
type Seen = Map<number, string>;

/**
 * The ids of the processes that still live, without zombies; the leader is among them while it runs.
 *
 * On Linux these are: the group, the session (jobs of a shell have groups of their own), children of any of them, and
 * whoever carries the mark in its environment, which finds those that made a session of their own. A process that did
 * that, lost its parent and was started with another environment is found only where it was `seen` before: only the pid
 * namespace of a sandbox ends the others. Elsewhere only the group can be seen, and is told by its leader's id alone.
 */
export function livingMembers(group: ProcessGroup, seen: Seen = new Map()): readonly number[] {
  if (process.platform !== "linux") return groupAnswers(group.leader) ? [group.leader] : [];
  const living = candidates(group);
  // An id is given anew only once no group and no session bears it: then all that did has ended.
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
  return [...members];
}

/** Ends a whole group: a polite signal, then, for what is left of it, the other one. Takes at most 1.5 s. */
export async function endGroup(group: ProcessGroup): Promise<void> {
  const seen: Seen = new Map();
  let living = livingMembers(group, seen);
  if (living.length === 0) return;
  signalGroup(group, "SIGTERM", living);
  signalGroup(group, "SIGCONT", living); // a stopped process would not read its mail
  living = await waitForEnd(group, seen, TERM_GRACE_MS);
  const until = performance.now() + KILL_WAIT_MS_MAX;
  while (living.length > 0 && performance.now() < until) {
    signalGroup(group, "SIGKILL", living); // again and again: it may have forked in between
    living = await waitForEnd(group, seen, LOOK_AGAIN_MS);
  }
}

/**
 * Waits until nobody younger than the leader is on his way out, where all members have ended as far as can be seen.
 *
 * The first process of a pid namespace loses its environment, and with it the mark, before it takes the others of the
 * namespace with it. Whose such a process is cannot be told any more, so the leaving of others is waited for, too: some
 * microseconds, and at most 0.5 s.
 */
export async function lastOnesGone(group: ProcessGroup): Promise<void> {
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
  // One call reaches whoever is forked meanwhile, too.
  if ([...groups.values()].includes(group.leader)) send(-group.leader, signal);
  for (const [pid, its] of groups) if (its !== group.leader) send(pid, signal);
}

async function waitForEnd(group: ProcessGroup, seen: Seen, ms: number): Promise<readonly number[]> {
  const until = performance.now() + ms;
  let living = livingMembers(group, seen);
  while (living.length > 0 && performance.now() < until) {
    await Bun.sleep(LOOK_AGAIN_MS);
    living = livingMembers(group, seen);
  }
  return living;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it was started, as the system counts: an id that was given anew has another. */
  readonly started: string;
  /** It runs no code of its own any more, but is not gone. */
  readonly isExiting: boolean;
}

function isUnder(each: Process, leader: number): boolean {
  return each.group === leader || each.session === leader;
}

function isMarked(each: Process, mark: string | undefined): boolean {
  return mark !== undefined && carries(each.pid, `${mark}\0`);
}

/**
 * Every process that may belong to a group, as far as it lives.
 *
 * Ids are given in order, so while a leader is young its members have those from its own to the newest. Reading one
 * process costs some microseconds, and a list of all some more, so where next to nothing was started since, just that is
 * looked at (an id of a thread answers for its process); where something was started meanwhile, its parent may be gone
 * already, and the list is made after all.
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
  const newest = lastPid(); // after the list, so that nobody in it is younger
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

function processOf(pid: number): Process | undefined {
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
    if (code !== "ESRCH" && code !== "EPERM") throw thrown; // gone already, or no longer ours to end
  }
}
