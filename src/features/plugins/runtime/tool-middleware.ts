import { whileAlive } from "../../../base/async/deadline.ts";
import type { JsonObject } from "../../../base/json.ts";
import { canonicalJson, isObject } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import type { PluginMiddlewareOptions, PluginToolMiddleware } from "../../../session/plugins/plugin.ts";
import type { PluginSession } from "../../../session/plugins/plugin-session.ts";
import { convertOutput } from "../../../tools/chain/foreign-output.ts";
import { prepareCall } from "../../../tools/chain/validate.ts";
import type { ToolCall, ToolMiddleware } from "../../../tools/middleware.ts";
import { errorOutput } from "../../../tools/output.ts";
import type { ToolContext, ToolOutput } from "../../../tools/tool.ts";
import type { PluginContainment } from "./containment.ts";
import { SWITCHED_OFF } from "./containment.ts";
import { PausableDeadline } from "./pausable-deadline.ts";

/**
 * The longest time for which a plugin's middleware may delay a call or a request, before the inner part and again
 * after it.
 */
export const MIDDLEWARE_MS_MAX = 30_000;
const CHANGED_INPUT_CHARACTERS_MAX = 2_000;
const WHERE = "its tool middleware";

/**
 * Adapts a plugin's tool middleware to the engine's. It runs between validation and permission. A changed input is
 * validated, planned and judged like any other; the result is redacted and emitted like any result.
 *
 * If it fails before it has passed the call on, the call continues without it, or is refused if it is a guard. If it
 * fails later, the result stands. It cannot suppress what ends the turn.
 */
export function pluginToolMiddleware(
  { run, guards = false }: PluginMiddlewareOptions & { readonly run: PluginToolMiddleware },
  contained: PluginContainment,
  { clock, session }: { readonly clock: ToolContext["world"]["clock"]; readonly session: PluginSession },
): ToolMiddleware {
  return async function plugin(call, context, next) {
    const without = (why: string) =>
      guards ? errorOutput(refusedText(call, contained.plugin, why)) : next(call, context);
    if (contained.reportIfOff()) return await without(SWITCHED_OFF);
    let passed: Promise<ToolOutput> | undefined;
    let isOver = false;
    using time = new PausableDeadline(clock, MIDDLEWARE_MS_MAX);

    function pass(input?: JsonObject): Promise<ToolOutput> {
      if (isOver) return Promise.reject(new Error("the call continued without this middleware"));
      if (passed !== undefined) return Promise.reject(new Error("next can be called only once"));
      passed = time.whilePaused(async () => {
        const {
          call: wanted,
          note,
          refused,
        } = await changed(call, input, { context, plugin: contained.plugin });
        return withNote(refused ?? (await next(wanted, context)), note);
      });
      passed.catch(() => undefined); // it is awaited below, whatever the plugin does
      return passed;
    }

    const seen = { ...session, ...factsOf(call, context) };
    const waiting = AbortSignal.any([context.signal, time.signal]);
    try {
      const running = (async () => convertOutput(await run(seen, pass)))();
      const output = await whileAlive(running, waiting);
      await passed; // the middleware may have returned while the call still runs
      return output;
    } catch (thrown) {
      isOver = true;
      // The outcome of the inner call counts, including a refusal that ends the turn.
      const inner = passed === undefined ? undefined : await passed;
      if (context.signal.aborted) throw context.signal.reason;
      const { why } = contained.failed(WHERE, time.signal.aborted ? time.signal.reason : thrown);
      return inner ?? (await without(why));
    }
  };
}

function factsOf(call: ToolCall, { turn, signal }: ToolContext) {
  const input = isObject(call.input) ? structuredClone(call.input) : {};
  return { callId: call.id, turn, tool: call.name, input, summary: call.plan?.summary ?? call.name, signal };
}

interface ChangedCall {
  readonly call: ToolCall;
  readonly note?: string;
  readonly refused?: ToolOutput;
}

async function changed(
  call: ToolCall,
  input: JsonObject | undefined,
  { context, plugin }: { readonly context: ToolContext; readonly plugin: string },
): Promise<ChangedCall> {
  if (input === undefined || canonicalJson(input) === canonicalJson(call.input)) return { call };
  if (!isObject(input)) throw new Error("the input for next is not an object");
  const { plan: _, ...unplanned } = call;
  const shown = shortened(JSON.stringify(input), CHANGED_INPUT_CHARACTERS_MAX);
  const note = `[The plugin ${plugin} has changed the input of this call to: ${shown}]`;
  const prepared = await prepareCall({ ...unplanned, input }, context);
  return prepared.kind === "ready" ? { call: prepared.call, note } : { call, note, refused: prepared.output };
}

function withNote(output: ToolOutput, note: string | undefined): ToolOutput {
  if (note === undefined) return output;
  return { ...output, content: [...output.content, { type: "text", text: note }] };
}

function refusedText({ name }: ToolCall, plugin: string, why: string): string {
  return `This call of ${name} did not run: the plugin ${plugin} has to look at it first, and failed: ${why}`;
}
