import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Refusals of `features/attachments/`, with their texts for people. */
export const ERRORS = errorsOf({
  AttachmentRefused: "The file '<name>' cannot be attached: <why>.",
  AttachmentsFull:
    "The session keeps <kept> bytes of attachments, and with this file they would be more than <limit>. Begin another session, or put the file into the working directory.",
  AttachmentMissing:
    "There is no attachment <id> in this session: it has expired, belongs to another session, or was sealed with an earlier key. Upload the file again.",
});

/** Their HTTP statuses. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  AttachmentRefused: { status: 415 },
  AttachmentsFull: { status: 409 },
  AttachmentMissing: { status: 404 },
};
