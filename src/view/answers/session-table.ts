import { grouped } from "../../base/text/text.ts";
import type { SessionInfo } from "../../protocol/resources.ts";
import { cutBeginning } from "../terminal/display-width.ts";
import type { Column } from "../terminal/table.ts";
import { fittedTable } from "../terminal/table.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";
import { ageText } from "../texts/age-text.ts";

/** Units of the prefix, the time, and two random letters. */
const ID_UNITS_MIN = 17;
/** Columns that a title gets before other columns are shown beside it. */
const TITLE_COLUMNS_MIN = 24;
const CELL_COLUMNS_MAX = 28;
const WIDE_CELL_COLUMNS_MAX = 40;
const ATTACHED_COLUMNS_MAX = 16;
const NOBODY = "-";

/** The parts of a session that its row in a table shows. */
export type SessionInTable = Pick<
  SessionInfo,
  "status" | "title" | "profile" | "model" | "turns" | "updated_at" | "working_dir" | "pinned"
> & {
  readonly session: string;
  readonly unused?: boolean | undefined;
  /** `session` is absent if the log was deleted. */
  readonly branch_of?: { readonly session?: string | undefined } | undefined;
  readonly attached_by?: readonly string[] | undefined;
  readonly clients?: SessionInfo["clients"] | undefined;
};

export interface SessionTableOptions {
  readonly nowMs: number;
  /** Width of the terminal. */
  readonly columns: number;
  /** True for sessions of every directory: the directory is then shown, however narrow the terminal is. */
  readonly all: boolean;
  /** True for a screen reader: a line for each session, which names each of its facts. Default: false. */
  readonly isSpoken?: boolean;
}

/**
 * Draws a table of sessions: a line each, the columns of [A] § Slash commands as far as they fit, and the title.
 *
 * Ids are cut to their distinct beginnings, which are enough to name one.
 */
export function sessionTable(
  sessions: readonly SessionInTable[],
  options: SessionTableOptions,
): readonly string[] {
  const { nowMs, columns, all, isSpoken = false } = options;
  const units = unitsThatTellApart(sessions.map(({ session }) => session));
  const isAnyBranch = sessions.some((info) => info.branch_of !== undefined);
  const cells = (cell: (info: SessionInTable) => string) => sessions.map(cell);
  const branchOf = {
    name: "BRANCH-OF",
    ...(all ? { dropped: 0 } : {}), // `cinch sessions show` has it too
    cells: cells((info) =>
      info.branch_of === undefined ? "-" : (info.branch_of.session?.slice(5, units) ?? "(deleted)"),
    ),
  };
  const attached = cells((info) => attachedText(clientTexts(info)));
  const anyAttached = attached.some((cell) => cell !== NOBODY);
  const attachedColumn = { name: "ATTACHED-BY", cells: attached, max: ATTACHED_COLUMNS_MAX, dropped: 0 };
  const workingDir: Column = {
    name: "WORKING-DIR",
    cells: cells((info) => neutraliseLine(info.working_dir)),
    cut: cutBeginning,
    ...(all ? { max: Math.max(16, Math.floor(columns / 5)) } : { max: WIDE_CELL_COLUMNS_MAX, dropped: 3 }),
  };
  const table: readonly Column[] = [
    { name: "STATUS", cells: cells((info) => `${info.status}${info.pinned ? ", pinned" : ""}`) },
    { name: "ID", cells: cells(({ session }) => session.slice(0, units)) },
    { name: "AGE", cells: cells((info) => ageText(info.updated_at, nowMs)) },
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
    isSpoken,
    lastMin: all || anyAttached ? TITLE_COLUMNS_MIN / 2 : TITLE_COLUMNS_MIN,
  });
}

/** Returns the clients that follow a session; of agents, the class too. An older engine names labels only. */
function clientTexts({ clients, attached_by: labels = [] }: SessionInTable): readonly string[] {
  if (clients === undefined) return labels;
  return clients.map(({ label, identity_class: of }) => (of === "agent" ? `${label} [agent]` : label));
}

/** Lists labels, with a count for those of one name: "cinch line client, acp (2)". */
function attachedText(labels: readonly string[]): string {
  const counts = Map.groupBy(labels.map(neutraliseLine), (label) => label);
  const named = [...counts].map(([label, { length }]) => (length === 1 ? label : `${label} (${length})`));
  return named.length === 0 ? NOBODY : named.join(", ");
}

/** Returns the units of ids with which no two of them begin alike, at least `ID_UNITS_MIN`. */
function unitsThatTellApart(ids: readonly string[]): number {
  const longest = ids.reduce((most, { length }) => Math.max(most, length), ID_UNITS_MIN);
  for (let units = ID_UNITS_MIN; units < longest; units++) {
    if (new Set(ids.map((id) => id.slice(0, units))).size === new Set(ids).size) return units;
  }
  return longest;
}
