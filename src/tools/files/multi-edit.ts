import { FILE_PATH } from "../arguments.ts";
import type { Tool } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { EditPlan } from "./edit.ts";
import { planEdits, runEdits } from "./edit.ts";
import type { Replacement } from "./replace.ts";

/** Several edits of one file, all or none (TOOL-01). */
export const multiEdit: Tool<EditPlan> = {
  name: "MultiEdit",
  description: "Several Edits of one file in order, all or none.",
  aliases: FILE_PATH,
  inputSchema: {
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
  },
  mutating: true,
  lazy: true,
  level: "WorkspaceWrite",
  async plan(input, context) {
    const { file_path, edits } = input as MultiEditInput;
    if (edits.length === 0) throw new ToolFailure("edits is empty: there is nothing to change");
    return await planEdits("MultiEdit", { file_path, edits, context });
  },
  run: runEdits,
};

interface MultiEditInput {
  readonly file_path: string;
  readonly edits: readonly Replacement[];
}
