import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import type { Rig } from "../../../test/support/rig.ts";
import { failed, fakeTool, ok, openRig } from "../../../test/support/rig.ts";
import type { ScriptedCall } from "../../../test/support/scripted-provider.ts";
import { calls, says } from "../../../test/support/scripted-provider.ts";
import type { TestWorld } from "../../../test/support/world.ts";
import { testWorld } from "../../../test/support/world.ts";
import { REPEATED_FAILURES_MAX, REPEATED_RESULTS_MAX } from "../../config/sections/limits.ts";
import type { Tool, ToolOutput } from "../../tools/tool.ts";
import { progressGuard } from "./progress-guard.ts";
import type { CallMark } from "./repetition.ts";
import { findRepetition } from "./repetition.ts";

const LIMITS = { failuresMax: REPEATED_FAILURES_MAX, resultsMax: REPEATED_RESULTS_MAX };
const edit = fakeTool("Edit", () => failed("old_string is not in the file"), { mutating: true });
const read = fakeTool("Read", () => ok("the file"));

interface Guarded {
  readonly tools?: readonly Tool[];
  readonly limits?: typeof LIMITS;
  readonly world?: TestWorld;
}

/** A session whose model makes these calls one after the other, and says "done" when it may go on. */
async function guarded(
  list: readonly ScriptedCall[],
  { tools = [edit, read], limits = LIMITS, world }: Guarded = {},
): Promise<Rig> {
  const guard = progressGuard(limits);
  return await openRig({
    script: [...list.map((call) => calls(call)), says("done")],
    tools,
    roundsMax: 100,
    ...(world === undefined ? {} : { world }),
    telemetry: [guard.tool],
    requestMiddleware: [guard.request],
  });
}

function times(count: number, ...cycle: readonly ScriptedCall[]): readonly ScriptedCall[] {
  return Array.from({ length: count }, () => cycle).flat();
}

test("[ENG-27] the same failing call five times in a row ends the turn with its name, and the model gets a warning half way", async () => {
  const call = { name: "Edit", input: { path: "a", old: "x" } };
  await using rig = await guarded(times(9, call));
  const { reason, results, events } = await rig.send("go");
  expect(reason).toBe("no_progress");
  expect(results).toHaveLength(5);
  expect(rig.provider.requests).toHaveLength(5);
  const noted = results.map(({ text }) => text.includes("Repeating it will not help"));
  expect(noted).toEqual([false, false, true, false, false]);
  expect(JSON.stringify(rig.provider.requests[3]?.messages.at(-1))).toContain("3 times in a row");
  const error = events.find(({ kind }) => kind === "Error");
  expect(error?.payload).toMatchObject({
    reason: "NoProgress",
    details: { times: "5", call: 'Edit {"old":"x","path":"a"}', what: "the same call failed" },
  });
  // What the last call said is in the history, and the next turn begins anew.
  expect(await rig.send("go on")).toMatchObject({ reason: "complete", text: "done" });
});

test("[ENG-27] arguments in another order are the same call; another argument, a success or a person's word is progress", async () => {
  const a = { name: "Edit", input: { path: "a", old: "x" } };
  const turned = { name: "Edit", input: { old: "x", path: "a" } };
  const other = { name: "Edit", input: { path: "a", old: "y" } };
  await using same = await guarded([...times(2, a, turned), a]);
  expect((await same.send("go")).reason).toBe("no_progress");
  await using different = await guarded([...times(4, a), other, ...times(4, a)]);
  expect((await different.send("go")).reason).toBe("complete");
});

for (const cycle of [
  [{ name: "Edit" }, { name: "Read" }],
  [{ name: "Edit" }, { name: "Edit", input: { again: true } }],
  [{ name: "Read" }, { name: "Edit" }, { name: "Read", input: { other: true } }],
]) {
  test(`[ENG-27] a cycle of ${cycle.length} calls of which one fails ends the turn: ${cycle.map(({ name }) => name).join(", ")}`, async () => {
    await using rig = await guarded(times(8, ...cycle));
    const { reason, results } = await rig.send("go");
    expect(reason).toBe("no_progress");
    expect(results).toHaveLength(5 * cycle.length);
  });
}

test("[ENG-27] calls that succeed with the same result twenty times in a row end the turn too", async () => {
  await using rig = await guarded(times(30, { name: "Read" }));
  const { reason, results } = await rig.send("go");
  expect([reason, results.length]).toEqual(["no_progress", 20]);
});

test("[ENG-27] polling something that changes is progress, however often", async () => {
  let line = 0;
  const output = fakeTool("BashOutput", () => ok(`line ${line++}`));
  await using rig = await guarded(times(60, { name: "BashOutput", input: { id: "task" } }), {
    tools: [output],
  });
  expect((await rig.send("go")).reason).toBe("complete");
});

/** A tool whose calls each take some time. */
function waiting(world: TestWorld, ms: readonly number[], output: () => ToolOutput) {
  let call = 0;
  return fakeTool("Bash", async () => {
    await world.clock.advance(ms[call++ % ms.length] ?? 0);
    return output();
  });
}

test("[ENG-27] a command that waits and finds nothing new is polling, however often; the rounds of the turn bound it", async () => {
  const world = testWorld();
  const poll = waiting(world, [30_000], () => ok("still running"));
  await using rig = await guarded(times(45, { name: "Bash", input: { command: "sleep 30; cat status" } }), {
    tools: [poll],
    world,
  });
  const { reason, results } = await rig.send("go");
  expect([reason, results.length]).toEqual(["complete", 45]);
  expect(results.filter(({ text }) => text.includes("will not help"))).toEqual([]);
});

