/** Versions in the handshake ([A] § Handshake; additive kinds since 0.2.0 and 0.3.0). */
export const PROTOCOL_VERSION = "0.3.0";
export const CANONICAL_FORM_VERSION = 1;
export const TOKEN_CLAIM_VERSION = 1;
export const PROFILE_VERSION = 1;
export const SESSION_LOG_VERSION = 1;
export const RESOURCE_URI_SCHEME = "harness/v1";
