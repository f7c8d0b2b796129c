import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { durationText } from "../../../base/text/duration.ts";
import { Table } from "../../../config/table.ts";
import type { TomlFile } from "../../../config/toml.ts";
import type { Level } from "../../../tools/tool-facts.ts";
import { LEVELS } from "../../../tools/tool-facts.ts";
import { durationFrom } from "./duration-key.ts";
import type { ParsedWhen, When } from "./when.ts";
import { parseAt, parseCron, parseEvery } from "./when.ts";

export const SCHEDULE_SCHEMA_VERSION = 1;
const PROMPT_CHARACTERS_MAX = 100_000;
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Work for later, as stored in one file: the prompt, model, folder, time and limits (ENG-24). */
export interface ScheduledTask {
  readonly name: string;
  readonly prompt: string;
  readonly when: When;
  /** Absolute. */
  readonly cwd: string;
  readonly profile?: string;
  readonly model?: string;
  readonly level?: Level;
  readonly maxTurns?: number;
  /** US dollars. */
  readonly maxCostUsd?: number;
  readonly maxTimeMs?: number;
  readonly enabled: boolean;
  readonly createdAt: string;
  /** "person", or the session whose model created it. */
  readonly createdBy: string;
}

export const TASK_NAME_FORM = "1 to 64 small letters, digits, - and _, the first no sign";

export function isTaskName(name: string): boolean {
  return NAME.test(name);
}

/** @throws HarnessError ScheduleUnusable. */
export function assertName(name: string): void {
  if (isTaskName(name)) return;
  const problem = `${JSON.stringify(name.slice(0, 80))} is not a task name: write ${TASK_NAME_FORM}`;
  throw new HarnessError("ScheduleUnusable", { problem });
}

/** @throws HarnessError ScheduleUnusable. */
export function assertPrompt(prompt: string): void {
  if (prompt.trim() === "") throw new HarnessError("ScheduleUnusable", { problem: "its prompt is empty" });
  if (prompt.length <= PROMPT_CHARACTERS_MAX) return;
  const problem = `its prompt has ${prompt.length} characters, and ${PROMPT_CHARACTERS_MAX} is the most`;
  throw new HarnessError("ScheduleUnusable", { problem });
}

/** @throws HarnessError ConfigInvalid with file, line and key, for unknown keys too: a misspelt limit must not pass. */
export function readScheduledTask(name: string, file: TomlFile): ScheduledTask {
  const table = new Table(file);
  const version = table.integer("schema_version", 1) ?? SCHEDULE_SCHEMA_VERSION;
  if (version > SCHEDULE_SCHEMA_VERSION) {
    const problem = `is ${version}, and this cinch knows ${SCHEDULE_SCHEMA_VERSION}: upgrade cinch`;
    throw table.problem("schema_version", problem);
  }
  const prompt = table.string("prompt") ?? "";
  if (prompt.trim() === "") throw table.problem("prompt", "is missing");
  const cwd = table.string("cwd") ?? "";
  if (!cwd.startsWith("/")) throw table.problem("cwd", "must be an absolute path");
  const createdAt = table.string("created_at") ?? "";
  if (Number.isNaN(Date.parse(createdAt))) throw table.problem("created_at", "must be a moment in time");
  const [profile, model] = [table.string("profile"), table.string("model")];
  const level = table.oneOf("level", LEVELS);
  const [maxTurns, maxCostUsd] = [table.integer("max_turns", 1), table.number("max_cost", 0)];
  const maxTimeMs = durationFrom(table, "max_time", table.string("max_time"));
  const task = {
    name,
    prompt,
    when: whenFrom(table),
    cwd,
    enabled: table.boolean("enabled") ?? true,
    createdAt,
    createdBy: table.string("created_by") ?? "person",
    ...defined({ profile, model, level, maxTurns, maxCostUsd, maxTimeMs }),
  };
  table.refuseUnknown();
  return task;
}

function whenFrom(table: Table): When {
  const [cron, every, at] = [table.string("cron"), table.string("every"), table.string("at")];
  const timeZone = table.string("time_zone");
  const schedules = [cron, every, at].filter((text) => text !== undefined);
  if (schedules.length !== 1) throw table.problem("cron", "write one of cron, every and at");
  const checked = (key: string, read: ParsedWhen<When>): When => {
    if (read.kind === "problem") throw table.problem(key, read.problem);
    return read.value;
  };
  if (every !== undefined) return checked("every", parseEvery(every));
  if (at !== undefined) return checked("at", parseAt(at));
  return checked("cron", parseCron(cron ?? "", timeZone ?? "UTC"));
}

/** Renders the file of a task; parsing it yields the same task. */
export function renderScheduledTask(task: ScheduledTask): string {
  const { when } = task;
  const values: readonly (readonly [string, string | number | boolean | undefined])[] = [
    ["schema_version", SCHEDULE_SCHEMA_VERSION],
    ["prompt", task.prompt],
    ["cron", when.kind === "cron" ? when.cron : undefined],
    ["time_zone", when.kind === "cron" ? when.timeZone : undefined],
    ["every", when.kind === "every" ? when.every : undefined],
    ["at", when.kind === "at" ? when.at : undefined],
    ["cwd", task.cwd],
    ["profile", task.profile],
    ["model", task.model],
    ["level", task.level],
    ["max_turns", task.maxTurns],
    ["max_cost", task.maxCostUsd],
    ["max_time", task.maxTimeMs === undefined ? undefined : durationText(task.maxTimeMs)],
    ["enabled", task.enabled],
    ["created_at", task.createdAt],
    ["created_by", task.createdBy],
  ];
  return values
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} = ${typeof value === "string" ? tomlText(value) : String(value)}\n`)
    .join("");
}

function tomlText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll("\u007f", "\\u007f");
}
