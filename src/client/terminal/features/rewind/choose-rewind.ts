import { HarnessError } from "../../../../base/errors.ts";
import { count } from "../../../../base/text/text.ts";
import type { CommandOf } from "../../../../protocol/commands/commands.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import { filesText } from "../../../../view/texts/rewind-text.ts";
import { span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { ListContent, PanelEntry } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";
import type { PlannedRewind, RewindTurn, RewindTurns } from "./rewind-turns.ts";

type Part = CommandOf<"RewindSession">["what"];
type ForeignSet = NonNullable<CommandOf<"RewindSession">["overwrite"]>[number];

const SETS: readonly ForeignSet[] = ["contested", "foreign"];
const SET_WORDS: Readonly<Record<ForeignSet, string>> = {
  contested: "This session changed these files, and so did you or another program since",
  foreign: "You or another program alone changed these files since",
};

/** Lets a person choose between files, conversation and both, then asks about changes of others, and rewinds. */
export function chooseRewind(services: Services, known: RewindTurns, turn: RewindTurn): void {
  let content: ListContent<Part> = { entries: [], note: "reading what would be set back …" };
  let plan: PlannedRewind | undefined;
  const panel: ListPanel<Part> = new ListPanel<Part>({
    isOfSession: true,
    title: `Go back to before turn ${turn.turn}: ${turn.prompt.replaceAll(/\s+/g, " ")}`,
    services,
    content: () => content,
    choose(what) {
      if (plan !== undefined) askAboutForeign({ services, known, turn, plan, what }, []);
    },
    // A narrow screen has no room for it beside the name.
    preview: (what, { columns, rows }) =>
      wrapSpans([span(detailOf(content, what), { role: "dim" })], { columns }).slice(0, rows),
  });
  services.open(panel);
  const read = async () => {
    const found = await known.plan(turn);
    if (typeof found === "string") content = { entries: [], note: found };
    else {
      plan = found;
      content = { entries: partEntries(found), ...noteOf(found) };
    }
    panel.refresh();
  };
  inBackground(read(), services);
}

function detailOf({ entries }: ListContent<Part>, what: Part): string {
  return entries.find(({ value }) => value === what)?.detail ?? "";
}

function partEntries({ conversation, files }: PlannedRewind): readonly PanelEntry<Part>[] {
  const forgets =
    conversation === undefined || conversation.removed === 0
      ? "the conversation stays as it is"
      : `the model forgets the last ${count(conversation.removed, "message")}`;
  const only: PanelEntry<Part> = {
    value: "conversation",
    label: "Conversation only",
    detail: `${forgets}; files stay`,
  };
  if (files === undefined) return [only];
  const counts = filesText(files.counts ?? { restore: 0, remove: 0 });
  const lower = `${counts.charAt(0).toLowerCase()}${counts.slice(1)}`;
  return [
    { value: "both", label: "Conversation and files", detail: `${forgets}; ${lower}` },
    only,
    { value: "files", label: "Files only", detail: `${lower}; the model still knows all of it` },
  ];
}

function noteOf({ files, what }: PlannedRewind): { readonly note?: string } {
  if (files === undefined)
    return what === "conversation"
      ? { note: "Files cannot be set back to this point: their earlier state was not kept." }
      : {};
  const { contested, foreign, notRestorable } = files;
  const others = contested.length + foreign.length;
  const notes = [
    ...(others === 0
      ? []
      : [
          `${count(others, "file")} changed by somebody else too: you are asked about ${others === 1 ? "it" : "them"}.`,
        ]),
    ...(notRestorable.length === 0 ? [] : [`${count(notRestorable.length, "file")} cannot be set back.`]),
  ];
  return notes.length === 0 ? {} : { note: notes.join(" ") };
}

interface Chosen {
  readonly services: Services;
  readonly known: RewindTurns;
  readonly turn: RewindTurn;
  readonly plan: PlannedRewind;
  readonly what: Part;
}

/** Asks about each set of files that somebody else has changed, then rewinds. */
function askAboutForeign(chosen: Chosen, decided: readonly (readonly [ForeignSet, boolean])[]): void {
  const { services, plan, what } = chosen;
  const files = what === "conversation" ? undefined : plan.files;
  const set = SETS.find(
    (each) => (files?.[each].length ?? 0) > 0 && !decided.some(([known]) => known === each),
  );
  if (set === undefined || files === undefined) {
    const overwrite = decided.flatMap(([each, isTaken]) => (isTaken ? [each] : []));
    inBackground(rewind(chosen, overwrite), services);
    return;
  }
  const paths = files[set];
  const content: ListContent<boolean> = {
    entries: [
      { value: false, label: "Keep them as they are now" },
      { value: true, label: "Set them back too", detail: "what was changed in them since is lost" },
    ],
  };
  services.open(
    new ListPanel<boolean>({
      isOfSession: true,
      title: `${SET_WORDS[set]}:`,
      services,
      content: () => content,
      choose: (isTaken) => askAboutForeign(chosen, [...decided, [set, isTaken]]),
      preview: (_, { columns, rows }) =>
        paths.flatMap((path) => wrapSpans([span(`  ${path}`)], { columns })).slice(0, rows),
    }),
  );
}

async function rewind(
  { services, known, turn, plan, what }: Chosen,
  overwrite: readonly ForeignSet[],
): Promise<void> {
  const { session, say, draft } = services;
  // The token covers files: the rewind is refused if they have changed since the person saw the plan.
  const token = plan.token === undefined || what === "conversation" ? {} : { token: plan.token };
  const answer = await session.send({
    kind: "RewindSession",
    sessionId: known.session,
    to: turn.first_event,
    what,
    overwrite: [...overwrite],
    ...token,
  });
  if (answer instanceof HarnessError) return say(refusalText(answer), "failure");
  if (answer.result?.done !== true) return say("Nothing was set back.", "warning");
  if (what !== "files") draft.bringBack(await known.promptOf(turn));
  say(doneText(answer.result, what), "info");
}

function doneText({ place, files }: PlannedRewind, what: Part): string {
  const left = files?.kept?.length ?? 0;
  const restored =
    what === "conversation"
      ? ""
      : ` ${count(files?.restored ?? 0, "file")} set back${left === 0 ? "" : `, ${left} kept`}.`;
  return `Back to ${place ?? "that point"}.${restored} /rewind undo takes it back.`;
}
