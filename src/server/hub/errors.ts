import { errorsOf } from "../../base/reasons.ts";

/** Refusals of `server/hub/`, with their texts for people. */
export const ERRORS = errorsOf({
  UploadsBusy:
    "Uploads of this engine hold <held> bytes now, and with the next <bytes> they would be more than <limit>. Upload the file again when another one has ended.",
});
