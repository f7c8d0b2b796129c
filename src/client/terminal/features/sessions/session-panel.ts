import { HarnessError, hasReason } from "../../../../base/errors.ts";
import type { SessionId } from "../../../../base/ids.ts";
import { count } from "../../../../base/text/text.ts";
import type { Command } from "../../../../protocol/commands/commands.ts";
import type { QueryOf } from "../../../../protocol/queries/queries.ts";
import type { SessionInfo } from "../../../../protocol/resources.ts";
import { sessionTitle } from "../../../../view/facts/session-facts.ts";
import type { SessionOrder } from "../../../../view/facts/session-order.ts";
import { orderedSessions, SESSION_ORDERS } from "../../../../view/facts/session-order.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import type { ActionName } from "../../keys/actions.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { ListContent } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";
import { PreviewReader } from "../../panels/preview-reader.ts";
import { openContentSearch } from "./content-search.ts";
import { openReplay } from "./replay-view.ts";
import type { LastItem } from "./session-entries.ts";
import { SESSION_COLUMNS, sessionEntry, sessionPreview } from "./session-entries.ts";

/** Sessions of the first page, which is to be there at once, and of the others. */
const PAGE_SESSIONS = { first: 100, other: 1_000 } as const;
/** Sessions that are listed; the search of content finds older ones. */
const SESSIONS_MAX = 10_000;
/** Items of a session that its preview has to choose from. */
const ITEMS_READ = 30;
const ORDER_WORDS: Readonly<Record<SessionOrder, string>> = {
  newest: "newest first",
  name: "by name",
  cost: "dearest first",
};
const ARCHIVED = ["without", "with", "only"] as const;
const ARCHIVED_WORDS = { without: "", with: "archived too", only: "only archived" } as const;

type Archived = (typeof ARCHIVED)[number];

/** Opens the list of stored and running sessions (CTL-11, SES-06); one that is chosen is continued. */
export function openSessionList(services: Services): void {
  new SessionList(services).open();
}

class SessionList {
  readonly #services: Services;
  readonly #items: PreviewReader<SessionId, readonly LastItem[] | string>;
  readonly #panel: ListPanel<SessionInfo>;
  #sessions: readonly SessionInfo[] = [];
  #content: ListContent<SessionInfo> = { entries: [], note: "reading the sessions …" };
  /** `undefined`: the person has not chosen, and a folder without sessions shows all. */
  #scope: "here" | "all" | undefined;
  #order: SessionOrder = "newest";
  #archived: Archived = "without";
  #problem: string | undefined;
  #isRead = false;
  /** Counts the readings: an answer to an earlier one is dropped. */
  #reading = 0;

