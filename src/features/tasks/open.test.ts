import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { calls, says } from "../../../test/support/mock-provider/turn.ts";
import type { TestProject } from "../../../test/support/place.ts";
import { follow, openPlace } from "../../../test/support/place.ts";
import { reading } from "../../../test/support/reading.ts";
import { until } from "../../../test/support/until.ts";
import type { OpenHarness } from "../../app/harness.ts";
import { checkScheduledProfile } from "../../app/plan/settings.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import { openSchedule } from "./open-schedule.ts";
import { openScheduler } from "./open-scheduler.ts";

const SLOW_MS = 60_000;
/** Runs until the file `go` is there, and fails then. */
const WAITS = "until [ -e go ]; do sleep 0.02; done; exit 3";

function changes(seen: readonly Envelope[]): EnvelopeOf<"TaskChanged">["payload"][] {
  return seen.flatMap((event) => (event.kind === "TaskChanged" ? [event.payload] : []));
}

function inputs(place: TestProject): readonly string[] {
  return place.mock.requests.map(({ body }) => JSON.stringify((body["messages"] as unknown[]).at(-1)));
}

const background = (command: string) => calls("Bash", { command, background: true });

async function tasksOf(harness: OpenHarness) {
  const catalogue = reading(await harness.port([]));
  return await catalogue.tasks(harness.session, { sessions: "all", commands: "all" });
}

test(
  "[ENG-24] a task outlives the turn that started it, and the model gets its end with the next input, once",
  async () => {
    await using place = openPlace(background(WAITS), says("started"), says("I see"), says("on"));
    await using harness = await place.open({ wishes: { autoApprove: true } });
    await using client = await follow(harness);
    await client.say("go");
    await client.turns(1);
    expect(await tasksOf(harness)).toMatchObject([{ what: WAITS, state: "running" }]);
    expect(harness.busy).toBe(true);
    writeFileSync(join(place.repo, "go"), "");
    await until("it has ended", () => changes(client.seen).length === 2);
    const [{ taskId } = { taskId: "" }] = changes(client.seen);
    expect(changes(client.seen)[1]).toMatchObject({ taskId, state: "failed", detail: "exit code 3" });
    await client.say("and now?");
    await client.turns(2);
    expect(inputs(place)[2]).toContain(`The background task ${taskId} has ended: failed (exit code 3).`);
    await client.say("go on");
    await client.turns(3);
    expect(inputs(place)[3]).not.toContain("background task");
    expect(await tasksOf(harness)).toMatchObject([{ state: "failed", detail: "exit code 3" }]);
  },
  SLOW_MS,
);

test(
  "[ENG-24] a task whose end the model has read is not reported again",
  async () => {
    let id = "";
    const ended = Promise.withResolvers<void>();
    const polls = {
      get parts() {
        return [{ tool: "BashTask", input: { id, action: "poll" } }];
      },
      hold: ended.promise,
    };
    await using place = openPlace(
      background(WAITS),
      says("started"),
      calls("Bash", { command: "touch go" }),
      polls,
      says("it is done"),
      says("on"),
    );
    await using harness = await place.open({ wishes: { autoApprove: true } });
    await using client = await follow(harness);
    await client.say("go");
    await client.turns(1);
    id = changes(client.seen)[0]?.taskId ?? "";
    await client.say("look");
    await until("it has ended", () => changes(client.seen).length === 2);
    ended.resolve();
    await client.turns(2);
    expect(inputs(place)[4]).toContain(`[${id} failed`);
    await client.say("go on");
    await client.turns(3);
    expect(inputs(place).filter((input) => input.includes("has ended"))).toEqual([]);
  },
  SLOW_MS,
);

test(
  "[ENG-24] with wake, the end of a task begins a turn of its own once none runs",
  async () => {
    await using place = openPlace(background(WAITS), says("started"), says("it failed"));
    place.config(
      `[tasks]\nwake = true\n[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n`,
    );
    await using harness = await place.open({ wishes: { autoApprove: true } });
    await using client = await follow(harness);
    await client.say("go");
    await client.turns(1);
    writeFileSync(join(place.repo, "go"), "");
    await client.turns(2);
    expect(inputs(place)[2]).toContain("(cinch) A task in the background has ended.");
    expect(inputs(place)[2]).toContain("has ended: failed (exit code 3)");
    const started = client.seen.filter((event) => event.kind === "TurnStarted");
    expect(started.map(({ payload }) => payload.originator === client.connection.clientId)).toEqual([
      ...[true, false],
    ]);
  },
  SLOW_MS,
);

