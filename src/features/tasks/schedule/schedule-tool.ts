import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { InputOf } from "../../../tools/arguments.ts";
import { textOutput } from "../../../tools/output.ts";
import type { CallPlan, Tool, ToolSource } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";
import { SCHEDULE_TASK_FACTS } from "../tools.ts";
import type { Schedule } from "./schedule.ts";
import type { ScheduledTask } from "./scheduled-task.ts";

/** Rounds of a run, unless the model names another limit. */
const TURNS_DEFAULT = 20;

export interface ScheduleToolDependencies {
  /** Opens the schedule on the first call: nothing of it is loaded before. */
  readonly open: () => Promise<Schedule>;
  /** Returns the session's current settings for a new run. */
  readonly now: () => Pick<ScheduledTask, "profile" | "model">;
}

const INPUT = {
  type: "object",
  properties: {
    name: { type: "string" },
    prompt: { type: "string" },
    cron: { type: "string" },
    time_zone: { type: "string" },
    every: { type: "string" },
    at: { type: "string" },
    max_turns: { type: "integer", minimum: 1 },
    max_cost: { type: "number" },
    level: { enum: ["ReadOnly", "WorkspaceWrite"] },
  },
  required: ["name", "prompt"],
} as const;

type Input = InputOf<typeof INPUT>;

interface PlannedTask extends CallPlan {
  readonly task: ScheduledTask;
}

/**
 * Returns the tool with which the model schedules work for later (ENG-24). The work runs unattended, so scheduling
 * needs the highest level, and a person is shown all of it; the run itself never has more than WorkspaceWrite.
 */
export function scheduleTools(dependencies: ScheduleToolDependencies): ToolSource {
  const tool: Tool<PlannedTask> = {
    ...SCHEDULE_TASK_FACTS,
    description:
      "Schedules a prompt for later, in a session of its own with nobody there. One of cron (5 fields), every (15m, 6h, 1d), at (2026-03-01T09:00Z).",
    aliases: {},
    inputSchema: INPUT,
    lazy: true,
    async plan(input, { workspace, world, session }) {
      const task = await taskFrom(input as Input, {
        ...dependencies.now(),
        cwd: workspace.root,
        enabled: true,
        createdAt: new Date(world.clock.now()).toISOString(),
        createdBy: session,
      });
      return {
        summary: await summaryOf(task),
        target: { kind: "none" },
        levelWhy: "it will run later, with nobody there to ask",
        task,
      };
    },
    async run({ task }, { signal }) {
      const schedule = await dependencies.open();
      signal.throwIfAborted();
      try {
        await schedule.add(task);
      } catch (thrown) {
        if (thrown instanceof HarnessError) throw new ToolFailure(thrown.message, { cause: thrown });
        throw thrown;
      }
      const { dueMs } = await schedule.dueDecision(task);
      const first = dueMs === undefined ? "" : `, first at ${new Date(dueMs).toISOString()}`;
      return textOutput(
        `Scheduled ${task.name}${first}. cinch tasks list shows it, cinch tasks remove takes it back.`,
      );
    },
  };
  return { name: "schedule", tools: () => [tool] };
}

type TaskSettings = Omit<ScheduledTask, "name" | "prompt" | "when" | "level" | "maxTurns" | "maxCostUsd">;

/** @throws ToolFailure */
async function taskFrom(input: Input, settings: TaskSettings): Promise<ScheduledTask> {
  const [
    { nextDue, parseAt: readAt, parseCron: readCron, parseEvery: readEvery },
    { assertName, assertPrompt },
  ] = await Promise.all([import("./when.ts"), import("./scheduled-task.ts")]);
  const { name, prompt, cron, every, at, time_zone: timeZone = "UTC", max_cost: maxCostUsd } = input;
  try {
    assertName(name);
    assertPrompt(prompt);
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw new ToolFailure(thrown.message, { cause: thrown });
    throw thrown;
  }
  if ([cron, every, at].filter((text) => text !== undefined).length !== 1)
    throw new ToolFailure("Give one of cron, every and at.");
  const [key, read] =
    cron !== undefined
      ? (["cron", readCron(cron, timeZone)] as const)
      : every !== undefined
        ? (["every", readEvery(every)] as const)
        : (["at", readAt(at ?? "")] as const);
  if (read.kind === "problem") throw new ToolFailure(`${key} ${read.problem}.`);
  const since = Date.parse(settings.createdAt);
  if (nextDue(read.value, since, since) === undefined)
    throw new ToolFailure("That moment is over: it would never run.");
  return {
    ...settings,
    name,
    prompt,
    when: read.value,
    level: input.level ?? "ReadOnly",
    maxTurns: input.max_turns ?? TURNS_DEFAULT,
    ...defined({ maxCostUsd }),
  };
}

/** Returns the whole task in one line: a person decides by it. */
async function summaryOf({
  name,
  when,
  cwd,
  level,
  maxTurns,
  maxCostUsd,
  prompt,
}: ScheduledTask): Promise<string> {
  const { whenText } = await import("./when.ts");
  const cost = maxCostUsd === undefined ? "" : `, at most $${maxCostUsd}`;
  const facts = `${level}, at most ${maxTurns} turns${cost}`;
  return visibleLine(
    `${SCHEDULE_TASK_FACTS.name} ${name}: ${whenText(when)} in ${cwd}, ${facts}: ${prompt.replaceAll("\n", " ")}`,
  );
}
