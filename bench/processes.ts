import { dlopen, FFIType, ptr } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";

/** Units in which Linux reports the usage of processes. */
const CLOCK_TICKS_PER_SECOND = 100;
const KIB = 1024;

const libc = dlopen("libc.so.6", {
  clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
});
const time = new BigInt64Array(2);

const MONOTONIC = 1;

/** Nanoseconds of the clock that all processes of the machine share; the runtime's own begins anew in each. */
export function nowNs(): number {
  if (libc.symbols.clock_gettime(MONOTONIC, ptr(time)) !== 0) throw new Error("the clock cannot be read");
  return Number(time[0]) * 1e9 + Number(time[1]);
}

/** Milliseconds of processor time, user and system, that a process has used so far, its ended children included. */
export function cpuMs(pid: number): number {
  return ownCpuMs(pid) + endedChildrenCpuMs(pid);
}

/** The same for a process and all its living descendants. */
export function treeCpuMs(pid: number): number {
  return treeOf(pid).reduce((sum, member) => sum + cpuMs(member), 0);
}

/** The processor clock of a process counts nanoseconds, where /proc counts hundredths of a second. */
function ownCpuMs(pid: number): number {
  const clock = (~pid << 3) | 2;
  if (libc.symbols.clock_gettime(clock, ptr(time)) !== 0) throw new Error(`process ${pid} is gone`);
  return Number(time[0]) * 1e3 + Number(time[1]) / 1e6;
}

function endedChildrenCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[13]) + Number(fields[14]);
  return (ticks * 1e3) / CLOCK_TICKS_PER_SECOND;
}

/** Bytes of memory of a process and all its descendants; pages that several share are divided among them (PSS). */
export function treePssBytes(pid: number): number {
  return treeOf(pid).reduce((sum, member) => sum + pssBytes(member), 0);
}

/** The same for one process. */
export function pssBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? Number.NaN) * KIB;
}

/** A process and all its living descendants. */
export function treeOf(pid: number): readonly number[] {
  const threads = unlessEnded(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const children = threads.flatMap((thread) =>
    (unlessEnded(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1")) ?? "")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
  return [pid, ...children.flatMap(treeOf)];
}

/** Reads a file of a process or thread; undefined if it has ended meanwhile. */
export function unlessEnded<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw thrown;
  }
}
