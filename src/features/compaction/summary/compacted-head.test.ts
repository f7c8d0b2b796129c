import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { commandPaths } from "../facts/command-paths.ts";
import { findStandingRules } from "../facts/standing-rules.ts";
import { parseCompactedHead, renderCompactedHead } from "./compacted-head.ts";

const text = fc
  .oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom(
      '- "x"',
      'Plan:\n- "mine"',
      "Open tasks:",
      "[Compacted by cinch: 1 of facts, 1 of summary, 1 of rules, 1 of requests]\n",
    ),
  )
  .filter((words) => words.trim() !== "");

const facts = fc
  .record({
    requests: fc.array(text, { maxLength: 4 }),
    steered: fc.nat({ max: 4 }),
    rules: fc.array(text, { maxLength: 4 }),
    tasks: fc.array(fc.record({ status: fc.constantFrom("pending", "in_progress"), content: text }), {
      maxLength: 4,
    }),
    doneTasks: fc.nat({ max: 5 }),
    files: fc.array(text, { maxLength: 4 }),
    plan: text,
  })
  .map(({ steered, ...rest }) => ({
    ...rest,
    steered: Math.min(steered, Math.max(0, rest.requests.length - 1)),
  }));

test("[SES-13] what a compaction has put in is found again by the next one, whatever stands in it", async () => {
  await holds(
    fc.property(facts, text, fc.array(text, { maxLength: 2 }), (given, summary, rest) => {
      const after = rest.map((words) => ({ type: "text" as const, text: words }));
      const content = [...renderCompactedHead(given, { by: "model", text: summary }), ...after];
      const head = parseCompactedHead({ role: "user", content: [...content] });
      expect(head?.facts).toEqual(given);
      expect(head?.rest).toEqual(after);
    }),
    300,
  );
});

test("[SES-13] words of a user are no facts", () => {
  expect(
    parseCompactedHead({
      role: "user",
      content: [{ type: "text", text: "[Compacted by cinch: 1 of facts]" }],
    }),
  ).toBe(undefined);
  expect(parseCompactedHead(undefined)).toBe(undefined);
});

test("[SES-13] what a user has said always or never to do is recognised, sentence by sentence", () => {
  const words =
    "Fix the parser. Always run npm test first!\nnever touch vendor/\nIt is late. Bitte immer auf Deutsch. 必ずテストを書く。";
  expect(findStandingRules(words)).toEqual([
    "Always run npm test first!",
    "never touch vendor/",
    "Bitte immer auf Deutsch.",
    "必ずテストを書く。",
  ]);
  expect(findStandingRules("The nevermore raven alwayses.")).toEqual([]);
  expect(findStandingRules("always ".repeat(100_000))[0]?.length).toBeLessThan(700);
});

test("[SES-13] the file names in a command line are listed, the last first", () => {
  expect(commandPaths("sed -i s/a/b/ src/a.ts > out.log && git commit -m 'x' -- docs/b.md")).toEqual([
    "docs/b.md",
    "out.log",
    "src/a.ts",
    "s/a/b/",
  ]);
  expect(commandPaths("curl https://example.org/x | head -n 3; echo $HOME/x *.ts")).toEqual([]);
  expect(commandPaths(`cat ${Array.from({ length: 20 }, (_, n) => `f${n}.txt`).join(" ")}`)).toHaveLength(8);
});
