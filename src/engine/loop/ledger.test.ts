import { expect, test } from "bun:test";
import { fakeTool, ok, openRig } from "../../../test/support/rig.ts";
import type { ScriptedAnswer } from "../../../test/support/scripted-provider.ts";
import { calls, says } from "../../../test/support/scripted-provider.ts";
import { memorySessionStore } from "../../session/store/memory-store.ts";
import type { SessionStore, SessionWriter } from "../../session/store/store.ts";

/** A store that tells which intents and outcomes the loss of power would take away at this moment. */
function watchedStore(): { readonly store: SessionStore; readonly unsynced: string[] } {
  const plain = memorySessionStore({ isAlive: () => true });
  const unsynced: string[] = [];
  const watched = (writer: SessionWriter): SessionWriter => ({
    logId: writer.logId,
    epoch: writer.epoch,
    lastEvent: writer.lastEvent,
    async append(batch, durability) {
      await writer.append(batch, durability);
      unsynced.push(...(batch.intents ?? []).map(({ tool }) => `intent of ${tool}`));
      unsynced.push(...(batch.outcomes ?? []).map(({ outcome }) => `outcome ${outcome}`));
      if (durability === "power") unsynced.length = 0;
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  });
  const store: SessionStore = {
    ...plain,
    create: async (...args) => watched(await plain.create(...args)),
    open: async (...args) => watched(await plain.open(...args)),
  };
  return { store, unsynced };
}

test("[SES-03 REL-02] that a call which changes something is about to run, and how it ended, survives the loss of power before anything continues", async () => {
  const { store, unsynced } = watchedStore();
  const seen: unknown[] = [];
  const look = (what: string) => seen.push([what, [...unsynced]]);
  const mutating = { mutating: true };
  const run = () => {
    look("it changes");
    return ok("changed");
  };
  const change = fakeTool("Change", run, mutating);
  const refuse = () => {
    look("it fails");
    throw new Error("no");
  };
  const fail = fakeTool("Fail", refuse, mutating);
  const after =
    (what: string, answer: ScriptedAnswer): ScriptedAnswer =>
    (request, signal) => {
      look(what);
      return answer(request, signal);
    };
  const script = [
    calls({ name: "Change", input: {} }),
    after("it has changed", calls({ name: "Fail", input: {} })),
    after("it has failed", says("done")),
  ];
  await using rig = await openRig({ script, tools: [change, fail], store });
  await rig.send("go");
  expect(seen).toEqual(
    ["it changes", "it has changed", "it fails", "it has failed"].map((what) => [what, []]),
  );
});
