import { HarnessError } from "../../base/errors.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import type { ModelEvent } from "../../providers/provider.ts";
import { NO_USAGE } from "../../providers/provider.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { TurnContext } from "../../session/moments.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolOutput } from "../../tools/tool.ts";

/** An input that is for a sub-agent, on its way. */
interface Wanted {
  readonly type: string;
  readonly prompt: string;
  /** It came into a turn that runs: its model goes on with what the sub-agent says. */
  readonly isSteered: boolean;
  /** What became of its call. */
  output?: ToolOutput;
}

/**
 * Gives an input that names a kind of sub-agent to that sub-agent (`/agents:type`): no model is asked whether. In place of
 * the model's answer stands the call, and after it, in a turn that began so, the sub-agent's last text. Both are in the
 * history as any call and answer are, so that every client shows them and a crash is recovered as of any call. One that
 * failed has failed the turn, as a model's request would; that nobody let it through is the answer.
 *
 * @param checked throws where there is no such kind, or the input is none that it takes.
 */
export function wantedAgent(
  tool: string,
  checked: (type: string, content: readonly InputBlock[], signal: AbortSignal) => Promise<void>,
): Pick<OpenFeature, "takes" | "onInput" | "around"> {
  let turn = 0;
  /** Whether the model of the turn was asked for anything yet. */
  let isBegun = false;
  let wanted: readonly Wanted[] = [];
  let called: Wanted | undefined;

  function enter(now: number): void {
    if (now === turn) return;
    turn = now;
    isBegun = false;
    wanted = [];
    called = undefined;
  }

  const request: RequestMiddleware = async function* askSubAgent(asked, context, next) {
    if (context.parentCall !== undefined || context.purpose !== undefined) return yield* next(asked, context);
    enter(context.turn);
    isBegun = true;
    const answered = called;
    called = undefined;
    if (answered?.output !== undefined && !answered.isSteered)
      return yield* answers(answered, answered.output);
    const [first, ...rest] = wanted;
    if (first === undefined) return yield* next(asked, context);
    wanted = rest;
    called = first;
    yield* calls(tool, { type: first.type, prompt: first.prompt });
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
      // An input that was refused after this has left nothing, and the next one has the number of its turn.
      if (!isBegun) wanted = [];
      if (type === undefined) return [];
      await checked(type, content, at.signal);
      const prompt = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      wanted = [...wanted, { type, prompt, isSteered: isBegun }];
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
function answers({ type }: Wanted, output: ToolOutput): AsyncGenerator<ModelEvent> {
  const text = textOf(output);
  if (output.isError === true && output.refusal === undefined)
    throw new HarnessError("SubAgentFailed", { name: type, problem: text });
  return says(text);
}

async function* says(text: string): AsyncGenerator<ModelEvent> {
  yield { kind: "text", index: 0, text };
  yield { kind: "block", index: 0, block: { type: "text", text } };
  yield { kind: "usage", usage: NO_USAGE };
  yield { kind: "finish", reason: "stop", raw: "stop" };
}

function textOf({ content }: ToolOutput): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
