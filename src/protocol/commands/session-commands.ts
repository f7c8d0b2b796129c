import * as z from "zod";
import { SessionIdSchema } from "../ids.ts";
import { DRAFT_CHARACTERS_MAX, READER_CHARACTERS_MAX, READER_NAME } from "./run-limits.ts";

/** Characters of a title that a person gives. */
export const TITLE_GIVEN_CHARACTERS_MAX = 200;

/** The session. */
const sessionId = SessionIdSchema;

/**
 * Name under which a client keeps its marks and drafts: the same for all that should share them. Letters, digits and
 * `. _ : @ -`. Since protocol 0.3.0.
 */
export const ReaderSchema = z.string().max(READER_CHARACTERS_MAX).regex(READER_NAME);

/** Commands about what people keep beside a session, whether it runs or not. */

/** Gives a session a title. Since protocol 0.3.0. */
export const RenameSession = z.object({
  kind: z.literal("RenameSession"),
  sessionId,
  /** Empty: the title that is made from the first prompt again. */
  title: z.string().max(TITLE_GIVEN_CHARACTERS_MAX),
});

/** Leaves a session out of lists, or shows it there again. Since protocol 0.3.0. */
export const ArchiveSession = z.object({
  kind: z.literal("ArchiveSession"),
  sessionId,
  /** True: leaves it out of lists. False: shows it there again. */
  archived: z.boolean(),
});

/** Deletes a session that does not run, with everything that is kept of it. Since protocol 0.3.0. */
export const DeleteSession = z.object({ kind: z.literal("DeleteSession"), sessionId });

/** Marks what a reader has read: turns that end later are unread. Since protocol 0.3.0. */
export const MarkRead = z.object({
  kind: z.literal("MarkRead"),
  sessionId,
  /** The last event that was read; 0: none. */
  event: z.int().min(0),
  reader: ReaderSchema,
});

/** Keeps the unsent text of a reader. Since protocol 0.3.0. */
export const SetDraft = z.object({
  kind: z.literal("SetDraft"),
  sessionId,
  /** Empty: the draft is removed. */
  text: z.string().max(DRAFT_CHARACTERS_MAX),
  reader: ReaderSchema,
});
