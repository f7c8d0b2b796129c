import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CallId } from "../src/base/ids.ts";
import { AGENT_INPUTS_MAX } from "../src/features/subagents/tools/running-agents.ts";
import type { EnvelopeOf } from "../src/protocol/events/envelope.ts";
import type { EventKind } from "../src/protocol/events/events.ts";
import { readCommand } from "../src/protocol/read.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import type { MockRequest } from "./support/mock-provider/mock-provider.ts";
import type { Turn } from "./support/mock-provider/turn.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import type { Following } from "./support/place.ts";
import { connect, follow, openPlaceWith } from "./support/place.ts";
import { until } from "./support/until.ts";

const TASK = "find the answer";

/** A place whose model starts a sub-agent, which runs a command until it is stopped or has an answer. */
function agentPlace(answer: (said: string, request: MockRequest) => Turn) {
  return openPlaceWith((request): Turn => {
    const messages = request.body["messages"];
    const said = JSON.stringify(messages);
    const first = JSON.stringify((messages as readonly unknown[])[0]);
    if (first.includes(TASK)) return answer(said, request);
    if (!said.includes("tool_result")) return calls("Agent", { prompt: TASK });
    return says("the turn continues");
  });
}

const sleeping = calls("Bash", { command: "sleep 600" });
const kindsOf = <Kind extends EventKind>({ seen }: Following, kind: Kind) =>
  seen.filter((event) => event.kind === kind) as unknown as readonly EnvelopeOf<Kind>[];

/** Waits until the sub-agent has started a command, and returns the call that runs it. */
async function agentRuns(client: Following): Promise<CallId> {
  const own = () => kindsOf(client, "ToolCallStarted").find(({ payload }) => payload.tool === "Bash");
  await until("the sub-agent works", () => own() !== undefined);
  const callId = own()?.parentCall;
  if (callId === undefined) throw new Error("no sub-agent runs");
  return callId;
}

const resultOf = (client: Following, callId: CallId) =>
  kindsOf(client, "ToolResult").find(({ payload }) => payload.callId === callId)?.payload;
const text = (said: string) => [{ type: "text" as const, text: said }];
const open = { wishes: { attended: true, autoApprove: true } };

test("[CTL-19 ENG-10] one sub-agent is stopped: its call says so, and the turn continues", async () => {
  await using place = agentPlace(() => sleeping);
  await using harness = await place.open(open);
  await using client = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("ask an agent");
  const callId = await agentRuns(client);
  const [one, other] = [await connect(harness), await connect(harness)];
  await Promise.all([one, other].map((each) => each.send({ kind: "StopAgent", sessionId, callId })));
  await client.turns(2);
  expect(resultOf(client, callId)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("A client stopped this sub-agent after 1 round") }],
  });
  const ends = kindsOf(client, "TurnEnded").map(({ payload, parentCall }) => [payload.reason, parentCall]);
  expect(ends).toEqual([
    ["cancelled", callId],
    ["complete", undefined],
  ]);
  expect(kindsOf(client, "Cancelled").map(({ payload }) => payload.by)).toHaveLength(1);
  const late = one.send({ kind: "StopAgent", sessionId, callId });
  await expect(late).rejects.toThrow(`no sub-agent runs for ${callId}: it has ended`);
});

test("[CTL-19 ENG-26] an input for one sub-agent enters it before its next request, and nothing else", async () => {
  const go = Promise.withResolvers<void>();
  await using place = agentPlace((said) =>
    said.includes("look at b")
      ? says("found in b")
      : calls("Bash", { command: "true" }, { hold: go.promise }),
  );
  await using harness = await place.open(open);
  await using client = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("ask an agent");
  await until("the sub-agent asks", () => place.mock.requests.length === 2);
  const [agent] = kindsOf(client, "ToolCallStarted");
  const callId = agent?.payload.callId;
  if (callId === undefined) throw new Error("no sub-agent was started");
  const { inputId } = await client.connection.send({
    ...{ kind: "SteerAgent", sessionId, callId, content: text("look at b") },
  });
  go.resolve();
  await client.turns(2);
  expect(resultOf(client, callId)?.content).toMatchObject([{ text: "found in b" }]);
  const queued = kindsOf(client, "InputQueued").map(({ payload, parentCall }) => [
    payload.inputId,
    parentCall,
  ]);
  expect(queued).toEqual([[inputId, callId]]);
  const delivered = kindsOf(client, "CustomEvent").filter(({ payload }) => payload.kind === "InputDelivered");
  expect(delivered.map(({ payload, parentCall }) => [payload.payload, parentCall])).toEqual([
    [{ inputId, turn: 1, round: 1 }, callId],
  ]);
  const ofSession = place.mock.requests.filter(
    ({ body }) => !JSON.stringify(body["messages"]).includes(TASK),
  );
  expect(JSON.stringify(ofSession[0]?.body)).not.toContain("look at b");
});

