import { MCP_TOOLS } from "../../features/mcp/tools.ts";
import { PLAN_MODE_TOOLS } from "../../features/plan-mode/tools.ts";
import { SKILL_TOOLS } from "../../features/skills/tools.ts";
import { AGENT_TOOLS } from "../../features/subagents/tools.ts";
import { TASK_TOOLS } from "../../features/tasks/tools.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { toolTable } from "../../tools/tool-facts.ts";
import { CALL_TOOL_FACTS, TOOL_SEARCH_FACTS } from "../../tools/tool-search.ts";
import { FEATURES } from "../features.ts";
import { BUILTIN_FACTS } from "../session/chains/builtins.ts";

/**
 * Facts of every tool that cinch itself can have: the built-in ones, and those that features declare. The order is that in
 * which messages list the names.
 */
export const TOOLS: ToolTable = toolTable([
  ...new Set([
    BUILTIN_FACTS,
    PLAN_MODE_TOOLS,
    TASK_TOOLS,
    AGENT_TOOLS,
    SKILL_TOOLS,
    MCP_TOOLS,
    [TOOL_SEARCH_FACTS, CALL_TOOL_FACTS],
    ...FEATURES.map(({ tools = [] }) => tools),
  ]),
]);
