import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { TOOLS } from "../../../app/plan/tool-list.ts";
import { byteLength } from "../../../base/text/text.ts";
import type { Message } from "../../../protocol/message.ts";
import { NO_FACTS } from "../facts/facts.ts";
import { renderCompactedHead } from "./compacted-head.ts";
import { importedTurns } from "./imported.ts";

function turn(asked: string, said: string): readonly Message[] {
  return [
    { role: "user", content: [{ type: "text", text: asked }] },
    { role: "assistant", content: [{ type: "text", text: said }] },
  ];
}

const DEFAULT = { profile: "default", tools: TOOLS };

test("[PROF-02 SES-13] where the conversation was made shorter before, what its summary says goes along, and its standing rules", () => {
  const facts = { ...NO_FACTS, rules: ["Never push."], requests: ["fix the parser"] };
  const head: Message = {
    role: "user",
    content: [...renderCompactedHead(facts, { by: "model", text: "The parser is fixed." })],
  };
  const messages = [head, ...turn("and the tests?", "they pass")];
  const taken = importedTurns(messages, 5, DEFAULT);
  expect(taken?.turns).toBe(1);
  expect(taken?.text).toBe(
    [
      'Summary of the session before this one, which ran on the profile "default": its last turn, the newest last. It was made from the log; what tools returned is not among it.',
      "What was before them:",
      "The parser is fixed.",
      '- Asked: "and the tests?"',
      '  Said last: "they pass"',
      "What the user said has always or never to be done:",
      '- "Never push."',
    ].join("\n"),
  );
  // With fewer turns than there are since then, what was before them stays behind.
  const more = [head, ...turn("one", "1"), ...turn("two", "2")];
  expect(importedTurns(more, 1, DEFAULT)?.text).not.toContain("parser");
});

test("[PROF-02] nothing goes along of a conversation in which nothing was said, nor where no turn is wanted", () => {
  expect(importedTurns([], 5, DEFAULT)).toBeUndefined();
  expect(importedTurns(turn("one", "1"), 0, DEFAULT)).toBeUndefined();
});

test("[PROF-02] property: whatever was said, what goes along is at most 24,000 bytes of at least one turn", async () => {
  const words = fc.oneof(
    fc.string({ maxLength: 40, unit: "binary" }),
    fc.constantFrom("long ".repeat(20_000), "é".repeat(9_000)),
  );
  await holds(
    fc.property(fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 60 }), (said) => {
      const messages = said.flatMap(([asked, answer]) => turn(asked, answer));
      const taken = importedTurns(messages, 50, DEFAULT);
      return taken !== undefined && taken.turns >= 1 && taken.turns <= 50 && byteLength(taken.text) <= 24_000;
    }),
    60,
  );
});
