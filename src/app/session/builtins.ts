import type { BackgroundRuns } from "../../tools/bash/background-runs.ts";
import { bashTools } from "../../tools/bash/bash.ts";
import { edit } from "../../tools/files/edit.ts";
import { multiEdit } from "../../tools/files/multi-edit.ts";
import { read } from "../../tools/files/read.ts";
import { write } from "../../tools/files/write.ts";
import { glob } from "../../tools/search/glob.ts";
import { grep } from "../../tools/search/grep.ts";
import { ls } from "../../tools/search/ls.ts";
import type { RipgrepPath } from "../../tools/search/ripgrep.ts";
import { todoWrite } from "../../tools/todo/todo.ts";
import type { ToolSource } from "../../tools/tool.ts";
import { webFetch } from "../../tools/web/web-fetch.ts";

/** What the tools of one session need from outside. */
export interface BuiltinParts {
  /** Of this session alone; whoever made it disposes it when the session ends. */
  readonly runs: BackgroundRuns;
  readonly ripgrep: RipgrepPath;
}

/** The tools that cinch brings itself, always in this order: it is part of the cached prefix of every request. */
export function builtinTools({ runs, ripgrep }: BuiltinParts): ToolSource {
  const files = [read, write, edit, multiEdit];
  const tools = [...files, ...bashTools(runs), grep(ripgrep), glob(ripgrep), ls, todoWrite, webFetch()];
  return { name: "builtin", tools: () => tools };
}
