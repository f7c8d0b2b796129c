import { expect, test } from "bun:test";
import { SILENT_LOG } from "../src/base/log.ts";
import { hostWorld } from "../src/platform/host.ts";
import type { FakeClock } from "./support/fake-clock.ts";
import { fakeClock } from "./support/fake-clock.ts";
import type { Turn } from "./support/mock-provider/turn.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import type { Following, TestProject } from "./support/place.ts";
import { follow, openPlaceWith } from "./support/place.ts";
import { until } from "./support/until.ts";

const RETRY_AFTER_MS = 60_000;

interface Limited {
  readonly place: TestProject;
  readonly clock: FakeClock;
  readonly models: () => readonly unknown[];
}

/** A place whose model `test-1` is rate-limited, over real HTTP; the others answer with their name. */
function limitedPlace(also: readonly string[] = []): Limited {
  const clock = fakeClock(Date.UTC(2026, 0, 1));
  const place = openPlaceWith(({ body }): Turn => {
    const model = String(body["model"]);
    if (model !== "test-1" && !also.includes(model)) return says(`this is ${model}`);
    const headers = { "retry-after": String(RETRY_AFTER_MS / 1_000) };
    return {
      parts: [],
      fault: { kind: "status", status: 429, headers, body: { error: { message: "slow" } } },
    };
  });
  return { place, clock, models: () => place.mock.requests.map(({ body }) => body["model"]) };
}

function openLimited({ place, clock }: Limited) {
  return place.open({ world: { ...hostWorld(SILENT_LOG), clock }, wishes: { attended: true } });
}

async function waits(client: Following, count = 1): Promise<void> {
  const told = () =>
    client.seen.filter((event) => event.kind === "Error" && event.payload.reason === "RateLimited");
  await until(`wait ${count}`, () => told().length >= count);
}

const texts = ({ seen }: Following) =>
  seen.map((event) => (event.kind === "TextDelta" ? event.payload.text : "")).join("");
const ended = ({ seen }: Following) =>
  seen.flatMap((event) =>
    event.kind === "TurnEnded" ? [{ reason: event.payload.reason, rounds: event.payload.rounds }] : [],
  );

test("[PROV-09 CTL-19] a model that is set while a rate limit is waited for gets the same round at once", async () => {
  const limited = limitedPlace();
  await using place = limited.place;
  await using harness = await openLimited(limited);
  await using client = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("go");
  await waits(client);
  await client.connection.send({ kind: "SetModel", sessionId, model: "mock:test-2" });
  await client.turns(1); // the clock stands still: nothing but the new model ended the wait
  expect(limited.models()).toEqual(["test-1", "test-2"]);
  expect(texts(client)).toBe("this is test-2");
  expect(ended(client)).toEqual([{ reason: "complete", rounds: 1 }]);
  const [first, second] = place.mock.requests.map(({ body }) => body["messages"]);
  expect(second).toEqual(first);
  expect(client.seen.filter(({ kind }) => kind === "ModelChanged")).toHaveLength(1);
});

test("[PROV-09 CTL-19] a wait ends for the newest of several models, and for a change of effort", async () => {
  const limited = limitedPlace(["test-2"]);
  await using _place = limited.place;
  await using harness = await openLimited(limited);
  await using client = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("go");
  await waits(client);
  await client.connection.send({ kind: "SetModel", sessionId, model: "mock:test-2" });
  await waits(client, 2);
  await client.connection.send({ kind: "SetModel", sessionId, model: "mock:test-2", effort: "low" });
  // The same model is asked again only after the time that it asked for.
  await waits(client, 3);
  expect(limited.models()).toEqual(["test-1", "test-2"]);
  await client.connection.send({ kind: "SetModel", sessionId, model: "mock:test-3" });
  await client.turns(1);
  expect(limited.models()).toEqual(["test-1", "test-2", "test-3"]);
});

