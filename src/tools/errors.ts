import { errorsOf } from "../base/reasons.ts";

/** Refusals and failures of `tools/`, with their texts for people. */
export const ERRORS = errorsOf({
  ToolNameTaken:
    "The tool name '<name>' is used by both <first> and <second>. Rename one of them, or leave one source out.",
  ToolInvalid: "The tool '<name>' of <source> cannot be used: <problem>",
  FileChanged:
    "<path> changed after the question about it, so nothing was written. Read it again, and propose the change for its new content.",
  UnknownToolPack: "There is no tool pack '<name>'. Known: <known>.",
});
