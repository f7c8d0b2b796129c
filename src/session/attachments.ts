import type { AttachmentId } from "../base/ids.ts";
import type { AttachedFile, AttachmentInfo } from "../protocol/attachment.ts";
import type { InputBlock } from "../protocol/content.ts";

/** Files that one session keeps for its inputs. */
export interface Attachments {
  /**
   * Stores a file, sealed with the key of the session's log.
   * @throws HarnessError if it is of a kind that no model takes, or the session keeps too much already.
   */
  store(file: AttachedFile): Promise<AttachmentInfo>;
  /** Returns a file as blocks of an input. @throws HarnessError if there is none of this id. */
  blocks(id: AttachmentId): Promise<readonly InputBlock[]>;
}
