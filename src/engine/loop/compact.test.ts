import { expect, test } from "bun:test";
import { openRig } from "../../../test/support/rig.ts";
import { says } from "../../../test/support/scripted-provider.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";

/** Puts one message in the place of all, where it is asked to. */
const shrink: RequestMiddleware = async function* shrink(request, context, next) {
  if (context.purpose !== "compact") return yield* next(request, context);
  const summary = { ...request, messages: request.messages, tools: [] };
  let text = "";
  for await (const event of next(summary, { ...context, purpose: "summary" })) {
    if (event.kind === "text") text += event.text;
  }
  await context.history.replace([{ role: "user", content: [{ type: "text", text }] }], (boundary) => ({
    kind: "CompactionTriggered",
    payload: { beforeTokens: 9, afterTokens: 1, boundary, trigger: "command" },
  }));
};

test("[SES-13] a history that was made smaller is what is sent and what a resume reads, and the log keeps the rest", async () => {
  const script = [says("one"), says("the summary"), says("two")];
  await using rig = await openRig({ script, requestMiddleware: [shrink] });
  const { session, connection, store } = rig;
  await rig.send("first");
  const told = await connection.send({ kind: "CompactSession", sessionId: session.id });
  expect(told).toEqual({ result: { compacted: true } });
  const event = await rig.until("CompactionTriggered");
  expect(event.payload.boundary).toBe(event.id - 1);
  await rig.send("second");
  const content = ["the summary", "second"].map((text) => ({ type: "text", text }));
  expect(rig.provider.requests[2]?.messages).toMatchObject([{ role: "user", content }]);
  const stored = await store.messages(session.logId);
  expect(stored[0]).toMatchObject({ boundary: true, after: event.id });
  expect(stored.map(({ message }) => message.content[0])).toMatchObject([
    { text: "the summary" },
    { text: "second" },
    { text: "two" },
  ]);
  expect((await store.events(session.logId, 0, 100)).map(({ kind }) => kind)).toContain("TurnStarted");
});

test("[SES-13] a session without anything that makes histories smaller says that nothing was", async () => {
  await using rig = await openRig({ script: [says("one")] });
  await rig.send("first");
  const told = await rig.connection.send({ kind: "CompactSession", sessionId: rig.session.id });
  expect(told).toEqual({ result: { compacted: false } });
  expect(rig.provider.requests).toHaveLength(1);
});
