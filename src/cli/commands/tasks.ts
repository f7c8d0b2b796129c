import { durationText } from "../../base/text/duration.ts";
import { shortened } from "../../base/text/text.ts";
import type { RunRecord } from "../../features/tasks/schedule/run-record.ts";
import type { Schedule } from "../../features/tasks/schedule/schedule.ts";
import type { ScheduledTask } from "../../features/tasks/schedule/scheduled-task.ts";
import type { When } from "../../features/tasks/schedule/when.ts";
import type { ExitCode } from "../../session/cli-command.ts";
import { EXIT } from "../../session/cli-command.ts";
import { neutralise, neutraliseLine } from "../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../view/wire-json.ts";
import type { Invocation } from "../args/arguments.ts";
import { misuse, verbOf } from "../args/misuse.ts";
import { exitCodeOfReason } from "../exit-codes.ts";
import { CLOSE_MS_MAX, within } from "../processes/bounded.ts";
import type { Stop } from "../processes/stop.ts";
import type { Surroundings } from "../surroundings.ts";
import { harnessOptions, surroundingsOf } from "../surroundings.ts";

type Tasks = Extract<Invocation, { readonly kind: "tasks" }>;

const VERBS = ["list", "add", "remove", "enable", "disable", "run", "run-due", "log"] as const;
type Verb = (typeof VERBS)[number];

const USAGE =
  "write cinch tasks list, add NAME PROMPT, remove NAME, enable NAME, disable NAME, run NAME, run-due or log NAME";
const PROMPT_COLUMNS_MAX = 60;

/** What a verb works with. */
interface Desk {
  readonly invocation: Tasks;
  readonly at: Surroundings;
  readonly schedule: Schedule;
  readonly names: readonly string[];
}

/** `cinch tasks`: work for later, run by an engine that is there then, or by `cinch tasks run-due` (ENG-24). */
export async function runTasks(invocation: Tasks, stop: Stop): Promise<ExitCode> {
  const [word = "", ...names] = invocation.words;
  const verb = verbOf("tasks", word, { verbs: VERBS, usage: USAGE });
  const namesMax = { list: 0, "run-due": 0, add: 2 }[verb as string] ?? 1;
  const namesMin = namesMax === 0 ? 0 : 1;
  if (names.length > namesMax || names.length < namesMin) throw misuse(USAGE);
  assertFlags(verb, invocation);
  const at = surroundingsOf(invocation.settings, stop);
  const { openSchedule } = await import("../../features/tasks/open-schedule.ts");
  return await carryOut(verb, { invocation, at, names, schedule: openSchedule(at) });
}

async function carryOut(verb: Verb, desk: Desk): Promise<ExitCode> {
  const { at, schedule, names, invocation } = desk;
  const { signal } = at.stop;
  const [name = ""] = names;
  const told = async (words: string, row: object): Promise<ExitCode> => {
    await at.stdout.write(invocation.json ? jsonLine(row) : `${words}\n`);
    return EXIT.done;
  };
  switch (verb) {
    case "list":
      return await list(desk);
    case "add":
      return await add(desk);
    case "remove":
      await schedule.remove(name, signal);
      return await told(`removed: ${name}`, { removed: name });
    case "enable":
    case "disable":
      await schedule.enable(name, verb === "enable", signal);
      return await told(`${verb}d: ${name}`, { task: name, enabled: verb === "enable" });
    case "log":
      return await log(desk, name);
    case "run":
    case "run-due":
      return await run(desk, verb === "run" ? name : undefined);
  }
}

async function list({ at, schedule, invocation }: Desk): Promise<ExitCode> {
  const { tasks, problems } = await schedule.list();
  for (const { message } of problems) await at.stderr.write(`cinch: ${neutraliseLine(message)}\n`);
  if (tasks.length === 0 && problems.length === 0 && !invocation.json)
    await at.stdout.write("nothing is scheduled\n");
  const rows = await Promise.all(tasks.map((task) => rowOf(task, schedule)));
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const text = rows.map((row) => (invocation.json ? jsonLine(row) : lineOf(row, width)));
  await at.stdout.write(text.join(""));
  return problems.length > 0 ? EXIT.failed : EXIT.done;
}

type Row = Awaited<ReturnType<typeof rowOf>>;

