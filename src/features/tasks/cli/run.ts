import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { durationText } from "../../../base/text/duration.ts";
import { shortened } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../../view/wire-json.ts";
import type { RunRecord } from "../schedule/run-record.ts";
import type { Schedule } from "../schedule/schedule.ts";
import type { ScheduledTask } from "../schedule/scheduled-task.ts";
import type { When } from "../schedule/when.ts";
import type { TasksContext } from "./flags.ts";

const PROMPT_COLUMNS_MAX = 60;

interface Handles {
  readonly context: TasksContext;
  readonly schedule: Schedule;
}

/** Manages prompts that run later, in an engine that runs or by `cinch tasks run-due` (ENG-24). */
export async function run(context: TasksContext): Promise<ExitCode> {
  const { verb, words, flags, stdout, signal } = context;
  const { openSchedule } = await import("../open-schedule.ts");
  const schedule = openSchedule(context);
  const handles = { context, schedule };
  const [name = ""] = words;
  const write = async (text: string, row: object): Promise<ExitCode> => {
    await stdout.write(flags.json ? jsonLine(row) : `${text}\n`);
    return EXIT.done;
  };
  switch (verb) {
    case "list":
      return await list(handles);
    case "add":
      return await add(handles);
    case "remove":
      await schedule.remove(name, signal);
      return await write(`removed: ${name}`, { removed: name });
    case "enable":
    case "disable":
      await schedule.enable(name, verb === "enable", signal);
      return await write(`${verb}d: ${name}`, { task: name, enabled: verb === "enable" });
    case "log":
      return await log(handles, name);
    case "run":
    case "run-due":
      return await runNow(handles, verb === "run" ? name : undefined);
  }
}

async function list({ context, schedule }: Handles): Promise<ExitCode> {
  const { flags, stdout, stderr } = context;
  const { tasks, problems } = await schedule.list();
  for (const { message } of problems) await stderr.write(`cinch: ${neutraliseLine(message)}\n`);
  if (tasks.length === 0 && problems.length === 0 && !flags.json)
    await stdout.write("nothing is scheduled\n");
  const rows = await Promise.all(tasks.map((task) => rowOf(task, schedule)));
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const text = rows.map((row) => (flags.json ? jsonLine(row) : lineOf(row, width)));
  await stdout.write(text.join(""));
  return problems.length > 0 ? EXIT.failed : EXIT.done;
}

type Row = Awaited<ReturnType<typeof rowOf>>;

async function rowOf(task: ScheduledTask, schedule: Schedule) {
  const { whenText } = await import("../schedule/when.ts");
  const state = await schedule.state(task.name);
  const verdict = await schedule.dueDecision(task);
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
    ...defined({
      profile: task.profile,
      model: task.model,
      level: task.level,
      max_turns: task.maxTurns,
      max_cost: task.maxCostUsd,
    }),
    ...(task.maxTimeMs === undefined ? {} : { max_time: durationText(task.maxTimeMs) }),
  };
}

function lineOf({ name, when, enabled, running, next, last, prompt, cwd }: Row, width: number): string {
  const state = running ? "runs now" : !enabled ? "disabled" : next === null ? "is over" : `next ${next}`;
  const before = last === null ? "" : `, last ${last.outcome} ${last.ended_at}`;
  const words = shortened(neutraliseLine(prompt), PROMPT_COLUMNS_MAX);
  return `${name.padEnd(width)}  ${neutraliseLine(when)}, ${state}${before}\n${" ".repeat(width)}  ${neutraliseLine(cwd)}: ${words}\n`;
}

async function add({ context, schedule }: Handles): Promise<ExitCode> {
  const { settings, flags, world, workingDir, stdout, stderr } = context;
  const [name = "", typedText] = context.words;
  const prompt = typedText ?? (await context.readInput());
  if (prompt === undefined) throw misuse("write the prompt behind the name, or pipe it in");
  if (prompt.trim() === "") throw misuse("the prompt is empty");
  const when = await whenOf(flags);
  const { profile, model, level, maxTurns, maxCostUsd, maxTimeMs } = settings;
  const task: ScheduledTask = {
    name,
    prompt,
    when,
    cwd: workingDir,
    enabled: true,
    createdAt: new Date(world.clock.now()).toISOString(),
    createdBy: "person",
    ...defined({ profile, model, level, maxTurns, maxCostUsd, maxTimeMs }),
  };
  await assertDue(task, world);
  for (const notice of await context.checkSettings())
    await stderr.write(`cinch: ${neutraliseLine(notice)}\n`);
  await schedule.add(task);
  const row = await rowOf(task, schedule);
  const next = row.next ?? "never";
  const text = `added: ${name}, ${neutraliseLine(row.when)}, first ${next}\n${RUN_BY}`;
  await stdout.write(flags.json ? jsonLine(row) : text);
  return EXIT.done;
}

