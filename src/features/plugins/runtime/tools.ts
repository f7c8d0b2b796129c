import { defined } from "../../../base/defined.ts";
import { messageOf } from "../../../base/errors.ts";
import type { JsonObject } from "../../../base/json.ts";
import { isObject } from "../../../base/json.ts";
import type { PluginCallContext, PluginTool } from "../../../session/plugins/plugin.ts";
import { convertOutput } from "../../../tools/chain/foreign-output.ts";
import type { CallPlan, Tool, ToolContext } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import { PluginError } from "../registration/plugin-error.ts";

interface PluginPlan extends CallPlan {
  readonly input: JsonObject;
}

/**
 * Adapts a plugin's tool to the engine's, with the same rules and time limit as any other. An exception fails the
 * call, and the model sees it with the plugin's name.
 */
export function pluginTool(tool: PluginTool, plugin: string): Tool<PluginPlan> {
  const { name, description, inputSchema, level = "DangerFullAccess", mutating = true, lazy } = tool;
  return {
    name,
    description,
    inputSchema,
    level,
    mutating,
    ...defined({ lazy }),
    async plan(rawInput, context) {
      const { workspace, signal } = context;
      const { root, cwd } = workspace;
      const input = isObject(rawInput) ? rawInput : {};
      if (tool.plan === undefined) return { summary: name, target: { kind: "none" }, input };
      try {
        const plan = await tool.plan(input, { root, cwd, signal });
        return { ...planFrom(plan), input };
      } catch (thrown) {
        throw failure(thrown, plugin, context);
      }
    },
    async run({ input }, context) {
      try {
        return convertOutput(await tool.run(input, callContext(context, plugin)));
      } catch (thrown) {
        throw failure(thrown, plugin, context);
      }
    },
  };
}

/**
 * Wraps a tool with the engine's own contract, so that its exceptions fail the call and never end the turn. The log has
 * its intent before it runs: only tools of cinch may begin earlier.
 */
export function containTool(tool: Tool, plugin: string): Tool {
  const { awaitsIntent: _, ...facts } = tool;
  return {
    ...facts,
    async plan(input, context) {
      try {
        return planFrom(await tool.plan(input, context));
      } catch (thrown) {
        throw failure(thrown, plugin, context);
      }
    },
    async run(plan, context) {
      try {
        return convertOutput(await tool.run(plan, context));
      } catch (thrown) {
        throw failure(thrown, plugin, context);
      }
    },
  };
}

function callContext(context: ToolContext, plugin: string): PluginCallContext {
  const { session, callId, turn, signal, workspace, progress, emit } = context;
  return {
    session,
    callId,
    turn,
    signal,
    root: workspace.root,
    cwd: workspace.cwd,
    progress: (text) => progress(String(text)),
    emit: (kind, payload) => emit({ kind: "CustomEvent", payload: { namespace: plugin, kind, payload } }),
    raise: (code, message, details) => emit(new PluginError(plugin, code, { message, details }).event),
    error: (code, message, details) => new PluginError(plugin, code, { message, details }),
  };
}

/** Checks a plan. Without the fields that permission judges, it would count as touching nothing. */
function planFrom<Plan extends CallPlan>(plan: Plan): Plan {
  if (typeof plan?.summary === "string" && isObject(plan.target)) return plan;
  throw new Error("its plan has no summary or no target");
}

function failure(thrown: unknown, plugin: string, { signal, emit }: ToolContext): unknown {
  if (thrown instanceof ToolFailure) return thrown;
  if (signal.aborted) return signal.reason;
  if (thrown instanceof PluginError) {
    emit(thrown.event);
    return new ToolFailure(thrown.message, { cause: thrown });
  }
  return new ToolFailure(`the plugin ${plugin} failed: ${messageOf(thrown)}`, { cause: thrown });
}
