import type { Provider } from "cinch/engine";
import { CANONICAL_FORM_VERSION, createEngine } from "cinch/engine";

/**
 * An engine of your own parts, without a network: a model that follows rules, and a tool that a person has to allow.
 *
 *     sh scripts/bun.sh examples/engine-desk.ts "refund 12" yes
 *
 * The second argument is the person's answer.
 */
const [prompt = "refund 12", answer = "no"] = process.argv.slice(2);

/** Calls the tool for "refund AMOUNT", then reports its result. A provider of yours would ask a model. */
const rules: Provider = {
  name: "rules",
  family: "rules",
  canonicalFormVersion: CANONICAL_FORM_VERSION,
  async *chat(request) {
    const amount = /refund (\d+)/.exec(JSON.stringify(request.messages))?.[1];
    const result = request.messages.at(-1)?.content.find(({ type }) => type === "tool_result");
    if (amount !== undefined && result === undefined) {
      const block = { type: "tool_use", name: "refund", input: { amount: Number(amount) } } as const;
      yield { kind: "block", index: 0, block };
      yield { kind: "finish", reason: "tool_use", raw: "tool_use" };
      return;
    }
    const failed = result?.type === "tool_result" && result.is_error === true;
    const text = result === undefined ? "I refund." : failed ? "Nothing was refunded." : "It is refunded.";
    yield { kind: "text", index: 0, text };
    yield { kind: "block", index: 0, block: { type: "text", text } };
    yield { kind: "finish", reason: "stop", raw: "stop" };
  },
  models: async () => [{ id: "one" }],
  tokenCount: async (messages) => JSON.stringify(messages).length / 4,
};

await using engine = await createEngine({
  provider: rules,
  model: "one",
  tools: [
    {
      name: "refund",
      description: "Refunds an amount in euros.",
      inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      asks: true,
      execute: (input) => `refunded ${(input as { amount: number }).amount}`,
    },
  ],
  onQuestion(question) {
    if (question.kind !== "permission") return undefined;
    console.error(`${question.tool} ${JSON.stringify(question.input)}? ${answer}`);
    return answer === "yes" ? "allow" : "deny";
  },
});
const session = await engine.createSession();
console.log((await session.prompt(prompt)).text);
