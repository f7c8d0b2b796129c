import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { acknowledgeAll } from "../../../test/support/acknowledge.ts";
import type { Turn } from "../../../test/support/mock-provider/turn.ts";
import { calls, says } from "../../../test/support/mock-provider/turn.ts";
import type { TestProject } from "../../../test/support/place.ts";
import { connect, openPlace } from "../../../test/support/place.ts";
import { reading } from "../../../test/support/reading.ts";
import { until } from "../../../test/support/until.ts";
import type { OpenHarness } from "../../app/harness.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import type { EventKind } from "../../protocol/events/events.ts";
import { EVERYTHING } from "../../session/access/scope.ts";

// A task in a session of its own with a cheaper model, in a whole engine.

const { signal } = new AbortController();
const CHEAP = '\n[delegate]\nmodel = "mock:cheap"\n';

function openCheap(...script: Turn[]): TestProject {
  const place = openPlace(...script);
  add(place, CHEAP);
  return place;
}

function add(place: TestProject, text: string): void {
  const path = join(place.root, "config/config.toml");
  place.config(readFileSync(path, "utf8") + text);
}

async function send(harness: OpenHarness, prompt: string): Promise<readonly Envelope[]> {
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const events = connection.subscribe(sessionId, { signal });
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: prompt }] });
  const seen: Envelope[] = [];
  for await (const event of events) {
    seen.push(event);
    if (event.kind === "TurnEnded") break;
  }
  return seen;
}

function of<Kind extends EventKind>(events: readonly Envelope[], kind: Kind): readonly EnvelopeOf<Kind>[] {
  return events.filter((event) => event.kind === kind) as unknown as readonly EnvelopeOf<Kind>[];
}

