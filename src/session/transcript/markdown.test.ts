import { expect, test } from "bun:test";
import {
  asks,
  CALL,
  CLIENT,
  each,
  ends,
  envelopes,
  gather,
  INFO,
  OTHER_CALL,
  results,
  says,
  starts,
} from "../../../test/support/transcript-rig.ts";
import { expiredEvent } from "../expired.ts";
import { renderMarkdown, SHOWN_UNITS_MAX } from "./markdown.ts";

const BRANCH = { logId: INFO.logId, at: 12 };

test("[SES-10] a session reads as a document: what was asked, done, decided and answered, and what it cost", async () => {
  const events = envelopes(
    asks(1, "Fix the <b>test</b>.\n\nIt fails with `x`."),
    says("I look "),
    says("at it."),
    starts("Read", { file_path: "src/a.ts" }),
    results("line one\n```\nline three\u001b[31m"),
    starts("Bash", { command: "npm test" }, OTHER_CALL),
    {
      kind: "PermissionAnswered",
      payload: { callId: OTHER_CALL, decision: "allow", counted: true, by: CLIENT, rule: "Bash:npm test" },
    },
    { kind: "ToolResult", payload: { callId: OTHER_CALL, content: [], isError: true } },
    { kind: "CompactionTriggered", payload: { beforeTokens: 120_000, afterTokens: 9_000 } },
    {
      kind: "CostIncremented",
      payload: { provider: "mock", model: "one", inputTokens: 1_000, outputTokens: 20, usd: 0.0102 },
    },
    says("Done: `Set<b>` it is."),
    ends(1),
    asks(2, "Thanks"),
    { kind: "Cancelled", payload: { turn: 2, by: CLIENT, reason: "cancelled by the client" } },
    { kind: "TurnEnded", payload: { turn: 2, reason: "cancelled", rounds: 1 } },
    {
      kind: "CustomEvent",
      payload: {
        namespace: "cinch",
        kind: "Rewound",
        payload: { to: 12, what: "both", files: { restored: 1, kept: [], notRestorable: [] } },
      },
    },
    { kind: "SessionEnded", payload: { reason: "user" } },
  );
  const info = { ...INFO, turns: 2, branchOf: BRANCH };
  expect((await gather(renderMarkdown(info, each(events)))).join("")).toMatchSnapshot();
});

test("[SES-10 SES-06] what has expired is told in its place", async () => {
  const events = envelopes(
    asks(1, "secret"),
    starts("Bash", { command: "x" }),
    results("y"),
    says("z"),
    ends(1),
  );
  const text = (await gather(renderMarkdown(INFO, each(events.map(expiredEvent))))).join("");
  expect(text).not.toMatch(/secret|\bz\b/);
  expect(text).toContain("**Asked**\n\n> «ttl-expired»");
  expect(text).toContain("```text\n«ttl-expired»\n```");
});

test("[SES-10] a long result is cut, and how much is missing is told", async () => {
  const events = envelopes(
    asks(1, "x"),
    starts("Read", { path: "a" }),
    results("y".repeat(SHOWN_UNITS_MAX + 5)),
    ends(1),
  );
  const text = (await gather(renderMarkdown(INFO, each(events)))).join("");
  expect(text).toContain("5 characters more are in the JSONL export.");
  expect(text.length).toBeLessThan(SHOWN_UNITS_MAX + 2_000);
});

test("[SES-10] a call that has no result is shown without one", async () => {
  const text = (await gather(renderMarkdown(INFO, each(envelopes(asks(1, "x"), starts("Read", {})))))).join(
    "",
  );
  expect(text).toContain("<summary><code>Read</code> · no result</summary>");
  expect(CALL).toStartWith("call_");
});