test("[CTL-19] what cannot enter a sub-agent any more is withdrawn, and one that was stopped takes nothing", async () => {
  await using place = agentPlace(() => sleeping);
  await using harness = await place.open(open);
  await using client = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("ask an agent");
  const callId = await agentRuns(client);
  const steer = (said: string) =>
    client.connection.send({ kind: "SteerAgent", sessionId, callId, content: text(said) });
  const { inputId } = await steer("too late");
  for (let more = 1; more < AGENT_INPUTS_MAX; more++) await steer("more");
  await expect(steer("one too many")).rejects.toMatchObject({ reason: "InputQueueFull" });
  await client.connection.send({ kind: "StopAgent", sessionId, callId });
  await client.turns(2);
  const withdrawn = kindsOf(client, "InputWithdrawn");
  expect(withdrawn).toHaveLength(AGENT_INPUTS_MAX);
  expect([withdrawn[0]?.payload.inputId, withdrawn[0]?.parentCall]).toEqual([inputId as never, callId]);
  await expect(steer("after the end")).rejects.toThrow(`no sub-agent runs for ${callId}`);
});

test("[CTL-19 AUTH-07] an agent stops no sub-agent of a person's session, and bad fields are refused", async () => {
  await using place = agentPlace(() => sleeping);
  await using harness = await place.open(open);
  await using client = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("ask an agent");
  const callId = await agentRuns(client);
  const agent = await harness.attach({ identityClass: "agent", label: "a model" });
  await agent.handshake(PROTOCOL_VERSION);
  await expect(agent.send({ kind: "StopAgent", sessionId, callId })).rejects.toMatchObject({
    reason: "Forbidden",
  });
  for (const fields of [{}, { callId: "call_1" }])
    expect(() => readCommand({ kind: "StopAgent", sessionId, ...fields })).toThrow("callId");
  expect(() => readCommand({ kind: "SteerAgent", sessionId, callId, content: [] })).toThrow("content");
  await client.connection.send({ kind: "CancelTurn", sessionId });
  await client.turns(2);
});

test("[CTL-19 ENG-26] an input that is examined when its sub-agent is stopped is withdrawn", async () => {
  const go = Promise.withResolvers<void>();
  await using place = agentPlace(() => calls("Bash", { command: "true" }, { hold: go.promise }));
  place.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[[hooks]]\nevent = "UserPromptSubmit"\n` +
      `cmd = "if grep -q 'look at b'; then touch '${place.root}/examined'; sleep 600; fi"\ntimeout_ms = 300000\n`,
  );
  await using harness = await place.open(open);
  await using client = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("ask an agent");
  await until("the sub-agent asks", () => place.mock.requests.length === 2);
  const callId = kindsOf(client, "ToolCallStarted")[0]?.payload.callId;
  if (callId === undefined) throw new Error("no sub-agent was started");
  const { inputId } = await client.connection.send({
    ...{ kind: "SteerAgent", sessionId, callId, content: text("look at b") },
  });
  go.resolve();
  await until("its examination", () => existsSync(join(place.root, "examined")));
  await client.connection.send({ kind: "StopAgent", sessionId, callId });
  await client.turns(2);
  expect(kindsOf(client, "InputWithdrawn").map(({ payload }) => payload.inputId)).toEqual([inputId as never]);
});
