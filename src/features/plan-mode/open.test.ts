import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { calls, says } from "../../../test/support/mock-provider/turn.ts";
import type { TestProject } from "../../../test/support/place.ts";
import { connect, follow, openPlace, turn } from "../../../test/support/place.ts";
import { until } from "../../../test/support/until.ts";
import type { OpenHarness } from "../../app/harness.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";

/** For hangs. */
const SLOW_MS = 60_000;

const PLAN = "1. write made.txt\n2. done";
const write = calls("Write", { file_path: "made.txt", content: "made\n" });

function results(events: readonly Envelope[]): readonly string[] {
  return events.flatMap((event) =>
    event.kind === "ToolResult"
      ? event.payload.content.map((block) => (block.type === "text" ? block.text : ""))
      : [],
  );
}

function states(events: readonly Envelope[]): readonly unknown[] {
  return events.flatMap((event) =>
    event.kind === "CustomEvent" && event.payload.kind === "PlanMode" ? [event.payload.payload] : [],
  );
}

/** Returns the last input of the model as one text. */
function sent(place: TestProject): string {
  return JSON.stringify(place.mock.requests.at(-1)?.body["messages"]);
}

async function asked(seen: readonly Envelope[]): Promise<EnvelopeOf<"Asked">> {
  const find = () => seen.find((event) => event.kind === "Asked");
  await until("the plan is shown", () => find() !== undefined);
  const event = find();
  if (event?.kind !== "Asked") throw new Error("nothing was asked");
  return event;
}

const made = (place: TestProject) => existsSync(join(place.repo, "made.txt"));

async function enter(harness: OpenHarness): Promise<void> {
  await (await connect(harness)).send({ kind: "EnterPlanMode", sessionId: harness.session });
}

test(
  "[ENG-21 TOOL-05] in plan mode what changes something is refused, reads run, and an approved plan ends it",
  async () => {
    await using place = openPlace(
      calls("EnterPlanMode", {}),
      write,
      calls("Bash", { command: "ls" }),
      calls("Bash", { command: "ls > list.txt" }),
      calls("ExitPlanMode", { plan: PLAN }),
      write,
      says("done"),
    );
    await using harness = await place.open({ wishes: { attended: true, autoApprove: true } });
    await using client = await follow(harness);
    await client.say("plan it");
    const question = await asked(client.seen);
    expect(question.payload).toMatchObject({ about: "plan", text: PLAN, words: true, timeoutMs: 600_000 });
    expect(made(place)).toBe(false);
    await client.connection.send({
      kind: "Answer",
      sessionId: harness.session,
      askId: question.payload.askId,
      answer: "approve",
    });
    await client.turns(1);
    expect(results(client.seen)).toEqual([
      expect.stringContaining("Plan mode is on."),
      "PlanMode: Write may change something, and the session is in plan mode, where nothing is changed. Finish the plan and call ExitPlanMode with it; once a person approves it you can act.",
      "(no output)",
      expect.stringContaining("PlanMode: this command is not known to only read"),
      "The plan was approved, and plan mode is over: carry it out.",
      expect.stringContaining("made.txt"),
    ]);
    expect(made(place)).toBe(true);
    expect(existsSync(join(place.repo, "list.txt"))).toBe(false);
    expect(states(client.seen)).toEqual([
      { active: true, by: "model" },
      { active: false, by: client.connection.clientId, plan: PLAN },
    ]);
    const [first, last] = [place.mock.requests[0]?.body, place.mock.requests.at(-1)?.body];
    expect([last?.["tools"], last?.["system"]]).toEqual([first?.["tools"], first?.["system"]]);
  },
  SLOW_MS,
);

test(
  "[ENG-21] a plan is refused with words, which the model gets, and plan mode continues",
  async () => {
    await using place = openPlace(calls("ExitPlanMode", { plan: PLAN }), write, says("better then"));
    await using harness = await place.open({ wishes: { attended: true, planMode: true, autoApprove: true } });
    await using client = await follow(harness);
    await client.say("plan it");
    const { askId } = (await asked(client.seen)).payload;
    const sessionId = harness.session;
    await client.connection.send({ kind: "Answer", sessionId, askId, answer: "use less, please" });
    await client.turns(1);
    expect(results(client.seen)).toEqual([
      "The plan was not approved: plan mode goes on. They said: use less, please",
      expect.stringContaining("PlanMode: Write may change something"),
    ]);
    expect(made(place)).toBe(false);
    expect(states(client.seen).at(-1)).toEqual({ active: true });
  },
  SLOW_MS,
);

