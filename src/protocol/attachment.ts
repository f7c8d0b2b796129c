import * as z from "zod";
import { AttachmentIdSchema } from "./ids.ts";

/** A file that a session keeps for its inputs. Since protocol 0.3.0. */
export const AttachmentInfo = z.object({
  attachment: AttachmentIdSchema,
  /** The name alone, without folders. */
  name: z.string(),
  /** From the bytes of the file, whatever the upload said. */
  media_type: z.string(),
  bytes: z.int().min(0),
});
export type AttachmentInfo = z.infer<typeof AttachmentInfo>;

/** A file to attach. */
export interface AttachedFile {
  readonly name: string;
  /** The media type that its sender gives. */
  readonly mediaType?: string;
  readonly bytes: Uint8Array;
}
