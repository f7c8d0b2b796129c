import type { BackgroundRuns } from "../../../tools/bash/background-runs.ts";
import { BASH_FACTS, bashTools } from "../../../tools/bash/bash.ts";
import { BASH_TASK_FACTS } from "../../../tools/bash/bash-task.ts";
import { EDIT_FACTS, editTool } from "../../../tools/files/edit.ts";
import { MULTI_EDIT_FACTS, multiEditTool } from "../../../tools/files/multi-edit.ts";
import { READ_FACTS, readTool } from "../../../tools/files/read.ts";
import { WRITE_FACTS, writeTool } from "../../../tools/files/write.ts";
import { GLOB_FACTS, globTool } from "../../../tools/search/glob.ts";
import { GREP_FACTS, grepTool } from "../../../tools/search/grep.ts";
import { LS_FACTS, lsTool } from "../../../tools/search/ls.ts";
import type { RipgrepPath } from "../../../tools/search/ripgrep.ts";
import { TODO_WRITE_FACTS, todoWriteTool } from "../../../tools/todo/todo.ts";
import type { ToolSource } from "../../../tools/tool.ts";
import type { ToolFacts } from "../../../tools/tool-facts.ts";
import { WEB_FETCH_FACTS, webFetchTool } from "../../../tools/web/web-fetch.ts";

/** Dependencies of one session's tools. */
export interface BuiltinDependencies {
  /** Runs of this session alone; the caller disposes them when the session ends. */
  readonly runs: BackgroundRuns;
  readonly ripgrep: RipgrepPath;
}

/** Returns the built-in tools, always in this order: it is part of the cached prefix of every request. */
export function builtinTools({ runs, ripgrep }: BuiltinDependencies): ToolSource {
  const files = [readTool, writeTool, editTool, multiEditTool];
  const tools = [
    ...files,
    ...bashTools(runs),
    grepTool(ripgrep),
    globTool(ripgrep),
    lsTool,
    todoWriteTool,
    webFetchTool(),
  ];
  return { name: "builtin", tools: () => tools };
}

/** Facts of the same tools. */
export const BUILTIN_FACTS: readonly ToolFacts[] = [
  ...[READ_FACTS, WRITE_FACTS, EDIT_FACTS, MULTI_EDIT_FACTS, GLOB_FACTS, LS_FACTS, GREP_FACTS],
  ...[BASH_FACTS, BASH_TASK_FACTS, TODO_WRITE_FACTS, WEB_FETCH_FACTS],
];
