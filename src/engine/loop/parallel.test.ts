import { expect, test } from "bun:test";
import { failed, fakeTool, ok, openRig } from "../../../test/support/rig.ts";
import { calls, says } from "../../../test/support/scripted-provider.ts";
import { checkValid } from "../../../test/support/valid-history.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { ToolCall } from "../../tools/middleware.ts";
import { CALLS_AT_ONCE_MAX } from "./dispatch.ts";

/** A tool whose calls end only once so many of them have begun: alone, one would wait for ever. */
function meeting(count: number, name = "Read") {
  const all = Promise.withResolvers<void>();
  let inside = 0;
  const seen = { most: 0, begun: 0 };
  const tool = fakeTool(name, async (input) => {
    inside += 1;
    seen.begun += 1;
    seen.most = Math.max(seen.most, inside);
    if (seen.begun >= count) all.resolve();
    await all.promise;
    inside -= 1;
    return ok(`read ${JSON.stringify(input)}`);
  });
  return { tool, seen };
}

const readsOnly = async ({ tool }: ToolCall) => !tool.mutating && tool.alone !== true;

function order(events: readonly Envelope[]): readonly string[] {
  return events.flatMap(({ kind }) => (kind === "ToolCallStarted" || kind === "ToolResult" ? [kind] : []));
}

const reads = (count: number, name = "Read") =>
  Array.from({ length: count }, (_, at) => ({ name, input: { at } }));

test("[ENG-20] calls that only read run at the same time, and each is answered in its place", async () => {
  const { tool } = meeting(3);
  await using rig = await openRig({
    script: [calls(...reads(3)), says("done")],
    tools: [tool],
    mayRunBeside: readsOnly,
  });
  const turn = await rig.send("read all");
  expect(order(turn.events)).toEqual([
    ...["ToolCallStarted", "ToolCallStarted", "ToolCallStarted"],
    ...["ToolResult", "ToolResult", "ToolResult"],
  ]);
  const answers = rig.provider.requests[1]?.messages.at(-1)?.content ?? [];
  expect(answers.map((block) => block.type === "tool_result" && JSON.stringify(block.content))).toEqual(
    [0, 1, 2].map((at) => expect.stringContaining(`\\"at\\":${at}`)),
  );
  const ids = turn.events.flatMap((event) => (event.kind === "ToolResult" ? [event.payload.callId] : []));
  expect(new Set(ids).size).toBe(3);
});

test("[ENG-20] at most eight run at a time, and without opting in one does", async () => {
  const { tool, seen } = meeting(8);
  await using rig = await openRig({
    script: [calls(...reads(10)), says("done")],
    tools: [tool],
    mayRunBeside: readsOnly,
  });
  expect((await rig.send("read all")).results).toHaveLength(10);
  expect(seen.most).toBe(8);
  const alone = meeting(1);
  await using other = await openRig({ script: [calls(...reads(10)), says("done")], tools: [alone.tool] });
  expect((await other.send("read all")).results).toHaveLength(10);
  expect(alone.seen.most).toBe(1);
});

test("[ENG-20] a call that changes something runs alone, between those before and after it", async () => {
  const before = meeting(2, "Before");
  const after = meeting(2, "After");
  const during: number[] = [];
  const write = fakeTool(
    "Write",
    () => {
      during.push(before.seen.begun, after.seen.begun);
      return ok("written");
    },
    { mutating: true },
  );
  await using rig = await openRig({
    script: [calls(...reads(2, "Before"), { name: "Write" }, ...reads(2, "After")), says("done")],
    tools: [before.tool, after.tool, write],
    mayRunBeside: readsOnly,
  });
  const turn = await rig.send("go");
  expect(turn.results.map(({ text }) => text.split(" ")[0])).toEqual([
    ...["read", "read", "written", "read", "read"],
  ]);
  expect(during).toEqual([2, 0]);
});

test("[ENG-20 ENG-04] where one of them fails the others end truthfully, and what comes after does not run", async () => {
  const { tool } = meeting(2);
  const broken = fakeTool("Broken", () => failed("it broke"));
  const write = fakeTool("Write", () => ok("written"), { mutating: true });
  await using rig = await openRig({
    script: [
      calls(
        { name: "Read", input: { at: 1 } },
        { name: "Broken" },
        { name: "Read", input: { at: 2 } },
        { name: "Write" },
      ),
      says("sorry"),
    ],
    tools: [tool, broken, write],
    mayRunBeside: readsOnly,
  });
  const turn = await rig.send("go");
  const answers = rig.provider.requests[1]?.messages.at(-1)?.content ?? [];
  expect(
    answers.map((block) => block.type === "tool_result" && [block.is_error ?? false, block.content]),
  ).toMatchObject([
    [false, [{ text: expect.stringContaining('read {"at":1}') }]],
    [true, [{ text: expect.stringContaining("it broke") }]],
    [false, [{ text: expect.stringContaining('read {"at":2}') }]],
    [true, [{ text: expect.stringContaining("not executed: Broken failed before it") }]],
  ]);
  expect(turn.results).toHaveLength(3);
});

test("[ENG-20 ENG-04] a read that fails stops none that follow, however many they are, until a call may change something", async () => {
  const read = fakeTool("Read", (input) =>
    JSON.stringify(input).includes(":1}") ? failed("no file") : ok("read"),
  );
  const write = fakeTool("Write", () => ok("written"), { mutating: true });
  await using rig = await openRig({
    script: [
      calls(...reads(CALLS_AT_ONCE_MAX + 1), { name: "Write" }, { name: "Read", input: {} }),
      says("sorry"),
    ],
    tools: [read, write],
    mayRunBeside: readsOnly,
  });
  const turn = await rig.send("go");
  expect(turn.results.map(({ text }) => text)).toEqual(
    Array.from({ length: CALLS_AT_ONCE_MAX + 1 }, (_, at) =>
      expect.stringContaining(at === 1 ? "no file" : "read"),
    ),
  );
  const answers = rig.provider.requests[1]?.messages.at(-1)?.content ?? [];
  expect(JSON.stringify(answers.slice(-2)).match(/not executed: Read failed before it/gu)).toHaveLength(2);
});

test("[ENG-20 ENG-11 R01] a cancel ends all of them, each is answered, and the next turn continues", async () => {
  const begun = Promise.withResolvers<void>();
  let count = 0;
  const slow = fakeTool("Read", async (_, { signal }) => {
    count += 1;
    if (count === 3) begun.resolve();
    return await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  });
  await using rig = await openRig({
    script: [calls(...reads(3)), says("again")],
    tools: [slow],
    mayRunBeside: readsOnly,
  });
  const sending = rig.send("go");
  await begun.promise;
  await rig.connection.send({ kind: "CancelTurn", sessionId: rig.session.id });
  const turn = await sending;
  expect(turn.reason).toBe("cancelled");
  expect(turn.results).toHaveLength(3);
  expect((await rig.send("on")).text).toBe("again");
  checkValid(rig.provider.requests[1]?.messages ?? []);
});
