import * as z from "zod";
import { HarnessError } from "../../base/errors.ts";
import { isId } from "../../base/ids.ts";
import { SessionIdSchema, TokenIdSchema } from "../../protocol/ids.ts";
import { COMMAND_KINDS } from "../../protocol/kinds.ts";
import type { Authority, TokenGrant } from "../../session/access/authority.ts";
import { EVERYTHING, isScopeWithin } from "../../session/access/scope.ts";
import { readClaimsRequest } from "../auth/tokens/claims-request.ts";
import { emptyAnswer, jsonAnswer } from "../http/answers.ts";
import type { HttpRoute, RouteRequest } from "../http/route.ts";
import { bodyOf, grantOfCall, objectOf, singleParameter } from "./parameters.ts";

const NewToken = z.object({
  claims: z.object({
    identity_class: z.enum(["human", "agent"]),
    /** Absent: all sessions, later ones too, for a holder that has them or if a person grants it with the code. */
    sessions: z.array(SessionIdSchema).optional(),
    commands: z.array(z.enum(COMMAND_KINDS)).optional(),
    wire: z.enum(["unix", "loopback", "lan", "stdio"]).optional(),
    /** Seconds; absent: 24 hours. */
    expires_in: z.number().optional(),
    can_mint: z.boolean().optional(),
  }),
});

const Code = z.object({ code: z.string() });
const MintBegun = z.object({ mintId: z.string(), channel: z.string() });
const Token = z.object({ token: z.string() });

/**
 * Routes that mint and revoke tokens (AUTH-03, AUTH-05). A client without a token can ask for one on the Unix socket
 * only: a person then reads a code where only they see it. A client with a token that may mint gets what it allows
 * at once.
 */
export function authRoutes(authority: Authority): readonly HttpRoute[] {
  return [
    requestRoute(authority),
    requestInAddressRoute(authority),
    confirmRoute(authority),
    revokeRoute(authority),
  ];
}

function requestRoute(authority: Authority): HttpRoute {
  return {
    method: "POST",
    path: "/v1/auth/token",
    access: "local",
    doc: {
      summary:
        "Asks for a token. A code of six digits is shown to a person, in the place that the answer names; it is sent back " +
        "within 60 s. A token that may mint gets one that allows no more than itself at once.",
      body: NewToken,
      answers: {
        201: { about: "The token, for a holder that may mint", schema: Token },
        202: { about: "A code is shown", schema: MintBegun },
      },
      refusals: ["InvalidBody", "ClaimsInvalid", "MintRefused", "MintBusy", "MintTooOften", "MintTooWide"],
    },
    handle: async (call) => await begin(authority, call, (await objectOf(call))["claims"]),
  };
}

/** Returns the request for clients that can send no body. */
function requestInAddressRoute(authority: Authority): HttpRoute {
  return {
    method: "GET",
    path: "/v1/auth/token",
    access: "local",
    doc: {
      summary: "As POST, for who can send no body; lists are written with commas.",
      query: {
        identity_class: { about: "human or agent", schema: z.enum(["human", "agent"]) },
        sessions: { about: "The sessions that it is for; absent: all", schema: z.string() },
        commands: { about: "The kinds of command that it may send; absent: all", schema: z.string() },
      },
      answers: {
        201: { about: "The token, for a holder that may mint", schema: Token },
        202: { about: "A code is shown", schema: MintBegun },
      },
      refusals: ["ClaimsInvalid", "MintRefused", "MintBusy", "MintTooOften", "MintTooWide"],
    },
    handle: async (call) =>
      await begin(authority, call, {
        identity_class: singleParameter(call.query, "identity_class"),
        sessions: singleParameter(call.query, "sessions")?.split(","),
        commands: singleParameter(call.query, "commands")?.split(","),
      }),
  };
}

/** Mints at once for a holder that may, else shows the code to a person. */
async function begin(authority: Authority, call: RouteRequest, asked: unknown): Promise<Response> {
  const claims = readClaimsRequest(asked);
  const { grant } = call;
  if (grant?.canMint === true) return jsonAnswer(201, { token: authority.mint(claims, grant) });
  return jsonAnswer(202, await authority.begin(claims, call.peer));
}

function confirmRoute(authority: Authority): HttpRoute {
  return {
    method: "POST",
    path: "/v1/auth/token/{mintId}",
    access: "local",
    doc: {
      summary: "Sends the code back.",
      body: Code,
      answers: { 201: { about: "The token", schema: Token } },
      refusals: ["InvalidBody", "MintCodeWrong", "MintExpired", "MintTooOften"],
    },
    async handle(call) {
      const { code } = await bodyOf(call, Code);
      const { mintId = "" } = call.params;
      return jsonAnswer(201, { token: await authority.confirm(mintId, code, call.peer) });
    },
  };
}

function revokeRoute(authority: Authority): HttpRoute {
  return {
    method: "DELETE",
    path: "/v1/auth/tokens/{jti}",
    access: "token",
    doc: {
      summary:
        "Revokes a token for good and cuts its streams. Its own any token can; others only one that is a person's, allows everything and may mint.",
      params: { jti: TokenIdSchema },
      answers: { 204: { about: "It is refused from now on" } },
      refusals: ["InvalidPath", "Forbidden"],
    },
    async handle(call) {
      const { jti = "" } = call.params;
      if (!isId("tok", jti)) throw new HarnessError("InvalidPath", { why: "that is not a token id" });
      if (!mayRevoke(grantOfCall(call), jti))
        throw new HarnessError("Forbidden", { what: "to revoke others" });
      await authority.revoke(jti, grantOfCall(call));
      return emptyAnswer(204);
    },
  };
}

function mayRevoke(grant: TokenGrant, jti: string): boolean {
  if (grant.jti === jti) return true;
  return grant.identityClass === "human" && grant.canMint && isScopeWithin(EVERYTHING, grant.scope);
}
