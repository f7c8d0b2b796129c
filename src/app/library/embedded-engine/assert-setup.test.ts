import { expect, test } from "bun:test";
import { engineProvider, engineTool, text } from "../../../../test/support/engine-parts.ts";
import { reasonOf } from "../../../../test/support/store-rig.ts";
import { createEngine } from "../../../engine.ts";

const tool = engineTool("t", () => "done");
const provider = engineProvider([text("hi")]);

const WRONG: readonly (readonly [string, object | null])[] = [
  ["the set-up of an engine is null", null],
  ["provider is null", { provider: null }],
  ["provider is undefined", { provider: undefined }],
  ['provider.name is ""', { provider: { ...provider, name: "" } }],
  ["provider.family is undefined", { provider: { ...provider, family: undefined } }],
  ["provider.chat is undefined", { provider: { ...provider, chat: undefined } }],
  ["model is undefined", { model: undefined }],
  ['model is ""', { model: "" }],
  ["model is 3", { model: 3 }],
  ["limits is null", { limits: null }],
  ["systemPrompt is 5", { systemPrompt: 5 }],
  ["tools is null", { tools: null }],
  ["tools[0] is null", { tools: [null] }],
  ["tools[1].execute is undefined", { tools: [tool, { ...tool, name: "u", execute: undefined }] }],
  ["tools[0].msMax is NaN", { tools: [{ ...tool, msMax: Number.NaN }] }],
  ["tools[0].msMax is -1", { tools: [{ ...tool, msMax: -1 }] }],
  ['tools[0].msMax is "5s"', { tools: [{ ...tool, msMax: "5s" }] }],
  ['tools[0].asks is "no"', { tools: [{ ...tool, asks: "no" }] }],
  ["store.create is undefined", { store: {} }],
  ["onQuestion is 5", { onQuestion: 5 }],
  ['unfinishedCalls is "maybe"', { unfinishedCalls: "maybe" }],
  ['directory is "rel"', { directory: "rel" }],
];

for (const [said, wrong] of WRONG)
  test(`[LIB-10] createEngine refuses a set-up where ${said}`, async () => {
    const setup = (wrong === null ? null : { provider, model: "m", ...wrong }) as never;
    const refused = await createEngine(setup).then(String, (thrown) => thrown);
    expect(refused).toMatchObject({ reason: "UsageInvalid", message: expect.stringContaining(said) });
  });

test("[LIB-10] createEngine refuses a tool whose schema is not JSON", async () => {
  const cycle: Record<string, unknown> = { type: "object" };
  cycle["properties"] = { a: cycle };
  for (const inputSchema of [cycle, { type: "object", maxProperties: 1n }]) {
    const refused = await createEngine({ provider, model: "m", tools: [{ ...tool, inputSchema }] }).then(
      String,
      (thrown) => thrown,
    );
    expect(refused).toMatchObject({ reason: "ToolInvalid", message: expect.stringContaining("not JSON") });
  }
});

test("[LIB-10] a prompt refuses a signal that is none", async () => {
  await using engine = await createEngine({ provider, model: "m" });
  const session = await engine.createSession();
  for (const signal of [{}, 5, null])
    expect(await reasonOf(session.prompt("x", { signal } as never))).toBe("UsageInvalid");
  expect((await session.prompt("x", null as never)).text).toBe("hi");
});

test("[LIB-10] a command that the end of the engine cuts off says so", async () => {
  for (const how of ["prompt", "cancel", "answer"] as const) {
    const engine = await createEngine({ provider, model: "m" });
    const session = await engine.createSession();
    const commands = {
      prompt: () => session.prompt("x"),
      cancel: () => session.cancel(),
      answer: () => session.answer("call_x" as never, "deny"),
    };
    const sent = reasonOf(commands[how]());
    await engine[Symbol.asyncDispose]();
    expect([how, await sent]).toEqual([how, expect.not.stringContaining("detached")]);
  }
});

test("[LIB-10] a wrong id or position is refused by its value", async () => {
  await using engine = await createEngine({ provider, model: "m" });
  expect(await reasonOf(engine.resumeSession(undefined as never))).toBe("UsageInvalid");
  const session = await engine.createSession();
  for (const since of [Number.NaN, 1.5, "3"])
    expect(() => session.events({ since: since as number })).toThrow("since is ");
});

test("[LIB-10] after the engine is disposed, end does nothing and everything else says so", async () => {
  const engine = await createEngine({ provider, model: "m" });
  const session = await engine.createSession();
  await engine[Symbol.asyncDispose]();
  await session.end();
  const rest = [session.prompt("x"), session.cancel(), session.answer("call_x" as never, "deny")];
  for (const refused of [...rest, engine.createSession(), engine.resumeSession(session.logId)])
    expect(await reasonOf(refused)).toBe("EngineStopping");
  expect(() => session.events()).toThrow(expect.objectContaining({ reason: "EngineStopping" }));
});
