import type { CallId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { shortened } from "../../base/text/text.ts";
import { prepareCall } from "../../tools/chain/validate.ts";
import type { ToolCall, ToolMiddleware } from "../../tools/middleware.ts";
import { errorOutput } from "../../tools/output.ts";
import type { ToolContext, ToolOutput } from "../../tools/tool.ts";
import type { CallForecast } from "../feature.ts";
import type { HookRefusal, Hooks } from "./hooks.ts";
import { hookRefusalOf } from "./hooks.ts";

const CHANGED_INPUT_CHARACTERS_MAX = 2_000;

/**
 * Returns the hooks around calls, in their order: PostToolUse, then PreToolUse. Both are outside of plan mode and
 * permission, so a hook can refuse a call and never allow one (S19).
 *
 * An input that a hook has changed is validated and planned again, and judged like any other. A PostToolUse hook gets
 * the input that ran, and does not run for a call that a hook has refused.
 */
export function toolHooks(hooks: Pick<Hooks, "run">): readonly [ToolMiddleware, ToolMiddleware] {
  const passed = new Map<CallId, ToolCall>();

  return [
    async function postToolUse(call, context, next) {
      try {
        const output = await next(call, context);
        const ran = passed.get(call.id);
        return ran === undefined ? output : await runPostToolUse(hooks, ran, output, context);
      } finally {
        passed.delete(call.id);
      }
    },
    async function preToolUse(call, context, next) {
      let current = call;
      const notes: string[] = [];
      const input = () => ({ ...factsOf(current, context), input: current.input });
      const moment = { event: "PreToolUse", tool: call.tool, input, ...surface(context) } as const;
      for await (const said of hooks.run(moment)) {
        const refusal = hookRefusalOf(said);
        if (refusal !== undefined) return refused(call, refusal, context);
        if (said.outcome.kind !== "answered") continue;
        const { answer } = said.outcome;
        if (answer.context !== undefined) notes.push(fromHook("PreToolUse", answer.context));
        if (answer.input === undefined) continue;
        const changed = await changedInput(current, answer.input, context);
        notes.push(changed.note);
        if (changed.kind === "refused") return withNotes(changed.output, notes);
        current = changed.call;
      }
      passed.set(call.id, current);
      return withNotes(await next(current, context), notes);
    },
  ];
}

/** Says which hooks would run before a call: each may refuse it. Runs none. */
export async function forecastHooks(
  hooks: Pick<Hooks, "applying">,
  { tool, name }: ToolCall,
  { signal }: Pick<ToolContext, "signal">,
): Promise<readonly CallForecast[]> {
  const applying = await hooks.applying({ event: "PreToolUse", tool, signal });
  return applying.map(({ where }) => ({
    kind: "may-refuse",
    why: `the PreToolUse hook of ${where} runs before each ${name}`,
  }));
}

async function runPostToolUse(
  hooks: Pick<Hooks, "run">,
  call: ToolCall,
  output: ToolOutput,
  context: ToolContext,
): Promise<ToolOutput> {
  const notes: string[] = [];
  const input = () => ({
    ...factsOf(call, context),
    input: call.input,
    output: textOf(output),
    is_error: output.isError === true,
  });
  const moment = { event: "PostToolUse", tool: call.tool, input, ...surface(context) } as const;
  for await (const { outcome } of hooks.run(moment)) {
    if (outcome.kind === "blocked") notes.push(fromHook("PostToolUse", outcome.why));
    if (outcome.kind === "answered" && outcome.answer.context !== undefined) {
      notes.push(fromHook("PostToolUse", outcome.answer.context));
    }
  }
  return withNotes(output, notes);
}

function factsOf(call: ToolCall, { turn }: ToolContext): JsonObject {
  return { turn, tool: call.name, call_id: call.id };
}

function surface({ signal, emit }: ToolContext): Pick<ToolContext, "signal" | "emit"> {
  return { signal, emit };
}

/** The tool stays the same; its new input is checked as if the model had sent it. */
async function changedInput(call: ToolCall, input: JsonObject, context: ToolContext) {
  const { plan: _, ...unplanned } = call;
  const shown = shortened(JSON.stringify(input), CHANGED_INPUT_CHARACTERS_MAX);
  const note = `[A PreToolUse hook has changed the input of this call to: ${shown}]`;
  return { ...(await prepareCall({ ...unplanned, input }, context)), note };
}

/**
 * The model and clients read the refusal, so that an unattended run shows what was left undone. A reason that was
 * emitted already is not repeated.
 */
function refused(call: ToolCall, { why, isTold }: HookRefusal, context: ToolContext): ToolOutput {
  const text = `A PreToolUse hook has refused this call of ${call.name}: ${why}`;
  const message = isTold ? `${call.name} did not run: ${UNTOLD_WHY}` : text;
  const details = { tool: call.name, callId: call.id, because: "hook", ...(isTold ? { told: true } : {}) };
  context.emit({ kind: "Error", payload: { reason: "PermissionDenied", message, details } });
  return { ...errorOutput(text), refusal: "PermissionDenied" };
}

const UNTOLD_WHY = "no call passes a PreToolUse hook that went wrong";

/** Returns untrusted words with a heading of ours. As a part of the result they go to the model behind its fence. */
function fromHook(event: string, text: string): string {
  return `[From a ${event} hook]\n${text}`;
}

function withNotes(output: ToolOutput, notes: readonly string[]): ToolOutput {
  if (notes.length === 0) return output;
  return {
    ...output,
    content: [...output.content, ...notes.map((text) => ({ type: "text", text }) as const)],
  };
}

function textOf({ content }: ToolOutput): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
