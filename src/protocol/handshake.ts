import * as z from "zod";

/**
 * Statement of each side before any command ([A] § Handshake). `command_kinds`, `event_kinds` and `features` list
 * only what is served.
 */
export const Handshake = z.object({
  /** Version of the protocol that the engine speaks. */
  protocol_version: z.string(),
  /** Version of the form in which messages are kept. */
  canonical_form_version: z.int(),
  /** Version of the claims in tokens. */
  schema_version_token_claim: z.int(),
  /** Version of the format of profiles. */
  schema_version_profile: z.int(),
  /** Version of the format of session logs. */
  schema_version_session_log: z.int(),
  /** The commands that the engine accepts. */
  command_kinds: z.array(z.string()),
  /** The events that the engine writes. */
  event_kinds: z.array(z.string()),
  /** The queries that the engine answers. Since protocol 0.3.0. */
  query_kinds: z.array(z.string()).optional(),
  /** Features that the engine serves, by name. */
  features: z.array(z.string()),
  /** Scheme of the addresses of MCP resources. */
  resource_uri_scheme: z.string(),
});
export type Handshake = z.infer<typeof Handshake>;
