import { HarnessError } from "../../../base/errors.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import { DRAFT_CHARACTERS_MAX } from "../../../protocol/commands/run-limits.ts";
import { keptLabel, readKeptDraft } from "../images/draft-image.ts";
import type { ImageUploads } from "../images/image-uploads.ts";
import type { Services } from "../layout/services.ts";
import type { OpenSession } from "../options.ts";
import type { ChippedText } from "./editor/chips.ts";
import { expandedBy, imagesOf } from "./editor/chips.ts";
import type { OutgoingMessage } from "./message.ts";

/** The reader whose draft it is, for the engine: that of the only client in a session, or the first of several. */
export const DRAFT_READER = "cinch-terminal";
/** The reader of each other client; its id follows. */
const OTHER_READER = "cinch-terminal.of.";
/** The reader that keeps the names of these, as they may have left a draft. */
const OTHERS_READER = "cinch-terminal.others";
/** The reader under which the last session of a folder keeps the draft of a session that is not open yet. */
export const NEW_DRAFT_READER = "cinch-terminal.new";
/** Pause in the changes after which a draft is kept. */
export const DRAFT_PAUSE_MS = 300;

export interface DraftKeeperOptions {
  readonly uploads: ImageUploads;
  /** Returns the draft as it is. */
  readonly read: () => ChippedText;
}

/** A draft that was kept. */
export interface KeptDraft extends OutgoingMessage {
  /** Images that were not stored, and are missing. */
  readonly lost: number;
}

/** A place that keeps a draft. */
interface DraftLocation {
  readonly session: SessionId;
  /** Log of the session: all runs of a log have one draft. */
  readonly log: LogId;
  readonly reader: string;
  /** True if no other terminal client was in the session. Absent: no session is open. */
  readonly isAlone?: boolean;
}

interface KeptText {
  readonly place: DraftLocation;
  readonly text: string;
  /** The text of the draft as it is edited, of which `text` was made; absent for one that was read. */
  readonly draft?: string;
}

interface ReaderChoice {
  readonly reader: string;
  /** True if no other terminal client was in the session. */
  readonly isAlone: boolean;
}

type KeeperServices = Pick<Services, "session" | "clock" | "say" | "showFailure">;

/**
 * Keeps the draft in the session that is shown, so that it survives the end of this client (TUI-10). While no session
 * is open, the last one of the folder keeps it. A client that comes into a session in which another terminal client is
 * has its own draft there; the next one that comes alone gets all that were left. Of two clients without a session, the
 * first one to write keeps its draft, and that of the other joins it at its end.
 */
export class DraftKeeper implements Disposable {
  readonly #services: KeeperServices;
  readonly #options: DraftKeeperOptions;
  /** The draft that the engine has, and its place. */
  #kept: KeptText | undefined;
  /** Readers in the sessions that were shown. */
  readonly #readers = new Map<SessionId, Promise<ReaderChoice>>();
  /** The place whose draft was restored last. */
  #restored: DraftLocation | undefined;
  #timer: Disposable | undefined;
  #keeping: Promise<void> | undefined;
  #isCutSaid = false;