test(
  "[ENG-21 PERM-06 PERM-12] the answer that nobody will come closes the question: nothing is approved, and the model gets the reason",
  async () => {
    await using place = openPlace(calls("ExitPlanMode", { plan: PLAN }), says("here is my plan"));
    await using harness = await place.open({ wishes: { attended: true, planMode: true, autoApprove: true } });
    await using client = await follow(harness);
    await client.say("plan it");
    const { askId } = (await asked(client.seen)).payload;
    const { session: sessionId } = harness;
    const agent = await harness.attach({ identityClass: "agent", label: "agent" });
    await agent.handshake(PROTOCOL_VERSION);
    const byAgent = agent.send({ kind: "Answer", sessionId, askId, answer: null });
    await expect(byAgent).rejects.toMatchObject({ reason: "InvalidCommand" });
    await client.connection.send({ kind: "Answer", sessionId, askId, answer: null });
    await client.turns(1);
    expect(results(client.seen)).toEqual([
      "Nobody has answered within 1 s: plan mode goes on. Give the plan as your answer; a person can approve it later.",
    ]);
    const answered = client.seen.filter(({ kind }) => kind === "Answered").map(({ payload }) => payload);
    expect(answered).toEqual([
      { askId, answer: null, by: client.connection.clientId, who: { label: "test", identityClass: "human" } },
    ]);
  },
  SLOW_MS,
);

test(
  "[ENG-21 PERM-03] only a person can approve a plan or end plan mode: an agent cannot, and may enter it",
  async () => {
    await using place = openPlace(calls("ExitPlanMode", { plan: PLAN }), write, says("done"), says("on"));
    await using harness = await place.open({ wishes: { attended: true, autoApprove: true } });
    const { session: sessionId } = harness;
    const agent = await harness.attach({ identityClass: "agent", label: "agent" });
    await agent.handshake(PROTOCOL_VERSION);
    // The second command changes nothing, so only its answer says what holds.
    for (let times = 0; times < 2; times += 1)
      expect(await agent.send({ kind: "EnterPlanMode", sessionId })).toEqual({ result: { planMode: true } });
    const refused = { reason: "InvalidCommand", message: expect.stringContaining("agents cannot approve") };
    const leave = () => agent.send({ kind: "ExitPlanMode", sessionId, approve: true });
    await expect(leave()).rejects.toMatchObject(refused);
    await using client = await follow(harness);
    await client.say("plan it");
    const { askId } = (await asked(client.seen)).payload;
    const answer = agent.send({ kind: "Answer", sessionId, askId, answer: "approve" });
    await expect(answer).rejects.toMatchObject(refused);
    await expect(leave()).rejects.toMatchObject(refused);
    expect(made(place)).toBe(false);
    await client.connection.send({ kind: "ExitPlanMode", sessionId, approve: true });
    await client.turns(1);
    expect(made(place)).toBe(true);
    await agent.send({ kind: "EnterPlanMode", sessionId });
    const left = await client.connection.send({ kind: "ExitPlanMode", sessionId, approve: true });
    expect(left).toEqual({ result: { planMode: false } });
    const again = client.connection.send({ kind: "ExitPlanMode", sessionId, approve: true });
    await expect(again).rejects.toMatchObject({ message: expect.stringContaining("not in plan mode") });
  },
  SLOW_MS,
);

test(
  "[ENG-21] a person ends plan mode without a plan, and the model is notified with the next input",
  async () => {
    await using place = openPlace(says("one"), says("two"), says("three"));
    await using harness = await place.open({ wishes: { attended: true } });
    await enter(harness);
    await turn(harness, "first");
    expect(sent(place)).toContain("You are in plan mode");
    const connection = await connect(harness);
    const { session: sessionId } = harness;
    const denied = connection.send({ kind: "ExitPlanMode", sessionId, approve: false });
    await expect(denied).rejects.toMatchObject({ message: expect.stringContaining("no plan waits") });
    await connection.send({ kind: "ExitPlanMode", sessionId, approve: true });
    await turn(harness, "second");
    expect(sent(place)).toContain("Plan mode is over: a person has ended it");
    await turn(harness, "third");
    expect(sent(place).split("Plan mode is over")).toHaveLength(2);
  },
  SLOW_MS,
);

test(
  "[ENG-21 PERM-12] where nobody can approve it the plan is the answer, and nothing is changed",
  async () => {
    await using place = openPlace(calls("ExitPlanMode", { plan: PLAN }), write, says(PLAN));
    await using harness = await place.open({ wishes: { planMode: true, autoApprove: true } });
    const events = await turn(harness, "plan it");
    expect(sent(place)).toContain("nobody is there to approve it");
    expect(results(events)).toEqual([
      expect.stringContaining("Nobody is there to approve it: plan mode goes on"),
      expect.stringContaining("Nobody is there to approve a plan: give it as your answer."),
    ]);
    expect(events.some(({ kind }) => kind === "Asked")).toBe(false);
    expect(made(place)).toBe(false);
  },
  SLOW_MS,
);