async function rowOf(task: ScheduledTask, schedule: Schedule) {
  const { whenText } = await import("../../features/tasks/schedule/when.ts");
  const state = await schedule.state(task.name);
  const verdict = await schedule.verdict(task);
  return {
    name: task.name,
    when: whenText(task.when),
    enabled: task.enabled,
    running: schedule.isAlive(state),
    next: verdict.dueMs === undefined ? null : new Date(verdict.dueMs).toISOString(),
    last: state.last ?? null,
    prompt: task.prompt,
    cwd: task.cwd,
    created_by: task.createdBy,
    ...(task.profile === undefined ? {} : { profile: task.profile }),
    ...(task.model === undefined ? {} : { model: task.model }),
    ...(task.level === undefined ? {} : { level: task.level }),
    ...(task.maxTurns === undefined ? {} : { max_turns: task.maxTurns }),
    ...(task.maxCostUsd === undefined ? {} : { max_cost: task.maxCostUsd }),
    ...(task.maxTimeMs === undefined ? {} : { max_time: durationText(task.maxTimeMs) }),
  };
}

function lineOf({ name, when, enabled, running, next, last, prompt, cwd }: Row, width: number): string {
  const state = running ? "runs now" : !enabled ? "disabled" : next === null ? "is over" : `next ${next}`;
  const before = last === null ? "" : `, last ${last.outcome} ${last.ended_at}`;
  const words = shortened(neutraliseLine(prompt), PROMPT_COLUMNS_MAX);
  return `${name.padEnd(width)}  ${neutraliseLine(when)}, ${state}${before}\n${" ".repeat(width)}  ${neutraliseLine(cwd)}: ${words}\n`;
}

