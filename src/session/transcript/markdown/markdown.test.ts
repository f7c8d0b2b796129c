import { expect, test } from "bun:test";
import { fakeId } from "../../../../test/support/fake-connection.ts";
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
} from "../../../../test/support/transcript-rig.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { expiredEvent } from "../../store/expired.ts";
import { renderMarkdown } from "./markdown.ts";
import { SHOWN_UNITS_MAX } from "./markdown-call.ts";

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

test("[SES-10 ENG-26] what was typed ahead stands where it began, and does not cut an answer in two", async () => {
  const queued = (number: number, text: string, delivery: "queue" | "steer" = "queue"): Event => ({
    kind: "InputQueued",
    payload: {
      inputId: fakeId("inp", number),
      content: [{ type: "text", text }],
      delivery,
      originator: CLIENT,
    },
  });
  const delivered = { namespace: "cinch", kind: "InputDelivered", payload: { inputId: fakeId("inp", 2) } };
  const events = envelopes(
    asks(1, "first"),
    says("One wh"),
    queued(1, "typed ahead"),
    queued(2, "be brief", "steer"),
    queued(3, "never mind"),
    queued(4, "left over"),
    says("ole answer."),
    { kind: "CustomEvent", payload: delivered },
    says("Short."),
    ends(1),
    { kind: "InputWithdrawn", payload: { inputId: fakeId("inp", 3), by: CLIENT } },
    {
      kind: "TurnStarted",
      payload: {
        turn: 2,
        originator: CLIENT,
        inputId: fakeId("inp", 1),
        content: [{ type: "text", text: "typed ahead" }],
      },
    },
    ends(2),
  );
  const text = (await gather(renderMarkdown(INFO, each(events)))).join("");
  const said = text.slice(text.indexOf("**Asked**")).replaceAll(/\n+/g, "\n");
  expect(said.replaceAll(/^(## Turn 2).*$/gm, "$1").split("\n")).toEqual([
    "**Asked**",
    "> first",
    "**Answer**",
    "> One whole answer.",
    "*Said to the model meanwhile:*",
    "> be brief",
    "**Answer**",
    "> Short.",
    "*1 round*",
    "*Sent meanwhile, and taken back before it began:*",
    "> never mind",
    "## Turn 2",
    "**Asked**",
    "> typed ahead",
    "*1 round*",
    "*Sent, and never begun:*",
    "> left over",
    "",
  ]);
});

test("[SES-10 SES-13] what a summary between two turns cost stands with it, and with no turn", async () => {
  const cost = {
    kind: "CostIncremented",
    payload: { provider: "mock", model: "one", inputTokens: 1_000, outputTokens: 20, usd: 0.01 },
  } as const;
  const events = envelopes(
    asks(1, "x"),
    cost,
    ends(1),
    cost,
    { kind: "CompactionTriggered", payload: { beforeTokens: 120_000, afterTokens: 9_000 } },
    asks(2, "y"),
    cost,
    ends(2),
  );
  const text = (await gather(renderMarkdown(INFO, each(events)))).join("");
  expect(text).toContain("9,000 tokens instead of 120,000 (1,000 tokens in, 20 out, 1 call, $0.0100).*");
  expect(text.match(/\d calls?, \$0\.\d+/g)).toEqual([
    "1 call, $0.0100",
    "1 call, $0.0100",
    "1 call, $0.0100",
    "3 calls, $0.0300",
  ]);
});

test("[SES-10 SES-06] expired content is marked in its place", async () => {
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

test("[SES-10] a long result is cut, and the missing length is shown", async () => {
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

test("[SES-10 CTL-19] a command of a person that ends after a turn is shown once, with its result", async () => {
  const [start] = [starts("Bash", { command: "npm run watch" })];
  const by = { by: "user", shell: true } as const;
  const events = envelopes(
    { ...start, payload: { ...start.payload, ...by } } as Event,
    asks(1, "x"),
    ends(1),
    { kind: "ToolResult", payload: { callId: CALL, content: [{ type: "text", text: "watched" }], ...by } },
  );
  const text = (await gather(renderMarkdown(INFO, each(events)))).join("");
  expect(text.split("<summary>")).toHaveLength(2);
  expect(text).toContain("npm run watch");
  expect(text).toContain("watched");
  expect(text).not.toContain("a tool");
});
