import * as z from "zod";
import { ContentBlock } from "./content.ts";

/**
 * One message of the canonical form: what the engine keeps as history and every provider adapter translates.
 *
 * Its version is `CANONICAL_FORM_VERSION` in `version.ts`; adapters name the version they were written for and a
 * mismatch is refused at start ([A] § Canonical message form versioning).
 */
export const Message = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.array(ContentBlock),
});
export type Message = z.infer<typeof Message>;
