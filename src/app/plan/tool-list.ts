import { MCP_TOOLS } from "../../features/mcp/tools.ts";
import { PLAN_MODE_TOOLS } from "../../features/plan-mode/tools.ts";
import { SKILL_TOOLS } from "../../features/skills/tools.ts";
import { AGENT_TOOLS } from "../../features/subagents/tools.ts";
import { TASK_TOOLS } from "../../features/tasks/tools.ts";
import { BASH_FACTS } from "../../tools/bash/bash.ts";
import { BASH_TASK_FACTS } from "../../tools/bash/bash-task.ts";
import { EDIT_FACTS } from "../../tools/files/edit.ts";
import { MULTI_EDIT_FACTS } from "../../tools/files/multi-edit.ts";
import { READ_FACTS } from "../../tools/files/read.ts";
import { WRITE_FACTS } from "../../tools/files/write.ts";
import { GLOB_FACTS } from "../../tools/search/glob.ts";
import { GREP_FACTS } from "../../tools/search/grep.ts";
import { LS_FACTS } from "../../tools/search/ls.ts";
import { TODO_WRITE_FACTS } from "../../tools/todo/todo.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { toolTable } from "../../tools/tool-facts.ts";
import { CALL_TOOL_FACTS, TOOL_SEARCH_FACTS } from "../../tools/tool-search.ts";
import { WEB_FETCH_FACTS } from "../../tools/web/web-fetch.ts";
import { FEATURES } from "../features.ts";

const FILES = [READ_FACTS, WRITE_FACTS, EDIT_FACTS, MULTI_EDIT_FACTS, GLOB_FACTS, LS_FACTS, GREP_FACTS];

/**
 * Facts of every tool that cinch itself can have: the built-in ones, and those that features declare. The order is that in
 * which messages list the names.
 */
export const TOOLS: ToolTable = toolTable([
  ...new Set([
    FILES,
    [BASH_FACTS, BASH_TASK_FACTS],
    [TODO_WRITE_FACTS],
    PLAN_MODE_TOOLS,
    TASK_TOOLS,
    [WEB_FETCH_FACTS],
    AGENT_TOOLS,
    SKILL_TOOLS,
    MCP_TOOLS,
    [TOOL_SEARCH_FACTS, CALL_TOOL_FACTS],
    ...FEATURES.map(({ tools = [] }) => tools),
  ]),
]);
