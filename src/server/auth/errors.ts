import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `server/auth/`, with their texts for people. */
export const ERRORS = errorsOf({
  TokenExpired:
    "Capability token expired at <exp>. Mint a new one: cinch token --session <id> --identity-class <class>.",
  TokenRevoked: "Token <jti> was revoked at <ts>. Mint a new one via /v1/auth/token.",
  TokenMissing:
    "A capability token is needed here: in the header X-Harness-Token, under /mcp as Authorization: Bearer, for cinch mcp in the variable CINCH_TOKEN. Make one with: cinch token --session ID --identity-class CLASS",
  TokenInvalid:
    "Capability token rejected: <problem>. Make a new one with: cinch token --session ID --identity-class CLASS",
  TokenNotHere: "Capability token rejected here: <problem>.",
  MintRefused:
    "Token issuance requires an interactive confirmation channel. For headless/CI: pre-provision a token file. For service managers: launch with --auth-channel notify.",
  MintBusy:
    "Another token is being asked for, and its code is shown for <seconds> s more at most. Ask again then.",
  MintTooOften:
    "Tokens were asked for, or wrong codes given, too often. Ask again in <seconds> s, or use a token file.",
  MintCodeWrong: "The code is wrong; <left> tries are left. Read it again where it is shown: <channel>.",
  MintExpired: "No such request for a token is waiting: <problem>. Ask again: POST /v1/auth/token",
  MintTooWide: "A token can make only tokens that may do no more than itself: <problem>.",
  ClaimsInvalid: "A token with these claims cannot be made: <problem>.",
  TokenFileUnsafe: "The token file <path> is not used: it <problem>. Remedy: <remedy>.",
  TokenKeyUnusable:
    "The key <path>, which tokens are signed with, cannot be used: <problem>. Bring the old one back, or remove it: a new one is made at the next start, and every token made before ends.",
  RevocationsUnusable:
    "The list <path> of revoked tokens cannot be trusted: <problem>. Until that is corrected, every token is refused. If the list is lost, remove it and <key>: every token made before then ends.",
  OwnerRefused: "The engine does not take this process for its owner's: <problem>. <remedy>",
  OwnerTokenStale: "The owner token is not of an engine that runs now: <problem>. <remedy>",
  ParentRefused:
    "The program that started cinch is not attested: <program> (<problem>). Start it once where a person can be asked; what they say is kept in <path>.",
  ParentsUnusable:
    "The list <path> of attested programs cannot be trusted: <problem>. Correct it, or move it away and be asked again.",
  StateUnwritable: "The state folder <path> cannot be written: <problem>. <remedy>",
});
