import { readFileSync } from "node:fs";

/** Lines of `/proc/self/status` that say what the kernel lets a process and its children do. */
const RIGHTS = /^(Groups|Cap(?:Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp|Cpus_allowed):(.*)$/gm;
/** Position of the nice value in `/proc/self/stat`, behind the name of the program. */
const NICE_FIELD = 16;

/**
 * Returns the rights and limits that commands inherit from this process, each with its name: groups, capabilities,
 * filters, processors, priority and resource limits. An engine that has others would run a command with more or less
 * than its caller has. Control groups are left out: each terminal has its own. Empty on a system without `/proc`.
 */
export function processRights(): readonly (readonly [string, string])[] {
  const stat = textAt("/proc/self/stat");
  return [
    ...textAt("/proc/self/status")
      .matchAll(RIGHTS)
      .map(([, name = "", value = ""]) => [name, value] as const),
    ["the priority", stat.slice(stat.lastIndexOf(")") + 2).split(" ")[NICE_FIELD] ?? ""],
    ["the resource limits", textAt("/proc/self/limits")],
    ["the security label", textAt("/proc/self/attr/current")],
  ];
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // the system has no such file, or no security module
  }
}
