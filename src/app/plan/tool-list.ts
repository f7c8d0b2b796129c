import type { Feature } from "../../session/feature.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { toolTable } from "../../tools/tool-facts.ts";
import { CALL_TOOL_FACTS, TOOL_SEARCH_FACTS } from "../../tools/tool-search.ts";
import { FEATURES } from "../features.ts";
import { BUILTIN_FACTS } from "../session/chains/builtins.ts";

/**
 * Returns the facts of every tool that cinch itself can have: the built-in ones, and those of these features. The
 * order is that in which messages list the names.
 */
export function toolsWith(features: readonly Feature[]): ToolTable {
  return toolTable([
    BUILTIN_FACTS,
    ...features.map(({ tools = [] }) => tools),
    [TOOL_SEARCH_FACTS, CALL_TOOL_FACTS],
  ]);
}

/** The tools of the program with all its features. */
export const TOOLS: ToolTable = toolsWith(FEATURES);
