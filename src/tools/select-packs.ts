import { HarnessError } from "../base/errors.ts";
import type { Tool, ToolSource } from "./tool.ts";
import type { ToolPack } from "./tool-facts.ts";
import { TOOL_PACKS } from "./tool-facts.ts";

/** The pack of every built-in tool. */
const ALL = "builtin";

export const PACK_NAMES: readonly string[] = [ALL, ...TOOL_PACKS];

/**
 * Returns the same source with only the tools of these packs, in the source's order.
 *
 * @throws HarnessError UnknownToolPack
 */
export function selectPacks(source: ToolSource, packs: readonly string[]): ToolSource {
  if (packs.includes(ALL)) return source;
  const known = packs.map(knownPack);
  return {
    name: source.name,
    tools: () => source.tools().filter((tool) => isInPacks(tool, known)),
  };
}

/**
 * Returns true for a tool of one of these packs.
 * @throws HarnessError UnknownToolPack
 */
export function isInPacks({ packs: own = [] }: Pick<Tool, "packs">, packs: readonly string[]): boolean {
  return packs.includes(ALL) || packs.map(knownPack).some((pack) => own.includes(pack));
}

function knownPack(name: string): ToolPack {
  const pack = TOOL_PACKS.find((each) => each === name);
  if (pack === undefined) throw new HarnessError("UnknownToolPack", { name, known: PACK_NAMES.join(", ") });
  return pack;
}
