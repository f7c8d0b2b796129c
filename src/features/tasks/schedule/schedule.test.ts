import { expect, test } from "bun:test";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { blocksOf } from "../../../../test/support/documents.ts";
import type { FakeClock } from "../../../../test/support/fake-clock.ts";
import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { holds } from "../../../../test/support/property.ts";
import { readSource } from "../../../../test/support/source.ts";
import { until } from "../../../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import type { Files } from "../../../base/world.ts";
import { parseToml } from "../../../config/toml.ts";
import { lockDatabase } from "../../../platform/files/database-lock.ts";
import { hostWorld } from "../../../platform/host.ts";
import { decideDue } from "./decide-due.ts";
import type { RunRecord } from "./run-record.ts";
import { readRecords, readState } from "./run-record.ts";
import type { ClaimedRun, RunEnd } from "./schedule.ts";
import { Schedule } from "./schedule.ts";
import type { ScheduledTask } from "./scheduled-task.ts";
import { readScheduledTask, renderScheduledTask } from "./scheduled-task.ts";
import type { RunTask } from "./scheduler.ts";
import { CHECK_EVERY_MS, RUNS_AT_ONCE_MAX, Scheduler } from "./scheduler.ts";
import { RUNS_KEPT_MAX } from "./task-files.ts";
import { nextDue, parseAt, parseCron, parseEvery } from "./when.ts";

const { clock: realClock } = hostWorld(SILENT_LOG);
const { signal } = new AbortController();
const START = "2026-03-01T00:00:00.000Z";
const HOUR = 3_600_000;
/** For hangs. */
const SLOW_MS = 120_000;
/** Each is a file that is written and parsed. */
const PROPERTY_RUNS = 100;

/** Texts of any code units. */
function anyText(max: number) {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: max });
  return units.map((codes) => String.fromCharCode(...codes));
}

function whenOf(read: ReturnType<typeof parseCron>) {
  if (read.kind === "problem") throw new Error(read.problem);
  return read.value;
}

function taskOf(name: string, more: Partial<ScheduledTask> = {}): ScheduledTask {
  return {
    name,
    prompt: "look after it",
    when: whenOf(parseEvery("1h")),
    cwd: "/repo",
    enabled: true,
    createdAt: START,
    createdBy: "person",
    ...more,
  };
}

