import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Message } from "../../../protocol/message.ts";
import { rebuild } from "../../../session/history/history.ts";
import { validHistory } from "../../../session/history/valid-history.ts";
import type { SessionHost } from "../../../session/host.ts";
import type { IdleTurn } from "../../../session/moments.ts";
import type { Ask } from "../../../session/questions.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import { filesText } from "../../../view/texts/rewind-text.ts";
import { isTurnEnded, isTurnStarted } from "../../../view/turn-marks.ts";
import type { Checkpoints, RewindPreview } from "../checkpoints.ts";
import type { Boundary, ForeignSet } from "./rewind-plan.ts";
import { FOREIGN_SETS } from "./rewind-plan.ts";
import type { FilesReport, RewindReport } from "./rewind-report.ts";
import { conversationReport, filesReport, listedPaths, listedSkips } from "./rewind-report.ts";

/** Limit for the events searched on either side for the nearest boundaries. */
const EVENTS_LOOKED_MAX = 10_000;
/** Events read per page. */
const PAGE_EVENTS = 1_000;

export interface RewindDependencies {
  readonly host: SessionHost;
  readonly open: () => Promise<Checkpoints>;
}

/**
 * Rewinds a session to the start or end of a turn, or reports what that would do (SES-15). Files that somebody else
 * changed are left alone, unless the command or the person who is asked names their set.
 * @throws HarnessError NotABoundary, CheckpointMissing, RewindChanged …; the signal's reason.
 */
export async function handleRewind(
  command: CommandOf<"RewindSession">,
  turn: IdleTurn,
  dependencies: RewindDependencies,
): Promise<RewindReport> {
  const { to, what, token } = command;
  const { store, logId } = dependencies.host;
  const place = await boundaryAt(store, logId, to);
  const view = what === "files" ? undefined : await viewAt(store, logId, place);
  const files = what === "conversation" ? undefined : await openedFor(place, dependencies);
  const preview = await files?.preview(place, turn.turn, turn.signal);
  const conversation =
    view === undefined ? {} : { conversation: conversationReport(turn.history.messages.length, view.length) };
  const report = { to, what, place: place.text, ...conversation };
  const shown = preview === undefined ? {} : { files: filesReport(preview), token: preview.token };
  if (command.preview === true) return { ...report, done: false, ...shown };
  if (token !== undefined && preview !== undefined && token !== preview.token) {
    throw new HarnessError("RewindChanged", {});
  }
  const overwrite = await confirmed(command, { place, preview, turn, ask: dependencies.host.ask });
  if (overwrite === "refused") return { ...report, done: false, ...shown };
  let outcome: FilesReport | undefined;
  if (files !== undefined && preview !== undefined) {
    const done = await files.rewind(place, { token: preview.token, overwrite, turn: turn.turn }, turn.signal);
    outcome = {
      ...filesReport(preview),
      restored: done.restored.length,
      kept: listedSkips(done.kept),
      notRestorable: listedSkips(done.notRestorable),
    };
  }
  const undone = await lastBoundary(store, logId);
  const undo = defined({ undo: undone });
  const event = rewound({ to, what, ...undo }, outcome);
  if (view === undefined) turn.emit(event);
  else {
    await turn.history.replace(view, () => event);
    // The model no longer knows what it has read since.
    dependencies.host.workspace.seen.clear();
  }
  return { ...report, done: true, ...defined({ files: outcome }), ...undo };
}

function rewound(rewind: Pick<RewindReport, "to" | "what" | "undo">, files: FilesReport | undefined) {
  const { restored = 0, kept = [], notRestorable = [] } = files ?? {};
  return {
    kind: "CustomEvent",
    payload: {
      namespace: "cinch",
      kind: "Rewound",
      payload: { ...rewind, files: { restored, kept, notRestorable } },
    },
  } as const;
}

/**
 * Returns the event to go back to in order to undo what is done now: the end of the last turn, or the rewind after it.
 */
