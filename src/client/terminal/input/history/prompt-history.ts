import { HarnessError } from "../../../../base/errors.ts";
import type { SessionId } from "../../../../base/ids.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import { withoutFenceTags } from "../../../../view/input-text.ts";
import type { PromptItem, TranscriptItem } from "../../../../view/transcript/items.ts";
import { PROMPT_CHARACTERS_MAX } from "../../../../view/transcript/prompt-blocks.ts";
import type { TranscriptSegment } from "../../../../view/transcript/transcript.ts";
import type { Services } from "../../layout/services.ts";
import { ClearedDrafts } from "./cleared-drafts.ts";

/** An earlier prompt, or a draft that was cleared. */
export interface HistoryEntry {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** `draft`: it was cleared and never sent. `command`: a slash command, or a command for the shell. */
  readonly from: "draft" | "command" | "session" | "folder";
  /** Set if `text` may be only its beginning: where the whole is. Without a session: in the one that is shown. */
  readonly cutIn?: { readonly session?: SessionId; readonly turn: number };
}

type Turn = ResultOf<"ListTurns">["turns"][number];

/** Sessions of the folder whose prompts are read, and turns of each. */
const SESSIONS_READ_MAX = 20;
const SESSIONS_LISTED = 200;
const TURNS_READ_MAX = 50;
/** Commands of this client that are kept. */
const COMMANDS_MAX = 100;
/** A prompt in a list of turns that is at least so long may be only the beginning. */
const WHOLE_CHARACTERS_MAX = 200;

const promptsOfSegment = new WeakMap<TranscriptSegment, readonly HistoryEntry[]>();

function promptsOf(segment: TranscriptSegment): readonly HistoryEntry[] {
  const known = promptsOfSegment.get(segment);
  if (known !== undefined) return known;
  const found = (segment.items ?? []).flatMap((item) => entryOf(item) ?? []);
  promptsOfSegment.set(segment, found);
  return found;
}

const entryOfPrompt = new WeakMap<PromptItem, { readonly entry: HistoryEntry | undefined }>();

/** Returns the same entry for the same item, so that a list of them can be compared. */
function entryOf(item: TranscriptItem): HistoryEntry | undefined {
  if (item.kind !== "prompt") return undefined;
  const known = entryOfPrompt.get(item);
  if (known !== undefined) return known.entry;
  const entry = newEntryOf(item);
  entryOfPrompt.set(item, { entry });
  return entry;
}

function newEntryOf(item: PromptItem): HistoryEntry | undefined {
  const text = item.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  if (text.trim() === "") return undefined;
  const entry: HistoryEntry = { text, atMs: Date.parse(item.ts), from: "session" };
  return text.length < PROMPT_CHARACTERS_MAX ? entry : { ...entry, cutIn: { turn: item.turn } };
}

/** Returns entries newest first, each text once. */
export function mergedHistory(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const known = new Set<string>();
  const whole = entries.filter(({ cutIn }) => cutIn === undefined);
  return entries
    .toSorted((one, other) => other.atMs - one.atMs)
    .filter((entry) => {
      if (known.has(entry.text)) return false;
      known.add(entry.text);
      if (entry.cutIn === undefined) return true;
      // The session that is shown has the whole of it.
      const beginning = entry.text.replace(/(?:…|\.\.\.)$/u, "").trimEnd();
      return !whole.some(({ text }) => text.trimStart().startsWith(beginning));
    });
}

/** Earlier prompts of the session that is shown and of its folder, and drafts that were cleared. */
export class PromptHistory {
  readonly #services: Pick<Services, "session" | "clock" | "redraw" | "showFailure">;
  readonly #workingDir: string;
  readonly #cleared: ClearedDrafts;
  #commands: readonly HistoryEntry[] = [];
  #folder: readonly HistoryEntry[] = [];
  #loading: Promise<void> | undefined;
  #merged: { readonly of: readonly unknown[]; readonly entries: readonly HistoryEntry[] } | undefined;

  constructor(services: Pick<Services, "session" | "clock" | "redraw" | "showFailure">, workingDir: string) {
    this.#services = services;
    this.#workingDir = workingDir;
    this.#cleared = new ClearedDrafts(services);
  }