/** A folder of tasks at a fixed moment, and engines that work on it. */
function openFolder() {
  const directory = temporaryDirectory();
  const clock = fakeClock(Date.parse(START));
  const dead = new Set<number>();
  const folder = join(directory.path, "data/tasks");
  const engine = (
    pid: number,
    at: Pick<FakeClock, "now"> = clock,
    files: Files = testWorld().files,
  ): Schedule =>
    new Schedule({
      files,
      clock: at,
      machine: { pid, processStart: `start ${pid}`, isAlive: (id) => !dead.has(id) },
      folder,
      lock: (path, stop) => lockDatabase(path, realClock, stop),
    });
  return {
    clock,
    folder,
    engine,
    kill: (pid: number) => void dead.add(pid),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const DONE: RunEnd = { outcome: "done", session: "sess_1" };

async function ran(schedule: Schedule, name: string): Promise<RunRecord | undefined> {
  const claimed = await schedule.claimDue(name, signal);
  return claimed === undefined ? undefined : await schedule.settle(claimed, DONE);
}

test("[ENG-24] a task is stored in a file for its user alone, is due at its hours, runs once each, and its runs are recorded", async () => {
  await using place = openFolder();
  const schedule = place.engine(1);
  await schedule.add(taskOf("nightly"));
  expect(statSync(place.folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(place.folder, "nightly.toml")).mode & 0o777).toBe(0o600);
  expect(await schedule.find("nightly")).toEqual(taskOf("nightly"));
  expect(await ran(schedule, "nightly")).toBeUndefined();
  await place.clock.advance(HOUR);
  expect(await ran(schedule, "nightly")).toMatchObject({
    task: "nightly",
    due: "2026-03-01T01:00:00.000Z",
    outcome: "done",
    session: "sess_1",
  });
  expect(await ran(schedule, "nightly")).toBeUndefined();
  await place.clock.advance(HOUR);
  expect(await ran(schedule, "nightly")).toMatchObject({ due: "2026-03-01T02:00:00.000Z" });
  expect((await schedule.runs("nightly")).map(({ outcome }) => outcome)).toEqual(["done", "done"]);
});

test("[ENG-24] missed runs are made up by one run, which says how many were missed", async () => {
  await using place = openFolder();
  const schedule = place.engine(1);
  await schedule.add(taskOf("nightly"));
  await place.clock.advance(5 * HOUR + 1);
  const record = await ran(schedule, "nightly");
  expect(record).toMatchObject({ due: "2026-03-01T01:00:00.000Z", missed: "4" });
  expect(await ran(schedule, "nightly")).toBeUndefined();
  await place.clock.advance(10_000 * HOUR);
  expect(await ran(schedule, "nightly")).toMatchObject({ missed: "100+" });
});

test(
  "[ENG-24 R37] of many engines that look at the same moment one runs a task, once",
  async () => {
    await using place = openFolder();
    await place.engine(1).add(taskOf("nightly"));
    await place.clock.advance(HOUR);
    const engines = Array.from({ length: 12 }, (_, at) => place.engine(at + 1));
    const claims = await Promise.all(engines.map((engine) => engine.claimDue("nightly", signal)));
    const won = claims.flatMap((claimed, at) => (claimed === undefined ? [] : [{ claimed, at }]));
    expect(won).toHaveLength(1);
    for (const { claimed, at } of won) await engines[at]?.settle(claimed, DONE);
    // Those that came while it ran found it due no more.
    expect((await place.engine(1).runs("nightly")).map(({ outcome }) => outcome)).toEqual(["done"]);
  },
  SLOW_MS,
);

test("[ENG-24] a run that is due while the previous one still continues is skipped, with a notice", async () => {
  await using place = openFolder();
  const [first, second] = [place.engine(1), place.engine(2)];
  await first.add(taskOf("nightly"));
  await place.clock.advance(HOUR);
  const claimed = await first.claimDue("nightly", signal);
  if (claimed === undefined) throw new Error("it was not due");
  await expect(second.claimNow("nightly", signal)).rejects.toMatchObject({ reason: "ScheduleBusy" });
  await place.clock.advance(HOUR);
  expect(await second.claimDue("nightly", signal)).toBeUndefined();
  await first.settle(claimed, DONE);
  expect(await first.runs("nightly")).toMatchObject([
    {
      outcome: "skipped",
      due: "2026-03-01T02:00:00.000Z",
      detail: expect.stringContaining("still continues"),
    },
    { outcome: "done", due: "2026-03-01T01:00:00.000Z" },
  ]);
  expect(await ran(second, "nightly")).toBeUndefined();
});

test("[ENG-24 R38] a run whose process was killed is reported as interrupted with its session, and is not repeated", async () => {
  await using place = openFolder();
  const [first, second] = [place.engine(1), place.engine(2)];
  await first.add(taskOf("nightly"));
  await place.clock.advance(HOUR);
  const claimed = await first.claimDue("nightly", signal);
  if (claimed === undefined) throw new Error("it was not due");
  await first.recordSession(claimed, "sess_9", signal);
  place.kill(1);
  expect(await ran(second, "nightly")).toBeUndefined();
  await place.clock.advance(HOUR);
  expect(await ran(second, "nightly")).toMatchObject({ due: "2026-03-01T02:00:00.000Z", outcome: "done" });
  expect(await second.runs("nightly")).toMatchObject([
    { outcome: "interrupted", session: "sess_9", due: "2026-03-01T01:00:00.000Z" },
    { outcome: "done" },
  ]);
});

test("[ENG-24] a clock that goes back repeats nothing, and one that was far ahead does not stop a task for good", async () => {
  const task = taskOf("t", { when: whenOf(parseCron("0 9 * * *", "UTC")) });
  const at = (moment: string) => Date.parse(moment);
  const decided = (settled: string, now: string) =>
    decideDue(task, { settled_ms: at(settled) }, { ms: at(now), isRunning: false }).kind;
  expect(decided("2026-03-02T09:00:00.200Z", "2026-03-02T08:59:59Z")).toBe("wait");
  expect(decided("2026-03-02T09:00:00.200Z", "2026-03-02T09:00:01Z")).toBe("wait");
  expect(decided("2026-03-02T09:00:00.200Z", "2026-03-03T09:00:00Z")).toBe("run");
  // The clock said 2099 once: from now on it counts again.
  const verdict = decideDue(
    task,
    { settled_ms: at("2099-01-01T09:00:00Z") },
    { ms: at("2026-03-02T08:00:00Z"), isRunning: false },
  );
  expect(verdict).toEqual({ kind: "reset", dueMs: at("2026-03-02T09:00:00Z") });

  await using place = openFolder();
  const schedule = place.engine(1);
  await schedule.add(task);
  let now = at("2099-01-01T09:00:00Z");
  const wrong = place.engine(1, { now: () => now });
  expect(await ran(wrong, "t")).toMatchObject({ outcome: "done" });
  now = at("2026-03-02T08:00:00Z");
  expect(await ran(wrong, "t")).toBeUndefined();
  now = at("2026-03-02T09:00:01Z");
  expect(await ran(wrong, "t")).toMatchObject({ due: "2026-03-02T09:00:00.000Z" });
  expect(await ran(wrong, "t")).toBeUndefined();
});

test("[ENG-24] hours that a time zone leaves out are run after the gap, and those that it has twice once", () => {
  const daily = whenOf(parseCron("30 2 * * *", "Europe/Berlin"));
  const days = (from: string, count: number) => {
    let at = Date.parse(from);
    return Array.from({ length: count }, () => {
      at = nextDue(daily, at, 0) ?? Number.NaN;
      return new Date(at).toISOString();
    });
  };
  expect(days("2026-03-28T00:00:00Z", 3)).toEqual([
    ...["2026-03-28T01:30:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"],
  ]);
  expect(days("2026-10-24T12:00:00Z", 2)).toEqual(["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"]);
});

test("[ENG-24] property: the next moment is after the one before, and every so often keeps its distance", async () => {
  await holds(
    fc.property(
      fc.integer({ min: 1, max: 400 }),
      fc.constantFrom("m", "h"),
      fc.integer({ min: 0, max: 4e12 }),
      fc.integer({ min: 0, max: 4e9 }),
      (count, unit, since, later) => {
        const when = whenOf(parseEvery(`${count}${unit}`));
        if (when.kind !== "every") throw new Error("another kind");
        const next = nextDue(when, since + later, since) ?? 0;
        expect(next).toBeGreaterThan(since + later);
        expect(next - (since + later)).toBeLessThanOrEqual(when.ms);
        expect((next - since) % when.ms).toBe(0);
      },
    ),
  );
});

test("[ENG-24] what is no moment, no length of time and no cron line says what is wrong", () => {
  const problem = (read: ReturnType<typeof parseAt>) => (read.kind === "problem" ? read.problem : "read");
  for (const text of ["1w", "-1h", "", "1.5h", "h"])
    expect(problem(parseEvery(text))).toStartWith("must be a length of time");
  for (const text of ["5s", "59s", "0m", "0d"])
    expect(problem(parseEvery(text))).toStartWith("is less than a minute, and nothing runs more often");
  for (const text of ["9999999d", "367d"])
    expect(problem(parseEvery(text))).toStartWith("is more than 366 days");
  for (const text of ["2026-03-01", "tomorrow", "2026-13-01T09:00Z", "2026-13-01T09:00", ""])
    expect(problem(parseAt(text))).toStartWith("must be a moment");
  expect(problem(parseAt("2026-03-01T09:00"))).toBe(
    'does not say where that hour counts: write its distance from UTC behind it, such as "2026-03-01T09:00+01:00", or "2026-03-01T09:00Z"',
  );
  const fields = "takes 5: minute, hour, day of the month, month, day of the week";
  expect(problem(parseCron("0 3 * *", "UTC"))).toBe(`is not a cron line: it has 4 fields, and ${fields}`);
  expect(problem(parseCron("0 0 3 * * *", "UTC"))).toBe(`is not a cron line: it has 6 fields, and ${fields}`);
  expect(problem(parseCron("0 25 * * *", "UTC"))).toStartWith("is not a cron line: ");
  expect(problem(parseCron("0 3 30 2 *", "UTC"))).toBe("is never due: no year has such a day");
  expect(problem(parseCron("0 3 * * *", "Mars/X"))).toBe('there is no time zone "Mars/X"');
});

test(
  "[ENG-24] a task reads as it was written, whatever its prompt holds",
  async () => {
    await holds(
      fc.asyncProperty(
        anyText(200).filter((text) => text.trim() !== ""),
        anyText(40),
        fc.option(fc.integer({ min: 1, max: 999 }), { nil: undefined }),
        fc.boolean(),
        async (prompt, folder, maxTurns, enabled) => {
          const task = taskOf("t", {
            prompt: prompt.toWellFormed(),
            cwd: `/${folder.toWellFormed()}`,
            enabled,
            ...(maxTurns === undefined ? {} : { maxTurns, maxCostUsd: 0.5, level: "ReadOnly", model: "a:b" }),
          });
          const text = renderScheduledTask(task);
          expect(readScheduledTask("t", await parseToml("/t.toml", text))).toEqual(task);
        },
      ),
      PROPERTY_RUNS,
    );
  },
  SLOW_MS,
);

test(
  "[ENG-24] a file that is wrong names file, line and key, and keeps none of the others from running",
  async () => {
    await using place = openFolder();
    const schedule = place.engine(1);
    await schedule.add(taskOf("good"));
    const write = (name: string, text: string) => writeFileSync(join(place.folder, `${name}.toml`), text);
    const base = `prompt = "x"\ncwd = "/repo"\ncreated_at = "${START}"\n`;
    write("a", `${base}every = "1h"\nmax_turn = 3\n`);
    write("b", `${base}cron = "0 3 * *"\n`);
    write("c", `${base}every = "1h"\ncron = "0 3 * * *"\n`);
    write("d", `${base}every = 5\n`);
    write("e", "prompt = ");
    write("f", `schema_version = 9\n${base}every = "1h"\n`);
    write("g", base.replace("/repo", "repo"));
    write("Bad Name", `${base}every = "1h"\n`);
    mkdirSync(join(place.folder, "dir.toml"));
    symlinkSync(join(place.folder, "good.toml"), join(place.folder, "link.toml"));
    writeFileSync(join(place.folder, "h.toml"), Buffer.from(`${base}every = "1h"\n# für`, "latin1"));
    write(".swap", "an editor's");
    const { tasks, problems } = await schedule.list();
    expect(tasks.map(({ name }) => name)).toEqual(["good"]);
    expect(problems.map(({ message }) => message.replaceAll(`${place.folder}/`, ""))).toEqual([
      expect.stringContaining('a.toml:5: max_turn: unknown key; did you mean "max_turns"?'),
      expect.stringContaining("b.toml:4: cron: is not a cron line"),
      expect.stringContaining("c.toml:5: cron: write one of cron, every and at"),
      expect.stringContaining("d.toml:4: every: must be a text"),
      expect.stringContaining("e.toml:1: TOML:"),
      expect.stringContaining("f.toml:1: schema_version: is 9, and this cinch knows 1"),
      expect.stringContaining("g.toml:2: cwd: must be an absolute path"),
      expect.stringContaining("h.toml:5: TOML: it is not UTF-8 text"),
      expect.stringContaining("Bad Name.toml:1: name: it is not a task name: rename it to 1 to 64"),
      expect.stringContaining("dir.toml:1: TOML: it is a folder, not a task"),
      expect.stringContaining("link.toml:1: TOML: it is a link, which is not followed"),
    ]);
  },
  SLOW_MS,
);

test("[DOC-01] the file that docs/tasks.md shows is one that is read", async () => {
  const text = blocksOf("docs/tasks.md", readSource("docs/tasks.md")).find(({ text: block }) =>
    block.startsWith("# tasks/nightly.toml"),
  )?.text;
  expect(readScheduledTask("nightly", await parseToml("/nightly.toml", text ?? ""))).toMatchObject({
    when: { kind: "cron", timeZone: "Europe/Berlin" },
    level: "ReadOnly",
    maxCostUsd: 0.5,
  });
});

test(
  "[ENG-24] names that lead elsewhere are refused, a link is no task, and a name is taken once",
  async () => {
    await using place = openFolder();
    const schedule = place.engine(1);
    for (const name of ["../x", "a/b", "", "A", ".lock", "x".repeat(65)])
      await expect(schedule.add(taskOf(name))).rejects.toMatchObject({ reason: "ScheduleUnusable" });
    await expect(schedule.add(taskOf("empty", { prompt: " " }))).rejects.toMatchObject({
      reason: "ScheduleUnusable",
    });
    await schedule.add(taskOf("one"));
    await expect(schedule.add(taskOf("one"))).rejects.toMatchObject({ reason: "ScheduleTaken" });
    symlinkSync(join(place.folder, "one.toml"), join(place.folder, "two.toml"));
    expect((await schedule.list()).tasks.map(({ name }) => name)).toEqual(["one"]);
    for (const name of ["two", "../x", "N1"])
      await expect(schedule.find(name)).rejects.toMatchObject({ reason: "ScheduleMissing" });
    await schedule.claimNow("one", signal);
    await schedule.remove("one", signal);
    await expect(schedule.remove("one", signal)).rejects.toMatchObject({ reason: "ScheduleMissing" });
    expect(readdirSync(place.folder).sort()).toEqual([".lock.db", "two.toml"]);
  },
  SLOW_MS,
);

test("[ENG-24] a task that is switched off is not due, and what it missed meanwhile is not run afterwards", async () => {
  await using place = openFolder();
  const schedule = place.engine(1);
  await schedule.add(taskOf("nightly"));
  await schedule.enable("nightly", false, signal);
  await place.clock.advance(3 * HOUR + 1);
  expect(await ran(schedule, "nightly")).toBeUndefined();
  await schedule.enable("nightly", true, signal);
  expect(await ran(schedule, "nightly")).toBeUndefined();
  await place.clock.advance(HOUR);
  expect(await ran(schedule, "nightly")).toMatchObject({ due: "2026-03-01T04:00:00.000Z" });
});

test("[ENG-24 REL-04] the log of a task holds its newest runs, and a line that was cut off by a crash is passed over", async () => {
  await using place = openFolder();
  const schedule = place.engine(1);
  await schedule.add(taskOf("nightly"));
  const path = join(place.folder, "nightly.runs.jsonl");
  const line = (at: number) =>
    JSON.stringify({
      task: "nightly",
      started_at: START,
      ended_at: START,
      outcome: "done",
      detail: String(at),
    });
  writeFileSync(
    path,
    `${Array.from({ length: 2 * RUNS_KEPT_MAX }, (_, at) => line(at)).join("\n")}\n{"task":"ni`,
  );
  await place.clock.advance(HOUR);
  await ran(schedule, "nightly");
  expect(readFileSync(path, "utf8").split("\n").length).toBeLessThanOrEqual(RUNS_KEPT_MAX + 2);
  const runs = await schedule.runs("nightly");
  expect(runs.at(-2)?.detail).toBe(String(2 * RUNS_KEPT_MAX - 1));
});

test("[ENG-24 REL-06 R22] runs that fail with long words, and files of any length, keep no task from running", async () => {
  await using place = openFolder();
  const schedule = place.engine(1);
  await schedule.add(taskOf("nightly"));
  const path = join(place.folder, "nightly.runs.jsonl");
  for (let run = 0; run < 3; run += 1) {
    const claimed = await schedule.claimNow("nightly", signal);
    await schedule.settle(claimed, { outcome: "failed", detail: "no ".repeat(400_000) });
  }
  expect(statSync(path).size).toBeLessThan(10_000);
  truncateSync(path, 2 ** 40); // a hole, which takes no room
  writeFileSync(join(place.folder, "nightly.state.json"), "x".repeat(2 ** 21));
  writeFileSync(join(place.folder, "other.toml"), `prompt = "${"x".repeat(2 ** 21)}"\n`);
  await schedule.settle(await schedule.claimNow("nightly", signal), DONE);
  expect(statSync(path).size).toBeLessThan(10_000);
  expect((await schedule.runs("nightly")).at(-1)?.outcome).toBe("done");
  const { tasks, problems } = await schedule.list();
  expect(tasks.map(({ name }) => name)).toEqual(["nightly"]);
  expect(problems.join()).toContain("other.toml:1: prompt: the file has more than 1048576 bytes");
});

test("[ENG-24] what is to run once has run once, also where the clock was far ahead when it did", async () => {
  await using place = openFolder();
  let now = Date.parse("2026-03-02T00:00:00Z");
  const schedule = place.engine(1, { now: () => now });
  await schedule.add(taskOf("t", { when: whenOf(parseAt("2026-03-05T09:00Z")) }));
  expect(await ran(schedule, "t")).toBeUndefined();
  now = Date.parse("2099-01-01T00:00:00Z");
  expect(await ran(schedule, "t")).toMatchObject({ due: "2026-03-05T09:00:00.000Z" });
  for (const moment of ["2026-03-02T00:00:00Z", "2026-03-05T09:00:00Z", "2026-03-06T09:00:00Z"]) {
    now = Date.parse(moment);
    expect(await ran(schedule, "t")).toBeUndefined();
  }
});

test("[ENG-24 R15] how a run came out that a full disk kept from being written is written later, and the task runs again", async () => {
  await using place = openFolder();
  let isFull = false;
  const { files } = testWorld();
  const room = async (write: () => Promise<void>) => {
    if (isFull) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    await write();
  };
  const schedule = place.engine(1, place.clock, {
    ...files,
    append: (...args) => room(() => files.append(...args)),
    writeAtomic: (...args) => room(() => files.writeAtomic(...args)),
  });
  await schedule.add(taskOf("t"));
  await place.clock.advance(HOUR);
  isFull = true;
  await expect(schedule.claimDue("t", signal)).rejects.toThrow("no space left");
  isFull = false;
  const claimed = await schedule.claimDue("t", signal);
  if (claimed === undefined) throw new Error("it was not due");
  isFull = true;
  await expect(schedule.settle(claimed, DONE)).rejects.toThrow("no space left");
  await place.clock.advance(HOUR);
  await expect(schedule.claimDue("t", signal)).rejects.toThrow("no space left");
  isFull = false;
  const next = await schedule.claimDue("t", signal);
  expect(next).toMatchObject({ startedMs: place.clock.now() });
  expect(await schedule.claimDue("t", signal)).toBeUndefined();
  expect(await schedule.runs("t")).toMatchObject([{ outcome: "done", session: "sess_1" }]);
});

test("[ENG-24 REL-06 R31] whatever stands in the files of a task's runs, reading them breaks nothing", async () => {
  await holds(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(typeof readState(text)).toBe("object");
      for (const { outcome } of readRecords(text)) expect(outcome).toBeString();
    }),
  );
});

