import { HarnessError } from "../../base/errors.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import type { ModelEvent } from "../../providers/provider.ts";
import { NO_USAGE } from "../../providers/provider.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { TurnContext } from "../../session/moments.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolOutput } from "../../tools/tool.ts";

/** A user's input for a sub-agent that has not been answered. */
interface PendingInput {
  readonly type: string;
  readonly prompt: string;
  /** True if it came during a turn. The model then continues with the sub-agent's text. */
  readonly isSteered: boolean;
  /** The outcome of its call. */
  output?: ToolOutput;
}

/**
 * Passes an input that names a kind of sub-agent to that sub-agent (`/agents:type`), without asking a model.
 *
 * The call replaces the model's answer. In a turn that began with such an input, the sub-agent's last text follows.
 * Both are in the history like any call and answer, so every client shows them and crash recovery handles them. A
 * failed sub-agent fails the turn, like a failed model request. A refused call becomes the answer.
 *
 * @param checked throws if there is no such kind, or if it does not accept the input.
 */
export function handleAgentInputs(
  tool: string,
  checked: (type: string, content: readonly InputBlock[], signal: AbortSignal) => Promise<void>,
): Pick<OpenFeature, "takes" | "onInput" | "around"> {
  let turn = 0;
  /** True if the turn has requested the model. */
  let isBegun = false;
  let pending: readonly PendingInput[] = [];
  let called: PendingInput | undefined;

  function enter(now: number): void {
    if (now === turn) return;
    turn = now;
    isBegun = false;
    pending = [];
    called = undefined;
  }

  const request: RequestMiddleware = function askSubAgent(asked, context, next) {
    if (context.parentCall !== undefined || context.purpose !== undefined) return next(asked, context);
    enter(context.turn);
    isBegun = true;
    const answered = called;
    called = undefined;
    if (answered?.output !== undefined && !answered.isSteered) return answers(answered, answered.output);
    const [first, ...rest] = pending;
    if (first === undefined) return next(asked, context);
    pending = rest;
    called = first;
    return calls(tool, { type: first.type, prompt: first.prompt });
  };

  const watch: ToolMiddleware = async (call, context, next) => {
    const output = await next(call, context);
    if (call.name === tool && context.within === undefined && called !== undefined) called.output = output;
    return output;
  };

  return {
    takes: ["agent"],
    async onInput(content, at: TurnContext, { agent: type }) {
      enter(at.turn);
      // A refused input does not use up its turn number, so the next one starts clean.
      if (!isBegun) pending = [];
      if (type === undefined) return [];
      await checked(type, content, at.signal);
      const prompt = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      pending = [...pending, { type, prompt, isSteered: isBegun }];
      return [];
    },
    around: [
      { request: "context", run: request },
      { tool: "watch", run: watch },
    ],
  };
}

async function* calls(name: string, input: unknown): AsyncGenerator<ModelEvent> {
  yield { kind: "block", index: 0, block: { type: "tool_use", name, input } };
  yield { kind: "usage", usage: NO_USAGE };
  yield { kind: "finish", reason: "tool_use", raw: "tool_use" };
}

/** @throws HarnessError SubAgentFailed */
async function* answers({ type }: PendingInput, output: ToolOutput): AsyncGenerator<ModelEvent> {
  const text = textOf(output);
  if (output.isError === true && output.refusal === undefined)
    throw new HarnessError("SubAgentFailed", { name: type, problem: text });
  yield { kind: "text", index: 0, text };
  yield { kind: "block", index: 0, block: { type: "text", text } };
  yield { kind: "usage", usage: NO_USAGE };
  yield { kind: "finish", reason: "stop", raw: "stop" };
}

function textOf({ content }: ToolOutput): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
