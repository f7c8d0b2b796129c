import type { LogId, SessionId } from "../../base/ids.ts";
import { grouped } from "../../base/text/text.ts";
import { cutBeginning } from "../../view/terminal/display-width.ts";
import type { Column } from "../../view/terminal/table.ts";
import { fittedTable } from "../../view/terminal/table.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";
import type { LogInfo } from "../store/store.ts";

/** The prefix, the time, and two letters of chance. */
const ID_UNITS_MIN = 17;
/** What a title should have, before other columns are shown beside it. */
const TITLE_COLUMNS_MIN = 24;
const CELL_COLUMNS_MAX = 28;
const WIDE_CELL_COLUMNS_MAX = 40;
const ATTACHED_COLUMNS_MAX = 16;
const NOBODY = "-";
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

export interface SessionTableOptions {
  readonly nowMs: number;
  /** Of the terminal. */
  readonly columns: number;
  /** Of every directory: which one stands there then, however narrow it is. */
  readonly all: boolean;
  /** The session that a log, which others are branches of, is known by. */
  readonly sessionOf: (log: LogId) => SessionId | undefined;
  /** What the clients that follow a session call themselves; absent where no engine is asked. */
  readonly attachedBy?: (session: SessionId) => readonly string[];
}

/**
 * A table of sessions for people, a line each, the columns of [A] § Slash commands as far as they fit, and its title,
 * which is what a person goes by.
 *
 * Ids are cut to what tells them apart and is enough to name one. `sessionRow` has everything whole.
 */
export function sessionTable(sessions: readonly LogInfo[], options: SessionTableOptions): readonly string[] {
  const { nowMs, columns, all, sessionOf, attachedBy = () => [] } = options;
  const parents = sessions.map(({ branchOf }) =>
    branchOf === undefined ? undefined : sessionOf(branchOf.logId),
  );
  const units = unitsThatTellApart(sessions.map(({ session }) => session));
  const isAnyBranch = sessions.some(({ branchOf }) => branchOf !== undefined);
  const cells = (cell: (info: LogInfo, at: number) => string) => sessions.map(cell);
  const branchOf = {
    name: "BRANCH-OF",
    ...(all ? { dropped: 0 } : {}), // `cinch sessions show` tells it too
    cells: cells((info, at) =>
      info.branchOf === undefined ? "-" : (parents[at]?.slice(5, units) ?? "(deleted)"),
    ),
  };
  const attached = cells(({ session }) => attachedText(attachedBy(session)));
  const anyAttached = attached.some((cell) => cell !== NOBODY);
  const attachedColumn = { name: "ATTACHED-BY", cells: attached, max: ATTACHED_COLUMNS_MAX, dropped: 0 };
  const workingDir: Column = {
    name: "WORKING-DIR",
    cells: cells((info) => neutraliseLine(info.workingDir)),
    cut: cutBeginning,
    ...(all ? { max: Math.max(16, Math.floor(columns / 5)) } : { max: WIDE_CELL_COLUMNS_MAX, dropped: 3 }),
  };
  const table: readonly Column[] = [
    { name: "STATUS", cells: cells((info) => `${statusOf(info)}${info.pinned ? ", pinned" : ""}`) },
    { name: "ID", cells: cells(({ session }) => session.slice(0, units)) },
    { name: "AGE", cells: cells((info) => ageText(info.updatedAt, nowMs)) },
    {
      name: "PROFILE",
      cells: cells((info) => neutraliseLine(info.profile)),
      max: CELL_COLUMNS_MAX,
      dropped: 2,
    },
    { name: "MODEL", cells: cells((info) => neutraliseLine(info.model)), max: CELL_COLUMNS_MAX, dropped: 1 },
    { name: "TURNS", cells: cells((info) => grouped(info.turns)) },
    ...(isAnyBranch ? [branchOf] : []),
    ...(anyAttached ? [attachedColumn] : []),
    workingDir,
    { name: "TITLE", cells: cells((info) => (info.title === "" ? "-" : neutraliseLine(info.title))) },
  ];
  return fittedTable(table, {
    columns,
    lastMin: all || anyAttached ? TITLE_COLUMNS_MIN / 2 : TITLE_COLUMNS_MIN,
  });
}

/** "cinch line client, vscode", and how many there are of one name: "acp (2)". */
function attachedText(labels: readonly string[]): string {
  const counts = Map.groupBy(labels.map(neutraliseLine), (label) => label);
  const named = [...counts].map(([label, { length }]) => (length === 1 ? label : `${label} (${length})`));
  return named.length === 0 ? NOBODY : named.join(", ");
}

/** Units of ids with which no two of them begin alike, `ID_UNITS_MIN` at the least. */
function unitsThatTellApart(ids: readonly string[]): number {
  const longest = ids.reduce((most, { length }) => Math.max(most, length), ID_UNITS_MIN);
  for (let units = ID_UNITS_MIN; units < longest; units++) {
    if (new Set(ids.map((id) => id.slice(0, units))).size === new Set(ids).size) return units;
  }
  return longest;
}

/** "now", "5 min", "3 h", "12 d": how long ago something was. A time in the future was now. */
export function ageText(time: string, nowMs: number): string {
  const ms = nowMs - Date.parse(time);
  if (!(ms >= MINUTE_MS)) return "now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}
