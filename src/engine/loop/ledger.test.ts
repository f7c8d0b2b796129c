import { expect, test } from "bun:test";
import { settle } from "../../../test/support/fake-clock.ts";
import { fakeTool, ok, openRig } from "../../../test/support/rig.ts";
import type { ScriptedAnswer } from "../../../test/support/scripted-provider.ts";
import { calls, says } from "../../../test/support/scripted-provider.ts";
import { HarnessError } from "../../base/errors.ts";
import { memorySessionStore } from "../../session/store/memory-store.ts";
import type { Batch, SessionStore, SessionWriter } from "../../session/store/store.ts";
import type { Tool } from "../../tools/tool.ts";

/** A store that keeps its batches, and lists what the loss of power would take away at this moment. */
function watchedStore() {
  const plain = memorySessionStore({ isAlive: () => true });
  const batches: Batch[] = [];
  const unsynced: string[] = [];
  /** Syncs wait for `ready`, and batches for `writable`. */
  const disk = { ready: Promise.resolve(), writable: Promise.resolve(), begun: 0 };
  const watched = (writer: SessionWriter): SessionWriter => ({
    logId: writer.logId,
    epoch: writer.epoch,
    lastEvent: writer.lastEvent,
    async append(batch, durability) {
      disk.begun += 1;
      await disk.writable;
      await writer.append(batch, durability);
      batches.push(batch);
      unsynced.push(...(batch.intents ?? []).map(({ tool }) => `intent of ${tool}`));
      unsynced.push(...(batch.outcomes ?? []).map(({ outcome }) => `outcome ${outcome}`));
      if (durability === "power") await disk.ready;
      if (durability === "power") unsynced.length = 0;
    },
    async sync() {
      await disk.ready;
      unsynced.length = 0;
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  });
  const store: SessionStore = {
    ...plain,
    create: async (...args) => watched(await plain.create(...args)),
    open: async (...args) => watched(await plain.open(...args)),
  };
  return { store, batches, unsynced, disk };
}

/** Runs two rounds with a tool. Returns the number of batches of each, when the next request leaves and after that. */
async function batchesOfRounds(mutating: boolean): Promise<readonly (readonly number[])[]> {
  const { store, batches } = watchedStore();
  const counts: number[][] = [];
  const watched = (answer: ScriptedAnswer): ScriptedAnswer =>
    async function* (request, signal) {
      const atRequest = batches.length;
      await settle();
      counts.push([atRequest, batches.length]);
      yield* answer(request, signal);
    };
  const tool = fakeTool("Tool", () => ok("done"), { mutating });
  const call = calls({ name: "Tool", input: {} });
  await using rig = await openRig({
    script: [watched(call), watched(call), watched(says("done"))],
    tools: [tool],
    store,
  });
  await rig.send("go");
  return counts.slice(1).map((round, at) => round.map((count) => count - (counts[at]?.[1] ?? 0)));
}

test("[SES-03 REL-02] a call that changes something runs once its intent survives the loss of power", async () => {
  const { store, batches, unsynced } = watchedStore();
  const seen: unknown[] = [];
  const look = (tool: string) => {
    const intents = batches.flatMap(({ intents = [] }) => intents.map((each) => each.tool));
    seen.push({ tool, isIntended: intents.includes(tool), unsynced: [...unsynced] });
  };
  const change = fakeTool(
    "Change",
    () => {
      look("Change");
      return ok("changed");
    },
    { mutating: true },
  );
  const fail = fakeTool(
    "Fail",
    () => {
      look("Fail");
      throw new Error("no");
    },
    { mutating: true },
  );
  const script = [calls({ name: "Change", input: {} }), calls({ name: "Fail", input: {} }), says("done")];
  await using rig = await openRig({ script, tools: [change, fail], store });
  await rig.send("go");
  expect(seen).toEqual(["Change", "Fail"].map((tool) => ({ tool, isIntended: true, unsynced: [] })));
});

test("[SES-03 PERF-02] a tool that awaits its intent runs before the log has it, and changes something after it is safe", async () => {
  const { store, batches, unsynced } = watchedStore();
  const seen: unknown[] = [];
  const look = () => seen.push([batches.flatMap(({ intents = [] }) => intents).length, ...unsynced]);
  const change: Tool = {
    ...fakeTool("Change", () => ok("changed"), { mutating: true }),
    awaitsIntent: true,
    async run(_plan, { intentSafe }) {
      look();
      await intentSafe?.();
      look();
      return ok("changed");
    },
  };
  const script = [calls({ name: "Change", input: {} }), says("done")];
  await using rig = await openRig({ script, tools: [change], store });
  await rig.send("go");
  expect(seen).toEqual([[0], [1]]);
});

test("[SES-03 REL-02] an outcome is in the log before its result is shown, and safe from loss of power before the end of the turn is", async () => {
  const { store, batches, unsynced } = watchedStore();
  const atResult: unknown[] = [];
  const atEnd: unknown[] = [];
  const change = fakeTool("Change", () => ok("changed"), { mutating: true });
  await using rig = await openRig({
    script: [calls({ name: "Change", input: {} }), says("done")],
    tools: [change],
    store,
  });
  const watching = (async () => {
    for await (const { kind } of rig.session.subscribe(0, new AbortController().signal)) {
      if (kind === "ToolResult") atResult.push(batches.flatMap(({ outcomes = [] }) => outcomes).length);
      if (kind !== "TurnEnded") continue;
      atEnd.push([...unsynced]);
      break;
    }
  })();
  await rig.send("go");
  await watching;
  expect({ atResult, atEnd }).toEqual({ atResult: [1], atEnd: [[]] });
});

test("[SES-03 REL-02] the model gets the result of a call that changes something when the log has its outcome", async () => {
  const { store, batches } = watchedStore();
  const atRequest: number[] = [];
  const answer: ScriptedAnswer = (request, signal) => {
    atRequest.push(batches.flatMap(({ outcomes = [] }) => outcomes).length);
    return says("done")(request, signal);
  };
  const change = fakeTool("Change", () => ok("changed"), { mutating: true });
  await using rig = await openRig({
    script: [calls({ name: "Change", input: {} }), answer],
    tools: [change],
    store,
  });
  await rig.send("go");
  expect(atRequest).toEqual([1]);
});

test("[SES-03 PERF-02] a call that only reads waits for no batch: its records are written with its result", async () => {
  const { store, batches } = watchedStore();
  const read = fakeTool("Look", () => ok("seen"));
  await using rig = await openRig({
    script: [calls({ name: "Look", input: {} }), says("done")],
    tools: [read],
    store,
  });
  await rig.send("go");
  const withRecords = batches.filter(
    ({ intents = [], outcomes = [] }) => intents.length + outcomes.length > 0,
  );
  const [{ intents = [], outcomes = [], events = [] } = {}, ...rest] = withRecords;
  expect([intents.length, outcomes.length, rest]).toEqual([1, 1, []]);
  expect(events.map(({ kind }) => kind)).toContain("ToolResult");
});

test("[PERF-02 SES-03] a round that only reads is one batch, which is written once the next request has left", async () => {
  expect(await batchesOfRounds(false)).toEqual([
    [0, 1],
    [0, 1],
  ]);
});

test("[PERF-02 SES-03] a round that changes something is two batches: one up to its intent, one from its outcome on", async () => {
  expect(await batchesOfRounds(true)).toEqual([
    [2, 2],
    [2, 2],
  ]);
});

test("[PERF-02 SES-07] the request leaves while the disk syncs the input, and the input is accepted after that", async () => {
  const { store, disk } = watchedStore();
  await using rig = await openRig({ script: [says("done")], store });
  const { promise, resolve } = Promise.withResolvers<void>();
  disk.ready = promise;
  const sent: string[] = [];
  const content = [{ type: "text" as const, text: "go" }];
  const accepting = rig.connection
    .send({ kind: "SendInput", sessionId: rig.session.id, content })
    .then(() => sent.push("accepted"));
  await rig.until("TextDelta");
  expect([rig.provider.requests.length, sent]).toEqual([1, []]);
  resolve();
  await accepting;
  await rig.until("TurnEnded");
});

/** Sends an input whose batch is not written until `write` settles, and resolves when its request has left. */
async function sendUnwritten({ follows }: { readonly follows: boolean }) {
  const { store, disk } = watchedStore();
  const asked = Promise.withResolvers<{ readonly signal: AbortSignal; readonly begun: number }>();
  const look = calls({ name: "Look", input: {} });
  const ran: string[] = [];
  const rig = await openRig({
    script: [
      (request, signal) => {
        asked.resolve({ signal, begun: disk.begun });
        return look(request, signal);
      },
      says("done"),
    ],
    tools: [
      fakeTool("Look", () => {
        ran.push("Look");
        return ok("seen");
      }),
    ],
    store,
    follows,
  });
  const write = Promise.withResolvers<void>();
  const begunBefore = disk.begun;
  disk.writable = write.promise;
  const content = [{ type: "text" as const, text: "go" }];
  const accepting = rig.connection
    .send({ kind: "SendInput", sessionId: rig.session.id, content })
    .then(() => ran.push("accepted"))
    .catch((thrown: unknown) => thrown);
  const { signal, begun } = await asked.promise;
  await settle();
  return { rig, ran, write, accepting, signal, writes: begun - begunBefore };
}

test("[PERF-01 SES-07] the first request leaves before the log has its input: nothing of the answer is used before that", async () => {
  const { rig, ran, write, accepting, writes } = await sendUnwritten({ follows: true });
  await using _ = rig;
  const kinds = () => rig.events.map(({ kind }) => kind);
  expect([writes, ran, kinds().includes("TurnStarted")]).toEqual([0, [], false]);
  write.resolve();
  await accepting;
  await rig.until("TurnEnded");
  expect(ran.toSorted()).toEqual(["Look", "accepted"]);
  expect(kinds().indexOf("TurnStarted")).toBeLessThan(kinds().indexOf("ToolCallStarted"));
});

test("[PERF-01 SES-07 REL-02] an input that cannot be written is refused, and its request is aborted", async () => {
  const { rig, ran, write, accepting, signal } = await sendUnwritten({ follows: false });
  const full = new HarnessError("StoreUnwritable", { path: "sessions.db", detail: "the disk is full" });
  write.reject(full);
  expect(await accepting).toBe(full);
  await rig.session.idle();
  expect([ran, signal.aborted]).toEqual([[], true]);
});
