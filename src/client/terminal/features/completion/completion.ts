import { HarnessError } from "../../../../base/errors.ts";
import { fuzzyBest, fuzzyText } from "../../../../base/text/fuzzy.ts";
import { SLASH_COMMANDS } from "../../../../protocol/commands/own-commands.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import type { SlashCommandInfo } from "../../../../protocol/resources.ts";
import { completeSlash } from "../../../../view/slash/complete.ts";
import type { CompletedWord } from "../../../../view/slash/completed-word.ts";
import { completedWord } from "../../../../view/slash/completed-word.ts";
import { rankCommands } from "../../../../view/slash/rank-commands.ts";
import { cutEnd } from "../../../../view/terminal/display-width.ts";
import type { KnownCommands } from "../../../slash/known-commands.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import { LatestRequest } from "../../layout/latest-request.ts";
import type { DraftAssistant } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { CompletionEntry } from "./completion-entry.ts";
import { commandEntry, foundEntry } from "./completion-entry.ts";
import { drawCompletion } from "./draw-completion.ts";

/** Items that the engine is asked for. */
const FOUND_MAX = 50;
/** Characters around the cursor that the engine gets of a draft with a mention. */
const BEFORE_MAX = 2_048;
const BEHIND_MAX = 1_024;

interface OpenList {
  readonly key: string;
  readonly word: CompletedWord;
  readonly entries: readonly CompletionEntry[];
  readonly hasMore: boolean;
  /** Index of the chosen entry; -1 while none is. */
  readonly at: number;
  /** True once the person has moved to it. */
  readonly hasMoved: boolean;
}

/** Text around the cursor, for the engine. */
interface CompletionRequest {
  readonly key: string;
  readonly word: CompletedWord;
  /** A part of the draft, which begins at `start` of it. */
  readonly text: string;
  readonly cursor: number;
  readonly start: number;
}

/**
 * A list of candidates above the draft for the word at the cursor: slash commands, words behind them, and paths behind
 * an at sign (TUI-06, TUI-08). Only typing opens it; no key waits for the engine.
 */
export function completion(services: Services): TerminalFeature {
  return new Completion(services);
}

class Completion implements TerminalFeature, DraftAssistant {
  readonly #services: Services;
  readonly #requests: LatestRequest<CompletionRequest>;
  #commands: readonly SlashCommandInfo[] = SLASH_COMMANDS;
  #known: Pick<KnownCommands, "list"> | undefined;
  #list: OpenList | undefined;
  /** True at a bare at sign for which the engine has found nothing. */
  #hasNoFiles = false;
  /** The word whose list the person has closed: it stays closed. */
  #closed: string | undefined;
  /** Place of the blank that was inserted behind a path: a colon for lines takes its place. */
  #blankAt: number | undefined;

