import type {
  EngineTool,
  ModelBlock,
  ModelEvent,
  ModelRequest,
  ModelUsage,
  Provider,
} from "../../src/engine.ts";
import { CANONICAL_FORM_VERSION } from "../../src/engine.ts";

/** One answer of a program's model. */
export type ProviderAnswer = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;

/** Returns a program's provider with these answers, the last one for ever. */
export function engineProvider(
  answers: readonly ProviderAnswer[],
  more: Partial<Provider> = {},
): Provider & { readonly calls: number } {
  let calls = 0;
  return {
    name: "p",
    family: "p",
    canonicalFormVersion: CANONICAL_FORM_VERSION,
    chat(request, signal) {
      const answer = answers[Math.min(calls, answers.length - 1)];
      calls += 1;
      if (answer === undefined) throw new Error("the provider has no answer");
      return answer(request, signal);
    },
    models: () => Promise.resolve([{ id: "m" }]),
    tokenCount: () => Promise.resolve(1),
    get calls() {
      return calls;
    },
    ...more,
  };
}

/** Answers with finished blocks and no pieces of them. */
export function blocks(list: readonly ModelBlock[], usage?: ModelUsage): ProviderAnswer {
  return async function* () {
    for (const [index, block] of list.entries()) yield { kind: "block", index, block };
    if (usage !== undefined) yield { kind: "usage", usage };
    const reason = list.some(({ type }) => type === "tool_use") ? "tool_use" : "stop";
    yield { kind: "finish", reason, raw: reason };
  };
}

/** Answers with one text. */
export function text(said: string, usage?: ModelUsage): ProviderAnswer {
  return blocks([{ type: "text", text: said }], usage);
}

/** Answers with a call of a tool. */
export function call(name: string, usage?: ModelUsage): ProviderAnswer {
  return blocks([{ type: "tool_use", name, input: {} }], usage);
}

/** Answers with events as a program without types may yield them. */
export function raw(...events: readonly unknown[]): ProviderAnswer {
  return async function* () {
    yield* events as readonly ModelEvent[];
  };
}

/** Begins to answer, and then neither ends nor looks at its signal. */
export async function* deafAnswer(): AsyncGenerator<ModelEvent> {
  yield { kind: "text", index: 0, text: "begun" };
  await new Promise(() => undefined);
}

/** Returns a tool of the program. */
export function engineTool(
  name: string,
  execute: EngineTool["execute"],
  more: Partial<EngineTool> = {},
): EngineTool {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object" }, execute, ...more };
}
