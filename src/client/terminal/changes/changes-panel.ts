import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { count } from "../../../base/text/text.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import { diffRows } from "../diff/diff-rows.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { LatestRequest } from "../layout/latest-request.ts";
import type { Services } from "../layout/services.ts";
import type { ListContent, PanelEntry } from "../panels/list-entry.ts";
import { ListPanel } from "../panels/list-panel.ts";
import type { Size } from "../screen/screen.ts";
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
  const { open } = services.session;
  if (open === undefined) services.say("No session is open yet.");
  else new ChangesList(services, { session: open.session, ...defined({ turn }) }).open();
}

class ChangesList {
  readonly #services: Services;
  readonly #session: SessionId;
  /** The turn that the person asked for. */
  readonly #turn: number | undefined;
  readonly #panel: ListPanel<ChangedFile>;
  readonly #answers: LatestRequest<number | undefined>;
  /** The turn whose changes are listed; undefined: the whole session. */
  #scope: number | undefined;
  #content: ListContent<ChangedFile> = READING;
  #files: readonly ChangedFile[] = [];

  constructor(services: Services, { session, turn }: ChangesOptions & { readonly session: SessionId }) {
    this.#services = services;
    this.#session = session;
    this.#turn = turn;
    this.#scope = turn;
    this.#answers = new LatestRequest(services, (scope, isNewest) => this.#read(scope, isNewest));
    this.#panel = new ListPanel<ChangedFile>({
      isOfSession: true,
      title: "Changed files",
      place: "full",
      services,
      contexts: ["changes"],
      columns: CHANGE_COLUMNS,
      staysOpen: true,
      content: () => this.#content,
      facts: () =>
        `${this.#scope === undefined ? "whole session" : `turn ${this.#scope}`}${totals(this.#files)}`,
      hints: () => [
        ["list.choose", "show the diff"],
        ["changes.scope", this.#scope === undefined ? "last turn" : "whole session"],
        ["list.leave", "close"],
      ],
      choose: (file) => this.#showDiff(file),
      act: (action) => action === "changes.scope" && this.#changeScope(),
      preview: previewOf,
      closed: () => this.#answers.forget(),
    });
  }

  open(): void {
    this.#services.open(this.#panel);
    this.#list();
  }

  #showDiff(file: ChangedFile): void {
    const title = this.#scope === undefined ? "Changes of the session" : `Changes of turn ${this.#scope}`;
    const files = this.#files;
    this.#services.open(new DiffView(this.#services, { title, changes: files, at: files.indexOf(file) }));
  }

  #changeScope(): true {
    const last = this.#services.session.view.turns.all.at(-1)?.turn;
    this.#scope = this.#scope === undefined ? (this.#turn ?? last) : undefined;
    this.#list();
    return true;
  }

  #list(): void {
    this.#files = [];
    this.#content = READING;
    this.#panel.toTop();
    this.#answers.want(this.#scope);
  }

  async #read(turn: number | undefined, isNewest: () => boolean): Promise<void> {
    const query = { kind: "GetChanges", sessionId: this.#session, ...defined({ turn }) } as const;
    const answer = await this.#services.session.query(query);
    if (!isNewest()) return;
    if (answer instanceof HarnessError) this.#content = { entries: [], note: refusalText(answer) };
    else {
      this.#files = answer.files;
      this.#content = contentOf(answer);
    }
    this.#panel.toTop();
  }
}

function previewOf(file: ChangedFile, { columns, rows }: Size): readonly DrawnRow[] {
  const drawn = diffRows([changeDiff(file)], { columns, layout: "unified", linesMax: PREVIEW_LINES_MAX });
  return drawn.slice(0, rows);
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