const RUN_BY = "It runs while an engine of yours runs, such as cinch serve, or with: cinch tasks run-due\n";

async function whenOf({ cron, every, at, "time-zone": timeZone }: TasksContext["flags"]): Promise<When> {
  const {
    isTimeZone,
    parseAt: readAt,
    parseCron: readCron,
    parseEvery: readEvery,
  } = await import("../schedule/when.ts");
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw misuse(
      `--time-zone: there is no time zone ${JSON.stringify(timeZone)}; write one such as Europe/Berlin`,
    );
  const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [flag, read] =
    cron !== undefined
      ? (["--cron", readCron(cron, timeZone ?? localZone)] as const)
      : every !== undefined
        ? (["--every", readEvery(every)] as const)
        : (["--at", readAt(at ?? "")] as const);
  if (read.kind === "problem") throw misuse(`${flag} ${read.problem}`);
  return read.value;
}

/** Rejects a task that would never run. */
async function assertDue({ when, createdAt }: ScheduledTask, world: World): Promise<void> {
  const { nextDue } = await import("../schedule/when.ts");
  const nowMs = world.clock.now();
  if (nextDue(when, nowMs, Date.parse(createdAt)) === undefined)
    throw misuse("that moment is over: it would never run");
}

async function log({ context, schedule }: Handles, name: string): Promise<ExitCode> {
  const { flags, stdout, stderr } = context;
  await schedule.find(name);
  const runs = await schedule.runs(name);
  if (runs.length === 0 && !flags.json) await stderr.write("cinch: it has not run yet\n");
  await stdout.write(runs.map((run) => (flags.json ? jsonLine(run) : runLine(run))).join(""));
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

/** Runs one task now, or whatever is due, in an engine of this process. */
async function runNow(handles: Handles, name: string | undefined): Promise<ExitCode> {
  const { context, schedule } = handles;
  const { flags, settings, stdout, stderr, signal } = context;
  if (name === undefined && !(await isAnyDue(handles))) return EXIT.done; // no engine for nothing
  const { openScheduler } = await import("../open-scheduler.ts");
  await using engine = await context.openEngine();
  const answers: string[] = [];
  const { maxTimeMs } = settings;
  const limit = defined({ maxTimeMs });
  await using scheduler = openScheduler(context, engine, {
    checkProfile: context.checkScheduledProfile,
    onAnswer: (text) => answers.push(text),
    ...limit,
  });
  const stopped = () => void scheduler[Symbol.asyncDispose]();
  signal.addEventListener("abort", stopped, { once: true });
  try {
    const records =
      name === undefined
        ? await scheduler.runDue()
        : [await scheduler.runClaimed(await schedule.claimNow(name, signal), signal)];
    for (const record of records) await stderr.write(`cinch: ${record.task}: ${runLine(record)}`);
    if (flags.json) await stdout.write(records.map(jsonLine).join(""));
    else if (name !== undefined) await stdout.write(answers.map((text) => `${neutralise(text)}\n`).join(""));
    return exitCodeOf(records, context);
  } finally {
    signal.removeEventListener("abort", stopped);
  }
}

/** Looks for a task that is due. Reports files that cannot be read. */
async function isAnyDue({ schedule, context }: Handles): Promise<boolean> {
  const { tasks, problems } = await schedule.list();
  for (const { message } of problems) await context.stderr.write(`cinch: ${neutraliseLine(message)}\n`);
  for (const task of tasks) if ((await schedule.dueDecision(task)).kind !== "wait") return true;
  return false;
}

function exitCodeOf(records: readonly RunRecord[], context: TasksContext): ExitCode {
  const outcomes = new Set(records.map(({ outcome }) => outcome));
  if (outcomes.has("stopped")) return EXIT.cancelled;
  const failed = records.find(({ outcome }) => outcome === "failed");
  if (failed !== undefined) return context.exitCodeOf(failed.reason ?? "");
  if (outcomes.has("limit")) return EXIT.limit;
  return records.some(({ refused = 0 }) => refused > 0) ? EXIT.refused : EXIT.done;
}

function misuse(problem: string): HarnessError {
  return new HarnessError("UsageInvalid", { problem });
}