test(
  "[ENG-21 SES-07] plan mode continues in a later run of the log, until it was left there",
  async () => {
    await using place = openPlace(
      says("one"),
      says("one more"),
      write,
      says("two"),
      write,
      says("three"),
      write,
      says("four"),
    );
    {
      await using harness = await place.open({ wishes: { attended: true } });
      await enter(harness);
      await turn(harness, "first");
      await turn(harness, "first, again");
    }
    {
      await using harness = await place.open({
        wishes: { attended: true, autoApprove: true },
        resume: { kind: "last" },
      });
      await using client = await follow(harness);
      await until("how it stands is told", () => states(client.seen).length > 0);
      await turn(harness, "second");
      expect(made(place)).toBe(false);
    }
    {
      await using harness = await place.open({
        wishes: { attended: true, autoApprove: true },
        resume: { kind: "last" },
      });
      await turn(harness, "third");
      expect(made(place)).toBe(false);
      const connection = await connect(harness);
      await connection.send({ kind: "ExitPlanMode", sessionId: harness.session, approve: true });
    }
    await using harness = await place.open({
      wishes: { attended: true, autoApprove: true },
      resume: { kind: "last" },
    });
    await turn(harness, "fourth");
    expect(made(place)).toBe(true);
  },
  SLOW_MS,
);

test(
  "[ENG-21 HOOK-01 S19] a hook can turn a reading call into nothing that changes something",
  async () => {
    await using place = openPlace(calls("Bash", { command: "ls" }), says("done"));
    const answer = JSON.stringify({ decision: "allow", input: { command: "touch made.txt" } });
    place.config(
      `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[[hooks]]\nevent = "PreToolUse"\ncmd = ${JSON.stringify(`echo '${answer}'`)}\n`,
    );
    await using harness = await place.open({ wishes: { planMode: true, autoApprove: true } });
    const events = await turn(harness, "look");
    expect(results(events)[0]).toContain("PlanMode: this command is not known to only read");
    expect(made(place)).toBe(false);
  },
  SLOW_MS,
);

test(
  "[ENG-21 ENG-10] a sub-agent of a session in plan mode is in it too, and cannot leave it",
  async () => {
    await using place = openPlace(
      calls("CallTool", { name: "Agent", input: { prompt: "write it" } }),
      write,
      calls("ExitPlanMode", { plan: PLAN }),
      says("I could not"),
      says("planned"),
    );
    await using harness = await place.open({ wishes: { attended: true, planMode: true, autoApprove: true } });
    await using client = await follow(harness);
    await client.say("plan it");
    const isOver = ({ kind, parentCall }: Envelope) => kind === "TurnEnded" && parentCall === undefined;
    await until("the turn is over", () => client.seen.some(isOver));
    expect(results(client.seen)).toEqual([
      expect.stringContaining("PlanMode: Write may change something"),
      expect.stringContaining('There is no tool "ExitPlanMode"'),
      expect.stringContaining("I could not"),
    ]);
    expect(client.seen.some(({ kind }) => kind === "Asked")).toBe(false);
    expect(made(place)).toBe(false);
  },
  SLOW_MS,
);

test(
  "[ENG-21 PROF-02] plan mode continues under another profile, in place or not, and so does having left it",
  async () => {
    for (const inPlace of [false, true]) {
      await using place = openPlace(says("one"), write, says("two"), write, says("three"));
      await using harness = await place.open({
        wishes: { attended: true, planMode: true, autoApprove: true },
      });
      await turn(harness, "first");
      const connection = await connect(harness);
      const change = async (sessionId: OpenHarness["session"], profile: string) =>
        (await connection.send({ kind: "SwitchProfile", sessionId, profile, inPlace })).sessionId ??
        sessionId;
      const second = await change(harness.session, "self");
      await turn({ ...harness, session: second }, "second");
      expect(made(place)).toBe(false);
      await connection.send({ kind: "ExitPlanMode", sessionId: second, approve: true });
      const third = await change(second, "default");
      await turn({ ...harness, session: third }, "third");
      expect(made(place)).toBe(true);
    }
  },
  SLOW_MS,
);

test(
  "[ENG-21] plan mode that a person leaves before the model knew of it is not mentioned to the model",
  async () => {
    await using place = openPlace(says("one"));
    await using harness = await place.open({ wishes: { attended: true } });
    const connection = await connect(harness);
    const { session: sessionId } = harness;
    await connection.send({ kind: "EnterPlanMode", sessionId });
    await connection.send({ kind: "ExitPlanMode", sessionId, approve: true });
    await turn(harness, "first");
    expect(sent(place)).not.toMatch(/plan mode/i);
  },
  SLOW_MS,
);
