import { arrayAt, parseJson, stringAt } from "../../base/json.ts";
import { assertAccepted, assertHolds, assertRefused, assertSame } from "../check.ts";
import type { Scenario } from "../scenario.ts";
import { HTTP } from "../scenario.ts";
import type { ScenarioStage } from "../stage.ts";
import { idOf, inputCommand, promptTurn } from "../stage.ts";
import { claimOf, forgeToken } from "../tokens.ts";
import { answerOf } from "../transports/rest-transport.ts";
import type { CommandAnswer, EventStream } from "../transports/transport.ts";
import { Refused } from "../transports/transport.ts";

export const TOKEN_SCENARIOS: readonly Scenario[] = [
  {
    id: "token-required",
    section: "[A] § Authentication",
    promise: "Every address but handshake and health refuses a request without a token: 401, TokenMissing.",
    wires: ["rest"],
    async play(stage) {
      const client = await stage.attach();
      const session = await stage.session(client);
      for (const [method, path] of CLOSED) {
        const json = method === "POST" ? { json: {} } : {};
        const answer = await answerOf(
          await stage.askBare(path.replace("{id}", session), { method, ...json }),
        );
        assertRefused(`${method} ${path} without a token`, answer, ["TokenMissing", "TokenExpired"], 401);
      }
    },
  },
  {
    id: "token-invalid",
    section: "[A] § Authentication",
    promise: "An invalid token is refused with another reason than a missing, expired or revoked one.",
    wires: ["rest"],
    async play(stage) {
      for (const token of ["garbage", "a.b", ".", "e30.e30"]) {
        const answer = await answerOf(await stage.ask("/v1/sessions", { token }));
        assertRefused(`the token ${token}`, answer, ["TokenInvalid"], 401);
      }
    },
  },
  {
    id: "token-forged",
    section: "[A] § Authentication",
    promise: "A token with changed claims is refused: its claims count only with their signature.",
    wires: HTTP,
    async play(stage) {
      const token = await stage.mint({ identity_class: "agent", sessions: [] });
      for (const change of [{ identity_class: "human" }, { sessions: undefined }, { exp: 99_999_999_999 }]) {
        const answer = await attempt(stage, forgeToken(token, change));
        assertRefused(`a token with ${JSON.stringify(change)}`, answer, ["TokenInvalid"], 401);
      }
    },
  },
  {
    id: "token-expired",
    section: "[A] § Authentication",
    promise: "A token is valid until it expires, and refused with TokenExpired from then on.",
    wires: HTTP,
    isSlow: true,
    async play(stage) {
      const token = await stage.mint({ identity_class: "human", expires_in: LIFETIME_S });
      assertAccepted("the token in time", await attempt(stage, token));
      await stage.clock.pass((LIFETIME_S + 1) * 1_000, stage.signal);
      assertRefused("the token afterwards", await attempt(stage, token), ["TokenExpired"], 401);
    },
  },
  {
    id: "token-revoked",
    section: "[A] § Revocation",
    promise: "A revoked token is refused with TokenRevoked at once.",
    wires: HTTP,
    async play(stage) {
      const token = await stage.mint({ identity_class: "human" });
      assertAccepted("the token before", await attempt(stage, token));
      await revoke(stage, token);
      assertRefused("the token afterwards", await attempt(stage, token), ["TokenRevoked"], 401);
    },
  },
  {
    id: "revoked-stream",
    section: "[A] § Revocation",
    promise: "A stream ends when its token is revoked.",
    wires: HTTP,
    async play(stage) {
      const token = await stage.mint({ identity_class: "human" });
      const session = await stage.session(await stage.attach());
      const client = await stage.attach({ token });
      const watcher = await stage.attach();
      await using stream = await client.follow(session);
      await using open = await watcher.follow(session);
      await revoke(stage, token);
      // Only other clients may receive the events from here on.
      assertAccepted(
        "a prompt of another client",
        await watcher.send(inputCommand(session, "cue:say secret plans")),
      );
      await open.kind("TurnEnded");
      assertSame("whether the stream of the revoked token has events of it", await hasAny(stream), false);
      await stream.over("the end of the stream");
    },
  },
  {
    id: "token-session",
    section: "[A] § Token claim set",
    promise:
      "A token for one session gives access to the commands, events and list entry of that session, and of no other.",
    wires: HTTP,
    async play(stage) {
      const main = await stage.attach();
      const [ownSession, other] = [await stage.session(main), await stage.session(main)];
      const token = await stage.mint({ identity_class: "human", sessions: [ownSession] });
      const client = await stage.attach({ token });
      assertSame(
        "the answer in its own",
        (await promptTurn(client, ownSession, "cue:say mine")).text,
        "mine",
      );
      assertRefused(
        "a prompt to another",
        await client.send(inputCommand(other, "cue:say not mine")),
        ["Forbidden"],
        403,
      );
      assertRefused(
        "the events of another",
        await followed(() => client.follow(other, 0)),
        ["Forbidden"],
        403,
      );
      const list = parseJson(await (await stage.ask("/v1/sessions", { token })).text())?.value;
      const listed = arrayAt(list, "sessions").map((each) => stringAt(each, "session"));
      assertSame("the sessions that it lists", listed, [ownSession]);
    },
  },
  {
    id: "token-command",
    section: "[A] § Token claim set",
    promise: "A token for some kinds of command cannot send others: Forbidden.",
    wires: HTTP,
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const token = await stage.mint({ identity_class: "human", commands: ["CancelTurn"] });
      const client = await stage.attach({ token });
      assertAccepted("CancelTurn", await client.send({ kind: "CancelTurn", sessionId: session }));
      assertRefused("a prompt", await client.send(inputCommand(session, "cue:say no")), ["Forbidden"], 403);
      assertRefused(
        "CreateSession",
        await client.send({ kind: "CreateSession", profile: "conformance" }),
        ["Forbidden"],
        403,
      );
    },
  },
  {
    id: "token-empty-list",
    section: "[A] § Token claim set",
    promise: "A token with an empty list of sessions gives access to none.",
    wires: HTTP,
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const client = await stage.attach({
        token: await stage.mint({ identity_class: "human", sessions: [] }),
      });
      assertRefused("a prompt", await client.send(inputCommand(session, "cue:say no")), ["Forbidden"], 403);
    },
  },
  {
    id: "mint-narrow",
    section: "[A] § Token claim set",
    promise: "A token that may mint makes none that may do more than itself.",
    wires: ["rest"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      const token = await stage.mint({ identity_class: "agent", sessions: [session], can_mint: true });
      for (const claims of [{ identity_class: "human", sessions: [session] }, { identity_class: "agent" }]) {
        const answer = await answerOf(await stage.ask("/v1/auth/token", { token, json: { claims } }));
        assertRefused(`a token with ${JSON.stringify(claims)}`, answer, ["MintTooWide"], 403);
      }
      const claims = { identity_class: "agent", sessions: [session] };
      const made = await stage.ask("/v1/auth/token", { token, json: { claims } });
      assertSame("the status of one that may do no more", made.status, 201);
    },
  },
  {
    id: "token-in-address",
    section: "[A] § Listening and binding",
    promise: "A token in an address is refused, even beside a good one in its header.",
    wires: ["rest"],
    async play(stage) {
      for (const name of ["token", "access_token"]) {
        const path = `/v1/sessions?${name}=${stage.mainToken}`;
        const bare = await stage.askBare(path);
        assertHolds(`GET /v1/sessions?${name}=…`, bare.status === 400 || bare.status === 401, {
          expected: "400 or 401",
          got: bare.status,
        });
        assertSame(
          `the status beside a good token in the header, with ${name}`,
          (await stage.ask(path)).status,
          400,
        );
      }
    },
  },
];

