import { isObject, parseJson } from "../../../base/json.ts";

/**
 * Outcome of a run. `skipped`: the previous run was still running. `interrupted`: its process was gone before it ended.
 * `limit`: turns or cost were used up.
 */
export const RUN_OUTCOMES = ["done", "failed", "limit", "stopped", "skipped", "interrupted"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** One run of a scheduled task, in the form of its log: a line of JSON. */
export interface RunRecord {
  readonly task: string;
  /** Time at which it was due; absent if a person started it. */
  readonly due?: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly outcome: RunOutcome;
  readonly detail?: string;
  /** Reason of the error that ended it. */
  readonly reason?: string;
  readonly session?: string;
  /** Count of calls that did not run, since nobody had allowed them. */
  readonly refused?: number;
  /** US dollars; null if the price is unknown. */
  readonly cost_usd?: number | null;
  /** Count of further due times at which nothing ran it; "100+" if there are more. */
  readonly missed?: string;
}

/** Stored state of a task between two runs. */
export interface TaskState {
  /** Time until which everything due has been run or skipped, in milliseconds since 1970. */
  readonly settled_ms?: number;
  readonly running?: RunningRun;
  readonly last?: RunRecord;
}

export interface RunningRun {
  readonly pid: number;
  readonly process_start: string;
  readonly started_at: string;
  readonly due?: string;
  readonly session?: string;
}

/** Parses stored state; a file with foreign content yields an empty state. */
export function readState(text: string): TaskState {
  const value = parseJson(text)?.value;
  if (!isObject(value)) return {};
  const { settled_ms: settled, running, last } = value;
  return {
    ...(typeof settled === "number" && Number.isFinite(settled) ? { settled_ms: settled } : {}),
    ...(isRunning(running) ? { running } : {}),
    ...(isRecord(last) ? { last } : {}),
  };
}

/** Parses the runs of a log, the oldest first; skips a line that a crash has cut off. */
export function readRecords(text: string): readonly RunRecord[] {
  return text.split("\n").flatMap((line) => {
    const value = parseJson(line)?.value;
    return isRecord(value) ? [value] : [];
  });
}

function isRunning(value: unknown): value is RunningRun {
  return (
    isObject(value) &&
    typeof value["pid"] === "number" &&
    typeof value["process_start"] === "string" &&
    typeof value["started_at"] === "string"
  );
}

function isRecord(value: unknown): value is RunRecord {
  return (
    isObject(value) &&
    typeof value["task"] === "string" &&
    typeof value["started_at"] === "string" &&
    typeof value["ended_at"] === "string" &&
    RUN_OUTCOMES.some((outcome) => outcome === value["outcome"])
  );
}
