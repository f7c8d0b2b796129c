import type { InputOf } from "../arguments.ts";
import { FILE_PATH } from "../arguments.ts";
import type { Tool } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
import type { EditPlan } from "./edit.ts";
import { planEdits, runEdits } from "./edit.ts";

export const MULTI_EDIT_FACTS: ToolFacts = {
  name: "MultiEdit",
  packs: ["fs"],
  effect: "writes-files",
  subject: "file_path",
  mutating: true,
  level: "WorkspaceWrite",
  autoAllowed: "never",
  output: "own",
  kind: "edit",
  preview: { path: "file_path", each: "edits", old: "old_string", new: "new_string", all: "replace_all" },
  inSubAgents: "granted",
};

const INPUT = {
  type: "object",
  properties: {
    file_path: { type: "string" },
    edits: {
      type: "array",
      items: {
        type: "object",
        properties: {
          old_string: { type: "string" },
          new_string: { type: "string" },
          replace_all: { type: "boolean" },
        },
        required: ["old_string", "new_string"],
      },
    },
  },
  required: ["file_path", "edits"],
} as const;

/** Applies several edits to one file, all or none (TOOL-01). */
export const multiEditTool: Tool<EditPlan> = {
  ...MULTI_EDIT_FACTS,
  description: "Several Edits of one file in order, all or none.",
  aliases: FILE_PATH,
  inputSchema: INPUT,
  lazy: true,
  async plan(input, context) {
    const { file_path, edits } = input as InputOf<typeof INPUT>;
    if (edits.length === 0) throw new ToolFailure("edits is empty: there is nothing to change");
    return await planEdits("MultiEdit", { file_path, edits, context });
  },
  run: runEdits,
};