const LIFETIME_S = 2;

/** Addresses that require a token before they check anything else. */
const CLOSED: readonly (readonly [string, string])[] = [
  ["GET", "/v1/sessions"],
  ["POST", "/v1/sessions"],
  ["GET", "/v1/sessions/{id}"],
  ["DELETE", "/v1/sessions/{id}"],
  ["GET", "/v1/sessions/{id}/events"],
  ["POST", "/v1/sessions/{id}/input"],
  ["POST", "/v1/sessions/{id}/cancel"],
  ["POST", "/v1/sessions/{id}/permission"],
  ["POST", "/v1/sessions/{id}/model"],
  ["GET", "/v1/sessions/{id}/tasks"],
  ["GET", "/v1/profiles"],
  ["GET", "/v1/providers"],
  ["GET", "/v1/tools"],
  ["GET", "/v1/skills"],
  ["GET", "/v1/mcp/servers"],
];

/** Tries to use a token: connects a client, or lists the sessions. */
async function attempt(stage: ScenarioStage, token: string): Promise<CommandAnswer> {
  if (stage.wire === "rest") return await answerOf(await stage.ask("/v1/sessions", { token }));
  const asked = await answerOf(await stage.ask("/v1/ws", { token }));
  // "Upgrade required" means that the token itself was accepted.
  if (asked.kind === "refused" && asked.status !== 426) return asked;
  return await followed(() => stage.attach({ token }));
}

/** Opens a subscription; returns a refusal of it as an answer. */
async function followed(open: () => Promise<AsyncDisposable>): Promise<CommandAnswer> {
  try {
    const opened = await open();
    await opened[Symbol.asyncDispose]();
    return { kind: "accepted", body: {} };
  } catch (thrown) {
    if (thrown instanceof Refused) return thrown.refusal;
    throw thrown;
  }
}

async function revoke(stage: ScenarioStage, token: string): Promise<void> {
  const jti = claimOf(token, "jti");
  const answer = await answerOf(await stage.ask(`/v1/auth/tokens/${String(jti)}`, { method: "DELETE" }));
  assertAccepted(`the revocation of ${String(jti)}`, answer);
}

async function hasAny(stream: EventStream): Promise<boolean> {
  return stream.seen.some((event) => idOf(event) > 0 && event["kind"] === "TurnEnded");
}
