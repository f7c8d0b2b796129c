import type { CallToolResult } from "@modelcontextprotocol/client";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { JsonObject } from "../../../base/json.ts";
import { canonicalJson, isObject } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import { visible } from "../../../safety/hidden.ts";
import type { Ask } from "../../../session/questions.ts";
import type { ToolNames } from "../../../tools/server-tool.ts";
import type { CallPlan, Tool, ToolContext } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import type { SharedServer } from "../server/shared-server.ts";
import { SERVER_TOOL_FACTS } from "../tools.ts";
import type { Definition } from "./definition.ts";
import { unmarked } from "./foreign-text.ts";

/** What a call that no server answers begins with, so that a model can tell it and plan around it ([A] § MCP server supervision). */
export const UNAVAILABLE = "«mcp-server-unavailable»";
const SUMMARY_CHARACTERS_MAX = 4_000;
const PROGRESS_CHARACTERS_MAX = 500;
const PROGRESS_MS_MIN = 200;

export interface McpToolParts {
  readonly server: SharedServer;
  readonly definition: Definition;
  /** As the model knows it. */
  readonly name: string;
  /** The same with what the server calls it. */
  readonly spelled: string;
  readonly lazy: boolean;
  /** Whoever follows the session; undefined before it is served. */
  readonly ask: () => Ask | undefined;
}

interface McpPlan extends CallPlan {
  readonly input: JsonObject;
}

/**
 * One tool of a server, as any other tool (MCP-07): nobody knows what it does, so it may change things, and each call is
 * asked for where no rule allows it. One that is another than a person has let pass is asked for whatever a rule says.
 */
export function mcpTool({ server, definition, name, spelled, lazy, ask }: McpToolParts): Tool<McpPlan> {
  const { spec, known } = server;

  function personOnly(): Pick<CallPlan, "personOnly"> {
    const what = known.unapproved(definition);
    if (what === undefined) return {};
    const says = visible(unmarked(definition.description));
    const since =
      what === "tool"
        ? "did not have this tool when its tools were approved, and says of it"
        : "says something else of this tool than when it was approved";
    return { personOnly: `${spec.name} ${since}: ${says}` };
  }

  return {
    ...SERVER_TOOL_FACTS,
    name,
    spelled,
    description: definition.description,
    inputSchema: definition.inputSchema,
    msMax: spec.callMsMax,
    ...(lazy ? { lazy } : {}),
    async plan(input) {
      await assertReachable(server);
      return { ...planOf(name, input), ...personOnly() };
    },
    async run(plan, context) {
      const result = await called(server, definition, plan, { context, ask: ask() });
      // It ran, so a person has said yes to it as it is now.
      await known.accept(definition).catch((thrown: unknown) => {
        if (!(thrown instanceof HarnessError)) throw thrown;
        const { reason, message } = thrown; // they are asked again, then
        context.emit({ kind: "Error", payload: { reason, message } });
      });
      const { toolOutput } = await import("./results.ts");
      return toolOutput(result);
    },
  };
}

/** What a call is judged by: its name and all that it is given. */
function planOf(name: string, input: unknown): McpPlan {
  const given = isObject(input) ? input : {};
  const summary = shortened(`${name}:${canonicalJson(given)}`, SUMMARY_CHARACTERS_MAX);
  return { summary, target: { kind: "none" }, input: given };
}

/** The same tool where no server is at hand: it can be planned and judged, and never run. */
export function judgedTool({ name, spelled, inputSchema }: JudgedTool): Tool {
  const description = `A tool of an MCP server: ${name}`;
  return {
    ...SERVER_TOOL_FACTS,
    name,
    spelled,
    description,
    inputSchema,
    plan: (input) => Promise.resolve(planOf(name, input)),
    run: () => Promise.reject(new ToolFailure(`${name} is only judged here`)),
  };
}

type JudgedTool = Required<ToolNames> & Pick<Tool, "inputSchema">;

/** Nobody is asked for a call that nothing will answer. @throws ToolFailure where the server is given up. */
async function assertReachable(server: SharedServer): Promise<void> {
  await server.lookForLogin();
  const { problem, spec } = server;
  if (problem === undefined) return;
  throw new ToolFailure(unavailable(spec.name, problem), { cause: problem });
}

function unavailable(name: string, why: unknown): string {
  return `${UNAVAILABLE} ${name}: ${shortened(visible(messageOf(why)), SUMMARY_CHARACTERS_MAX)}`;
}

async function called(
  server: SharedServer,
  definition: Definition,
  { input }: McpPlan,
  { context, ask }: { readonly context: ToolContext; readonly ask: Ask | undefined },
): Promise<CallToolResult> {
  const { signal, originator } = context;
  const asking = ask === undefined ? undefined : { ask, signal, originator };
  const { clock } = context.world;
  let toldMs = Number.NEGATIVE_INFINITY;
  try {
    return await server.call(definition, input, {
      signal,
      onProgress(progress) {
        if (clock.monotonic() - toldMs < PROGRESS_MS_MIN) return; // each one is an event of the session
        toldMs = clock.monotonic();
        context.progress(progressText(progress));
      },
      ...(asking === undefined ? {} : { asking }),
    });
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const { elicitPages } = await import("../elicitation/elicitation.ts");
    const pages = await elicitPages(server.spec.name, thrown, asking);
    if (pages !== undefined) throw new ToolFailure(pages, { cause: thrown });
    const isGone = thrown instanceof HarnessError || server.state !== "running";
    const text = shortened(visible(messageOf(thrown)), SUMMARY_CHARACTERS_MAX);
    throw new ToolFailure(isGone ? unavailable(server.spec.name, thrown) : text, { cause: thrown });
  }
}

function progressText({
  progress,
  total,
  message,
}: {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}): string {
  const share = total === undefined ? String(progress) : `${progress} of ${total}`;
  const said = message === undefined ? "" : `: ${shortened(visible(message), PROGRESS_CHARACTERS_MAX)}`;
  return `${share}${said}\n`;
}