  constructor(services: Services) {
    this.#services = services;
    this.#requests = new LatestRequest(services, async (request, isNewest) => {
      const found = await this.#ask(request);
      if (found !== undefined && isNewest()) this.#found(found, request);
    });
    services.draft.assist(this);
  }

  get contexts(): readonly KeyContext[] {
    return this.#list === undefined ? [] : ["completion"];
  }

  above(columns: number): readonly DrawnRow[] {
    if (this.#list === undefined) return this.#hasNoFiles ? noFilesRows(columns) : [];
    const { keys, screen } = this.#services;
    const { entries, at, hasMore } = this.#list;
    const key = (name: ActionName) => keys.label(name);
    const enter = at === -1 ? "sends" : entries[at]?.runsAlone === true ? "runs" : "takes";
    const words = `${key("completion.take")} takes · ${key("completion.run")} ${enter} · ${key("completion.leave")} closes`;
    return drawCompletion({ entries, at, hasMore, columns, keys: words, screenRows: screen.size.rows });
  }

  opened(): void {
    const { session } = this.#services;
    const { open } = session;
    this.#commands = SLASH_COMMANDS;
    this.#known = open === undefined ? undefined : session.commandsOf(open);
  }

  draftChanged(isTyped: boolean): void {
    if (isTyped) this.#typed();
    else this.#close();
  }

  act(action: ActionName): boolean {
    const list = this.#list;
    if (list === undefined) return false;
    switch (action) {
      case "completion.next":
        return this.#move(list, 1);
      case "completion.previous":
        return this.#move(list, -1);
      case "completion.take":
        if (!this.#extend(list)) this.#take(list);
        return true;
      case "completion.run":
        this.#run(list);
        return true;
      case "completion.leave":
        this.#closed = list.key;
        this.#close();
        return true;
      default:
        return false;
    }
  }

  #typed(): void {
    const { draft } = this.#services;
    this.#hasNoFiles = false;
    this.#joinLines();
    const { text, cursor } = draft.edited;
    const word = completedWord(text, cursor, this.#commands);
    const key = word === undefined ? undefined : `${word.kind}:${word.from}`;
    if (key !== this.#closed) this.#closed = undefined;
    if (word === undefined || key === undefined || this.#closed !== undefined) {
      this.#close();
      return;
    }
    if (word.kind === "command") {
      this.#requests.forget();
      this.#showCommands(word, key);
      inBackground(this.#readCommands(), this.#services);
      return;
    }
    const before = this.#list?.key === key ? this.#list.entries : [];
    this.#show({ key, word, entries: matching(before, word.typed), hasMore: false });
    const start = word.kind === "mention" ? Math.max(0, cursor - BEFORE_MAX) : 0;
    const part = text.slice(start, cursor + BEHIND_MAX);
    this.#requests.want({ key, word, text: part, cursor: cursor - start, start });
  }

  /** Turns `@path :` into `@path:` where the blank came with the path: lines are to follow. */
  #joinLines(): void {
    const { draft } = this.#services;
    const { text, cursor } = draft.edited;
    const at = this.#blankAt;
    this.#blankAt = undefined;
    if (at === undefined || cursor < at + 2 || text.slice(at, at + 2) !== " :") return;
    draft.replacePart(at, cursor, text.slice(at + 1, cursor));
  }

  #showCommands(word: CompletedWord, key: string): void {
    const entries = rankCommands(word.typed, this.#commands).map(commandEntry);
    this.#show({ key, word, entries, hasMore: false });
  }

  /** Reads the commands of the session, if they may have changed since. */
  async #readCommands(): Promise<void> {
    const known = this.#known;
    const listed = await known?.list();
    if (listed === undefined || known !== this.#known || listed === this.#commands) return;
    this.#commands = listed;
    const list = this.#list;
    if (list?.word.kind !== "command") return;
    this.#showCommands(list.word, list.key);
    this.#services.redraw();
  }

  /** Returns the answer of the engine; undefined if it refuses, or there is no session to ask about. */
  async #ask({ word, text, cursor }: CompletionRequest): Promise<ResultOf<"Complete"> | undefined> {
    const { session } = this.#services;
    try {
      // The files of a new session are those of its folder: the first prompt may name one.
      const open = session.open ?? (word.kind === "mention" ? await session.session() : undefined);
      if (open === undefined) return undefined;
      const found = await session.query({
        kind: "Complete",
        sessionId: open.session,
        limit: FOUND_MAX,
        ...{ text, cursor },
      });
      return found instanceof HarnessError ? undefined : found;
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) this.#services.showFailure(thrown);
      return undefined; // a refusal of the session is shown when the prompt is sent
    }
  }

  #found(found: ResultOf<"Complete">, { key, word, start }: CompletionRequest): void {
    // Another version of the engine may read the word in another way.
    const entries = found.from + start === word.from ? found.items.map(foundEntry) : [];
    this.#show({ key, word, entries, hasMore: found.more });
    if (entries.length === 0 && word.kind === "mention" && word.typed === "") this.#hasNoFiles = true;
    this.#services.redraw();
  }

  /** Shows entries. One that the person has moved to stays chosen while the same word stands there. */
  #show(list: Omit<OpenList, "at" | "hasMoved">): void {
    const { entries, word } = list;
    const before = this.#list;
    const moved = before?.hasMoved === true ? before.entries[before.at]?.insert : undefined;
    const isSame = moved !== undefined && before?.word.typed === word.typed;
    const place = isSame ? entries.findIndex(({ insert }) => insert === moved) : -1;
    this.#list =
      entries.length === 0
        ? undefined
        : { ...list, at: place === -1 ? firstChoice(entries, word) : place, hasMoved: place !== -1 };
  }

  #close(): void {
    this.#list = undefined;
    this.#hasNoFiles = false;
    this.#requests.forget();
  }

  #move(list: OpenList, by: 1 | -1): true {
    const count = list.entries.length;
    const from = list.at === -1 && by === -1 ? 0 : list.at;
    this.#list = { ...list, at: (from + by + count) % count, hasMoved: true };
    return true;
  }

  /** Sends what is written in full; else takes the entry, and sends a command that needs no more words. */
  #run(list: OpenList): void {
    const { draft, run } = this.#services;
    const { word, entries, at } = list;
    const entry = entries[at];
    const { text } = draft.edited;
    const isWritten = entry === undefined || text.slice(word.from, word.to) === entry.insert;
    const isLast = text.slice(word.to).trim() === "";
    if (!isWritten && !(entry.runsAlone && isLast)) {
      this.#take(list);
      return;
    }
    this.#close();
    if (!isWritten) draft.replacePart(word.from, word.to, entry.insert);
    run("input.send");
  }

  /** Writes the beginning that all commands share which begin as typed. Returns false if it is no longer than that. */
  #extend({ word, hasMoved }: OpenList): boolean {
    if (word.kind !== "command" || hasMoved) return false;
    const typed = `/${word.typed}`;
    const shared = completeSlash(typed, this.#commands);
    const isLonger =
      shared !== undefined && shared.text.length > typed.length && shared.candidates.length > 1;
    if (!isLonger || !shared.text.startsWith(typed)) return false;
    this.#services.draft.replacePart(word.from, word.to, shared.text);
    this.#typed();
    return true;
  }

  #take({ word, entries, at }: OpenList): void {
    const { draft } = this.#services;
    const entry = entries[Math.max(0, at)];
    if (entry === undefined) return;
    const { text } = draft.edited;
    const isLast = word.to === text.length;
    const isFile = entry.kind === "file";
    const hasBlank = isLast && (isFile || entry.hint !== "");
    draft.replacePart(word.from, word.to, hasBlank ? `${entry.insert} ` : entry.insert);
    this.#close();
    // More words may follow: the next list opens at once. A file is whole.
    if (!isFile) this.#typed();
    else if (hasBlank) this.#blankAt = word.from + entry.insert.length;
  }
}

/** Returns the row about an at sign in a folder without files. */
function noFilesRows(columns: number): readonly DrawnRow[] {
  return [row([span(cutEnd("  There are no files in this folder yet.", columns), { role: "dim" })])];
}

/** Returns the entries that still match, while the engine looks for others. */
function matching(entries: readonly CompletionEntry[], typed: string): readonly CompletionEntry[] {
  const texts = entries.map(({ label, detail }) => fuzzyText(`${label} ${detail}`));
  return fuzzyBest(typed, texts, { limit: entries.length }).best.flatMap((at) => entries[at] ?? []);
}

/**
 * Returns the entry that Enter takes without a move. Behind a command, a word that only resembles an entry is sent
 * as it is written.
 */
function firstChoice([first]: readonly CompletionEntry[], { kind, typed }: CompletedWord): number {
  if (kind !== "argument") return 0;
  const begins = first?.insert.toLowerCase().startsWith(typed.toLowerCase()) === true;
  return typed !== "" && begins ? 0 : -1;
}
