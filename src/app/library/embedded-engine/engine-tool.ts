import { defined } from "../../../base/defined.ts";
import { messageOf } from "../../../base/errors.ts";
import { convertOutput } from "../../../tools/chain/foreign-output.ts";
import type { CallPlan, Tool } from "../../../tools/tool.ts";
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
    ...defined({ lazy, msMax }),
    plan: (input) => Promise.resolve({ summary: name, target: { kind: "none" }, input }),
    async run({ input }, { signal, session: sessionId, callId, turn, progress }) {
      try {
        const call = { signal, sessionId, callId, turn, progress: (text: string) => progress(`${text}`) };
        return convertOutput(await tool.execute(input, call));
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        throw new ToolFailure(messageOf(thrown), { cause: thrown });
      }
    },
  };
}
