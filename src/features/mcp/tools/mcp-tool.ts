import type { CallToolResult } from "@modelcontextprotocol/client";
import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { JsonObject } from "../../../base/json.ts";
import { canonicalJson, isObject } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { Ask } from "../../../session/questions.ts";
import type { ToolNames } from "../../../tools/server-tool-names.ts";
import type { CallPlan, Tool, ToolContext } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import type { SharedServer } from "../server/shared-server.ts";
import { SERVER_TOOL_FACTS } from "../tools.ts";
import type { ToolDefinition } from "./definition.ts";
import { stripMarks } from "./foreign-text.ts";

/**
 * Start of the result of a call that no server answers. A model can recognise it and plan around it ([A] § MCP
 * server supervision).
 */
export const UNAVAILABLE = "«mcp-server-unavailable»";
const SUMMARY_CHARACTERS_MAX = 4_000;
const PROGRESS_CHARACTERS_MAX = 500;
const PROGRESS_MS_MIN = 200;

export interface McpToolDependencies {
  readonly server: SharedServer;
  readonly definition: ToolDefinition;
  /** The name that the model sees. */
  readonly name: string;
  /** The name with the server's own spelling of the tool. */
  readonly spelled: string;
  readonly lazy: boolean;
  /** Asks the people subscribed to the session; undefined before it is served. */
  readonly ask: () => Ask | undefined;
}

interface McpPlan extends CallPlan {
  readonly input: JsonObject;
}

/**
 * Makes a tool of a server one of the session's tools (MCP-07). Its effect is unknown, so it counts as mutating, and
 * each call is asked for unless a rule allows it. A tool that differs from the approved one is asked for whatever a
 * rule says.
 */
export function mcpTool({
  server,
  definition,
  name,
  spelled,
  lazy,
  ask,
}: McpToolDependencies): Tool<McpPlan> {
  const { spec, known } = server;

  function personOnly(): string | undefined {
    const what = known.unapproved(definition);
    if (what === undefined) return undefined;
    const says = visibleLine(stripMarks(definition.description));
    const since =
      what === "tool"
        ? "has added this tool since its tools were approved, and describes it as"
        : "describes this tool differently than when it was approved";
    return `${spec.name} ${since}: ${says}`;
  }

  return {
    ...SERVER_TOOL_FACTS,
    name,
    spelled,
    description: definition.description,
    inputSchema: definition.inputSchema,
    msMax: spec.callMsMax,
    ...(lazy ? { lazy } : {}),
    personOnly,
    async plan(input) {
      await assertReachable(server);
      return planOf(name, input, personOnly());
    },
    async run(plan, context) {
      const result = await callServer(server, definition, plan, { context, ask: ask() });
      // It ran, so a person has allowed it in its current form.
      await known.accept(definition).catch((thrown: unknown) => {
        if (!(thrown instanceof HarnessError)) throw thrown;
        const { reason, message } = thrown; // they are asked again next time
        context.emit({ kind: "Error", payload: { reason, message } });
      });
      const { toolOutput } = await import("./results.ts");
      return toolOutput(result);
    },
  };
}

/** Returns the plan that a call is judged by: its name, its whole input, and why only a person may allow it. */
function planOf(name: string, input: unknown, personOnly: string | undefined): McpPlan {
  const args = isObject(input) ? input : {};
  const summary = shortened(`${name}:${canonicalJson(args)}`, SUMMARY_CHARACTERS_MAX);
  const only = defined({ personOnly });
  return { summary, target: { kind: "none" }, input: args, ...only };
}

/** Makes the same tool without a server: it can be planned and judged, but not run. */
export function planOnlyTool({ name, spelled, inputSchema, personOnly }: PlanOnlyTool): Tool {
  const description = `A tool of an MCP server: ${name}`;
  return {
    ...SERVER_TOOL_FACTS,
    name,
    spelled,
    description,
    inputSchema,
    plan: (input) => Promise.resolve(planOf(name, input, personOnly)),
    run: () => Promise.reject(new ToolFailure(`${name} is only judged here`)),
  };
}

interface PlanOnlyTool extends Required<ToolNames>, Pick<Tool, "inputSchema"> {
  readonly personOnly?: string | undefined;
}

/**
 * Fails before a person is asked for a call that cannot be answered. @throws ToolFailure if the server was given up.
 */
async function assertReachable(server: SharedServer): Promise<void> {
  await server.retryAfterLogin();
  const { problem, spec } = server;
  if (problem === undefined) return;
  throw new ToolFailure(unavailable(spec.name, problem), { cause: problem });
}

function unavailable(name: string, why: unknown): string {
  return `${UNAVAILABLE} ${name}: ${shortened(visibleLine(messageOf(why)), SUMMARY_CHARACTERS_MAX)}`;
}

async function callServer(
  server: SharedServer,
  definition: ToolDefinition,
  { input }: McpPlan,
  { context, ask }: { readonly context: ToolContext; readonly ask: Ask | undefined },
): Promise<CallToolResult> {
  const { signal, originator } = context;
  const elicitation = ask === undefined ? undefined : { ask, signal, originator };
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
      ...defined({ elicitation }),
    });
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const { elicitPages } = await import("../elicitation/elicitation.ts");
    const pages = await elicitPages(server.spec.name, thrown, elicitation);
    if (pages !== undefined) throw new ToolFailure(pages, { cause: thrown });
    const isGone = thrown instanceof HarnessError || server.state !== "running";
    const text = shortened(visibleLine(messageOf(thrown)), SUMMARY_CHARACTERS_MAX);
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
  const detail = message === undefined ? "" : `: ${shortened(visibleLine(message), PROGRESS_CHARACTERS_MAX)}`;
  return `${share}${detail}\n`;
}
