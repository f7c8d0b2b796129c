import type { HarnessError } from "../../../base/errors.ts";
import type { EventSeq, SessionId } from "../../../base/ids.ts";
import type { Clock } from "../../../base/world.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../../protocol/commands/results.ts";
import type { NewsOptions } from "../../../protocol/connection.ts";
import type { AttachedFile, AttachmentInfo } from "../../../protocol/content.ts";
import type { NewsItem } from "../../../protocol/events/news.ts";
import type { QueryKind } from "../../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../../protocol/queries/queries.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import type { SessionView } from "../../../view/session/session-view.ts";
import type { NoteTone } from "../../../view/transcript/items.ts";
import type { LocalNote } from "../../../view/transcript/local-notes.ts";
import type { PagePosition, TranscriptPage, TranscriptRange } from "../../../view/transcript/pages.ts";
import type { Transcript } from "../../../view/transcript/transcript.ts";
import type { KnownCommands } from "../../slash/known-commands.ts";
import type { Host } from "../host/host.ts";
import type { DraftImage } from "../images/draft-image.ts";
import type { Messages, OutgoingMessage } from "../input/message.ts";
import type { ActionName } from "../keys/actions.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { LentTerminal } from "../lifecycle/lent-terminal.ts";
import type { BegunSession, OpenSession, WhichSession } from "../options.ts";
import type { TerminalScreen } from "../screen/screen.ts";
import type { SessionInfoAnswer } from "../session/session-info.ts";
import type { ClientSettings } from "../settings/client-settings.ts";
import type { ThemeChoice } from "../themes/theme-choice.ts";
import type { DraftAssistant, Overlay } from "./part.ts";

/** The session that is shown, for the parts of the screen. */
export interface SessionAccess {
  /** Absent until a session is open. */
  readonly open: OpenSession | undefined;
  readonly view: SessionView;
  readonly transcript: Transcript;
  /** The client that this is; absent until the engine is reached. */
  readonly self: string | undefined;
  /** All ids that this client has had: a restarted engine gives it another one. */
  readonly selves: ReadonlySet<string>;
  /** The last session of the folder, which the person could continue; absent before the engine is reached. */
  readonly last: SessionInfo | undefined;
  /** True if the command line names a model, or a profile, which may name one; false before the engine is reached. */
  readonly isModelNamed: boolean;
  /** Facts of a new session that the command line names; absent before the engine is reached. */
  readonly begins: BegunSession | undefined;
  /** True until somebody has sent something: no session is open, or a new one without a prompt or a call. */
  readonly isUntouched: boolean;
  /** True if the engine could not be reached: nothing can be sent. */
  readonly hasFailed: boolean;
  /** True if the engine was reached at a network address, which takes no key of a provider. */
  readonly isOverNetwork: boolean;
  /** Returns the commands of a session, as its engine lists them. Those of the session that is shown are kept. */
  commandsOf(open: OpenSession): Pick<KnownCommands, "list" | "find">;
  /**
   * Returns the facts of a session that only its engine has, or the refusal. All that ask about the session that is
   * shown share one query, until its next event.
   * @param how `isFresh`: the engine is asked in any case. Default: false.
   */
  infoOf(open: OpenSession, how?: { readonly isFresh?: boolean }): Promise<SessionInfoAnswer>;
  /** Returns true for an event of the session that is shown from before this client attached to it. */
  isPast(event: EventSeq): boolean;
  /** Adds a note of this client to the transcript. */
  note(note: LocalNote): void;
  /** Leaves everything out of the transcript that was read so far; the session keeps it. */
  clear(): void;
  /** Returns the session that is shown; begins one if there is none. @throws HarnessError the engine's refusal. */
  session(): Promise<OpenSession>;
  /** Shows another session. A refusal is shown, and the one before stays. */
  goTo(which: WhichSession): Promise<void>;
  /** Says which event stands at the top of the window: what is far from it may be left out of the transcript. */
  setViewport(event: EventSeq | undefined): void;
  /**
   * Reads a part back that was left out of the transcript: the page at a place of it. A failure is shown.
   * @param first the first event of the part.
   */
  readBack(first: EventSeq, place: PagePosition): Promise<void>;
  /**
   * Reads the page at a place of a part of the log, and leaves the transcript as it is. Returns undefined if no session
   * is open, or another one is shown meanwhile.
   * @throws HarnessError if the engine refuses; the error that broke the subscription.
   */
  pageOf(part: TranscriptRange, place: PagePosition): Promise<TranscriptPage | undefined>;
  /** Sends a command; returns the answer, or the refusal. Waits for the engine. */
  send<Sent extends Command>(command: Sent): Promise<AcceptedOf<Sent["kind"]> | HarnessError>;
  /** Sends a query; returns the answer, or the refusal. Waits for the engine. */
  query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind> | HarnessError>;
  /**
   * Stores a file for inputs of a session; returns its facts, or the refusal. Undefined: this connection carries no
   * files.
   */
  attach(session: SessionId, file: AttachedFile): Promise<AttachmentInfo | HarnessError | undefined>;
  /** Yields changes of all sessions; undefined before the engine is reached, and if it serves none. */
  news(options: NewsOptions): AsyncIterable<NewsItem> | undefined;
}

