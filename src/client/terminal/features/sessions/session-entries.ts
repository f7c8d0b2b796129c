import { count, grouped } from "../../../../base/text/text.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import type { SessionInfo } from "../../../../protocol/resources.ts";
import {
  expiryText,
  sessionCost,
  sessionStates,
  sessionTitle,
} from "../../../../view/facts/session-facts.ts";
import { homePath } from "../../../../view/terminal/home-path.ts";
import { ageText } from "../../../../view/texts/age-text.ts";
import type { DrawnRow, Role } from "../../drawing/span.ts";
import { EMPTY_ROW, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ListCell, ListColumn, PanelEntry } from "../../panels/list-entry.ts";
import type { Size } from "../../screen/screen.ts";

/** One of the last items of a session. */
export type LastItem = Pick<ResultOf<"ListItems">["items"][number], "kind" | "text">;

/** Columns of the list of sessions, in the order of `sessionEntry`. */
export const SESSION_COLUMNS: readonly ListColumn[] = [{ name: "age" }, { name: "turns" }, { name: "cost" }];

const ITEM_LINES_MAX = 3;
/** Below so many rows the preview shows the last messages alone. */
const FACTS_ROWS_MIN = 8;

export interface SessionEntryContext {
  readonly nowMs: number;
  /** The folder of this client: sessions of others name theirs. */
  readonly workingDir: string;
  /** The person's home folder; undefined if it is not known. */
  readonly home: string | undefined;
  /** The session that is shown. */
  readonly shown: string | undefined;
}

/** Returns the entry of a session in a list. */
export function sessionEntry(info: SessionInfo, context: SessionEntryContext): PanelEntry<SessionInfo> {
  const { session, working_dir: folder, turns, updated_at: at } = info;
  const facts = [
    ...(session === context.shown ? ["shown here"] : []),
    ...sessionStates(info),
    ...(folder === context.workingDir ? [] : [homePath(folder, context.home)]),
  ];
  return {
    value: info,
    label: sessionTitle(info),
    detail: facts.join(" · "),
    sign: stateSign(info),
    cells: [
      { text: ageText(at, context.nowMs) },
      { text: grouped(turns) },
      { text: sessionCost(info), ...(info.cost_usd === null ? { role: "warning" as const } : {}) },
    ],
    isDim: info.archived === true,
  };
}

function stateSign({ state, status, pinned }: SessionInfo): ListCell {
  if (state === "waiting") return { text: "?", role: "warning" };
  if (state === "running") return { text: "●", role: "success" };
  if (status === "interrupted") return { text: "!", role: "warning" };
  return { text: pinned ? "*" : " " };
}

/** Returns the rows about a session: its facts, then its last messages, the newest at the end. */
export function sessionPreview(
  info: SessionInfo,
  items: readonly LastItem[] | string | undefined,
  { columns, rows, home }: Size & Pick<SessionEntryContext, "home">,
): readonly DrawnRow[] {
  const lines = rows < FACTS_ROWS_MIN ? [] : factsOf(info, home);
  const facts = lines.flatMap((line) => wrapSpans([span(line, { role: "dim" })], { columns }));
  const room = rows - facts.length - 1;
  if (room <= 0) return facts.slice(0, rows);
  if (items === undefined) return [...facts, EMPTY_ROW, ...note("reading its last messages …", columns)];
  if (typeof items === "string") return [...facts, EMPTY_ROW, ...note(items, columns).slice(0, room)];
  const said = items.flatMap((item) => itemRows(item, columns));
  if (said.length === 0) return [...facts, EMPTY_ROW, ...note("Nothing was said in it.", columns)];
  return [...facts, EMPTY_ROW, ...said.slice(-room)];
}

function factsOf(info: SessionInfo, home: string | undefined): readonly string[] {
  const { session, profile, model, working_dir: folder, expires_in_days: days, clients = [] } = info;
  const tokens = info.context_tokens;
  const more = [
    count(info.turns, "turn"),
    ...(tokens === undefined ? [] : [`${grouped(tokens)} tokens in the context`]),
    ...(days === undefined ? [] : [expiryText(days)]),
    ...(clients.length === 0 ? [] : [`open in ${clients.map(({ label }) => label).join(", ")}`]),
  ];
  return [session, `${profile} · ${model}`, homePath(folder, home), more.join(" · ")];
}

/** Kinds of items that a person reads as the conversation. Others, such as todos and queues, are left out. */
const ITEM_MARKS: Readonly<
  Partial<Record<LastItem["kind"], { readonly mark: string; readonly role?: Role }>>
> = {
  prompt: { mark: "> ", role: "prompt" },
  text: { mark: "  " },
  call: { mark: "• ", role: "dim" },
  error: { mark: "! ", role: "failure" },
  question: { mark: "? ", role: "warning" },
};

function itemRows({ kind, text }: LastItem, columns: number): readonly DrawnRow[] {
  const drawn = ITEM_MARKS[kind];
  if (drawn === undefined) return [];
  const { mark, role } = drawn;
  const style = role === undefined ? {} : { role };
  const rows = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) =>
      wrapSpans([span(line, style)], { columns, first: [span(mark, style)], rest: [span("  ")] }),
    );
  return rows.slice(0, ITEM_LINES_MAX);
}

function note(text: string, columns: number): readonly DrawnRow[] {
  return wrapSpans([span(text, { role: "dim" })], { columns });
}