test(
  "[ENG-24 REL-03] a person stops a task, one that is not known is refused, and what runs ends with its session",
  async () => {
    await using place = openPlace(background("sleep 600"), background("sleep 601"), says("started"));
    await using harness = await place.open({ wishes: { autoApprove: true } });
    await using client = await follow(harness);
    await client.say("go");
    await client.turns(1);
    const [first, second] = changes(client.seen).map(({ taskId }) => taskId);
    const { session: sessionId } = harness;
    const { connection } = client;
    if (first === undefined) throw new Error("nothing was started");
    expect(await connection.send({ kind: "StopTask", sessionId, taskId: first })).toEqual({});
    await until("it is told", () => changes(client.seen).length === 3);
    expect(await tasksOf(harness)).toMatchObject([{ state: "stopped" }, { state: "running" }]);
    const unknown = connection.send({
      kind: "StopTask",
      sessionId,
      taskId: sessionId.replace("sess", "task") as typeof first,
    });
    await expect(unknown).rejects.toMatchObject({ message: expect.stringContaining("no task is known") });
    await connection.send({ kind: "EndSession", sessionId });
    await until("its end is told", () => client.seen.some(({ kind }) => kind === "SessionEnded"));
    expect(changes(client.seen).at(-1)).toMatchObject({ taskId: second, state: "stopped" });
  },
  SLOW_MS,
);

test(
  "[ENG-24 PERM-01] the model schedules work only where a person says so, who is shown all of it",
  async () => {
    const input = {
      name: "nightly",
      prompt: "look after\nthe tests",
      cron: "0 3 * * *",
      time_zone: "Europe/Berlin",
      level: "WorkspaceWrite",
    };
    const schedule = calls("CallTool", { name: "ScheduleTask", input });
    await using place = openPlace(schedule, says("refused"), schedule, says("done"), schedule, says("taken"));
    place.config(
      `[tasks]\nschedule = true\n[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n`,
    );
    const file = join(place.root, "data/tasks/nightly.toml");
    {
      await using harness = await place.open({});
      await using client = await follow(harness);
      await client.say("go");
      await client.turns(1);
      expect(existsSync(file)).toBe(false);
    }
    await using harness = await place.open({ wishes: { attended: true } });
    await using client = await follow(harness);
    await client.say("go");
    const { payload } = await client.question();
    expect(payload).toMatchObject({
      tool: "ScheduleTask",
      summary: `ScheduleTask nightly: cron 0 3 * * * (Europe/Berlin) in ${place.repo}, WorkspaceWrite, at most 20 turns: look after the tests`,
      reason: expect.stringContaining("since it will run later, with nobody there to ask"),
    });
    const { session: sessionId } = harness;
    const { callId } = payload;
    await client.connection.send({ kind: "AnswerPermission", sessionId, callId, decision: "allow" });
    await client.turns(1);
    const text = readFileSync(file, "utf8");
    for (const line of [
      'prompt = "look after\\nthe tests"',
      'time_zone = "Europe/Berlin"',
      `cwd = "${place.repo}"`,
      'model = "mock:test-1"',
      'level = "WorkspaceWrite"',
      `created_by = "${sessionId}"`,
    ])
      expect(text).toContain(`${line}\n`);
  },
  SLOW_MS,
);

test(
  "[ENG-24 PROF-03 S39] a task runs under no profile of the folder it works in, and finds a file from there, not from where the engine is",
  async () => {
    await using place = openPlace(says("done"));
    const inRepository = join(place.repo, "sub/own.toml");
    const config = readFileSync(join(place.root, "config/config.toml"), "utf8");
    place.config(`default_profile = ${JSON.stringify(inRepository)}\n${config}`);
    await using harness = await place.open({ profile: "default" });
    const options = place.options();
    const schedule = openSchedule(options);
    const text = `schema_version = 1\nname = "own"\ndefault_model = "mock:test-1"\n`;
    place.write(".git/HEAD", "ref: refs/heads/trunk\n");
    place.write("sub/own.toml", text);
    writeFileSync(join(place.root, "own.toml"), text);
    const task = {
      prompt: "go",
      when: { kind: "every", every: "1d", ms: 86_400_000 },
      cwd: join(place.repo, "sub"),
      enabled: true,
      createdAt: new Date(Date.now() - 200_000_000).toISOString(),
      createdBy: "person",
    } as const;
    await schedule.add({ ...task, name: "a", profile: "./own.toml" });
    await schedule.add({ ...task, name: "b", profile: inRepository });
    await schedule.add({ ...task, name: "c", profile: "../../own.toml" });
    await schedule.add({ ...task, name: "d" });
    await using scheduler = openScheduler(options, harness, {
      checkProfile: (profile, cwd) => checkScheduledProfile(options, profile, cwd),
    });
    const records = await scheduler.runDue();
    expect(Object.fromEntries(records.map(({ task: name, outcome }) => [name, outcome]))).toEqual({
      a: "failed",
      b: "failed",
      c: "done",
      d: "failed",
    });
    for (const { outcome, detail } of records)
      if (outcome === "failed") expect(detail).toContain("lies in the folder it works in");
    expect(place.mock.requests).toHaveLength(1);
  },
  SLOW_MS,
);

test(
  "[ENG-24] without the key no session has the tool, and what it is made of is not loaded",
  async () => {
    await using place = openPlace(calls("ToolSearch", { query: "schedule" }), says("none"));
    await using harness = await place.open({});
    await using client = await follow(harness);
    await client.say("go");
    await client.turns(1);
    expect(inputs(place)[1]).not.toContain("ScheduleTask");
  },
  SLOW_MS,
);
