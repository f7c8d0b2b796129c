import { expect, test } from "bun:test";
import { blocks, call, engineProvider, engineTool, text } from "../../../../test/support/engine-parts.ts";
import { reasonOf } from "../../../../test/support/store-rig.ts";
import type { EngineAnswer, EngineSession } from "../../../engine.ts";
import { createEngine } from "../../../engine.ts";

/** Answers that a program without types may give to a permission, none of which allows the call. */
const UNKNOWN: readonly unknown[] = [
  ...["no", "DENY", "denied", "refuse", "maybe", "false", "", "ALLOW", "yes", "allow "],
  ...[null, false, true, 0, 1, {}, [], ["allow"], { choose: 5 }, { choose: "allow" }, { decision: "allow" }],
  new String("allow"),
];

/** Runs a turn with one call that asks, and returns true if the call ran. */
async function runsWith(
  onQuestion: (id: string, session: EngineSession) => unknown,
  answerMs = 60_000,
): Promise<boolean> {
  let ran = false;
  const opened = Promise.withResolvers<EngineSession>();
  const execute = () => {
    ran = true;
    return "paid";
  };
  await using engine = await createEngine({
    provider: engineProvider([call("pay"), text("end")]),
    model: "m",
    limits: { answerMs },
    tools: [engineTool("pay", execute, { asks: true })],
    onQuestion: async ({ id }) => (await onQuestion(id, await opened.promise)) as EngineAnswer | undefined,
  });
  const session = await engine.createSession();
  opened.resolve(session);
  expect((await session.prompt("go")).text).toBe("end");
  return ran;
}

for (const answer of UNKNOWN)
  test(`[LIB-10 PERM-01] an onQuestion that returns ${JSON.stringify(answer)} denies the call`, async () => {
    expect(await runsWith(() => answer)).toBe(false);
  });

for (const answer of ["allow", "allow-tool"])
  test(`[LIB-10] an onQuestion that returns "${answer}" allows the call`, async () => {
    expect(await runsWith(() => answer)).toBe(true);
  });

test("[LIB-10 PERM-01] session.answer refuses an unknown answer by name, and the question stays open", async () => {
  const refused: unknown[] = [];
  const ran = await runsWith(async (id, session) => {
    for (const answer of UNKNOWN)
      refused.push(
        await session.answer(id as never, answer as never).then(String, (thrown) => thrown.reason),
      );
    await session.answer(id as never, "deny");
    return undefined;
  });
  expect(ran).toBe(false);
  const known = ["UsageInvalid", "InvalidCommand", "UnknownAsk"];
  expect(refused.filter((reason) => !known.includes(String(reason)))).toEqual([]);
  expect(refused.filter((reason) => reason === "UsageInvalid").length).toBe(UNKNOWN.length - 1);
});

test("[LIB-10] the refusal of an answer names it and the known ones", async () => {
  await using engine = await createEngine({ provider: engineProvider([text("hi")]), model: "m" });
  const session = await engine.createSession();
  const refused = session.answer("call_x" as never, "no" as never);
  expect(await refused.then(String, (thrown: Error) => thrown.message)).toContain(
    'the answer is "no"; give "allow", "deny", "allow-tool" or { choose: VALUE }',
  );
  expect(await reasonOf(session.answer("call_x" as never, "no" as never))).toBe("UsageInvalid");
});

test("[LIB-10 ENG-15] text and thinking that come only as blocks are shown like streamed ones", async () => {
  const answer = blocks([
    { type: "thinking", family: "p", text: "hm", data: null },
    { type: "text", text: "the " },
    { type: "text", text: "answer" },
  ]);
  await using engine = await createEngine({ provider: engineProvider([answer]), model: "m" });
  const session = await engine.createSession();
  expect((await session.prompt("go")).text).toBe("the answer");
  const seen: unknown[] = [];
  for await (const { kind, payload } of session.events()) {
    if (kind === "TextDelta") seen.push(payload.text);
    if (kind === "ThinkingDelta") seen.push(payload.block.text);
    if (kind === "TurnEnded") break;
  }
  expect(seen).toEqual(["hm", "the ", "answer"]);
});