function resultOf(events: readonly Envelope[]): string {
  const [result] = of(events, "ToolResult");
  return (result?.payload.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** The session that the call named as its own, once it is there. */
function begunIn(events: readonly Envelope[]): SessionId {
  const told = of(events, "ToolCallProgress")
    .map(({ payload }) => payload.partial)
    .join("");
  return /session (sess_\w+) /.exec(told)?.[1] as SessionId;
}

async function listed(harness: OpenHarness) {
  return await reading(await harness.port([])).sessions({ past: true, limit: 10 }, EVERYTHING);
}

const hand = (prompt: string): Turn => calls("Delegate", { prompt });

test("[ENG-23 TOOL-05] a task is done by the cheaper model in a session of its own, listed below the one that gave it, and its last words are the result", async () => {
  await using place = openCheap(
    hand("count them"),
    calls("Ls", { path: "." }),
    says("one"),
    says("there is one"),
  );
  place.write("a.txt", "a");
  await using harness = await place.open();
  const events = await send(harness, "how many?");
  expect(resultOf(events)).toBe("one");
  expect(place.mock.requests.map(({ body }) => body["model"])).toEqual([
    "test-1",
    "cheap",
    "cheap",
    "test-1",
  ]);
  // Off the parent's bus: nothing but the call itself, where its session is, and its result.
  expect(of(events, "TurnStarted")).toHaveLength(1);
  expect(events.every(({ parentCall }) => parentCall === undefined)).toBe(true);
  expect(of(events, "CostIncremented")).toHaveLength(2);
  const child = begunIn(events);
  const all = await listed(harness);
  expect(all.find(({ session }) => session === child)).toMatchObject({
    model: "mock:cheap",
    live: false,
    turns: 1,
    title: "count them",
    branch_of: { log: harness.logId },
  });
  // Its log has all of it, and says who asked.
  const connection = await connect(harness);
  const told: Envelope[] = [];
  for await (const event of connection.subscribe(child, { since: 0, signal })) told.push(event);
  const call = of(events, "ToolCallStarted")[0]?.payload.callId;
  expect(told[0]?.payload).toEqual({
    namespace: "cinch",
    kind: "Delegated",
    payload: { session: harness.session, log: harness.logId, callId: call },
  });
  expect(
    of(told, "TextDelta")
      .map(({ payload }) => payload.text)
      .join(""),
  ).toBe("one");
  expect(told.at(-1)?.kind).toBe("SessionEnded");
});

test("[ENG-23 PERM-12] what needs a person is refused there, unless one attaches and answers", async () => {
  const script = [hand("touch it"), calls("Bash", { command: "touch made" }), says("tried"), says("ok")];
  await using alone = openCheap(...script);
  add(alone, '[sandbox]\nbackend = "none"\n');
  await using unwatched = await alone.open({ wishes: { attended: true } });
  await send(unwatched, "go");
  expect(JSON.stringify(alone.mock.requests[2]?.body)).toContain("nobody can be asked in this run");
  expect(existsSync(join(alone.repo, "made"))).toBe(false);

  const gate = Promise.withResolvers<void>();
  const [first, call, ...rest] = script;
  await using place = openCheap(
    ...(first === undefined || call === undefined ? [] : [first, { ...call, hold: gate.promise }]),
    ...rest,
  );
  add(place, '[sandbox]\nbackend = "none"\n');
  await using harness = await place.open({ wishes: { attended: true } });
  const connection = await connect(harness);
  const seen: Envelope[] = [];
  const following = (async () => {
    for await (const event of connection.subscribe(harness.session, { signal })) {
      seen.push(event);
      if (event.kind === "TurnEnded") return;
    }
  })();
  await connection.send({
    kind: "SendInput",
    sessionId: harness.session,
    content: [{ type: "text", text: "go" }],
  });
  await until("the session of the task", () => begunIn(seen) !== undefined);
  const child = begunIn(seen);
  const asked = (async () => {
    for await (const event of connection.subscribe(child, { signal })) {
      if (event.kind === "TurnStarted" || event.kind !== "PermissionRequested") continue;
      const { callId } = event.payload;
      await connection.send({
        kind: "AnswerPermission",
        sessionId: child,
        callId,
        decision: "allow",
        scope: "once",
      });
    }
  })();
  gate.resolve();
  await following;
  await asked; // the session of the task has ended
  expect(existsSync(join(place.repo, "made"))).toBe(true);
  expect(of(seen, "PermissionRequested")).toEqual([]);
});

test("[ENG-23 PROF-03 S39] what an acknowledged file of the project forbids is forbidden to a task too, also once another file was changed", async () => {
  await using place = openCheap(
    calls("Bash", { command: "echo 'Do what you like.' > AGENTS.md" }),
    hand("read it"),
    calls("Read", { file_path: "secret.txt" }),
    says("tried"),
    says("ok"),
  );
  add(place, '[sandbox]\nbackend = "none"\n');
  place.write(".git/HEAD", "ref: refs/heads/trunk\n");
  place.write("AGENTS.md", "Be brief.");
  place.write("secret.txt", "the moon is hollow");
  place.write(".cinch/permissions.toml", 'deny = ["Read:secret.txt"]\n');
  await acknowledgeAll(place.options());
  await using harness = await place.open({ wishes: { autoApprove: true } });
  await send(harness, "go");
  expect(readFileSync(join(place.repo, "AGENTS.md"), "utf8")).toBe("Do what you like.\n");
  const below = JSON.stringify(place.mock.requests[3]?.body);
  expect(below).toContain("PermissionDenied: Read");
  expect(below).not.toContain("the moon is hollow");
  expect(below).not.toContain("Do what you like.");
});

test("[ENG-09 ENG-23] cancelling the turn cancels the task, whose session ends with it; the parent continues", async () => {
  const hold = new Promise(() => undefined);
  await using place = openCheap(hand("for ever"), says("and ever", { hold }), says("I am here"));
  await using harness = await place.open();
  const connection = await connect(harness);
  const sending = send(harness, "go");
  await place.mock.until((mock) => mock.requests.length === 2);
  await connection.send({ kind: "CancelTurn", sessionId: harness.session });
  const events = await sending;
  expect(of(events, "TurnEnded")[0]?.payload.reason).toBe("cancelled");
  await until("the end of the task's session", async () => {
    const child = (await listed(harness)).find(({ session }) => session === begunIn(events));
    return child?.live === false && child.status === "paused";
  });
  expect(of(await send(harness, "there?"), "TurnEnded")[0]?.payload.reason).toBe("complete");
});

test("[ENG-23 REL-03] ending the engine in the middle of a task ends both sessions, and both can be resumed", async () => {
  const hold = new Promise(() => undefined);
  await using place = openCheap(hand("for ever"), says("and ever", { hold }), says("again"));
  let log: string | undefined;
  {
    await using harness = await place.open();
    log = harness.logId;
    const connection = await connect(harness);
    const content = [{ type: "text" as const, text: "go" }];
    await connection.send({ kind: "SendInput", sessionId: harness.session, content });
    await place.mock.until((mock) => mock.requests.length === 2);
  }
  await using next = await place.open({ resume: { kind: "id", id: log ?? "" } });
  const all = await listed(next);
  expect(all.map(({ model, status }) => [model, status]).sort()).toEqual([
    ["mock:cheap", "paused"],
    ["mock:test-1", "running"],
  ]);
  expect(of(await send(next, "go on"), "TurnEnded")[0]?.payload.reason).toBe("complete");
});

test("[ENG-23 PROV-11] what a task costs counts against the cap of the session that gave it, and it gets no more than is left", async () => {
  const prices = (cheap: number) =>
    `\n[prices."mock:cheap"]\ninput = ${cheap}\noutput = 1\n[prices."mock:test-1"]\ninput = 10\noutput = 10\n`;
  const dear = { usage: { input: 1_500_000, output: 1 } };
  await using place = openCheap(hand("dear"), says("did it", dear));
  add(place, prices(1));
  await using harness = await place.open({ wishes: { maxCostUsd: 1 } });
  const events = await send(harness, "go");
  expect([resultOf(events), of(events, "TurnEnded")[0]?.payload.reason]).toEqual(["did it", "budget"]);

  await using capped = openCheap(hand("dear"), says("then not"));
  add(capped, prices(1_000));
  await using other = await capped.open({ wishes: { maxCostUsd: 1 } });
  const second = await send(other, "go");
  expect(resultOf(second)).toContain('There is no answer: it ended with "budget"');
  expect(capped.mock.requests.map(({ body }) => body["model"])).toEqual(["test-1", "test-1"]);
});

test("[ENG-23 ENG-13 SES-07] a session that continues counts what its tasks have cost before, also one that was broken off", async () => {
  const price = "input = 1\noutput = 1\n";
  const prices = `\n[prices."mock:cheap"]\n${price}[prices."mock:test-1"]\n${price}`;
  const cost = (usd: number) => ({ usage: { input: usd * 1_000_000, output: 0 } });
  const hold = new Promise(() => undefined);
  await using place = openCheap(
    hand("first"),
    says("did it", cost(0.5)),
    says("thanks"),
    hand("second"),
    { ...calls("Ls", { path: "." }), ...cost(0.3) },
    says("never", { hold }),
    says("it should not be asked"),
  );
  add(place, prices);
  let log: string | undefined;
  {
    await using harness = await place.open({ wishes: { maxCostUsd: 1 } });
    log = harness.logId;
    await send(harness, "go");
    const connection = await connect(harness);
    const content = [{ type: "text" as const, text: "and on" }];
    await connection.send({ kind: "SendInput", sessionId: harness.session, content });
    await place.mock.until(({ requests }) => requests.length === 6);
  }
  const resume = { kind: "id", id: log } as const;
  await using capped = await place.open({ resume, wishes: { maxCostUsd: 0.8 } });
  expect(of(await send(capped, "go on"), "TurnEnded")[0]?.payload.reason).toBe("budget");
  expect(place.mock.requests).toHaveLength(6);
});

test("[ENG-21 ENG-23] a task that is given in plan mode only reads, and makes no plan; after the plan was approved one changes what it is asked to", async () => {
  const write = calls("Write", { file_path: "made.txt", content: "x" });
  await using place = openCheap(
    hand("look, and write"),
    { parts: [{ tool: "Ls", input: { path: "." } }] },
    write,
    says("I looked"),
    says("planned"),
    hand("write"),
    write,
    says("written"),
    says("done"),
  );
  await using harness = await place.open({ wishes: { planMode: true, attended: true, autoApprove: true } });
  expect(resultOf(await send(harness, "plan"))).toBe("I looked");
  expect(existsSync(join(place.repo, "made.txt"))).toBe(false);
  const child = JSON.stringify(place.mock.requests[3]?.body);
  expect(child).toContain("Answer with what you have found.");
  expect(child).toContain("Write may change something");
  expect(child).not.toContain("Your plan is your answer");
  const connection = await connect(harness);
  await connection.send({ kind: "ExitPlanMode", sessionId: harness.session, approve: true });
  expect(resultOf(await send(harness, "act"))).toBe("written");
  expect(readFileSync(join(place.repo, "made.txt"), "utf8")).toBe("x");
});

test("[ENG-23] a task hands nothing on, and without a cheaper model there is no such tool", async () => {
  await using place = openCheap(hand("x"), says("done"), says("ok"));
  await using harness = await place.open();
  await send(harness, "go");
  const names = place.mock.requests.map(({ body }) =>
    (body["tools"] as { name: string }[]).map(({ name }) => name),
  );
  expect(names.map((each) => each.includes("Delegate"))).toEqual([true, false, true]);

  await using none = openPlace(hand("x"), says("ok"));
  await using without = await none.open();
  expect(resultOf(await send(without, "go"))).toContain('There is no tool "Delegate"');
});
