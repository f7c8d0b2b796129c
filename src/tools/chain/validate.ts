import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { head } from "../../base/text/text.ts";
import { readArguments } from "../arguments.ts";
import type { ToolCall, ToolMiddleware } from "../middleware.ts";
import { errorOutput } from "../output.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import { surelyFits } from "./surely-fits.ts";
import { thrownOutput } from "./thrown-output.ts";

/** Limit for planning a call: a few file system reads. */
const PLAN_MS_MAX = 10_000;
const MALFORMED_CHARACTERS_MAX = 200;

export type PreparedCall =
  | {
      readonly kind: "ready";
      readonly call: ToolCall & { readonly plan: CallPlan };
      /** Sentences for the model about its arguments. */
      readonly notes: readonly string[];
    }
  | { readonly kind: "refused"; readonly output: ToolOutput };

/** Accepts only calls whose input fits the tool's schema, and plans them (LIB-05, TOOL-10). */
export function validate(): ToolMiddleware {
  return async function validate(call, context, next) {
    const prepared = await prepareCall(call, context);
    if (prepared.kind === "refused") return prepared.output;
    const output = await next(prepared.call, context);
    return prepared.notes.length === 0 ? output : noted(output, prepared.notes);
  };
}

function noted(output: ToolOutput, notes: readonly string[]): ToolOutput {
  return { ...output, content: [...output.content, { type: "text", text: notes.join(" ") }] };
}

/**
 * Checks a call's input and plans the call. Arguments under other names are mapped to the tool's. A caller that
 * changes the input, as a hook may, must call this again.
 *
 * Input problems are listed field by field; a lazy tool adds its schema, since the model may not have seen it (LIB-07).
 * @throws signal.reason when the call is cancelled.
 */
export async function prepareCall(received: ToolCall, context: ToolContext): Promise<PreparedCall> {
  if (received.malformed !== undefined)
    return refused(errorOutput(malformedText(received.name, received.malformed)));
  const { input, notes } = readArguments(received.tool, received.input);
  const call =
    notes.length === 0 && Bun.deepEquals(input, received.input) ? received : { ...received, input };
  const problems = await problemsOf(call.tool, call.input);
  if (problems.length > 0) return refused(errorOutput(invalidText(call, problems)));
  try {
    return { kind: "ready", call: { ...call, plan: await planned(call, context) }, notes };
  } catch (thrown) {
    return refused(thrownOutput(thrown, call, context));
  }
}

async function planned(call: ToolCall, context: ToolContext): Promise<CallPlan> {
  using limit = deadline(context.world.clock, PLAN_MS_MAX, context.signal);
  try {
    return await whileAlive(call.tool.plan(call.input, { ...context, signal: limit.signal }), limit.signal);
  } catch (thrown) {
    if (!limit.reached) throw thrown;
    const text = `${call.name} could not be prepared within ${PLAN_MS_MAX / 1000} s: the disk does not answer`;
    throw new ToolFailure(text, { cause: thrown });
  }
}

let validator: Promise<typeof import("./input-problems.ts")> | undefined;

async function problemsOf(tool: Tool, input: unknown): Promise<readonly string[]> {
  if (surelyFits(tool.inputSchema, input)) return [];
  // Loaded with the first call that needs it, not with the program.
  validator ??= import("./input-problems.ts");
  return (await validator).inputProblems(tool, input);
}

function invalidText(call: ToolCall, problems: readonly string[]): string {
  const text = `The input of ${call.name} does not fit. ${problems.join("; ")}.`;
  return call.tool.lazy === true
    ? `${text}\nIts input schema: ${JSON.stringify(call.tool.inputSchema)}`
    : text;
}

function malformedText(name: string, text: string): string {
  const beginning = JSON.stringify(head(text, MALFORMED_CHARACTERS_MAX).toWellFormed());
  const more = text.length > MALFORMED_CHARACTERS_MAX ? ` (${text.length} characters in all)` : "";
  return `The input of ${name} is not a JSON object. It begins: ${beginning}${more}.`;
}

function refused(output: ToolOutput): PreparedCall {
  return { kind: "refused", output };
}
