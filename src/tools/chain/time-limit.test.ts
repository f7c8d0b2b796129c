import { expect, test } from "bun:test";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { probe } from "../../../test/support/tools.ts";
import type { CallId } from "../../base/ids.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import { TOOL_STOP_MS_MAX, timeLimit } from "./time-limit.ts";

/** Waits for the signal of its call, then ends in some way. */
function untilAborted(then: (signal: AbortSignal) => ToolOutput) {
  return ({ signal }: ToolContext) =>
    new Promise<ToolOutput>((resolve, reject) => {
      const end = () => {
        try {
          resolve(then(signal));
        } catch (thrown) {
          reject(thrown);
        }
      };
      signal.addEventListener("abort", end, { once: true });
    });
}

function rethrow(signal: AbortSignal): never {
  throw signal.reason;
}

const TIMED_OUT = { content: [{ type: "text", text: "timed out after 3 s" }], isError: true, timedOut: true };

test("[ENG-22] a call that takes longer than its limit is answered as timed out, and its signal aborts", async () => {
  await using rig = openToolRig();
  const answer = rig.run(probe({ run: untilAborted(rethrow) }), {}, [timeLimit(3_000)]);
  await rig.world.clock.armed();
  await rig.world.clock.advance(2_999);
  expect(rig.world.clock.waiting).toBe(1);
  await rig.world.clock.advance(1);
  expect(await answer).toEqual(TIMED_OUT as ToolOutput);
  expect(rig.world.clock.waiting).toBe(0);
});

test("[ENG-22] a tool's own limit goes before the common one, and a call in time is left alone", async () => {
  await using rig = openToolRig();
  const slow = rig.run(probe({ msMax: 3_000, run: untilAborted(rethrow) }), {}, [timeLimit(60_000)]);
  await rig.world.clock.armed();
  await rig.world.clock.advance(3_000);
  expect(await slow).toEqual(TIMED_OUT as ToolOutput);
  const output: ToolOutput = { content: [{ type: "text", text: "done" }] };
  expect(await rig.run(probe({ run: () => output }), {}, [timeLimit()])).toEqual(output);
  expect(rig.world.clock.waiting).toBe(0);
});

test("[ENG-22] what a tool still has to say when it runs out of time stands before the notice", async () => {
  await using rig = openToolRig();
  const says = (text: string): ToolOutput => ({ content: [{ type: "text", text }] });
  const fails = () => {
    throw new ToolFailure("killed after 10 lines");
  };
  for (const [then, first] of [
    [() => says("half of it"), "half of it"],
    [fails, "killed after 10 lines"],
  ] as const) {
    const answer = rig.text(probe({ run: untilAborted(then) }), {}, [timeLimit(3_000)]);
    await rig.world.clock.armed();
    await rig.world.clock.advance(3_000);
    expect(await answer).toBe(`error: ${first}\ntimed out after 3 s`);
  }
});

test("[ENG-22] a tool that ignores its signal hangs nothing", async () => {
  await using rig = openToolRig();
  const deaf = probe({ run: () => new Promise<ToolOutput>(() => undefined) });
  const answer = rig.run(deaf, {}, [timeLimit(3_000)]);
  await rig.world.clock.armed();
  await rig.world.clock.advance(3_000 + TOOL_STOP_MS_MAX);
  expect(await answer).toEqual(TIMED_OUT as ToolOutput);
  const cancelled = rig.run(deaf, {}, [timeLimit(3_000)]).catch((thrown: unknown) => thrown);
  await rig.world.clock.armed();
  await rig.world.clock.advance(1);
  const reason = new Error("the person cancelled");
  rig.cancel.abort(reason);
  await rig.world.clock.advance(TOOL_STOP_MS_MAX);
  expect(await cancelled).toBe(reason);
  expect(rig.world.clock.waiting).toBe(0);
});

test("[ENG-22 ENG-09] at a cancel, a deaf tool of a sub-agent ends before each call above it", async () => {
  await using rig = openToolRig();
  const layer = timeLimit(60_000);
  const ends: string[] = [];
  /** A call that runs the calls below it, as a sub-agent does: a few steps lie between the end of one and its own. */
  const runCall = async (names: readonly string[], parentCall?: CallId): Promise<ToolOutput> => {
    const [name = "", ...below] = names;
    const id = `call_${name}` as CallId;
    const context = { ...rig.context, callId: id };
    const within = parentCall === undefined ? {} : { within: { parentCall, agents: ["a"] } };
    const work = async (): Promise<ToolOutput> => {
      if (below.length === 0) return await new Promise<never>(() => undefined);
      const output = await runCall(below, id).catch((thrown: unknown) => thrown);
      for (let step = 0; step < 100; step += 1) await undefined;
      if (output instanceof Error) throw output;
      return output as ToolOutput;
    };
    const call = { id, name, input: {}, tool: probe({}) };
    try {
      return await layer(call, { ...context, ...within }, work);
    } finally {
      ends.push(name);
    }
  };
  const reason = new Error("the turn's time is over");
  const outcome = runCall(["top", "agent", "deaf"]).catch((thrown: unknown) => thrown);
  await rig.world.clock.armed();
  rig.cancel.abort(reason);
  await rig.world.clock.advance(TOOL_STOP_MS_MAX);
  expect(await outcome).toBe(reason);
  expect(ends).toEqual(["deaf", "agent", "top"]);
  expect(rig.world.clock.waiting).toBe(0);
});

test("[ENG-22] a cancel from above is rethrown unchanged, not reported as a time-out", async () => {
  await using rig = openToolRig();
  const answer = rig.run(probe({ run: untilAborted(rethrow) }), {}, [timeLimit(3_000)]);
  const outcome = answer.catch((thrown: unknown) => thrown);
  await rig.world.clock.armed();
  await rig.world.clock.advance(1);
  const reason = new Error("the person cancelled");
  rig.cancel.abort(reason);
  expect(await outcome).toBe(reason);
});
