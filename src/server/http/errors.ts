import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `server/http/`, with their texts for people. */
export const ERRORS = errorsOf({
  InvalidQuery: "Query <kind> rejected: <why>",
  UnknownSession:
    "There is no session <id> in this engine. To continue a stored one, send AttachSession, or start cinch with --resume <id>.",
  UnknownCommandNamespace:
    "Neither cinch nor a plugin of this session has the namespace '<namespace>'. List the commands with: GET /v1/slash-commands",
  InvalidHost:
    "This address is not served under the Host '<host>'. Use <served>, as it is printed when cinch begins to listen.",
  InvalidOrigin:
    "Requests from <origin> are not accepted. If the page is yours, start the engine with --allow-origin and its origin, or name it in allow_origins of [server] in config.toml.",
  InvalidPath: "The address or path cannot be used: <why>",
  InvalidHeader: "The header <header> cannot be used: <why>",
  InvalidBody: "The body cannot be read: <why>",
  InvalidSessionID: "'<id>' is not a session id: sess_ and 26 characters of Crockford base32.",
  UnknownRoute: "There is nothing at <path>. List the addresses with: GET /v1/openapi.json",
  MethodNotAllowed: "<path> takes <allowed>, not <method>.",
  UnsupportedMediaType: "A body has to be JSON, with the header content-type: application/json.",
  BodyTooLarge: "The body is larger than <limit> bytes. Send less.",
  BodyTooSlow: "The body did not arrive within <seconds> s.",
  TooManyFrames:
    "<count> frames of this socket wait for their answers to be read, and no more are accepted. Read them, then send on.",
  UnknownClient: "This token has no client '<id>'. Leave X-Harness-Client out, or make one: POST /v1/clients",
  TooManyClients:
    "This token has <count> clients already, and no more are accepted. Continue as one of them.",
  UnknownResource: "There is no <what> '<name>'.",
  TooManyFollowed: "A client follows at most <limit> resources at a time. Unsubscribe from one first.",
  Forbidden: "This token does not allow <what>. Use one whose claims name it.",
});
