import * as z from "zod";

/**
 * Statement of each side before any command ([A] § Handshake). `command_kinds`, `event_kinds` and `features` list
 * only what is served.
 */
export const Handshake = z.object({
  protocol_version: z.string(),
  canonical_form_version: z.int(),
  schema_version_token_claim: z.int(),
  schema_version_profile: z.int(),
  schema_version_session_log: z.int(),
  command_kinds: z.array(z.string()),
  event_kinds: z.array(z.string()),
  /** The queries that the engine answers. Since protocol 0.3.0. */
  query_kinds: z.array(z.string()).optional(),
  features: z.array(z.string()),
  resource_uri_scheme: z.string(),
});
export type Handshake = z.infer<typeof Handshake>;
