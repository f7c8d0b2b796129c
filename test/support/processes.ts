import { readdirSync, readFileSync } from "node:fs";
import { codeOf } from "../../src/base/world.ts";
import { until } from "./until.ts";

/** The ids of the processes of this machine whose command line holds a text; zombies have none. Linux. */
export function processesWith(text: string): readonly number[] {
  return processIds().filter((pid) => readProc(pid, "cmdline").includes(text));
}

/**
 * Waits until at least a number of processes have a text in their command line. While the kernel gives a process its
 * program, that line is empty, so one look may miss a process that runs.
 */
export async function someWith(text: string, count = 1): Promise<void> {
  await until(`${count} processes have ${JSON.stringify(text)}`, () => processesWith(text).length >= count);
}

/** Waits until no process has a text in its command line: one that was ended may be on its way out yet. */
export async function noneWith(text: string): Promise<void> {
  await until(`no process has ${JSON.stringify(text)}`, () => processesWith(text).length === 0);
}

/** Returns true for a process that is no zombie, which only its parent or heir can reap. Linux only. */
export function isRunning(pid: number): boolean {
  const stat = readProc(pid, "stat");
  const [state = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state !== "" && state !== "Z" && state !== "X";
}

/** Sends a signal to a process (a negative id: to its group) and does nothing if it has ended already. */
export function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (thrown) {
    if (codeOf(thrown) !== "ESRCH") throw thrown;
  }
}

/**
 * Ends the processes that have a text in their command line, such as an engine whose turn goes on when its terminal is
 * gone: it would run on beside the tests that follow.
 */
export async function endAllWith(text: string): Promise<void> {
  for (const pid of processesWith(text)) {
    signalIfRunning(pid, "SIGTERM");
    signalIfRunning(pid, "SIGCONT"); // a stopped one ends once it goes on
  }
  try {
    await noneWith(text);
  } catch {
    for (const pid of processesWith(text)) signalIfRunning(pid, "SIGKILL");
    throw new Error(`processes of ${text} ignored SIGTERM, and were killed`);
  }
}

/** The ids of children of a process that have ended and were never waited for. */
export function zombiesOf(parentId: number): readonly number[] {
  return childrenOf(parentId, (state) => state === "Z");
}

/** Waits until a process has a child with a text in its command line. */
export async function someChildWith(parentId: number, text: string): Promise<void> {
  await until(`${parentId} has a child with ${JSON.stringify(text)}`, () =>
    childrenOf(parentId).some((pid) => readProc(pid, "cmdline").includes(text)),
  );
}

/** The ids of children whose state is one of those that are meant. State and parent come from one read. */
function childrenOf(parentId: number, isMeant: (state: string) => boolean = () => true): readonly number[] {
  return processIds().filter((pid) => {
    const stat = readProc(pid, "stat");
    const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(parent) === parentId && isMeant(state);
  });
}

/** The number of open files of this process. */
export function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}

function processIds(): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0);
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return ""; // ended meanwhile
  }
}
