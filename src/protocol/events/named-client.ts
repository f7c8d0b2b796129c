import * as z from "zod";
import { CLIENT_LABEL_CHARACTERS_MAX } from "./acting-client.ts";

/**
 * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that it does
 * not know any more, an older log, or expired content. Since protocol 0.3.0.
 */
export const NamedClient = z.object({
  /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
  label: z.string().max(CLIENT_LABEL_CHARACTERS_MAX),
  /** Class of its token, which the engine has checked. */
  identityClass: z.enum(["human", "agent"]),
});
export type NamedClient = z.infer<typeof NamedClient>;
