import { messageOf } from "../../base/errors.ts";
import { textOutput } from "../../tools/output.ts";
import type { CallPlan, Tool } from "../../tools/tool.ts";
import { ToolFailure } from "../../tools/tool.ts";
import type { HarnessTool } from "./embedder.ts";

/** An embedder's tool as the engine takes it. What it may do is the embedder's affair; it counts as mutating. */
export function embeddedTool(tool: HarnessTool): Tool<EmbeddedPlan> {
  const { name, description, inputSchema, lazy } = tool;
  return {
    name,
    description,
    inputSchema,
    mutating: true,
    level: "DangerFullAccess",
    ...(lazy === undefined ? {} : { lazy }),
    plan: (input) => Promise.resolve({ summary: name, target: { kind: "none" }, input }),
    async run({ input }, { signal }) {
      try {
        const text: unknown = await tool.execute(input, { signal });
        if (typeof text === "string") return textOutput(text);
        throw new ToolFailure(
          `${name} answered with ${text === null ? "null" : typeof text}, not with a string`,
        );
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        throw new ToolFailure(messageOf(thrown), { cause: thrown });
      }
    },
  };
}

interface EmbeddedPlan extends CallPlan {
  readonly input: unknown;
}