async function add({ invocation, at, schedule, names }: Desk): Promise<ExitCode> {
  const { settings } = invocation;
  const [name = "", words] = names;
  const prompt = words ?? (await promptFromInput(at));
  if (prompt.trim() === "") throw misuse("the prompt is empty");
  const when = await whenOf(invocation);
  const { profile, model, level, maxTurns, maxCostUsd, maxTimeMs } = settings;
  const task: ScheduledTask = {
    name,
    prompt,
    when,
    cwd: at.workingDir,
    enabled: true,
    createdAt: new Date(at.world.clock.now()).toISOString(),
    createdBy: "person",
    ...(profile === undefined ? {} : { profile }),
    ...(model === undefined ? {} : { model }),
    ...(level === undefined ? {} : { level }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
  };
  await assertDue(task, at);
  const { checkForLater } = await import("../../app/explain/check-for-later.ts");
  const notices = await checkForLater(harnessOptions(settings, at, { attended: false }), at.stop.signal);
  for (const notice of notices) await at.stderr.write(`cinch: ${neutraliseLine(notice)}\n`);
  await schedule.add(task);
  const row = await rowOf(task, schedule);
  const next = row.next ?? "never";
  const text = `added: ${name}, ${neutraliseLine(row.when)}, first ${next}\n${RUN_BY}`;
  await at.stdout.write(invocation.json ? jsonLine(row) : text);
  return EXIT.done;
}

const RUN_BY =
  "It runs while an engine of yours is there, such as cinch serve, or with: cinch tasks run-due\n";

async function promptFromInput({ world, stop }: Surroundings): Promise<string> {
  const { PROMPT_FIRST_BYTE_MS_MAX, readStandardInput } = await import("../io/standard-input.ts");
  const { clock } = world;
  const limits = { clock, firstByteMsMax: PROMPT_FIRST_BYTE_MS_MAX, signal: stop.signal };
  const input = await readStandardInput(limits);
  if (input.kind === "text") return input.text;
  throw misuse("write the prompt behind the name, or pipe it in");
}

async function whenOf({ cron, every, at, timeZone }: Tasks): Promise<When> {
  const { isTimeZone, readAt, readCron, readEvery } = await import("../../features/tasks/schedule/when.ts");
  if ([cron, every, at].filter((text) => text !== undefined).length !== 1)
    throw misuse("cinch tasks add needs one of --cron, --every and --at, and no more");
  if (timeZone !== undefined && cron === undefined) throw misuse("--time-zone goes with --cron");
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw misuse(
      `--time-zone: there is no time zone ${JSON.stringify(timeZone)}; write one such as Europe/Berlin`,
    );
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [flag, read] =
    cron !== undefined
      ? (["--cron", readCron(cron, timeZone ?? own)] as const)
      : every !== undefined
        ? (["--every", readEvery(every)] as const)
        : (["--at", readAt(at ?? "")] as const);
  if (read.kind === "problem") throw misuse(`${flag} ${read.problem}`);
  return read.value;
}

/** What would never run is told now, and not by its silence. */
async function assertDue({ when, createdAt }: ScheduledTask, { world }: Surroundings): Promise<void> {
  const { nextDue } = await import("../../features/tasks/schedule/when.ts");
  const nowMs = world.clock.now();
  if (nextDue(when, nowMs, Date.parse(createdAt)) === undefined)
    throw misuse("that moment is over: it would never run");
}

async function log({ at, schedule, invocation }: Desk, name: string): Promise<ExitCode> {
  await schedule.find(name);
  const runs = await schedule.runs(name);
  if (runs.length === 0 && !invocation.json) await at.stderr.write("cinch: it has not run yet\n");
  await at.stdout.write(runs.map((run) => (invocation.json ? jsonLine(run) : runLine(run))).join(""));
  return EXIT.done;
}

function runLine({ started_at, outcome, session, detail, missed, cost_usd: cost }: RunRecord): string {
  const facts = [
    ...(session === undefined ? [] : [session]),
    ...(typeof cost === "number" ? [`$${cost.toFixed(4)}`] : []),
    ...(missed === undefined ? [] : [`${missed} missed before it`]),
    ...(detail === undefined ? [] : [neutraliseLine(detail)]),
  ];
  return `${started_at}  ${outcome.padEnd(11)}  ${facts.join("; ")}\n`;
}

/** Runs one now, or whatever is due, in an engine of this process. */
async function run(desk: Desk, name: string | undefined): Promise<ExitCode> {
  const { at, invocation, schedule } = desk;
  const { signal } = at.stop;
  if (name === undefined && !(await isAnyDue(desk))) return EXIT.done; // no engine for nothing
  const options = harnessOptions(invocation.settings, at, { attended: false });
  const [{ openEngine }, { openScheduler }] = await Promise.all([
    import("../../app/harness.ts"),
    import("../../features/tasks/open-scheduler.ts"),
  ]);
  const engine = await openEngine(options, signal);
  const answers: string[] = [];
  const { maxTimeMs } = invocation.settings;
  const limit = maxTimeMs === undefined ? {} : { maxTimeMs };
  const scheduler = openScheduler(options, engine, { onAnswer: (text) => answers.push(text), ...limit });
  const stopped = () => void scheduler[Symbol.asyncDispose]();
  signal.addEventListener("abort", stopped, { once: true });
  try {
    const records =
      name === undefined
        ? await scheduler.runDue()
        : [await scheduler.runClaimed(await schedule.claimNow(name, signal), signal)];
    for (const record of records) await at.stderr.write(`cinch: ${record.task}: ${runLine(record)}`);
    if (invocation.json) await at.stdout.write(records.map(jsonLine).join(""));
    else if (name !== undefined)
      await at.stdout.write(answers.map((text) => `${neutralise(text)}\n`).join(""));
    return exitCodeOf(records);
  } finally {
    signal.removeEventListener("abort", stopped);
    await scheduler[Symbol.asyncDispose]();
    await within(at.world.clock, CLOSE_MS_MAX, Promise.resolve(engine[Symbol.asyncDispose]()));
  }
}

/** What is wrong with a file is told on the way. */
async function isAnyDue({ schedule, at }: Desk): Promise<boolean> {
  const { tasks, problems } = await schedule.list();
  for (const { message } of problems) await at.stderr.write(`cinch: ${neutraliseLine(message)}\n`);
  for (const task of tasks) if ((await schedule.verdict(task)).kind !== "wait") return true;
  return false;
}

function exitCodeOf(records: readonly RunRecord[]): ExitCode {
  const outcomes = new Set(records.map(({ outcome }) => outcome));
  if (outcomes.has("stopped")) return EXIT.cancelled;
  const failed = records.find(({ outcome }) => outcome === "failed");
  if (failed !== undefined) return exitCodeOfReason(failed.reason ?? "");
  if (outcomes.has("limit")) return EXIT.limit;
  return records.some(({ refused = 0 }) => refused > 0) ? EXIT.refused : EXIT.done;
}

/** A flag that says nothing to a verb would be thought to have an effect. */
function assertFlags(verb: Verb, { cron, every, at, timeZone, settings }: Tasks): void {
  if (verb === "add") return;
  const { model, profile, level, maxTurns, maxCostUsd } = settings;
  const given = Object.entries({
    "--cron": cron,
    "--every": every,
    "--at": at,
    "--time-zone": timeZone,
    "--model": model,
    "--profile": profile,
    "--level": level,
    "--max-turns": maxTurns,
    "--max-cost": maxCostUsd,
  }).find(([, value]) => value !== undefined);
  if (given !== undefined) throw misuse(`${given[0]} goes with cinch tasks add`);
  if (settings.maxTimeMs !== undefined && verb !== "run" && verb !== "run-due")
    throw misuse("--max-time goes with cinch tasks add, run and run-due");
}