test("[PROV-09 CTL-19] setting the model that is waited for, or an unknown one, leaves the wait as it is", async () => {
  const limited = limitedPlace();
  await using _place = limited.place;
  await using harness = await openLimited(limited);
  await using client = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("go");
  await waits(client);
  await client.connection.send({ kind: "SetModel", sessionId, model: "mock:test-1" });
  const refused = client.connection.send({ kind: "SetModel", sessionId, model: "nobody:test-2" });
  expect(await refused.catch(({ reason }: { reason: string }) => reason)).toBe("UnknownProvider");
  expect(limited.models()).toEqual(["test-1"]);
  await limited.clock.advance(RETRY_AFTER_MS - 1);
  expect(limited.models()).toEqual(["test-1"]);
  await client.connection.send({ kind: "SetModel", sessionId, model: "mock:test-2" });
  await client.turns(1);
  expect(limited.models()).toEqual(["test-1", "test-2"]);
});

test("[PROV-09 CTL-01 CTL-19] models that are set as the wait ends, by two clients, lose no round and repeat none", async () => {
  const limited = limitedPlace();
  await using _place = limited.place;
  await using harness = await openLimited(limited);
  await using client = await follow(harness);
  await using other = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("go");
  await waits(client);
  const set = (who: Following, model: string) =>
    who.connection.send({ kind: "SetModel", sessionId, model: `mock:${model}` });
  await Promise.all([
    limited.clock.advance(RETRY_AFTER_MS + 2_000),
    set(client, "test-2"),
    set(other, "test-3"),
  ]);
  await client.turns(1);
  // The limited model may have been asked once more; its second refusal then finds another one in its place.
  expect(limited.models().filter((model) => model !== "test-1")).toHaveLength(1);
  expect(texts(client)).toMatch(/^this is test-[23]$/);
  expect(ended(client)).toEqual([{ reason: "complete", rounds: 1 }]);
});

test("[PROV-09 CTL-19] a cancel still ends a wait, also one that follows a change of the model", async () => {
  const limited = limitedPlace(["test-2"]);
  await using _place = limited.place;
  await using harness = await openLimited(limited);
  await using client = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("go");
  await waits(client);
  await client.connection.send({ kind: "SetModel", sessionId, model: "mock:test-2" });
  await waits(client, 2);
  await client.connection.send({ kind: "CancelTurn", sessionId });
  await client.turns(1);
  expect(ended(client)).toEqual([{ reason: "cancelled", rounds: 1 }]);
  await Promise.all([
    client.connection.send({ kind: "SetModel", sessionId, model: "mock:test-3" }),
    client.say("again"),
  ]);
  await client.turns(2);
  expect(ended(client)[1]).toEqual({ reason: "complete", rounds: 1 });
});

test("[PROV-09 CTL-19] a sub-agent that waits continues with the new model of its session", async () => {
  const clock = fakeClock(Date.UTC(2026, 0, 1));
  await using place = openPlaceWith(({ body }): Turn => {
    const said = JSON.stringify(body["messages"]);
    if (said.includes("tool_result")) return says("the agent has answered");
    if (!said.includes("find the answer"))
      return calls("Agent", { agent: "general", prompt: "find the answer" });
    if (body["model"] === "test-2") return says("forty-two");
    return { parts: [], fault: { kind: "status", status: 429, headers: { "retry-after": "60" }, body: {} } };
  });
  await using harness = await place.open({
    world: { ...hostWorld(SILENT_LOG), clock },
    wishes: { attended: true, autoApprove: true },
  });
  await using client = await follow(harness);
  await client.say("ask an agent");
  await waits(client);
  await client.connection.send({ kind: "SetModel", sessionId: harness.session, model: "mock:test-2" });
  await client.turns(2); // the sub-agent's, and the session's
  const models = place.mock.requests.map(({ body }) => body["model"]);
  expect(models).toEqual(["test-1", "test-1", "test-2", "test-2"]);
});