function openScheduler(place: ReturnType<typeof openFolder>, run: RunTask, pid = 1) {
  return new Scheduler({ world: { clock: place.clock, log: SILENT_LOG }, schedule: place.engine(pid), run });
}

test(
  "[ENG-24] an engine runs what becomes due while it is there, and one that fails keeps nothing else from running",
  async () => {
    await using place = openFolder();
    const when = whenOf(parseEvery("1m"));
    await place.engine(1).add(taskOf("bad", { when }));
    await place.engine(1).add(taskOf("good", { when }));
    const run: RunTask = async ({ task }, begun) => {
      await begun(`sess_${task.name}`);
      if (task.name === "bad") throw new Error("no such model");
      return { outcome: "done", session: `sess_${task.name}` };
    };
    await using scheduler = openScheduler(place, run);
    scheduler.start();
    const outcomes = async () => {
      const runs = await Promise.all(["bad", "good"].map((name) => place.engine(2).runs(name)));
      return runs.flat().map(({ outcome, detail }) => [outcome, detail]);
    };
    await until("it waits for the next look", () => place.clock.waiting === 1);
    expect(await outcomes()).toEqual([]);
    for (let passed = 0; passed < 60_000; passed += CHECK_EVERY_MS) {
      await until("it has looked", () => place.clock.waiting === 1);
      await place.clock.advance(CHECK_EVERY_MS);
    }
    await until("both have run", async () => (await outcomes()).length === 2);
    expect(await outcomes()).toEqual([
      ["failed", "no such model"],
      ["done", undefined],
    ]);
  },
  SLOW_MS,
);