  constructor(services: KeeperServices, options: DraftKeeperOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** Keeps the draft once it has not changed for `DRAFT_PAUSE_MS`. */
  changed(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#services.clock.timer(DRAFT_PAUSE_MS, () => this.#start());
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  /** True if the draft is empty, or kept as it is now. */
  get isKept(): boolean {
    const { text } = this.#options.read();
    const { open, last } = this.#services.session;
    const isHere = this.#kept?.place.log === (open ?? last)?.log;
    return text === "" || (isHere && this.#kept?.draft === text);
  }

  /** Keeps the draft as it is now, if it is not kept yet. */
  async settle(): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    await this.#keeping;
    await this.#keep();
    await this.#joinOther();
  }

  /**
   * Returns true if the draft stays with the session that was shown before: a stored one is shown now, which has its
   * own. A new session, and one that takes the place of the other, take the draft along.
   */
  get staysBehind(): boolean {
    const { open } = this.#services.session;
    const before = this.#kept?.place;
    if (open === undefined || before === undefined || before.reader === NEW_DRAFT_READER) return false;
    return before.log !== open.log && open.history && open.continues !== true;
  }

  /** Keeps a draft in the session that was shown before. Returns false if that is refused. */
  async keepBehind(draft: ChippedText): Promise<boolean> {
    const place = this.#kept?.place;
    this.#kept = undefined;
    if (place === undefined) return false;
    const text = await this.#textOf(draft, place);
    const { session: sessionId, reader } = place;
    const answer = await this.#services.session.send({ kind: "SetDraft", sessionId, text, reader });
    return !(answer instanceof HarnessError);
  }

  /**
   * Returns the draft that is kept for what is shown, once; an empty one if there is none, or none can be read.
   */
  async restored(): Promise<KeptDraft> {
    const place = await this.#place();
    if (place === undefined) return readKeptDraft("");
    if (this.#restored !== undefined && isSame(this.#restored, place)) return readKeptDraft("");
    this.#restored = place;
    const { session: sessionId, reader } = place;
    const answer = await this.#services.session.query({ kind: "GetDraft", sessionId, reader });
    if (answer instanceof HarnessError) {
      this.#restored = undefined;
      return readKeptDraft("");
    }
    await this.#leave(place);
    this.#kept = { place, text: answer.text };
    if (reader !== DRAFT_READER) return readKeptDraft(answer.text);
    return readKeptDraft(await this.#withOthers(place, answer.text));
  }

  /** Returns a draft with those that other clients have left in the session, if this one is alone in it. */
  async #withOthers(place: DraftLocation, own: string): Promise<string> {
    const { session: sessionId } = place;
    if (place.isAlone !== true) return own;
    const readers = await this.#others(sessionId);
    if (readers.length === 0) return own;
    const texts = [own];
    for (const reader of readers) {
      const answer = await this.#services.session.query({ kind: "GetDraft", sessionId, reader });
      if (answer instanceof HarnessError) return own; // they stay where they are
      texts.push(answer.text);
    }
    const all = texts.filter((text) => text !== "").join("\n");
    const set = (reader: string, text: string) =>
      this.#services.session.send({ kind: "SetDraft", sessionId, text, reader });
    // All of them are kept in one place before they leave theirs.
    if (all.length > DRAFT_CHARACTERS_MAX || (await set(place.reader, all)) instanceof HarnessError)
      return own;
    this.#kept = { place, text: all };
    for (const reader of [...readers, OTHERS_READER]) await set(reader, "");
    return all;
  }

  /** Returns the readers of clients that were not alone in a session. */
  async #others(sessionId: SessionId): Promise<readonly string[]> {
    const query = { kind: "GetDraft", sessionId, reader: OTHERS_READER } as const;
    const answer = await this.#services.session.query(query);
    return answer instanceof HarnessError
      ? []
      : answer.text.split(" ").filter((name) => name.startsWith(OTHER_READER));
  }

  /** Returns the reader of this client in a session, the same one each time. */
  #reader(open: OpenSession): Promise<ReaderChoice> {
    const { session: sessionId } = open;
    const known = this.#readers.get(sessionId);
    if (known !== undefined) return known;
    const choice = this.#chooseReader(open);
    this.#readers.set(sessionId, choice);
    // Its callers get the failure; the next one asks again.
    choice.catch(() => this.#readers.delete(sessionId));
    return choice;
  }

  async #chooseReader(open: OpenSession): Promise<ReaderChoice> {
    const { session } = this.#services;
    const { self } = session;
    const { session: sessionId } = open;
    const info = await session.infoOf(open);
    const clients = info instanceof HarnessError ? [] : (info.clients ?? []);
    const client = clients.find(({ id }) => id === self);
    const isAlone = !clients.some(
      ({ id, label }) => id !== self && (client === undefined || label === client.label),
    );
    if (isAlone || self === undefined) return { reader: DRAFT_READER, isAlone };
    const reader = `${OTHER_READER}${self}`;
    const others = [...(await this.#others(sessionId)), reader].join(" ");
    await session.send({ kind: "SetDraft", sessionId, text: others, reader: OTHERS_READER });
    return { reader, isAlone };
  }

  async #place(): Promise<DraftLocation | undefined> {
    const { open, last } = this.#services.session;
    if (open !== undefined) {
      const { reader, isAlone } = await this.#reader(open);
      return { session: open.session, log: open.log, reader, isAlone };
    }
    if (last === undefined) return undefined;
    return { session: last.session, log: last.log, reader: NEW_DRAFT_READER };
  }

  /** Empties the place before, once another one has the draft. */
  async #leave(place: DraftLocation): Promise<void> {
    const before = this.#kept;
    if (before === undefined || isSame(before.place, place)) return;
    this.#kept = undefined;
    if (before.text === "") return;
    // Another client without a session has its own draft there by now.
    if ((await this.#otherAt(before.place, before.text)) !== undefined) return;
    const { session: sessionId, reader } = before.place;
    const answer = await this.#services.session.send({ kind: "SetDraft", sessionId, text: "", reader });
    if (answer instanceof HarnessError) this.#kept = before; // tried again with the next change
  }

  /**
   * Returns the draft of another client without a session, which it has kept meanwhile; undefined if there is none.
   * @param own the text that this client has kept there.
   */
  async #otherAt({ session: sessionId, reader }: DraftLocation, own: string): Promise<string | undefined> {
    if (reader !== NEW_DRAFT_READER) return undefined;
    const answer = await this.#services.session.query({ kind: "GetDraft", sessionId, reader });
    return answer instanceof HarnessError || answer.text === "" || answer.text === own
      ? undefined
      : answer.text;
  }

  /** Keeps the draft below that of another client, if both have no session: the next client gets both. */
  async #joinOther(): Promise<void> {
    const place = await this.#place();
    if (place === undefined) return;
    const draft = this.#options.read();
    const text = await this.#textOf(draft, place);
    const other = await this.#otherAt(place, text);
    if (text === "" || other === undefined) return;
    const hasOwn = `\n${other}\n`.includes(`\n${text}\n`);
    const both = hasOwn ? other : `${other}\n${text}`;
    if (both.length > DRAFT_CHARACTERS_MAX) return;
    const { session: sessionId, reader } = place;
    const answer = await this.#services.session.send({ kind: "SetDraft", sessionId, text: both, reader });
    if (!(answer instanceof HarnessError)) this.#kept = { place, text: both, draft: draft.text };
  }

  #start(): void {
    // The newest draft is kept behind the one that is on its way.
    if (this.#keeping !== undefined) return;
    this.#keeping = this.#keep()
      .catch((thrown: unknown) => this.#services.showFailure(thrown))
      .finally(() => {
        this.#keeping = undefined;
      });
  }

  async #keep(): Promise<void> {
    const { session, say } = this.#services;
    const place = await this.#place();
    if (place === undefined) return;
    await this.#leave(place);
    const draft = this.#options.read();
    const whole = await this.#textOf(draft, place);
    const text = whole.slice(0, DRAFT_CHARACTERS_MAX);
    const before = this.#kept !== undefined && isSame(this.#kept.place, place) ? this.#kept.text : "";
    if (before === text) {
      this.#kept = { place, text, draft: draft.text };
      return;
    }
    const { session: sessionId, reader } = place;
    // That of another client stays: at the end of this one, its own joins it.
    if ((await this.#otherAt(place, before)) !== undefined) return;
    const answer = await session.send({ kind: "SetDraft", sessionId, text, reader });
    if (answer instanceof HarnessError) return; // tried again with the next change
    const shown = await this.#place();
    if (shown === undefined || !isSame(shown, place)) return;
    this.#kept = { place, text, draft: draft.text };
    if (whole.length > text.length && !this.#isCutSaid) {
      this.#isCutSaid = true;
      say(`The draft is long: after a crash only its first ${text.length} characters come back.`, "warning");
    }
    if (this.#options.read().text !== draft.text) this.changed();
  }

  /** Returns the text of a draft with a reference to each of its images, which are stored first. */
  async #textOf(draft: ChippedText, { session, reader }: DraftLocation): Promise<string> {
    const { uploads } = this.#options;
    const images = imagesOf(draft);
    // A session that does not run takes no files.
    if (reader === NEW_DRAFT_READER || images.length === 0) return expandedBy(draft, ({ text }) => text);
    // An image that is refused stays out of the kept draft; sending it says why.
    for (const image of images) await uploads.keep(image, session);
    return expandedBy(draft, ({ text, image }) =>
      image === undefined ? text : keptLabel(text, uploads.attachmentOf(image, session)),
    );
  }
}

function isSame(one: DraftLocation, other: DraftLocation): boolean {
  return one.log === other.log && one.reader === other.reader;
}
