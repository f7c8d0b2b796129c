import type { AttachmentId, ClientId, EventSeq, InputId } from "../base/ids.ts";
import type { CommandOf } from "../protocol/commands/commands.ts";
import type { AttachedFile, AttachmentInfo, InputBlock, UnsavedBlock } from "../protocol/content.ts";
import type { Event } from "../protocol/events/events.ts";
import type { NamedClient } from "../protocol/events/named-client.ts";
import type { Message } from "../protocol/message.ts";
import type { History } from "../providers/middleware.ts";

/** A turn, for code that runs before it starts and after it ended. */
export interface TurnContext {
  readonly turn: number;
  /** Client whose input started it. */
  readonly originator: ClientId;
  readonly signal: AbortSignal;
  readonly emit: (event: Event) => void;
  /** Returns the conversation as it is now. */
  messages?(): readonly Message[];
}

/** Context of work on a session while no turn can start. `turn` is the newest one. */
export interface IdleTurn extends TurnContext {
  readonly history: History;
}

/** Wishes of an input besides its words. */
export interface InputWants {
  /** The skill to use, by its name (SKL-03). */
  readonly skill?: string;
  /** The kind of sub-agent to give it to (ENG-10). */
  readonly agent?: string;
}

/** A SendInput with the contents of its attachments and unsaved texts. */
export type ResolvedInput = Resolved<CommandOf<"SendInput">>;

/** A command whose content has the contents of files where it referred to them. */
export type Resolved<Sent extends CommandOf<"SendInput" | "EditInput">> = Omit<Sent, "content"> & {
  readonly content: readonly InputBlock[];
};

/**
 * Judges the unsaved text of a file as a read of that file, and returns it as blocks of an input; none, after a notice,
 * if the model may not read the file unasked.
 */
export type TakeUnsaved = (file: UnsavedBlock, client: ClientId) => Promise<readonly InputBlock[]>;

/** An input that was accepted and has not started (ENG-26). */
export interface QueuedInput extends InputWants {
  readonly inputId: InputId;
  readonly content: readonly InputBlock[];
  readonly delivery: "queue" | "steer";
  readonly originator: ClientId;
  /** The name of its client, if an earlier run had accepted it. */
  readonly who?: NamedClient;
  /** An event before the one that accepted it, if an earlier run had. */
  readonly since?: EventSeq;
}

/** State that a following session, or a session for a task, starts with. */
export interface CarriedState {
  readonly planMode?: boolean;
}

/** Files that one session keeps for its inputs. */
export interface Attachments {
  /**
   * Stores a file, sealed with the key of the session's log.
   * @throws HarnessError if it is of a kind that no model takes, or the session keeps too much already.
   */
  store(file: AttachedFile): Promise<AttachmentInfo>;
  /** Returns the stored size of a file in bytes, unread. @throws HarnessError if there is none of this id. */
  storedBytes(id: AttachmentId): Promise<number>;
  /** Returns a file as blocks of an input. @throws HarnessError if there is none of this id. */
  blocks(id: AttachmentId): Promise<readonly InputBlock[]>;
}
