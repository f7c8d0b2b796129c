import { expect, test } from "bun:test";
import { openRig } from "../../test/support/rig.ts";
import { events } from "../../test/support/scripted-provider.ts";

const finish = { kind: "finish", reason: "stop", raw: "stop" } as const;
const block = (text: string) =>
  ({ type: "thinking", family: "scripted", text, data: { signature: "s", text } }) as const;

test("[BUS-07 ENG-15] what a model thinks is emitted once, in pieces; what its provider wants back stays inside", async () => {
  await using rig = await openRig({
    script: [
      events(
        { kind: "thinking", index: 0, text: "Let me " },
        { kind: "thinking", index: 0, text: "think" },
        { kind: "block", index: 0, block: block("Let me think") },
        { kind: "block", index: 1, block: block("whole at once") },
        { kind: "block", index: 2, block: block("") },
        { kind: "text", index: 3, text: "Done." },
        { kind: "block", index: 3, block: { type: "text", text: "Done." } },
        finish,
      ),
    ],
  });
  await rig.send("go");
  const pieces = rig.events.flatMap((event) => (event.kind === "ThinkingDelta" ? [event.payload.block] : []));
  expect(pieces.map(({ text }) => text).join("")).toBe("Let me thinkwhole at once");
  for (const piece of pieces) expect(Object.keys(piece).toSorted()).toEqual(["family", "text", "type"]);
  const [, reply] = await rig.store.messages(rig.session.logId);
  expect(reply?.message.content).toEqual([
    block("Let me think"),
    block("whole at once"),
    block(""),
    { type: "text", text: "Done." },
  ]);
});

test("[BUS-07 ENG-15] a piece names its block by its place in the answer, the first by none", async () => {
  await using rig = await openRig({
    script: [
      events(
        { kind: "thinking", index: 0, text: "hm" },
        { kind: "block", index: 0, block: block("hm") },
        { kind: "thinking", index: 1, text: "so" },
        { kind: "block", index: 1, block: block("so") },
        { kind: "text", index: 2, text: "One" },
        { kind: "text", index: 2, text: "." },
        { kind: "block", index: 2, block: { type: "text", text: "One." } },
        { kind: "text", index: 3, text: "Two." },
        { kind: "block", index: 3, block: { type: "text", text: "Two." } },
        finish,
      ),
    ],
  });
  await rig.send("go");
  const texts = new Map<string, string>();
  for (const { kind, payload } of rig.events) {
    if (kind !== "TextDelta" && kind !== "ThinkingDelta") continue;
    const name = `${kind} ${payload.index ?? "first"}`;
    const text = "text" in payload ? payload.text : payload.block.text;
    texts.set(name, `${texts.get(name) ?? ""}${text}`);
  }
  expect(Object.fromEntries(texts)).toEqual({
    "ThinkingDelta first": "hm",
    "ThinkingDelta 1": "so",
    "TextDelta 2": "One.",
    "TextDelta 3": "Two.",
  });
});
