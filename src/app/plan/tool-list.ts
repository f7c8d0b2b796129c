import type { ToolTable } from "../../tools/tool-facts.ts";
import { toolTable } from "../../tools/tool-facts.ts";
import { CALL_TOOL_FACTS, TOOL_SEARCH_FACTS } from "../../tools/tool-search.ts";
import { FEATURES } from "../features.ts";
import { BUILTIN_FACTS } from "../session/chains/builtins.ts";

/**
 * Facts of every tool that cinch itself can have: the built-in ones, and those of features. The order is that in which
 * messages list the names.
 */
export const TOOLS: ToolTable = toolTable([
  BUILTIN_FACTS,
  ...FEATURES.map(({ tools = [] }) => tools),
  [TOOL_SEARCH_FACTS, CALL_TOOL_FACTS],
]);