  /** Returns what is known so far, the newest first. `load` reads more. */
  entries(): readonly HistoryEntry[] {
    const prompts = this.#services.session.transcript.segments.flatMap(promptsOf);
    // Most events change no prompt: then what is merged stays.
    const of = [this.#cleared.drafts, this.#commands, this.#folder, ...prompts];
    const known = this.#merged;
    if (known?.of.length === of.length && known.of.every((each, at) => each === of[at])) return known.entries;
    const cleared = this.#cleared.drafts.map((draft): HistoryEntry => ({ ...draft, from: "draft" }));
    const entries = mergedHistory([...prompts, ...cleared, ...this.#commands, ...this.#folder]);
    this.#merged = { of, entries };
    return entries;
  }

  /** Keeps a text that no turn of the session has: a draft that was cleared, or a command. */
  remember(text: string, from: "draft" | "command" = "draft"): void {
    if (text.trim() === "") return;
    const entry = { text, atMs: this.#services.clock.now() };
    if (from === "draft") this.#cleared.add(entry);
    else this.#commands = [...this.#commands.slice(1 - COMMANDS_MAX), { ...entry, from }];
  }

  /** Reads the cleared drafts that the session has kept. */
  async restore(): Promise<void> {
    await this.#cleared.restore();
  }

  /** Cleared drafts that no session has kept. */
  get unkept(): readonly string[] {
    return this.#cleared.unkept.map(({ text }) => text);
  }

  /** Resolves once all cleared drafts are kept. */
  async settle(): Promise<void> {
    await this.#cleared.settle();
  }

  /** Reads prompts of other sessions of the folder, once. What cannot be read is left out, and asked for next time. */
  async load(): Promise<void> {
    this.#loading ??= this.#read();
    try {
      await this.#loading;
    } catch (thrown) {
      this.#loading = undefined;
      throw thrown;
    }
  }

  /** Returns the whole text of an entry; undefined if it cannot be read. */
  async wholeOf({ text, cutIn }: HistoryEntry): Promise<string | undefined> {
    if (cutIn === undefined) return text;
    const { session } = this.#services;
    const { session: sessionId = session.open?.session, turn } = cutIn;
    if (sessionId === undefined) return undefined;
    const listed = await session.query({ kind: "ListItems", sessionId, turn, limit: TURNS_READ_MAX });
    if (listed instanceof HarnessError) return undefined;
    const prompt = listed.items.find(({ kind }) => kind === "prompt");
    if (prompt === undefined) return undefined;
    const item = await session.query({ kind: "GetItem", sessionId, event: prompt.event });
    if (item instanceof HarnessError) return undefined;
    const content = item.events.flatMap((event) =>
      event.kind === "TurnStarted" ? (event.payload.content ?? []) : [],
    );
    const whole = content.flatMap((block) => (block.type === "text" ? [withoutFenceTags(block.text)] : []));
    return whole.length === 0 ? undefined : whole.join("\n");
  }

  async #read(): Promise<void> {
    const { session, redraw } = this.#services;
    const listed = await session.query({ kind: "ListSessions", past: true, limit: SESSIONS_LISTED });
    if (listed instanceof HarnessError) {
      this.#loading = undefined;
      return;
    }
    const here = listed.sessions.filter(({ working_dir }) => working_dir === this.#workingDir);
    for (const { session: sessionId } of here.slice(0, SESSIONS_READ_MAX)) {
      const answer = await session.query({ kind: "ListTurns", sessionId, limit: TURNS_READ_MAX });
      if (answer instanceof HarnessError) continue;
      const more = answer.turns.flatMap((turn) => entryOfTurn(turn, sessionId) ?? []);
      this.#folder = [...this.#folder, ...more];
      redraw();
    }
  }
}

function entryOfTurn({ prompt, started_at, turn }: Turn, session: SessionId): HistoryEntry | undefined {
  if (prompt.trim() === "") return undefined;
  const entry: HistoryEntry = { text: prompt, atMs: Date.parse(started_at), from: "folder" };
  return prompt.length < WHOLE_CHARACTERS_MAX ? entry : { ...entry, cutIn: { session, turn } };
}
