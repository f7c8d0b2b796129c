import { isObject, parseJson } from "../../../base/json.ts";

/**
 * How a run came out. `skipped`: the one before still went on. `interrupted`: the process that ran it was gone before it
 * ended. `limit`: turns or cost ran out.
 */
export const OUTCOMES = ["done", "failed", "limit", "stopped", "skipped", "interrupted"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One run of a scheduled task, as its log holds it: a line of JSON. */
export interface RunRecord {
  readonly task: string;
  /** When it was due; absent where a person began it. */
  readonly due?: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly outcome: Outcome;
  readonly detail?: string;
  /** The reason of the error that ended it. */
  readonly reason?: string;
  readonly session?: string;
  /** Calls that did not run, since nobody had allowed them. */
  readonly refused?: number;
  /** US dollars; null where the price is unknown. */
  readonly cost_usd?: number | null;
  /** Further times that it was due, while nothing ran it; "100+" where there are more. */
  readonly missed?: string;
}

/** What is known of a task between two runs. */
export interface TaskState {
  /** Up to when everything that was due has been run or skipped, in milliseconds since 1970. */
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

/** Reads what was written before; a file that somebody else wrote into says nothing. */
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

/** The runs of a log, the oldest first; a line that was cut off by a crash is passed over. */
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
    OUTCOMES.some((outcome) => outcome === value["outcome"])
  );
}