test("[ENG-24 REL-03] ending an engine ends what it runs, and that is written down", async () => {
  await using place = openFolder();
  await place.engine(1).add(taskOf("long"));
  await place.clock.advance(HOUR);
  const begun = Promise.withResolvers<void>();
  const run: RunTask = async (_claimed, tell, stop) => {
    await tell("sess_1");
    begun.resolve();
    return await new Promise((_resolve, reject) => {
      stop.addEventListener("abort", () => reject(stop.reason));
    });
  };
  {
    await using scheduler = openScheduler(place, run);
    scheduler.start();
    await begun.promise;
    expect(scheduler.running).toBe(1);
  }
  expect(await place.engine(1).runs("long")).toMatchObject([{ outcome: "stopped" }]);
  expect((await place.engine(1).state("long")).running).toBeUndefined();
  expect(place.clock.waiting).toBe(0);
});

test(
  "[ENG-24] what is due is run at most four at a time",
  async () => {
    await using place = openFolder();
    const names = Array.from({ length: 9 }, (_, at) => `t${at}`);
    for (const name of names) await place.engine(1).add(taskOf(name));
    await place.clock.advance(HOUR);
    let [inside, most] = [0, 0];
    const run = async (_claimed: ClaimedRun): Promise<RunEnd> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      return DONE;
    };
    await using scheduler = openScheduler(place, run);
    expect(await scheduler.runDue()).toHaveLength(9);
    expect(most).toBeLessThanOrEqual(RUNS_AT_ONCE_MAX);
    expect(await scheduler.runDue()).toEqual([]);
  },
  SLOW_MS,
);
