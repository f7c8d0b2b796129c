import { expect, test } from "bun:test";
import type { Message } from "../../protocol/message.ts";
import { inputAttributes } from "./content.ts";

const as = (text: string) => text;

test("[OBS-01] of the last two messages as much goes along as there is room for in their attribute, and of the last one first", () => {
  const says = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
  const messages = [says("before"), says("a".repeat(10_000)), says("b".repeat(30_000))];
  const { "gen_ai.input.messages": told } = inputAttributes({ system: [], messages }, as);
  expect(JSON.parse(String(told))).toEqual([
    { role: "user", parts: [{ type: "text", content: `${"a".repeat(2_768)}…` }] },
    { role: "user", parts: [{ type: "text", content: "b".repeat(30_000) }] },
  ]);
});