async function lastBoundary(store: SessionStore, logId: LogId): Promise<number | undefined> {
  for (let before = (await store.find(logId))?.lastEvent ?? 0; before > 0; ) {
    const page = await store.eventsBefore(logId, before, EVENTS_LOOKED_MAX);
    const found = page.findLast((event) => isBoundary(event) && event.kind !== "TurnStarted");
    if (found !== undefined) return found.id;
    before = (page[0]?.id ?? 1) - 1;
  }
  return undefined;
}

/** A boundary with its displayed name. */
interface NamedBoundary extends Boundary {
  readonly text: string;
}

/** @throws HarnessError NotABoundary, which names the nearest boundaries. */
async function boundaryAt(store: SessionStore, logId: LogId, to: number): Promise<NamedBoundary> {
  if (to === 0) return { at: 0, text: "the beginning" };
  const before = await store.eventsBefore(logId, to, EVENTS_LOOKED_MAX);
  const event = before.at(-1);
  if (event?.id === to && isBoundary(event)) {
    if (event.kind === "TurnEnded") return { at: to, text: `after turn ${event.payload.turn}` };
    if (event.kind !== "TurnStarted") return { at: to, text: `after the rewind at e${to}` };
    return { at: to, startOf: event.payload.turn, text: `before turn ${event.payload.turn}` };
  }
  const after = await store.markedEvents(logId, to, EVENTS_LOOKED_MAX);
  const nearest = [before.findLast((each) => isBoundary(each) && each.id !== to), after.find(isBoundary)];
  const named = nearest.flatMap((each) => (each === undefined ? [] : [boundaryText(each)]));
  throw new HarnessError("NotABoundary", {
    id: logId,
    at: String(to),
    wanted: "the start or the end of a turn",
    nearest: named.length === 0 ? "event 0 (the beginning)" : named.join(" and "),
  });
}

function boundaryText(event: Envelope): string {
  const { id } = event;
  if (event.kind === "TurnStarted") return `event ${id} (turn ${event.payload.turn} begins)`;
  if (event.kind === "TurnEnded") return `event ${id} (turn ${event.payload.turn} ends)`;
  return `event ${id} (files or conversation were set back)`;
}

function isBoundary(event: Envelope): boolean {
  if (isTurnStarted(event) || isTurnEnded(event)) return true;
  if (event.parentCall !== undefined) return false;
  return (
    event.kind === "CustomEvent" && event.payload.namespace === "cinch" && event.payload.kind === "Rewound"
  );
}

const BEGINNING: Message = {
  role: "user",
  content: [{ type: "text", text: "(The conversation was set back to its beginning.)" }],
};

async function viewAt(
  store: SessionStore,
  logId: LogId,
  { at, startOf }: Boundary,
): Promise<readonly Message[]> {
  const last = startOf === undefined ? at : at - 1;
  const stored = last <= 0 ? [] : await store.messagesAt(logId, last);
  // An imported session has only events up to where it was continued.
  const history =
    stored.length > 0 || last <= 0
      ? stored.map(({ message }) => message)
      : rebuild([], await eventsUpTo(store, logId, last)).history;
  const view = validHistory(history);
  return view.length === 0 ? [BEGINNING] : view;
}

async function eventsUpTo(store: SessionStore, logId: LogId, last: number): Promise<readonly Envelope[]> {
  const events: Envelope[] = [];
  while ((events.at(-1)?.id ?? 0) < last) {
    const since = events.at(-1)?.id ?? 0;
    const page = await store.markedEvents(logId, since, Math.min(PAGE_EVENTS, last - since));
    if (page.length === 0) break;
    events.push(...page);
  }
  return events;
}

/** @throws HarnessError CheckpointMissing if checkpoints existed and are gone. */
async function openedFor(place: Boundary, { host, open }: RewindDependencies): Promise<Checkpoints> {
  const { store, logId } = host;
  const branchOf = (await store.find(logId))?.branchOf;
  const to = String(place.at);
  if (branchOf !== undefined && place.at < branchOf.at) {
    throw new HarnessError("CheckpointMissing", { to, why: "the session was branched after that" });
  }
  const checkpoints = await open();
  const gap = (await gapAfter(store, logId, place.at)) ?? (await gapBefore(store, logId, place, checkpoints));
  if (gap !== undefined)
    throw new HarnessError("CheckpointMissing", { to, why: `files could not be kept at event ${gap}` });
  if (!(await wasKept(store, logId, place.at, checkpoints.oldest))) return checkpoints;
  const why = checkpoints.loss ?? "those of this session were deleted";
  throw new HarnessError("CheckpointMissing", { to, why });
}

