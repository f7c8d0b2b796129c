import { messageOf } from "../../../base/errors.ts";
import { textOutput } from "../../../tools/output.ts";
import type { CallPlan, Tool, ToolOutput } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import type { EngineTool } from "./setup.ts";

interface InputPlan extends CallPlan {
  readonly input: unknown;
}

/** Returns a tool of the program as the engine takes it. */
export function engineTool(tool: EngineTool): Tool<InputPlan> {
  const { name, description, inputSchema, asks = false, mutating = true, lazy, msMax } = tool;
  return {
    name,
    description,
    inputSchema,
    mutating,
    level: "DangerFullAccess",
    autoAllowed: asks ? "never" : "always",
    ...(lazy === undefined ? {} : { lazy }),
    ...(msMax === undefined ? {} : { msMax }),
    plan: (input) => Promise.resolve({ summary: name, target: { kind: "none" }, input }),
    async run({ input }, { signal, session: sessionId, callId, turn, progress }) {
      try {
        return outputOf(name, await tool.execute(input, { signal, sessionId, callId, turn, progress }));
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        throw new ToolFailure(messageOf(thrown), { cause: thrown });
      }
    },
  };
}

function outputOf(name: string, returned: unknown): ToolOutput {
  if (typeof returned === "string") return textOutput(returned);
  const content: unknown =
    typeof returned === "object" && returned !== null && Reflect.get(returned, "content");
  if (Array.isArray(content)) return returned as ToolOutput;
  const found = returned === null ? "null" : typeof returned;
  throw new ToolFailure(`${name} answered with ${found}, not with a string`);
}
