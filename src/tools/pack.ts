import { HarnessError } from "../base/errors.ts";
import type { ToolSource } from "./tool.ts";

/**
 * Named groups of built-in tools, as profiles list them in `tool_packs` (TOOL-07).
 *
 * A pack names every tool that belongs to it; one that this build does not have is left out.
 */
const PACKS: ReadonlyMap<string, readonly string[]> = new Map([
  ["fs", ["Read", "Write", "Edit", "MultiEdit", "Glob", "Ls"]],
  ["search", ["Grep", "Glob"]],
  ["shell", ["Bash", "BashTask"]],
  ["git", ["Bash", "BashTask"]],
  ["plan", ["TodoWrite", "EnterPlanMode", "ExitPlanMode"]],
  ["tasks", ["TodoWrite", "ScheduleTask"]],
  ["web", ["WebFetch"]],
  ["agents", ["Agent", "Delegate"]],
  ["memory", ["MemoryRead", "MemoryWrite", "MemoryForget"]],
  ["skills", ["Skill", "SkillWrite"]],
]);

/** The pack that holds every built-in tool. */
const ALL = "builtin";

export const PACK_NAMES: readonly string[] = [ALL, ...PACKS.keys()];

/** The names of all tools that belong to a pack, whether this build has them or not. */
export const PACKED_TOOLS: readonly string[] = [...new Set([...PACKS.values()].flat())];

/** Those that a session has only with servers of MCP, and that belong to no pack. */
const TOOLS_OF_SERVERS = ["ListMcpResources", "ReadMcpResource"];

/** The tools that rules and hooks may name, beside those of servers and plugins. */
export const NAMED_TOOLS: readonly string[] = [...PACKED_TOOLS, ...TOOLS_OF_SERVERS];

/**
 * The same source with only the tools of these packs, in the source's own order.
 *
 * @throws HarnessError UnknownToolPack
 */
export function withPacks(source: ToolSource, packs: readonly string[]): ToolSource {
  if (packs.includes(ALL)) return source;
  const names = new Set(packs.flatMap(toolsOf));
  return { name: source.name, tools: () => source.tools().filter((tool) => names.has(tool.name)) };
}

function toolsOf(pack: string): readonly string[] {
  const names = PACKS.get(pack);
  if (names === undefined) {
    throw new HarnessError("UnknownToolPack", { name: pack, known: PACK_NAMES.join(", ") });
  }
  return names;
}
