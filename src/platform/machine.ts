import { readFileSync } from "node:fs";
import type { Machine } from "../base/world.ts";
import { codeOf } from "../base/world.ts";
import { endMarked } from "./processes/marked-processes.ts";

/** Returns this machine and this process. */
export function hostMachine(): Machine {
  return {
    platform: process.platform === "darwin" || process.platform === "win32" ? process.platform : "linux",
    ...(process.arch === "x64" || process.arch === "arm64" ? { arch: process.arch } : {}),
    pid: process.pid,
    processStart: startOf(process.pid) ?? "",
    isAlive,
    ...(process.platform === "linux" ? { endMarked: (name, value) => endMarked(name, value) } : {}),
  };
}

function isAlive(pid: number, processStart: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (codeOf(thrown) === "ESRCH") return false; // EPERM: it lives, as another user
  }
  const start = startOf(pid);
  return start === undefined ? processStart === "" || !hasProc() : start === processStart;
}

/**
 * Returns the start of a process in ticks since boot, with the boot's id: the pair identifies a process for ever.
 *
 * Undefined for a zombie, which still answers signals but does nothing, and without /proc.
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    return `${bootId()}:${fields[19]}`;
  } catch {
    return undefined; // no such process, or no /proc on this platform
  }
}

function hasProc(): boolean {
  return startOf(process.pid) !== undefined;
}

function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim().slice(0, 8);
}