  constructor(services: Services) {
    this.#services = services;
    this.#items = new PreviewReader(services, async (sessionId) => {
      const answer = await services.session.query({ kind: "ListItems", sessionId, limit: ITEMS_READ });
      return answer instanceof HarnessError ? refusalText(answer) : answer.items;
    });
    this.#panel = new ListPanel<SessionInfo>({
      title: "Sessions",
      place: "full",
      services,
      contexts: ["sessions"],
      columns: SESSION_COLUMNS,
      content: () => this.#content,
      facts: () => this.#facts(),
      hints: () => [
        ["list.choose", "continue"],
        ["sessions.scope", this.#isHere ? "all folders" : "this folder"],
        ["sessions.sort", "order"],
        ["sessions.content", "search content"],
        ["sessions.rename", "rename"],
        ["sessions.archive", "archive"],
        ["sessions.archived", "archived"],
        ["sessions.pin", "pin"],
        ["sessions.delete", "delete"],
        ["sessions.replay", "replay"],
      ],
      choose: (info) => this.#choose(info),
      act: (action, info) => this.#act(action, info),
      selected: ({ session }) => this.#items.want(session),
      preview: (info, size) =>
        sessionPreview(info, this.#items.of(info.session), { ...size, home: this.#home }),
      closed: () => {
        this.#reading += 1;
      },
    });
  }

  open(): void {
    this.#services.open(this.#panel);
    inBackground(this.#read(), this.#services);
  }

  get #isHere(): boolean {
    if (this.#scope !== undefined) return this.#scope === "here";
    const { workingDir } = this.#services;
    const isOfFolder = ({ working_dir: folder, unused = false }: SessionInfo) =>
      folder === workingDir && !unused;
    return !this.#isRead || this.#sessions.some(isOfFolder);
  }

  #facts(): string {
    const archived = ARCHIVED_WORDS[this.#archived];
    return [
      this.#isHere ? "this folder" : "all folders",
      ORDER_WORDS[this.#order],
      ...(archived === "" ? [] : [archived]),
    ].join(" · ");
  }

  #choose(info: SessionInfo): void {
    const { session, showFailure } = this.#services;
    if (info.session === session.open?.session && info.live) return;
    inBackground(session.goTo({ kind: "stored", info }), { showFailure });
  }

  #act(action: ActionName, info: SessionInfo | undefined): boolean {
    switch (action) {
      case "sessions.scope":
        this.#scope = this.#isHere ? "all" : "here";
        return this.#changed();
      case "sessions.sort":
        this.#order = nextOf(SESSION_ORDERS, this.#order);
        return this.#changed();
      case "sessions.archived":
        this.#archived = nextOf(ARCHIVED, this.#archived);
        inBackground(this.#read(), this.#services);
        return true;
      case "sessions.content":
        openContentSearch(this.#services, {
          text: this.#panel.pattern,
          isHere: this.#isHere,
          leave: () => this.#services.close(this.#panel),
        });
        return true;
      default:
        return info === undefined ? false : this.#actOn(action, info);
    }
  }

  #actOn(action: ActionName, info: SessionInfo): boolean {
    const { session: sessionId, pinned, archived = false } = info;
    switch (action) {
      case "sessions.rename":
        this.#panel.edit(
          "Title of the session. Enter keeps it; an empty one is made from the first prompt.",
          info.title,
          (title) => this.#send({ kind: "RenameSession", sessionId, title: title.trim() }, "Renamed."),
        );
        return true;
      case "sessions.archive": {
        const done = archived ? "The session is listed again." : "Archived: lists leave it out from now on.";
        this.#send({ kind: "ArchiveSession", sessionId, archived: !archived }, done);
        return true;
      }
      case "sessions.pin": {
        const done = pinned ? "Unpinned: its content expires again." : "Pinned: its content does not expire.";
        this.#send({ kind: "PinSession", sessionId, pinned: !pinned }, done);
        return true;
      }
      case "sessions.delete":
        if (pinned) {
          const key = this.#services.keys.label("sessions.pin", "the palette");
          this.#services.say(`The session is pinned, and so is kept: ${key} unpins it.`, "warning");
          return true;
        }
        this.#panel.ask(
          `Delete “${sessionTitle(info)}” (${count(info.turns, "turn")}) with all that is kept of it? ${this.#endWords(info)}It cannot be brought back.`,
          "delete it",
          () => inBackground(this.#delete(info), this.#services),
        );
        return true;
      case "sessions.replay":
        openReplay(this.#services, { session: sessionId, title: sessionTitle(info) });
        return true;
      default:
        return false;
    }
  }

  /** Returns a sentence about what deleting a session ends. */
  #endWords({ live, state, attached_by: followers = [], session }: SessionInfo): string {
    if (!live) return "";
    const isShown = session === this.#services.session.open?.session;
    const others = followers.length - (isShown ? 1 : 0);
    const ended = state === "running" || state === "waiting" ? "Its turn is cancelled. " : "";
    return others > 0 ? `${ended}Another client has it open. ` : ended;
  }

  /** Deletes a session. One that this engine runs is ended first, and one that is shown gives way to a new one. */
  async #delete(info: SessionInfo): Promise<void> {
    const { session } = this.#services;
    const { session: sessionId, live } = info;
    if (live) {
      if (session.open?.session === sessionId) {
        await session.goTo({ kind: "new" });
        if (session.open?.session === sessionId) return; // its refusal is shown
      }
      const ended = await session.send({ kind: "EndSession", sessionId });
      if (ended instanceof HarnessError && !hasReason(ended, "UnknownSession"))
        return this.#services.showFailure(ended);
    }
    await this.#sent({ kind: "DeleteSession", sessionId }, "Deleted.");
  }

  #send(command: Command, done: string): void {
    inBackground(this.#sent(command, done), this.#services);
  }

  async #sent(command: Command, done: string): Promise<void> {
    const { session, say } = this.#services;
    const answer = await session.send(command);
    if (answer instanceof HarnessError) return say(refusalText(answer), "failure");
    say(done);
    await this.#read();
  }

  /** Reads the sessions page by page, and shows each page as it comes. */
  async #read(): Promise<void> {
    this.#reading += 1;
    const reading = this.#reading;
    let sessions: readonly SessionInfo[] = [];
    let page: QueryOf<"ListSessions"> = this.#query(PAGE_SESSIONS.first);
    for (;;) {
      const answer = await this.#services.session.query(page);
      if (reading !== this.#reading) return;
      this.#problem = answer instanceof HarnessError ? refusalText(answer) : undefined;
      this.#isRead = true;
      if (answer instanceof HarnessError) break;
      sessions = [...sessions, ...answer.sessions];
      // While a list is read again, its first page alone would make it jump.
      const hasMore = answer.cursor !== undefined && sessions.length < SESSIONS_MAX;
      if (!hasMore || sessions.length >= this.#sessions.length) this.#sessions = sessions;
      this.#changed({ isKept: true });
      if (!hasMore || answer.cursor === undefined) return;
      page = { ...this.#query(PAGE_SESSIONS.other), before: answer.cursor };
    }
    this.#changed({ isKept: true });
  }

  #query(limit: number): QueryOf<"ListSessions"> {
    return { kind: "ListSessions", past: true, archived: this.#archived, limit };
  }

  /** Makes the entries again. @param isKept true: the cursor of the list stays at its place. */
  #changed({ isKept = false }: { readonly isKept?: boolean } = {}): true {
    const { clock, workingDir, session } = this.#services;
    const isHere = this.#isHere;
    const listed = this.#sessions.filter(({ unused = false }) => !unused);
    const inScope = isHere ? listed.filter(({ working_dir: folder }) => folder === workingDir) : listed;
    const context = { nowMs: clock.now(), workingDir, home: this.#home, shown: session.open?.session };
    const entries = orderedSessions(inScope, this.#order).map((info) => sessionEntry(info, context));
    const note = this.#problem ?? this.#emptyNote(entries.length, isHere);
    this.#content = note === undefined ? { entries } : { entries, note };
    if (isKept) this.#panel.refresh();
    else this.#panel.toTop();
    return true;
  }

  get #home(): string | undefined {
    return this.#services.host.environment["HOME"];
  }

  #emptyNote(listed: number, isHere: boolean): string | undefined {
    if (listed > 0) return undefined;
    if (!this.#isRead) return "reading the sessions …";
    const which = this.#archived === "only" ? "archived sessions" : "sessions";
    const key = this.#services.keys.label("sessions.archived");
    const more = this.#archived === "without" ? ` ${key}: archived ones too.` : "";
    return `There are no ${which}${isHere ? " of this folder" : ""}.${more}`;
  }
}

function nextOf<Value>(values: readonly [Value, ...Value[]], value: Value): Value {
  return values[(values.indexOf(value) + 1) % values.length] ?? values[0];
}
