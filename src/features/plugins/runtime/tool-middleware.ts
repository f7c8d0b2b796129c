import { whileAlive } from "../../../base/async/deadline.ts";
import type { JsonObject } from "../../../base/json.ts";
import { canonicalJson, isObject } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import { prepareCall } from "../../../tools/chain/validate.ts";
import type { ToolCall, ToolMiddleware } from "../../../tools/middleware.ts";
import { errorOutput } from "../../../tools/output.ts";
import type { ToolContext, ToolOutput } from "../../../tools/tool.ts";
import type { PluginMiddlewareOptions, PluginToolMiddleware } from "../registration/plugin.ts";
import type { Contained } from "./containment.ts";
import { OFF } from "./containment.ts";
import { outputFrom } from "./output.ts";
import { OwnTime } from "./own-time.ts";
import type { PluginSession } from "./session.ts";

/** How long a plugin's middleware may hold a call or a request up, before what it surrounds and again after it. */
export const MIDDLEWARE_MS_MAX = 30_000;
const CHANGED_INPUT_CHARACTERS_MAX = 2_000;
const WHERE = "its tool middleware";

/**
 * A plugin's tool middleware as the engine's own. It stands between validation and permission: an input that it changes
 * is validated and planned anew, and judged like any other; what it returns is redacted and told like any result.
 *
 * Where it fails before it has passed the call on, the call goes on without it, or is refused where it guards; where it
 * fails afterwards, the result stands. What ends the turn, it cannot hold back.
 */
export function pluginToolMiddleware(
  { run, guards = false }: PluginMiddlewareOptions & { readonly run: PluginToolMiddleware },
  contained: Contained,
  { clock, session }: { readonly clock: ToolContext["world"]["clock"]; readonly session: PluginSession },
): ToolMiddleware {
  return async function plugin(call, context, next) {
    const without = (why: string) =>
      guards ? errorOutput(refusedText(call, contained.plugin, why)) : next(call, context);
    if (contained.tellIfOff()) return await without(OFF);
    let passed: Promise<ToolOutput> | undefined;
    let isOver = false;
    using time = new OwnTime(clock, MIDDLEWARE_MS_MAX);

    function pass(input?: JsonObject): Promise<ToolOutput> {
      if (isOver) return Promise.reject(new Error("the call has gone on without this middleware"));
      if (passed !== undefined) return Promise.reject(new Error("next can be called only once"));
      passed = time.away(async () => {
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
      const running = (async () => outputFrom(await run(seen, pass)))();
      const output = await whileAlive(running, waiting);
      await passed; // it may have answered for a call that still runs
      return output;
    } catch (thrown) {
      isOver = true;
      // What was passed on has an end of its own, and counts: a refusal that ends the turn, too.
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
  if (!isObject(input)) throw new Error("the input for next is no object");
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
