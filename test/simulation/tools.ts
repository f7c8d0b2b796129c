import type { CallId } from "../../src/base/ids.ts";
import { errorOutput, textOutput } from "../../src/tools/output.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput } from "../../src/tools/tool.ts";
import { ToolFailure } from "../../src/tools/tool.ts";
import type { Chance } from "../support/chance.ts";
import type { SimProcess } from "./scheduler.ts";

/** `Nowhere` is a tool that there is not. */
export const SIM_TOOLS = ["Look", "Look", "Edit", "Edit", "TodoWrite", "Sleepy", "Nowhere"] as const;

/** Long enough that a few of them fill a small window. */
const SIGHT = "a line of a file that was looked at\n".repeat(30);

/** Longer than a call may take: the time limit ends it. */
const SLEEP_MS = 1_000_000;

/** Effects of tools on the outside world, which outlive every process and are never undone. */
export class Outside {
  readonly effects = new Map<CallId, number>();
  /** A provider has said that a request was too long although it was not: from then on less may be kept. */
  overflowed = false;

  change(callId: CallId): void {
    this.effects.set(callId, (this.effects.get(callId) ?? 0) + 1);
  }
}

export interface ToolSurroundings {
  readonly process: SimProcess;
  readonly chance: Chance;
  readonly outside: Outside;
}

/** One that reads, one that changes the world, one that notes what is open, one that never ends by itself. */
export function simTools({ process, chance, outside }: ToolSurroundings): readonly Tool[] {
  return [
    tool("Look", false, async (context) => {
      await process.pause("tool: look", context.signal);
      context.progress("looking ");
      if (chance.happens(0.1)) throw new ToolFailure("there is nothing to see");
      return textOutput(SIGHT);
    }),
    tool("Edit", true, async (context) => {
      await process.pause("tool: change begins", context.signal);
      if (chance.happens(0.1)) return errorOutput("it cannot be changed");
      outside.change(context.callId);
      await process.pause("tool: change was made");
      return textOutput("changed");
    }),
    tool("TodoWrite", false, async () => textOutput("noted")),
    tool("Sleepy", false, async (context) => {
      if (chance.happens(0.5)) await process.clock.sleep(SLEEP_MS, context.signal);
      return textOutput("awake");
    }),
  ];
}

function tool(name: string, mutating: boolean, run: (context: ToolContext) => Promise<ToolOutput>): Tool {
  return {
    name,
    description: `does ${name}`,
    inputSchema: { type: "object" },
    mutating,
    level: mutating ? "WorkspaceWrite" : "ReadOnly",
    plan: (): Promise<CallPlan> => Promise.resolve({ summary: name, target: { kind: "none" } }),
    run: (_plan, context) => run(context),
  };
}

/** Returns the model's input for a tool: a file to change, an open task, or a number. */
export function simInput(name: string, number: number): Readonly<Record<string, unknown>> {
  const task = `task ${number}`;
  if (name === "Edit") return { file_path: `/src/file-${number}.ts` };
  if (name === "TodoWrite") return { task, todos: [{ content: task, status: "pending" }] };
  return { n: number };
}
