import type { AskId, CallId, ClientId, EventSeq } from "../../base/ids.ts";
import type { TextHunk } from "../../base/text/diff/hunks.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { PayloadOf, TurnEndReason } from "../../protocol/events/events.ts";
import type { ChangePreview, ToolKind } from "../../protocol/events/shown-call.ts";
import type { RunningCommand } from "../session/calls/open-calls.ts";
import type { StreamedText } from "./streamed-text.ts";

/** Facts of every item. */
interface ItemFacts {
  /** Its first event, which identifies it in its session. */
  readonly event: EventSeq;
  /** Time of that event, as the log has it. */
  readonly ts: string;
}

/** Input of a person or a client. */
export interface PromptItem extends ItemFacts {
  readonly kind: "prompt";
  readonly turn: number;
  readonly originator: ClientId;
  /** Blocks as they came; of media only the kind, the type and the size. */
  readonly content: readonly PromptBlock[];
}

/** A block of an input, without the bytes of media. */
export type PromptBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: Exclude<InputBlock["type"], "text">;
      readonly mediaType: string;
      /** Characters of its base64 text. */
      readonly characters: number;
    };

/** Text of the model. Closed blocks never change; `streamed.open` is the source that is still growing. */
export interface TextItem extends ItemFacts {
  readonly kind: "text";
  readonly streamed: StreamedText;
}

/** Thinking of the model, as far as the provider shows it. */
export interface ThinkingItem extends ItemFacts {
  readonly kind: "thinking";
  readonly streamed: StreamedText;
  /** Time of the event that ended it; absent while it grows. */
  readonly endedAt?: string;
}

/** State of a call. `asked`: a person has to answer. `lost`: its end is not in the log. */
export type CallState = "asked" | "running" | "done" | "failed" | "denied" | "cancelled" | "lost";

/** Decision about a call, and the client that made it. */
export type CallDecision = Pick<
  PayloadOf<"PermissionAnswered">,
  "decision" | "scope" | "by" | "rule" | "words" | "hunks" | "hosts"
>;

/** Facts about a call that a cancel has stopped. */
export interface CancelledCall {
  /** False: it did not run. Absent: its result is not known yet. */
  readonly isBegun?: boolean;
  /** Files that it may have changed, in words; empty: none was seen. Absent: nobody has looked. */
  readonly affected?: string;
  /** The client that cancelled its turn; absent until that is known. */
  readonly by?: ClientId;
}

/** A block of a result that is no text. */
export interface CallMedia {
  readonly type: string;
  /** Size of its content; absent if it is not known. */
  readonly bytes?: number;
}

/** A tool call with all that belongs to it. */
export interface CallItem extends ItemFacts {
  readonly kind: "call";
  readonly callId: CallId;
  readonly tool: string;
  readonly toolKind?: ToolKind;
  /** Arguments; long ones are cut. */
  readonly args: unknown;
  /** True if they were cut: a change that is read from them may be another one. Absent: they are whole. */
  readonly areArgsCut?: true;
  /** Names of the arguments that hold the change of a file. */
  readonly preview?: ChangePreview;
  /** The change as a unified diff, if a question or a result had it. */
  readonly diff?: string;
  /** Hunks of that change which a person could accept one by one. Absent: none. */
  readonly hunksAsked?: number;
  /** These hunks while the question is open: the diff keeps the accepted ones. */
  readonly hunks?: readonly TextHunk[];
  /** Set for a command that a person runs; `toModel`: the model gets it. */
  readonly shell?: { readonly toModel: boolean };
  readonly state: CallState;
  readonly decision?: CallDecision;
  /** Set for a call that a cancel has stopped. */
  readonly cancelled?: CancelledCall;
  /** The newest report of a command that runs. */
  readonly progress?: RunningCommand;
  /** Output so far, and at the end the whole result: its end, if it is long. */
  readonly output: string;
  /** Characters of the output that were left out before its end. Absent: none. */
  readonly outputLeftOut?: number;
  /** Blocks of the result that are no text, without their bytes. */
  readonly media: readonly CallMedia[];
  readonly endedAt?: string;
  /** Items of the sub-agent that it runs. */
  readonly items: readonly TranscriptItem[];
  /** Older items of that sub-agent that were left out. Absent: none. */
  readonly itemsLeftOut?: number;
}

/** Tone of a note: how much it asks for attention. */
export type NoteTone = "info" | "warning" | "failure";

/** A line about anything else: a notice, an answer, a change of the session. */
export interface NoteItem extends ItemFacts {
  readonly kind: "note";
  readonly tone: NoteTone;
  /** Nothing in it can drive a terminal. May have several lines. */
  readonly text: string;
  /** The client that did it; absent for the engine. */
  readonly by?: ClientId;
  /** Set if no event has it: this client made it, for the command in `title` if there is one. */
  readonly local?: { readonly title?: string };
  /** The question that it asks or answers. */
  readonly askId?: AskId;
  /** Answers that it offers. Absent: it takes a text. */
  readonly choices?: PayloadOf<"Asked">["choices"];
  /** True while its question waits for an answer, as far as it was read. */
  readonly isOpen?: true;
  /** True: it says that its turn was cancelled. */
  readonly isCancel?: true;
  /** True: it says that `by` has changed the level or plan mode. */
  readonly isMode?: true;
}

/** The end of a turn. */
export interface EndItem extends ItemFacts {
  readonly kind: "end";
  readonly turn: number;
  readonly reason: TurnEndReason;
  /** US dollars; null if a price is unknown, absent if the turn called no provider. */
  readonly usd?: number | null;
  /** Files that it changed. */
  readonly files: readonly string[];
  /** True: a note or a call before it says that the turn was cancelled. */
  readonly isSaid?: true;
  /** Time of the start of the turn; absent if it was not read. */
  readonly startedAt?: string;
}

export type TranscriptItem = PromptItem | TextItem | ThinkingItem | CallItem | NoteItem | EndItem;
