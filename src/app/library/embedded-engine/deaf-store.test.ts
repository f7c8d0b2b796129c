import { expect, test } from "bun:test";
import { engineProvider, text } from "../../../../test/support/engine-parts.ts";
import type { SessionStore, SessionWriter } from "../../../engine.ts";
import { createEngine, memoryStore } from "../../../engine.ts";

const nothing = new Promise<never>(() => undefined);

const FAULTS = {
  "throws at once": () => {
    throw new Error("boom");
  },
  rejects: () => Promise.reject(new Error("boom")),
  "never answers": () => nothing,
  "returns nonsense": () => 5 as never,
} as const;

type Fault = keyof typeof FAULTS;
type Call = "create" | "find" | "messages" | "events" | "append" | "close";

/**
 * A store of a program, one call of which fails from the moment that `break` is called. `failed` resolves at the
 * first one.
 */
function breakableStore(broken: Call, fault: Fault) {
  const inner = memoryStore();
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  let isBroken = false;
  const run = <Value>(call: Call, real: () => Value): Value => {
    if (!isBroken || call !== broken) return real();
    resolve();
    return FAULTS[fault]() as Value;
  };
  const store: SessionStore = {
    ...inner,
    create: (...given) =>
      run("create", async () => {
        const writer = await inner.create(...given);
        return {
          ...{ logId: writer.logId, epoch: writer.epoch, lastEvent: writer.lastEvent },
          append: (batch, durability) => run("append", () => writer.append(batch, durability)),
          [Symbol.asyncDispose]: () => run("close", () => writer[Symbol.asyncDispose]()),
        } satisfies SessionWriter;
      }),
    find: (id) => run("find", () => inner.find(id)),
    messages: (logId) => run("messages", () => inner.messages(logId)),
    events: (...given) => run("events", () => inner.events(...given)),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
  return { store, failed, break: () => (isBroken = true) };
}

/** An engine whose store has not failed yet. */
async function openWith(broken: Call, fault: Fault) {
  const rig = breakableStore(broken, fault);
  const provider = engineProvider([text("hi")]);
  const engine = await createEngine({ provider, model: "m", store: rig.store, limits: { storeMs: 50 } });
  return { engine, ...rig };
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => "none",
    (thrown) => thrown.reason ?? `${thrown}`,
  );
}

for (const fault of Object.keys(FAULTS) as Fault[]) {
  for (const call of ["create", "find"] as const)
    test(`[LIB-10 SES-16] a program's store that ${fault} in ${call} refuses a session, and the engine can be disposed`, async () => {
      const rig = await openWith(call, fault);
      rig.break();
      const refused = await rig.engine.createSession().then(String, (thrown) => thrown);
      expect(refused).toMatchObject({ reason: "StoreFailed" });
      expect(refused.message).toContain(`failed in ${call}: `);
      await rig.engine[Symbol.asyncDispose]();
    });

  for (const call of ["messages", "events"] as const)
    test(`[LIB-10 SES-16] a program's store that ${fault} in ${call} fails the reader, and not the session`, async () => {
      const rig = await openWith(call, fault);
      await using engine = rig.engine;
      const session = await engine.createSession();
      rig.break();
      expect((await session.prompt("go")).text).toBe("hi");
      const read = call === "messages" ? session.history() : Array.fromAsync(session.events());
      expect(await reasonOf(read)).toBe("StoreFailed");
      expect((await session.prompt("go on")).text).toBe("hi");
    });

  if (fault !== "returns nonsense")
    for (const how of ["end", "dispose"] as const)
      test(`[LIB-10 SES-16 ENG-11] a program's store that ${fault} in append fails a prompt once, and ${how} returns`, async () => {
        const rig = await openWith("append", fault);
        const { engine } = rig;
        const session = await engine.createSession();
        rig.break();
        expect(await reasonOf(session.prompt("go"))).toBe("StoreFailed");
        expect(await reasonOf(session.prompt("go on"))).toBe("SessionEnding");
        if (how === "end") await session.end();
        await engine[Symbol.asyncDispose]();
      });
}

for (const fault of ["throws at once", "rejects", "never answers"] as const)
  test(`[LIB-10 SES-16] a program's store that ${fault} in close is reported by end, once`, async () => {
    const rig = await openWith("close", fault);
    await using engine = rig.engine;
    const session = await engine.createSession();
    rig.break();
    expect((await session.prompt("go")).text).toBe("hi");
    expect(await reasonOf(session.end())).toBe("StoreFailed");
    await session.end();
  });

test("[LIB-10 ENG-09] an aborted prompt ends while its store does not answer", async () => {
  const rig = await openWith("append", "never answers");
  await using engine = rig.engine;
  const session = await engine.createSession();
  rig.break();
  const stop = new AbortController();
  const prompt = reasonOf(session.prompt("go", { signal: stop.signal }));
  await rig.failed;
  stop.abort(new Error("enough"));
  expect(await prompt).toBe("StoreFailed");
});

test("[LIB-10 ENG-11] limits.timeMs ends a prompt whose store does not answer", async () => {
  const rig = breakableStore("append", "never answers");
  const provider = engineProvider([text("hi")]);
  const limits = { storeMs: 60_000, timeMs: 20 };
  await using engine = await createEngine({ provider, model: "m", store: rig.store, limits });
  const session = await engine.createSession();
  rig.break();
  expect(await reasonOf(session.prompt("go"))).toBe("StoreFailed");
});

test("[LIB-10 SES-16] a writer that a program's store opens too late is given back", async () => {
  const inner = memoryStore();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const store: SessionStore = {
    ...inner,
    async create(...given) {
      const writer = await inner.create(...given);
      await opened;
      return {
        ...{ logId: writer.logId, epoch: writer.epoch, lastEvent: writer.lastEvent },
        append: (...batch) => writer.append(...batch),
        async [Symbol.asyncDispose]() {
          await writer[Symbol.asyncDispose]();
          release();
        },
      };
    },
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
  const provider = engineProvider([text("hi")]);
  await using engine = await createEngine({ provider, model: "m", store, limits: { storeMs: 50 } });
  expect(await reasonOf(engine.createSession())).toBe("StoreFailed");
  open();
  await released;
});

test("[LIB-10 SES-16] the lease of an answer that is no writer is given back", async () => {
  const inner = memoryStore();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const store: SessionStore = {
    ...inner,
    create: async () => ({ [Symbol.asyncDispose]: async () => release() }) as never,
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
  const provider = engineProvider([text("hi")]);
  await using engine = await createEngine({ provider, model: "m", store });
  expect(await reasonOf(engine.createSession())).toBe("StoreFailed");
  await released;
});
