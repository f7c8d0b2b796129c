import { expect, test } from "bun:test";
import { deafAnswer, engineProvider } from "../../../../test/support/engine-parts.ts";
import type { EngineSession, EngineSetup, Provider } from "../../../engine.ts";
import { createEngine } from "../../../engine.ts";
import type { Plugin } from "../../../session/plugins/plugin.ts";

/** A session whose provider says "begun" and then neither ends nor looks at its signal. */
async function begin(limits: EngineSetup["limits"] = {}, more: Partial<Provider> = {}) {
  const engine = await createEngine({ provider: engineProvider([deafAnswer], more), model: "m", limits });
  const session = await engine.createSession();
  return { engine, session };
}

async function begun(session: EngineSession): Promise<void> {
  for await (const { kind } of session.events()) if (kind === "TextDelta") return;
}

const nothing = new Promise<never>(() => undefined);

test("[LIB-10 ENG-09] the signal of a prompt ends a turn whose provider ignores it, and its text is kept", async () => {
  const { engine, session } = await begin();
  await using _ = engine;
  const stop = new AbortController();
  const prompt = session.prompt("go", { signal: stop.signal }).catch((thrown: unknown) => thrown);
  await begun(session);
  const reason = new Error("enough");
  stop.abort(reason);
  expect(await prompt).toBe(reason);
  expect(JSON.stringify(await session.history())).toContain("begun");
});

test("[LIB-10 ENG-29] limits.timeMs ends a turn whose provider ignores its signal, with the text so far", async () => {
  const { engine, session } = await begin({ timeMs: 100 });
  await using _ = engine;
  const { text, reason } = await session.prompt("go");
  expect({ text, reason }).toEqual({ text: "begun", reason: "time_limit" });
});

for (const how of ["end", "dispose", "cancel"] as const)
  test(`[LIB-10 ENG-09] ${how} returns while a provider ignores its signal`, async () => {
    const { engine, session } = await begin();
    const prompt = session.prompt("go").catch((thrown: Error) => thrown.name);
    await begun(session);
    if (how === "end") await session.end();
    if (how === "cancel") await session.cancel();
    await engine[Symbol.asyncDispose]();
    expect(await prompt).not.toBeUndefined();
  });

test("[LIB-10 ENG-09] an iterator whose return never answers is not waited for", async () => {
  let returned = 0;
  const chat = () => ({
    [Symbol.asyncIterator]: () => ({
      next: () => nothing,
      return: () => {
        returned += 1;
        return nothing;
      },
    }),
  });
  const { engine, session } = await begin({ timeMs: 100 }, { chat });
  await using _ = engine;
  expect((await session.prompt("go")).reason).toBe("time_limit");
  expect(returned).toBe(1);
});

test("[LIB-10 PROV-11] a catalogue that never answers does not hold up an engine", async () => {
  const { engine, session } = await begin({ timeMs: 100 }, { models: () => nothing });
  await using _ = engine;
  expect((await session.prompt("go")).reason).toBe("time_limit");
});

test("[LIB-10 ENG-09] an aborted prompt throws the signal's reason while a hook never answers", async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const plugin: Plugin = {
    name: "deaf",
    apiVersion: 1,
    register: (harness) =>
      harness.hook("UserPromptSubmit", () => {
        resolve();
        return nothing;
      }),
  };
  const provider = engineProvider([deafAnswer]);
  await using engine = await createEngine({ provider, model: "m", plugins: [plugin] });
  const session = await engine.createSession();
  const stop = new AbortController();
  const prompt = session.prompt("go", { signal: stop.signal }).catch((thrown: unknown) => thrown);
  await asked;
  const reason = new Error("enough");
  stop.abort(reason);
  expect(await prompt).toBe(reason);
});
