import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import { diffRows } from "../diff/diff-rows.ts";
import { inBackground } from "../layout/in-background.ts";
import type { Services } from "../layout/services.ts";
import type { ListContent, PanelEntry } from "../panels/list-entry.ts";
import { ListPanel } from "../panels/list-panel.ts";
import type { ChangedFile } from "./change-files.ts";
import { CHANGE_COLUMNS, changeCells, changeDiff, changeFacts, changeSign } from "./change-files.ts";
import { DiffView } from "./diff-view.ts";

/** Lines of a change that the preview draws. */
const PREVIEW_LINES_MAX = 200;

export interface ChangesOptions {
  /** Only the changes of this turn. Default: those of the whole session. */
  readonly turn?: number;
}

/** Opens the files that the session has changed, from its checkpoints: with their counts, and each change as a diff. */
export function openChanges(services: Services, { turn }: ChangesOptions = {}): void {
  const { session, say } = services;
  if (session.open === undefined) {
    say("No session is open yet.");
    return;
  }
  const { session: sessionId } = session.open;
  let scope = turn;
  let content: ListContent<ChangedFile> = READING;
  let readings = 0;
  let files: readonly ChangedFile[] = [];
  const lastTurn = () => session.view.turns.all.at(-1)?.turn;
  const panel: ListPanel<ChangedFile> = new ListPanel<ChangedFile>({
    isOfSession: true,
    title: "Changed files",
    place: "full",
    services,
    contexts: ["changes"],
    columns: CHANGE_COLUMNS,
    staysOpen: true,
    content: () => content,
    facts: () => `${scope === undefined ? "whole session" : `turn ${scope}`}${totals(files)}`,
    hints: () => [
      ["list.choose", "show the diff"],
      ["changes.scope", scope === undefined ? "last turn" : "whole session"],
      ["list.leave", "close"],
    ],
    choose(file) {
      const title = scope === undefined ? "Changes of the session" : `Changes of turn ${scope}`;
      services.open(new DiffView(services, { title, changes: files, at: files.indexOf(file) }));
    },
    act(action) {
      if (action !== "changes.scope") return false;
      scope = scope === undefined ? (turn ?? lastTurn()) : undefined;
      inBackground(read(), services);
      return true;
    },
    preview: (file, { columns, rows }) =>
      diffRows([changeDiff(file)], { columns, layout: "unified", linesMax: PREVIEW_LINES_MAX }).slice(
        0,
        rows,
      ),
    closed: () => {
      readings += 1;
    },
  });

  async function read(): Promise<void> {
    readings += 1;
    const reading = readings;
    files = [];
    content = READING;
    panel.toTop();
    const answer = await session.query({ kind: "GetChanges", sessionId, ...defined({ turn: scope }) });
    if (reading !== readings) return;
    if (answer instanceof HarnessError) content = { entries: [], note: refusalText(answer) };
    else {
      files = answer.files;
      content = contentOf(answer);
    }
    panel.toTop();
  }

  services.open(panel);
  inBackground(read(), services);
}

const READING: ListContent<ChangedFile> = { entries: [], note: "reading the changes …" };

function contentOf({
  files,
  complete,
  missing,
  left_out: leftOut,
}: ResultOf<"GetChanges">): ListContent<ChangedFile> {
  const entries = files.map(
    (file): PanelEntry<ChangedFile> => ({
      value: file,
      label: file.path,
      detail: changeFacts(file).join(" · "),
      sign: changeSign(file),
      cells: changeCells(file),
    }),
  );
  const notes = [
    ...(files.length === 0 && missing === undefined ? ["No file was changed."] : []),
    ...(missing === undefined ? [] : [missing]),
    ...(leftOut === undefined ? [] : [`${count(leftOut, "more file")} were changed and are not listed.`]),
    ...(complete || missing !== undefined || leftOut !== undefined ? [] : ["Some changes are not shown."]),
  ];
  return notes.length === 0 ? { entries } : { entries, note: notes.join(" ") };
}

/** Returns the counts of all files: ": 3 files +12 -4". */
function totals(files: readonly ChangedFile[]): string {
  if (files.length === 0) return "";
  let [added, removed] = [0, 0];
  for (const file of files) {
    added += file.added;
    removed += file.removed;
  }
  return `: ${count(files.length, "file")} +${added} -${removed}`;
}
