import { HarnessError } from "../../../../base/errors.ts";
import type { SessionId } from "../../../../base/ids.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import { rewindText } from "../../../../view/texts/rewind-text.ts";
import { openChanges } from "../../changes/changes-panel.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { ListContent } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";
import type { Size } from "../../screen/screen.ts";
import { sayIfTurnRuns } from "../../session/turn-runs.ts";
import { chooseRewind } from "./choose-rewind.ts";
import type { RewindChoice } from "./rewind-entries.ts";
import { REWIND_COLUMNS, rewindEntries, rewindPreview, undoWords } from "./rewind-entries.ts";
import { RewindTurns } from "./rewind-turns.ts";

/** Opens the list of prompts that a person could go back to (SES-15). Says so if there is nothing to go back to. */
export function openRewind(services: Services): void {
  const { session, say, clock } = services;
  if (session.open === undefined) {
    say("There is no prompt to go back to yet.");
    return;
  }
  if (sayIfTurnRuns(services)) return;
  const { session: sessionId } = session.open;
  let content: ListContent<RewindChoice> = { entries: [], note: "reading the prompts …" };
  const known = new RewindTurns(services, sessionId, () => changed());
  const panel: ListPanel<RewindChoice> = new ListPanel<RewindChoice>({
    isOfSession: true,
    title: "Go back to before a prompt",
    place: "full",
    services,
    contexts: ["rewind"],
    columns: REWIND_COLUMNS,
    content: () => content,
    hints: () => [
      ["list.choose", "go back to before it"],
      ["rewind.changes", "its changes"],
      ["list.leave", "close"],
    ],
    choose(choice) {
      if (choice.kind === "turn") chooseRewind(services, known, choice.turn);
      else inBackground(undo(services, sessionId, choice), services);
    },
    act(action, choice) {
      if (action !== "rewind.changes") return false;
      if (choice?.kind === "turn") openChanges(services, { turn: choice.turn.turn });
      return true;
    },
    selected(choice) {
      if (choice.kind === "turn") known.want(choice.turn);
    },
    preview: (choice, size) => previewOf(choice, known, size),
    closed: () => known.leave(),
  });

  function changed(): void {
    const { turns: listed = [], problem } = known;
    const entries = rewindEntries(listed, {
      turns: session.view.turns,
      nowMs: clock.now(),
      changesOf: (turn) => known.changesOf(turn),
    });
    const note =
      problem ??
      (known.turns !== undefined && listed.length === 0
        ? "There is no prompt to go back to yet."
        : undefined);
    content = note === undefined ? { entries } : { entries, note };
    panel.refresh();
  }

  services.open(panel);
  inBackground(known.read(), services);
}

function previewOf(choice: RewindChoice, known: RewindTurns, size: Size): readonly DrawnRow[] {
  if (choice.kind === "turn") {
    const { turn } = choice;
    return rewindPreview(turn, { plan: known.planOf(turn), changes: known.changesOf(turn) }, size);
  }
  const parts = { both: "Files and conversation", files: "Files", conversation: "The conversation" } as const;
  const text = `${parts[choice.what]} become as before the last rewind.`;
  return wrapSpans([span(text)], { columns: size.columns }).slice(0, size.rows);
}

/** Undoes the last rewind. Files that somebody else has changed since stay as they are. */
async function undo(
  { session, say }: Services,
  sessionId: SessionId,
  { to, what }: Extract<RewindChoice, { readonly kind: "undo" }>,
): Promise<void> {
  const answer = await session.send({ kind: "RewindSession", sessionId, to, what, overwrite: [] });
  if (answer instanceof HarnessError) return say(refusalText(answer), "failure");
  const [head = ""] =
    answer.result === undefined ? [] : rewindText(answer.result, { undo: undoWords }).split("\n");
  say(head === "" ? "The last rewind is undone." : `The last rewind is undone. ${head}.`);
}
