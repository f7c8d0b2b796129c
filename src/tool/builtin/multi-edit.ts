import type { Tool } from "../tool.ts";
import type { EditPlan } from "./edit.ts";
import { planEdits, runEdits } from "./edit.ts";
import type { Replacement } from "./replace.ts";

/** Several edits of one file, all or none (TOOL-01). */
export const multiEdit: Tool<EditPlan> = {
  name: "MultiEdit",
  description: "Makes several edits of one file, one after the other; all or none.",
  inputSchema: {
    type: "object",
    properties: {
      file_path: { type: "string" },
      edits: {
        type: "array",
        minItems: 1,
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
  level: "WorkspaceWrite",
  plan(input, context) {
    const { file_path, edits } = input as {
      readonly file_path: string;
      readonly edits: readonly Replacement[];
    };
    return planEdits("MultiEdit", { file_path, edits, context });
  },
  run: runEdits,
};
