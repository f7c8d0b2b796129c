import type { ToolSource } from "../tool.ts";
import { edit } from "./edit.ts";
import { ls } from "./ls.ts";
import { multiEdit } from "./multi-edit.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

/** The tools that cinch brings itself, always in this order: it is part of the cached prefix of every request. */
export function builtinTools(): ToolSource {
  return { name: "builtin", tools: () => [read, write, edit, multiEdit, ls] };
}
