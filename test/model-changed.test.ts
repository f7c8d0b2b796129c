import { expect, test } from "bun:test";
import { openHarness } from "../src/app/harness.ts";
import { numberAt } from "../src/base/json.ts";
import { EVERYTHING } from "../src/session/access/scope.ts";
import { says } from "./support/mock-provider/turn.ts";
import { connect, follow, openPlace, turn } from "./support/place.ts";
import { reading } from "./support/reading.ts";
import { until } from "./support/until.ts";

const { signal } = new AbortController();

test("[SES-07 CTL-04] a changed model is emitted to every client, shown with the session, and kept on resume", async () => {
  await using place = openPlace(says("one"), says("two"), says("three"), says("four"));
  const models = () => place.mock.requests.map(({ body }) => body["model"]);
  let log: Awaited<ReturnType<typeof place.open>>["logId"];
  {
    await using harness = await place.open({ wishes: { attended: true } });
    const { session: sessionId } = harness;
    log = harness.logId;
    const [one, other] = [await connect(harness), await connect(harness)];
    const events = other.subscribe(sessionId, { signal });
    await turn(harness, "with the first");
    await one.send({ kind: "SetModel", sessionId, model: "mock:test-2" });
    await one.send({ kind: "SetModel", sessionId, model: "mock:test-2", effort: "low" }); // no other model
    for await (const event of events) {
      if (event.kind !== "ModelChanged") continue;
      expect(event.payload).toEqual({
        model: "mock:test-2",
        previous: "mock:test-1",
        by: one.clientId,
        who: { label: "test", identityClass: "human" },
      });
      break;
    }
    const port = await harness.port([]);
    expect(await reading(port).session(sessionId, EVERYTHING)).toMatchObject({ model: "mock:test-2" });
    await turn(harness, "with the second");
  }
  const resume = { kind: "id", id: log } as const;
  const { model: _, ...unnamed } = place.options({ resume });
  {
    await using harness = await openHarness(unnamed, signal);
    expect(harness.model).toBe("mock:test-2");
    await turn(harness, "go on");
  }
  {
    await using harness = await place.open({ resume, model: "mock:test-3" });
    await turn(harness, "with another one");
  }
  expect(models()).toEqual(["test-1", "test-2", "test-2", "test-3"]);
});

test("[SES-07 CTL-04 PROV-02] a changed effort is emitted to every client and kept on resume", async () => {
  await using place = openPlace(says("one"), says("two"), says("three"), says("four"));
  const budgets = () => place.mock.requests.map(({ body }) => numberAt(body["thinking"], "budget_tokens"));
  let log: Awaited<ReturnType<typeof place.open>>["logId"];
  {
    await using harness = await place.open({ wishes: { attended: true } });
    const { session: sessionId } = harness;
    log = harness.logId;
    const [one, other] = [await connect(harness), await connect(harness)];
    const events = other.subscribe(sessionId, { signal });
    await turn(harness, "as configured");
    await one.send({ kind: "SetModel", sessionId, model: "mock:test-1", effort: "low" });
    await one.send({ kind: "SetModel", sessionId, model: "mock:test-1", effort: "low" }); // no other effort
    await one.send({ kind: "SetModel", sessionId, model: "mock:test-2", effort: "high" });
    const seen: unknown[] = [];
    for await (const event of events) {
      if (event.kind !== "ModelChanged") continue;
      seen.push(event.payload);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([
      {
        model: "mock:test-1",
        effort: "low",
        by: one.clientId,
        who: { label: "test", identityClass: "human" },
      },
      {
        model: "mock:test-2",
        previous: "mock:test-1",
        effort: "high",
        by: one.clientId,
        who: { label: "test", identityClass: "human" },
      },
    ]);
  }
  const resume = { kind: "id", id: log } as const;
  for (const more of [{}, { effort: "medium" }] as const) {
    const { model: _, ...unnamed } = place.options({ resume, wishes: { ...more } });
    await using harness = await openHarness(unnamed, signal);
    await turn(harness, "go on");
  }
  expect(budgets()).toEqual([undefined, 12_288, 8_192]); // "high" is cut to what leaves room for an answer
});

test("[SES-08 PROV-02] a branch continues with the effort that its session was begun with", async () => {
  await using place = openPlace(says("one"), says("two"));
  let branch = "";
  {
    await using harness = await place.open({ wishes: { effort: "low" } });
    const at = (await turn(harness, "first")).at(-1)?.id ?? 0;
    const connection = await connect(harness);
    const branched = await connection.send({ kind: "BranchSession", sessionId: harness.session, at });
    branch = branched.sessionId ?? "";
  }
  await using harness = await place.open({ resume: { kind: "id", id: branch } });
  await turn(harness, "go on");
  const budgets = place.mock.requests.map(({ body }) => numberAt(body["thinking"], "budget_tokens"));
  expect(budgets).toEqual([2_048, 2_048]);
});

/** More than the steps from a command to its answer. */
const STEPS_TO_THE_ANSWER = 24;

test("[SES-07 CTL-04] a model that changes as its session ends is emitted before the end, or refused", async () => {
  let accepted = 0;
  for (let steps = 0; steps < STEPS_TO_THE_ANSWER; steps += 1) {
    await using place = openPlace(says("one"));
    await using harness = await place.open({ wishes: { attended: true } });
    await using client = await follow(harness);
    const { session: sessionId } = harness;
    const answer = Promise.allSettled([
      client.connection.send({ kind: "SetModel", sessionId, model: "mock:test-2" }),
    ]);
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    await client.connection.send({ kind: "EndSession", sessionId });
    const [{ status }] = await answer;
    await until("the end", () => client.seen.some(({ kind }) => kind === "SessionEnded"));
    const kinds = client.seen.map(({ kind }): string => kind);
    expect({ steps, told: kinds.includes("ModelChanged") }).toEqual({ steps, told: status === "fulfilled" });
    expect(kinds.at(-1)).toBe("SessionEnded");
    if (status === "fulfilled") accepted += 1;
  }
  expect(accepted).toBeGreaterThan(0);
});