/** Returns the first event after one where the changes of calls could not be recorded. */
async function gapAfter(store: SessionStore, logId: LogId, after: number): Promise<number | undefined> {
  let last: number | undefined = after;
  while (last !== undefined) {
    const page: readonly Envelope[] = await store.markedEvents(logId, last, PAGE_EVENTS);
    const gap = page.find(isUnrecorded);
    if (gap !== undefined) return gap.id;
    last = page.at(-1)?.id;
  }
  return undefined;
}

/**
 * Returns the last such event up to a boundary, unless everything was recorded between the two: then it no
 * longer matters.
 */
async function gapBefore(
  store: SessionStore,
  logId: LogId,
  place: Boundary,
  checkpoints: Pick<Checkpoints, "hasRecords">,
): Promise<number | undefined> {
  let to = place.at;
  while (to > 0 && !checkpoints.hasRecords(to, place)) {
    const page = await store.eventsBefore(logId, to, PAGE_EVENTS);
    const gap = page.findLast(isUnrecorded);
    if (gap !== undefined) return checkpoints.hasRecords(gap.id, place) ? undefined : gap.id;
    to = (page[0]?.id ?? 1) - 1;
  }
  return undefined;
}

/**
 * Returns true if files were recorded between two events. If the oldest existing record came after that, others
 * are gone.
 */
async function wasKept(
  store: SessionStore,
  logId: LogId,
  after: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
  let last = after;
  while (last < upTo) {
    const page = await store.markedEvents(logId, last, Math.min(PAGE_EVENTS, upTo - last));
    if (page.some(({ kind }) => kind === "CheckpointMade")) return true;
    const end = page.at(-1)?.id;
    if (end === undefined) return false;
    last = end;
  }
  return false;
}

/** Returns true for an event after which calls continued although their changes could not be recorded. */
function isUnrecorded(event: Envelope): boolean {
  return event.kind === "Error" && event.payload.reason === "CheckpointUnwritable";
}

interface Asking {
  readonly place: NamedBoundary;
  readonly preview: RewindPreview | undefined;
  readonly turn: IdleTurn;
  readonly ask: Ask | undefined;
}

/** Returns the sets of files that may be overwritten although somebody else changed them. */
async function confirmed(
  { overwrite, to }: CommandOf<"RewindSession">,
  { place, preview, turn, ask }: Asking,
): Promise<readonly ForeignSet[] | "refused"> {
  if (overwrite !== undefined || ask === undefined) return overwrite ?? [];
  const put = async (text: string, details: Readonly<Record<string, unknown>>) => {
    const choices = [
      { value: "approve", label: "yes" },
      { value: "deny", label: "no" },
    ];
    return await ask({ about: "rewind", text, choices, details }, turn.signal);
  };
  const whole = await put(`Set back to ${place.text}? ${summary(preview)}`, { to });
  const isAllowed = whole.kind === "nobody" || (whole.kind === "answered" && whole.answer === "approve");
  if (!isAllowed) return "refused";
  const sets: ForeignSet[] = [];
  for (const set of FOREIGN_SETS) {
    const steps = preview?.[set] ?? [];
    if (steps.length === 0) continue;
    const paths = listedPaths(steps);
    const answer = await put(`${QUESTIONS[set]}\n${paths.join("\n")}`, { set, paths });
    if (answer.kind === "answered" && answer.answer === "approve") sets.push(set);
  }
  return sets;
}

const QUESTIONS = {
  contested:
    "These files were changed by this session and by somebody else since. Set them back too, and lose that?",
  foreign: "These files were changed by somebody else alone since. Set them back too, and lose that?",
} as const;

function summary(preview: RewindPreview | undefined): string {
  if (preview === undefined) return "Only the conversation; files stay.";
  const { length } = preview.notRestorable;
  const missing = length === 0 ? "" : `, ${length} cannot be set back`;
  return `${filesText(filesReport(preview).counts)}${missing}.`;
}
