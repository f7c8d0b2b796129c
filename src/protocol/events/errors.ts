import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `protocol/`, with their texts for people. */
export const ERRORS = errorsOf({
  HandshakeRequired: "Send /v1/handshake before any command. See § Protocol versioning.",
  HookTimeout: "Hook '<event>' command '<cmd>' exceeded its <timeout>s deadline. Killed.",
  HandshakeVersionMismatch:
    "Client speaks protocol <client_ver>; server speaks <server_ver>. Upgrade <client_or_server>.",
  InvalidEvent:
    "The engine sent an event that cannot be read: <why>. Client and engine may differ in version: use the same release of both.",
  InternalError: "Something in cinch itself failed: <what>. The session continues. Details are in the log.",
  ConnectionLost:
    "The connection to the engine broke before it had answered <kind>. The events of the session show if it was carried out. Send it again if it was not.",
});
