import { unreachable } from "../../base/assert.ts";
import { textOfJson } from "../../base/json.ts";
import type { Shows } from "../../protocol/commands/command-spec.ts";
import type { EngineHealth, SessionProfile } from "../../protocol/resources.ts";
import { COLUMNS, fittedTable } from "../terminal/table.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";
import { healthText } from "./health-text.ts";
import { profileText } from "./profile-text.ts";
import type { SessionInTable } from "./session-table.ts";
import { sessionTable } from "./session-table.ts";
import { fieldAt, fillTemplate, hasFields, listIn } from "./template.ts";

export interface PrintOptions {
  readonly nowMs: number;
  /** Width of the screen. Default: 80. */
  readonly columns?: number | undefined;
  /** True for sessions of every directory. */
  readonly all?: boolean;
  /** True for a screen reader: tables have a line for each row, which names each cell. Default: false. */
  readonly isSpoken?: boolean;
}

/** Draws the answer to a query, or the result of a command, as its slash command describes it. */
export function printAnswer(shows: Shows, answer: unknown, options: PrintOptions): string {
  const { columns = COLUMNS, nowMs, all = false, isSpoken = false } = options;
  switch (shows.as) {
    case "text":
      return hasFields(shows.text, answer) ? fillTemplate(shows.text, answer) : (shows.none ?? "");
    case "list":
      return listText(shows, answer);
    case "table": {
      const rows = listIn(answer, shows.field);
      if (rows.length === 0) return shows.none;
      const table = shows.columns.map(({ head, cell }) => ({
        name: head,
        cells: rows.map((row) => fillTemplate(cell, row)),
      }));
      return fittedTable(table, { columns, lastMin: 1, isSpoken }).join("\n");
    }
    case "sessions": {
      const found = listIn(answer, "sessions") as readonly SessionInTable[]; // the answer of ListSessions
      const sessions = found.filter(({ unused }) => unused !== true);
      return sessions.length === 0
        ? shows.none
        : sessionTable(sessions, { nowMs, columns, all, isSpoken }).join("\n");
    }
    case "profile":
      return profileText(answer as SessionProfile); // the answer of GetSessionProfile
    case "health":
      return healthText(answer as EngineHealth); // the answer of GetEngineHealth
    default:
      return unreachable(shows);
  }
}

function listText(shows: Extract<Shows, { readonly as: "list" }>, answer: unknown): string {
  const { field, line, none, notes, after, mark, words } = shows;
  const marked = mark === undefined ? undefined : fieldAt(answer, mark.field);
  const lines = listIn(answer, field).map((item) => {
    const text = fillTemplate(line, item, words);
    return mark === undefined ? text : `${fieldAt(item, mark.key) === marked ? "*" : " "} ${text}`;
  });
  const noted =
    notes === undefined ? [] : listIn(answer, notes).map((each) => neutraliseLine(textOfJson(each)));
  if (lines.length + noted.length === 0) return none;
  return [...lines, ...noted, ...(after === undefined ? [] : [after])].join("\n");
}
