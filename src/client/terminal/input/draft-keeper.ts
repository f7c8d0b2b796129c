import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { DRAFT_CHARACTERS_MAX } from "../../../protocol/commands/run-limits.ts";
import { keptLabel, readKeptDraft } from "../images/draft-image.ts";
import type { ImageUploads } from "../images/image-uploads.ts";
import type { Services } from "../layout/services.ts";
import type { ChippedText } from "./editor/chips.ts";
import { expandedBy, imagesOf } from "./editor/chips.ts";
import type { OutgoingMessage } from "./message.ts";

/** The reader whose draft it is, for the engine. */
export const DRAFT_READER = "cinch-terminal";
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
  readonly reader: string;
}

type KeeperServices = Pick<Services, "session" | "clock" | "say" | "tell">;

/**
 * Keeps the draft in the session that is shown, so that it survives the end of this client (TUI-10). While no session
 * is open, the last one of the folder keeps it.
 */
export class DraftKeeper {
  readonly #services: KeeperServices;
  readonly #options: DraftKeeperOptions;
  /** The draft that the engine has, and its place. */
  #kept: { readonly place: DraftLocation; readonly text: string } | undefined;
  /** The place whose draft was restored last. */
  #restored: DraftLocation | undefined;
  #timer: Disposable | undefined;
  #keeping: Promise<void> | undefined;
  #isCutSaid = false;
  /** True from a change of the draft on, until the engine has it. */
  #isChanged = false;

  constructor(services: KeeperServices, options: DraftKeeperOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** Keeps the draft once it has not changed for `DRAFT_PAUSE_MS`. */
  changed(): void {
    this.#isChanged = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#services.clock.timer(DRAFT_PAUSE_MS, () => this.#start());
  }

  /** True if the engine has the draft as it is. */
  get isKept(): boolean {
    return !this.#isChanged;
  }

  /** Keeps the draft as it is now, if it is not kept yet. */
  async settle(): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    await this.#keeping;
    await this.#keep();
  }

  /**
   * Returns true if the draft stays with the session that was shown before: a stored one is shown now, which has its
   * own. A new session takes the draft along.
   */
  get staysBehind(): boolean {
    const { open } = this.#services.session;
    const before = this.#kept?.place;
    if (open === undefined || before === undefined || before.reader === NEW_DRAFT_READER) return false;
    return before.session !== open.session && open.history;
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
    const place = this.#place();
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
    return readKeptDraft(answer.text);
  }

  #place(): DraftLocation | undefined {
    const { open, last } = this.#services.session;
    if (open !== undefined) return { session: open.session, reader: DRAFT_READER };
    return last === undefined ? undefined : { session: last.session, reader: NEW_DRAFT_READER };
  }

  /** Empties the place before, once another one has the draft. */
  async #leave(place: DraftLocation): Promise<void> {
    const before = this.#kept;
    if (before === undefined || isSame(before.place, place)) return;
    this.#kept = undefined;
    if (before.text === "") return;
    const { session: sessionId, reader } = before.place;
    const answer = await this.#services.session.send({ kind: "SetDraft", sessionId, text: "", reader });
    if (answer instanceof HarnessError) this.#kept = before; // tried again with the next change
  }

  #start(): void {
    // The newest draft is kept behind the one that is on its way.
    if (this.#keeping !== undefined) return;
    this.#keeping = this.#keep()
      .catch((thrown: unknown) => this.#services.tell(thrown))
      .finally(() => {
        this.#keeping = undefined;
      });
  }

  async #keep(): Promise<void> {
    const { session, say } = this.#services;
    const place = this.#place();
    if (place === undefined) return;
    await this.#leave(place);
    const draft = this.#options.read();
    const whole = await this.#textOf(draft, place);
    const text = whole.slice(0, DRAFT_CHARACTERS_MAX);
    const before = this.#kept;
    if ((before !== undefined && isSame(before.place, place) ? before.text : "") === text) {
      this.#noteKept(draft);
      return;
    }
    const { session: sessionId, reader } = place;
    const answer = await session.send({ kind: "SetDraft", sessionId, text, reader });
    if (answer instanceof HarnessError) return; // tried again with the next change
    const shown = this.#place();
    if (shown === undefined || !isSame(shown, place)) return;
    this.#kept = { place, text };
    if (whole.length > text.length && !this.#isCutSaid) {
      this.#isCutSaid = true;
      say(`The draft is long: after a crash only its first ${text.length} characters come back.`, "warning");
    }
    if (!this.#noteKept(draft)) this.changed();
  }

  /** Returns false if the draft has changed since. */
  #noteKept({ text }: ChippedText): boolean {
    const isSameDraft = this.#options.read().text === text;
    if (isSameDraft) this.#isChanged = false;
    return isSameDraft;
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
  return one.session === other.session && one.reader === other.reader;
}
