import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Files } from "../../src/base/world.ts";
import type { Event } from "../../src/protocol/events/events.ts";
import { catchFailures } from "../../src/tools/chain/catch-failures.ts";
import { validate } from "../../src/tools/chain/validate.ts";
import type { ToolCall, ToolHandler, ToolMiddleware } from "../../src/tools/middleware.ts";
import { chainTool } from "../../src/tools/middleware.ts";
import type { Tool, ToolContext, ToolOutput, Workspace } from "../../src/tools/tool.ts";
import type { TestWorld } from "./world.ts";
import { temporaryDirectory, testWorld } from "./world.ts";

/** A workspace of real files and what it takes to call tools in it, as a session would. */
export interface ToolRig extends AsyncDisposable {
  readonly world: TestWorld;
  readonly workspace: Workspace;
  readonly root: string;
  /** Beside the workspace, not in it. */
  readonly outside: string;
  readonly events: Event[];
  readonly cancel: AbortController;
  readonly context: ToolContext;
  callOf(tool: Tool, input: unknown): ToolCall;
  /** Validates, plans and runs one call, with further middleware in between. */
  run(tool: Tool, input: unknown, middleware?: readonly ToolMiddleware[]): Promise<ToolOutput>;
  /** The same, as the text that the model sees; a failure begins with "error: ". */
  text(tool: Tool, input: unknown, middleware?: readonly ToolMiddleware[]): Promise<string>;
}

/** Runs a call that was planned: what stands innermost in every chain. */
export const runPlanned: ToolHandler = (call, context) => {
  if (call.plan === undefined) return Promise.reject(new Error("the call was not planned"));
  return call.tool.run(call.plan, context);
};

export interface ToolRigParts {
  readonly env?: Workspace["env"];
  /** Added to the partial outputs that calls show, in order. */
  readonly progress?: string[];
  /** Parent folder of the rig's directories. Default: the machine's temporary folder. */
  readonly parent?: string;
}

export function openToolRig(
  files: Partial<Files> = {},
  { env = {}, progress, parent }: ToolRigParts = {},
): ToolRig {
  const directory = temporaryDirectory("cinch-test-", parent);
  const [root, outside, scratch] = ["workspace", "outside", "scratch"].map((name) =>
    join(directory.path, name),
  );
  if (root === undefined || outside === undefined || scratch === undefined) throw new Error("three names");
  mkdirSync(root);
  mkdirSync(outside);
  const real = testWorld();
  const world: TestWorld = { ...real, files: { ...real.files, ...files } };
  const events: Event[] = [];
  const cancel = new AbortController();
  const workspace: Workspace = { root, cwd: root, seen: new Map(), env, scratch };
  const context: ToolContext = {
    world,
    signal: cancel.signal,
    session: world.ids.next("sess"),
    callId: world.ids.next("call"),
    originator: world.ids.next("cli"),
    turn: 1,
    workspace,
    progress: (partial, command) => {
      if (command?.tailOnly !== true) progress?.push(partial);
    },
    emit: (event) => void events.push(event),
  };
  const callOf = (tool: Tool, input: unknown): ToolCall => ({
    id: world.ids.next("call"),
    name: tool.name,
    input,
    tool,
  });
  const run: ToolRig["run"] = (tool, input, middleware = []) => {
    const call = callOf(tool, input);
    const handler = chainTool([validate(), ...middleware, catchFailures()], runPlanned);
    return handler(call, { ...context, callId: call.id });
  };
  return {
    world,
    workspace,
    root,
    outside,
    events,
    cancel,
    context,
    callOf,
    run,
    async text(tool, input, middleware) {
      const output = await run(tool, input, middleware);
      const text = output.content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`));
      return (output.isError === true ? "error: " : "") + text.join("\n");
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