/** The draft of the person, for the parts of the screen. */
export interface Draft {
  /** The text as it would be sent. */
  readonly text: string;
  /** The text as it is edited, in which a chip is one character, and the cursor in it, in units of UTF-16. */
  readonly edited: { readonly text: string; readonly cursor: number };
  /** Replaces a part of `edited.text`, and puts the cursor behind the new part. */
  replacePart(from: number, to: number, text: string): void;
  /** Lets an assistant see changes and keys. */
  assist(assistant: DraftAssistant): void;
  /** Inserts a text at the cursor. */
  insert(text: string): void;
  /** Puts a text into an empty draft, else before what is in it. */
  bringBack(text: string): void;
  /** Replaces the draft. Undo brings the old one back. */
  replace(text: string): void;
  /** Inserts an image at the cursor. */
  insertImage(image: DraftImage): void;
  /** Puts messages that were not sent, or were taken back, before what is in the draft. */
  restore(messages: readonly OutgoingMessage[]): void;
  /** Keeps a message for the history. */
  remember(message: OutgoingMessage): void;
  /** Messages that are on their way to the engine for a while. */
  readonly sending: readonly OutgoingMessage[];
}

/** Services of the client for the parts of its screen. */
export interface Services {
  readonly session: SessionAccess;
  readonly draft: Draft;
  readonly messages: Messages;
  readonly host: Host;
  /** The folder that the client was started in. */
  readonly workingDir: string;
  readonly settings: ClientSettings;
  readonly screen: Pick<TerminalScreen, "control" | "size" | "setTitle"> & Pick<LentTerminal, "lend">;
  readonly themes: Pick<ThemeChoice, "chosen" | "limitation" | "preview">;
  readonly clock: Pick<Clock, "monotonic" | "now" | "timer">;
  /** The keys as they are now: they change when the file of settings is read. */
  readonly keys: KeyTable;
  /** Asks for a new frame. */
  redraw(): void;
  /** Shows a sentence in place of the status line: until the next key, and for two seconds at least. */
  say(text: string, tone?: NoteTone): void;
  /** Opens a part above the others. */
  open(overlay: Overlay): void;
  close(overlay: Overlay): void;
  /** Carries out an action as its key would. */
  run(action: ActionName): void;
  /** Returns the action that a typed command stands for without words behind it; undefined if no feature has one. */
  panelOf(command: string): ActionName | undefined;
  /** Shows an event of the session that is shown. */
  showEvent(event: EventSeq): void;
  /** Shows the reason of a failure, as `say` does. */
  showFailure(failure: unknown): void;
  /** Ends the client. */
  leave(): void;
}
