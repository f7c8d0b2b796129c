import * as z from "zod";
import { ContentBlock } from "./content.ts";

/**
 * One message of the canonical form: the engine keeps it as history and every provider adapter translates it.
 *
 * Its version is `CANONICAL_FORM_VERSION` in `version.ts`. Adapters state their version, and a mismatch is refused at
 * start ([A] § Canonical message form versioning).
 */
export const Message = z.object({
  /** Author: `user` also sends the results of calls. */
  role: z.enum(["user", "assistant"]),
  /** The blocks in order. */
  content: z.array(ContentBlock),
});
export type Message = z.infer<typeof Message>;
