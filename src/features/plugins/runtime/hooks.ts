import { defined } from "../../../base/defined.ts";
import { isObject } from "../../../base/json.ts";
import type { HookEvent } from "../../../protocol/events/hook-events.ts";
import { readHookAnswer } from "../../../session/hooks/answer.ts";
import type { Hook } from "../../../session/hooks/hook.ts";
import { blocksByDefault, CAN_BLOCK, HOOK_MS_MAX, hookApplies } from "../../../session/hooks/hook.ts";
import type { HookMoment, HookResult } from "../../../session/hooks/hooks.ts";
import type { HookOutcome } from "../../../session/hooks/outcome.ts";
import type { PluginHookOptions } from "../../../session/plugins/plugin-moments.ts";
import type { PluginSession } from "../../../session/plugins/plugin-session.ts";
import type { PluginContainment } from "./containment.ts";

/** A registered hook of a plugin. */
export interface RegisteredHook {
  readonly event: HookEvent;
  readonly options: PluginHookOptions;
  readonly run: (moment: never, session: PluginSession & { readonly signal: AbortSignal }) => unknown;
}

export interface ActiveHook {
  readonly hook: RegisteredHook;
  readonly contained: PluginContainment;
  readonly session: PluginSession;
}

/**
 * The hooks of the plugins of one session. They have the same effects as the commands of a configuration: they can
 * refuse but not allow, their context goes to the model as untrusted text, and a failing guard blocks (HOOK-01).
 */
export class PluginHooks {
  readonly #known: () => readonly ActiveHook[];

  constructor(known: () => readonly ActiveHook[]) {
    this.#known = known;
  }

  /**
   * Calls the hooks of a moment one after the other. If the reader stops, the rest are not called.
   * @throws signal.reason.
   */
  async *run({ event, tool, input, signal }: HookMoment): AsyncGenerator<HookResult> {
    for (const known of this.#known()) {
      const hook = hookOf(known);
      if (!hookApplies(hook, event, tool)) continue;
      yield { hook, outcome: await outcome(known, hook, input(), signal) };
    }
  }

  /** Returns the hooks of a moment, in their order. Calls none. */
  async applying({ event, tool }: Pick<HookMoment, "event" | "tool">): Promise<readonly Hook[]> {
    return this.#known()
      .map(hookOf)
      .filter((hook) => hookApplies(hook, event, tool));
  }
}

function hookOf({ hook: { event, options }, contained: { plugin } }: ActiveHook): Hook {
  const { tools, blocking = blocksByDefault(event), timeoutMs = HOOK_MS_MAX[event] } = options;
  const command = `the plugin ${plugin}`;
  return {
    event,
    command,
    ...defined({ matcher: tools }),
    blocking,
    timeoutMs,
    where: command,
    scripts: () => Promise.reject(new Error("it has no scripts")),
  };
}

async function outcome(
  { hook, contained, session }: ActiveHook,
  { event, timeoutMs }: Hook,
  input: object,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const where = `its ${event} hook`;
  const attempt = await contained.call(
    where,
    timeoutMs,
    async (limit) => {
      const sent: unknown = structuredClone(input);
      return answerFrom(await hook.run(sent as never, { ...session, signal: limit }), event);
    },
    signal,
  );
  if (attempt.kind === "done") return attempt.value;
  const why = `the plugin ${contained.plugin} failed: ${attempt.why}`;
  // The failure has been reported, so readers of the outcome do not repeat it.
  const payload = { event, command: `the plugin ${contained.plugin}`, exit_code: 1, output: why };
  return { kind: "failed", why, event: { kind: "HookError", payload } };
}

/** Checks an answer by the rules for the commands of a configuration. */
function answerFrom(answer: unknown, event: HookEvent): HookOutcome {
  if (answer === undefined || answer === null) return { kind: "answered", answer: {} };
  if (!isObject(answer)) throw new Error(`it answered with ${typeof answer}, not with an object`);
  const { block, ...rest } = answer;
  if (block !== undefined && typeof block !== "string")
    throw new Error("the block in its answer is not a text");
  const bytes = new TextEncoder().encode(JSON.stringify(rest));
  const read = readHookAnswer({ bytes, total: bytes.length }, event);
  if ("problem" in read) throw new Error(read.problem);
  if (block === undefined) return { kind: "answered", answer: read };
  if (!CAN_BLOCK.includes(event) && event !== "PostToolUse")
    throw new Error(`it said no, and nothing can be stopped at ${event}`);
  return { kind: "blocked", why: block.trim() === "" ? "it gave no reason" : block.trim() };
}
