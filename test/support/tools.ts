import type { CallPlan, Tool, ToolContext, ToolOutput } from "../../src/tools/tool.ts";

const NOTHING: CallPlan = { summary: "Probe", target: { kind: "none" } };

/** A tool of a test: does nothing, unless told what. */
export function probe(
  parts: Partial<Omit<Tool, "run">> & {
    run?: (context: ToolContext) => Promise<ToolOutput> | ToolOutput;
  } = {},
): Tool {
  const { run = () => ({ content: [] }), ...rest } = parts;
  return {
    name: "Probe",
    description: "Does what a test wants.",
    inputSchema: { type: "object" },
    mutating: false,
    level: "ReadOnly",
    plan: () => Promise.resolve(NOTHING),
    ...rest,
    run: async (_plan, context) => await run(context),
  };
}
