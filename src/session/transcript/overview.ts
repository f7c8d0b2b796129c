import { grouped, shortened } from "../../base/text.ts";
import { neutraliseLine } from "../../client/kit/terminal-text.ts";
import type { LogInfo } from "../store.ts";

const TITLE_UNITS_MAX = 60;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** What a session is doing: a process holds it, it broke off in the middle of a turn, or it waits to be gone on with. */
export type SessionStatus = "running" | "interrupted" | "paused";

export function statusOf({ heldBy, interrupted }: Pick<LogInfo, "heldBy" | "interrupted">): SessionStatus {
  if (heldBy !== undefined) return "running";
  return interrupted ? "interrupted" : "paused";
}

/** A session as programs get it: one object of `--json`. */
export interface SessionRow {
  readonly session: string;
  readonly log: string;
  readonly status: SessionStatus;
  readonly pid?: number;
  readonly title: string;
  readonly profile: string;
  readonly model: string;
  readonly turns: number;
  readonly events: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly working_dir: string;
  readonly pinned: boolean;
  readonly branch_of?: { readonly log: string; readonly event: number };
}

export function sessionRow(info: LogInfo): SessionRow {
  const { heldBy, branchOf } = info;
  return {
    session: info.session,
    log: info.logId,
    status: statusOf(info),
    ...(heldBy === undefined ? {} : { pid: heldBy.pid }),
    title: info.title,
    profile: info.profile,
    model: info.model,
    turns: info.turns,
    events: info.lastEvent,
    created_at: info.createdAt,
    updated_at: info.updatedAt,
    working_dir: info.workingDir,
    pinned: info.pinned,
    ...(branchOf === undefined ? {} : { branch_of: { log: branchOf.logId, event: branchOf.at } }),
  };
}

/** A table of sessions for people, a line each, the columns of [A] § Slash commands. */
export function sessionTable(sessions: readonly LogInfo[], nowMs: number): readonly string[] {
  const rows = sessions.map((info) => [
    `${statusOf(info)}${info.pinned ? ", pinned" : ""}`,
    info.session,
    ageText(info.updatedAt, nowMs),
    neutraliseLine(info.profile),
    neutraliseLine(info.model),
    grouped(info.turns),
    info.branchOf === undefined ? "-" : info.branchOf.logId,
    neutraliseLine(info.workingDir),
    info.title === "" ? "-" : shortened(neutraliseLine(info.title), TITLE_UNITS_MAX),
  ]);
  return tableLines([
    ["STATUS", "ID", "AGE", "PROFILE", "MODEL", "TURNS", "BRANCH-OF", "WORKING-DIR", "TITLE"],
    ...rows,
  ]);
}

/** Cells under each other, two spaces between columns, none at the ends of lines. */
export function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** "now", "5 min", "3 h", "12 d": how long ago something was. A time in the future was now. */
export function ageText(time: string, nowMs: number): string {
  const ms = nowMs - Date.parse(time);
  if (!(ms >= MINUTE_MS)) return "now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}
