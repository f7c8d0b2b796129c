import { isObject } from "../../../base/json.ts";
import type { HookEvent } from "../../../protocol/events/hook-events.ts";
import { readHookAnswer } from "../../../session/hooks/answer.ts";
import type { Hook } from "../../../session/hooks/hook.ts";
import { blocksByDefault, CAN_BLOCK, HOOK_MS_MAX, hookApplies } from "../../../session/hooks/hook.ts";
import type { HookMoment, HookResult } from "../../../session/hooks/hooks.ts";
import type { HookOutcome } from "../../../session/hooks/outcome.ts";
import type { Contained } from "./containment.ts";
import type { PluginHookOptions } from "./moments.ts";
import type { PluginSession } from "./session.ts";

/** A hook as a plugin has registered it. */
export interface RegisteredHook {
  readonly event: HookEvent;
  readonly options: PluginHookOptions;
  readonly run: (moment: never, session: PluginSession & { readonly signal: AbortSignal }) => unknown;
}

export interface SessionHook {
  readonly hook: RegisteredHook;
  readonly contained: Contained;
  readonly session: PluginSession;
}

/**
 * The hooks of the plugins of one session, which say what the commands of a configuration could say: they can refuse and
 * never allow, what they add goes to the model as foreign text, and a guard that is broken lets nothing pass (HOOK-01).
 */
export class PluginHooks {
  readonly #known: () => readonly SessionHook[];

  constructor(known: () => readonly SessionHook[]) {
    this.#known = known;
  }

  /**
   * Calls the hooks of a moment one after the other. Whoever stops reading stops the rest.
   * @throws signal.reason.
   */
  async *run({ event, tool, input, signal }: HookMoment): AsyncGenerator<HookResult> {
    for (const known of this.#known()) {
      const hook = hookOf(known);
      if (!hookApplies(hook, event, tool)) continue;
      yield { hook, outcome: await outcome(known, hook, input(), signal) };
    }
  }
}

function hookOf({ hook: { event, options }, contained: { plugin } }: SessionHook): Hook {
  const { tools, blocking = blocksByDefault(event), timeoutMs = HOOK_MS_MAX[event] } = options;
  const command = `the plugin ${plugin}`;
  return {
    event,
    command,
    ...(tools === undefined ? {} : { matcher: tools }),
    blocking,
    timeoutMs,
    where: command,
    scripts: () => Promise.reject(new Error("it has no scripts")),
  };
}

async function outcome(
  { hook, contained, session }: SessionHook,
  { event, timeoutMs }: Hook,
  input: object,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const where = `its ${event} hook`;
  const attempt = await contained.call(
    where,
    timeoutMs,
    async (limit) => {
      const told: unknown = structuredClone(input);
      return answerFrom(await hook.run(told as never, { ...session, signal: limit }), event);
    },
    signal,
  );
  if (attempt.kind === "done") return attempt.value;
  const why = `the plugin ${contained.plugin} failed: ${attempt.why}`;
  // It has been told: whoever reads the outcome tells nothing.
  const payload = { event, command: `the plugin ${contained.plugin}`, exit_code: 1, output: why };
  return { kind: "failed", why, event: { kind: "HookError", payload } };
}

/** By the rules that hold for the commands of a configuration. */
function answerFrom(answer: unknown, event: HookEvent): HookOutcome {
  if (answer === undefined || answer === null) return { kind: "answered", answer: {} };
  if (!isObject(answer)) throw new Error(`it answered with ${typeof answer}, not with an object`);
  const { block, ...rest } = answer;
  if (block !== undefined && typeof block !== "string") throw new Error("the block in its answer is no text");
  const bytes = new TextEncoder().encode(JSON.stringify(rest));
  const read = readHookAnswer({ bytes, total: bytes.length }, event);
  if ("problem" in read) throw new Error(read.problem);
  if (block === undefined) return { kind: "answered", answer: read };
  if (!CAN_BLOCK.includes(event) && event !== "PostToolUse")
    throw new Error(`it said no, and nothing can be stopped at ${event}`);
  return { kind: "blocked", why: block.trim() === "" ? "it gave no reason" : block.trim() };
}