test("[ENG-27] of polls that wait now and then, those that do not are counted", async () => {
  const world = testWorld();
  const poll = waiting(world, [0, 0, 30_000], () => ok("still running"));
  await using rig = await guarded(times(45, { name: "Bash" }), { tools: [poll], world });
  const { reason, results } = await rig.send("go");
  expect([reason, results.length]).toEqual(["no_progress", 29]); // 20 that did not wait, 9 that did
  const noted = results.flatMap(({ text }, at) => (text.includes("wait in the call itself") ? [at + 1] : []));
  expect(noted).toEqual([14]); // the tenth of them
});

test("[ENG-27] a command that waits and fails is tried more often than one that fails at once, and not for ever", async () => {
  const world = testWorld();
  const poll = waiting(world, [30_000], () => failed("not there yet"));
  await using rig = await guarded(times(45, { name: "Bash" }), { tools: [poll], world });
  const { reason, results } = await rig.send("go");
  expect([reason, results.length]).toEqual(["no_progress", 20]);
  const noted = results.flatMap(({ text }, at) => (text.includes("will not help") ? [at + 1] : []));
  expect(noted).toEqual([10]);
});

test("[ENG-27] the limits are settable", async () => {
  await using rig = await guarded(times(9, { name: "Edit" }), {
    tools: [edit],
    limits: { failuresMax: 2, resultsMax: 3 },
  });
  expect((await rig.send("go")).results).toHaveLength(2);
});

test("[ENG-27 ENG-26] what a person steers into the turn is another chance", async () => {
  let rig: Rig | undefined;
  let tries = 0;
  const stubborn = fakeTool("Edit", async () => {
    tries += 1;
    if (tries === 5 && rig !== undefined) {
      const content = [{ type: "text" as const, text: "look at line 3" }];
      const { id: sessionId } = rig.session;
      await rig.connection.send({ kind: "SendInput", sessionId, content, delivery: "steer" });
    }
    return failed("no");
  });
  await using opened = await guarded(times(7, { name: "Edit" }), { tools: [stubborn] });
  rig = opened;
  expect((await rig.send("go")).reason).toBe("complete");
});

test("[ENG-27] a call that fails in another way each time still counts as failing, and one of another tool is another call", async () => {
  let tries = 0;
  const worded = fakeTool("Edit", () => failed(`no, at ${tries++} ms`), { mutating: true });
  await using rig = await guarded(times(9, { name: "Edit" }), { tools: [worded] });
  expect((await rig.send("go")).results).toHaveLength(5);

  const write = fakeTool("Write", () => failed("no"), { mutating: true });
  const tools = [fakeTool("Edit", () => failed("no"), { mutating: true }), write];
  const list = [...times(4, { name: "Edit" }), { name: "Write" }, ...times(4, { name: "Edit" })];
  await using two = await guarded(list, { tools });
  expect((await two.send("go")).reason).toBe("complete");
});

test("[ENG-27] a cycle of three that succeeds is found however many rounds it takes, and reported once, half way", async () => {
  const cycle = [{ name: "Read" }, { name: "Read", input: { a: 1 } }, { name: "Read", input: { a: 2 } }];
  const limits = { failuresMax: 3, resultsMax: 4 };
  await using rig = await guarded(times(9, ...cycle), { tools: [read], limits });
  const { reason, results } = await rig.send("go");
  expect([reason, results.length]).toEqual(["no_progress", 12]);
  const noted = results.flatMap(({ text }, at) => (text.includes("will not help") ? [at + 1] : []));
  expect(noted).toEqual([6]);
});

test("[ENG-27] calls of an earlier turn do not count, whatever the next one begins with; a history can be compacted after", async () => {
  await using rig = await guarded(times(6, { name: "Edit" }));
  expect((await rig.send("go")).reason).toBe("no_progress");
  const compacted = await rig.connection.send({ kind: "CompactSession", sessionId: rig.session.id });
  expect(compacted).toEqual({ result: { compacted: false } });
  const picture = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
  } as const;
  const { reason, results } = await rig.send([picture]);
  expect([reason, results.length]).toEqual(["complete", 1]);
});

describe("[ENG-27] repetition", () => {
  const mark = (text: string): CallMark => ({ text, failed: text === "f", waited: text === "b" });

  test("is found for any cycle of up to three, after anything, and never where there is none", async () => {
    const cycle = fc.uniqueArray(fc.constantFrom("a", "b", "f"), { minLength: 1, maxLength: 3 });
    const before = fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 9 });
    const property = fc.property(cycle, before, fc.integer({ min: 1, max: 9 }), (texts, prefix, rounds) => {
      const marks = [...prefix, ...Array.from({ length: rounds }, () => texts).flat()].map(mark);
      const found = findRepetition(marks);
      if (rounds === 1) return expect(found.times).toBe(1);
      expect(found).toEqual({
        period: texts.length,
        times: rounds,
        quick: texts.includes("b") ? 0 : rounds,
        isQuick: !texts.includes("b"),
        fails: texts.includes("f"),
        whole: true,
      });
    });
    await holds(property, 300);
    const none = { period: 1, times: 0, quick: 0, isQuick: false, fails: false, whole: false };
    expect(findRepetition([])).toEqual(none);
    expect(findRepetition(["a", "b", "c", "d", "a", "b", "c", "d"].map(mark)).times).toBe(1);
  });
});
