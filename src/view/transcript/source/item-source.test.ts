import { expect, test } from "bun:test";
import { fakeId } from "../../../../test/support/fake-connection.ts";
import type { CallId } from "../../../base/ids.ts";
import type { CallItem, TranscriptItem } from "../items.ts";
import { newText } from "../streamed-text.ts";
import { itemSource } from "./item-source.ts";
import { transcriptText } from "./transcript-text.ts";

const TS = "2026-01-01T00:00:00.000Z";
const CALL: CallItem = {
  kind: "call",
  event: 2,
  ts: TS,
  callId: fakeId("call", 1) as CallId,
  tool: "Bash",
  args: { command: "ls" },
  state: "done",
  output: "a\n\tb\n\n",
  media: [],
  items: [],
};
const PROMPT: TranscriptItem = {
  kind: "prompt",
  event: 1,
  ts: TS,
  turn: 1,
  originator: fakeId("cli", 1),
  content: [
    { type: "text", text: "look\n\n  here" },
    { type: "image", mediaType: "image/png", characters: 4_096 },
  ],
};
const MARKDOWN = "# Title\n\n| a | b |\n|---|---|\n| **1** | 2 |\n\n```ts\nconst x = 1;\n```\n";

test("[TUI-01 complaint 14] the source of an item is its text as it came, without wraps and decoration", () => {
  expect(itemSource({ kind: "text", event: 3, ts: TS, streamed: newText(MARKDOWN) })).toBe(
    MARKDOWN.trimEnd(),
  );
  expect(itemSource(PROMPT)).toBe("look\n\n  here\n[image: image/png, 3.0 KB]");
  expect(itemSource(CALL)).toBe("a\n\tb");
  expect(itemSource({ ...CALL, output: "" })).toBe("Bash ls");
});

test("[TUI-01 complaint 14] the source of an edit is its change as a unified diff", () => {
  const edit: CallItem = { ...CALL, tool: "Edit", output: "edited" };
  expect(itemSource({ ...edit, diff: "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n" })).toBe(
    "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y",
  );
  const proposed = {
    args: { path: "a.txt", old: "one\ntwo\n", new: "one\n2\n" },
    preview: { path: "path", old: "old", new: "new" },
  };
  expect(itemSource({ ...edit, ...proposed })).toBe("--- a.txt\n+++ a.txt\n@@ @@\n one\n-two\n+2");
  // Of arguments that were cut it may be another change.
  expect(itemSource({ ...edit, ...proposed, areArgsCut: true })).toBe("edited");
});

test("[TUI-01 TUI-07 bar Long output] a whole transcript is text with everything in it that can drive no terminal", () => {
  const nested: CallItem = { ...CALL, event: 5, output: "in \u001b[2Jside" };
  const agent: CallItem = { ...CALL, event: 4, tool: "Agent", args: { prompt: "dig" }, items: [nested] };
  const items: readonly TranscriptItem[] = [
    PROMPT,
    { kind: "text", event: 3, ts: TS, streamed: newText("said\n") },
    agent,
    { kind: "end", event: 6, ts: TS, turn: 1, reason: "complete", files: [] },
  ];
  const dropped = { first: 1, last: 0, weight: 0 };
  const text = transcriptText({ reached: 6, segments: [dropped, { first: 1, last: 6, weight: 0, items }] });
  expect(text).toBe(
    [
      "[earlier messages are not loaded]\n",
      "> look\n>\n>   here\n> [image: image/png, 3.0 KB]\n",
      "said\n",
      "● Agent dig (done)\n    ● Bash ls (done)\n        in side\n    a\n    \tb\n",
    ].join("\n"),
  );
});
