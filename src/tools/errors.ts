import { errorsOf } from "../base/reasons.ts";

/** Refusals and failures of `tools/`, with their texts for people. */
export const ERRORS = errorsOf({
  ToolNameTaken:
    "The tool name '<name>' is used by both <first> and <second>. Rename one of them, or leave one source out.",
  ToolInvalid: "The tool '<name>' of <source> cannot be used: <problem>",
  UnknownToolPack: "There is no tool pack '<name>'. Known: <known>.",
});
