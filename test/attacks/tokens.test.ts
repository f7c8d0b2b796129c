import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { chmod, link, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { HarnessError } from "../../src/base/errors.ts";
import { ulidSource } from "../../src/base/ids.ts";
import { COMMAND_KINDS } from "../../src/protocol/kinds.ts";
import { redactor } from "../../src/safety/redact.ts";
import type { CodeChannel } from "../../src/server/auth/code-channel.ts";
import { codeText } from "../../src/server/auth/code-text.ts";
import { openAuthority } from "../../src/server/auth/open-authority.ts";
import {
  CODE_MS_MAX,
  REQUESTS_MAX,
  REQUESTS_WINDOW_MS,
  SHOW_CODE_MS_MAX,
  TRIES_MAX,
  WRONG_MAX,
} from "../../src/server/auth/token-minting.ts";
import type { Claims } from "../../src/server/auth/tokens/claims.ts";
import { readClaims, TOKEN_SESSIONS_MAX } from "../../src/server/auth/tokens/claims.ts";
import { readClaimsRequest } from "../../src/server/auth/tokens/claims-request.ts";
import { grantOfClaims } from "../../src/server/auth/tokens/new-claims.ts";
import { encodeToken, openToken } from "../../src/server/auth/tokens/token.ts";
import { readTokenFile } from "../../src/server/auth/tokens/token-file.ts";
import type { Authority, ClaimsRequest, TokenGrant } from "../../src/session/access/authority.ts";
import { isScopeWithin } from "../../src/session/access/scope.ts";
import { holds } from "../support/property.ts";
import type { TestWorld } from "../support/world.ts";
import { seededRandom, temporaryDirectory, testWorld } from "../support/world.ts";

const IDS = ulidSource(() => 1, seededRandom(7).bytes);
const SESSIONS = [IDS.next("sess"), IDS.next("sess"), IDS.next("sess")] as const;
const [ONE, OTHER] = SESSIONS;
const KEY = seededRandom(3).bytes(32);
const AGENT: ClaimsRequest = { identityClass: "agent", sessions: [ONE] };
const NOW_S = 1_750_000_000;

interface Desk extends AsyncDisposable {
  readonly world: TestWorld;
  readonly state: string;
  readonly authority: Authority;
  /** The codes that a person saw, in order. */
  readonly codes: readonly string[];
}

async function desk(channels?: readonly CodeChannel[], state?: string): Promise<Desk> {
  const folder = temporaryDirectory();
  const world = testWorld();
  const codes: string[] = [];
  const person: CodeChannel = {
    name: "tty",
    show: async (code) => {
      codes.push(code);
      return true;
    },
  };
  const stateDirectory = state ?? join(folder.path, "state");
  const authority = await openAuthority({ world, stateDirectory, channels: () => channels ?? [person] });
  return {
    world,
    state: stateDirectory,
    authority,
    codes,
    async [Symbol.asyncDispose]() {
      await authority[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The reason and text of what a promise is refused with. */
async function refusal(promise: Promise<unknown> | (() => unknown)): Promise<readonly [string, string]> {
  try {
    await (typeof promise === "function" ? promise() : promise);
  } catch (thrown) {
    if (thrown instanceof HarnessError) return [thrown.reason, thrown.message];
    throw thrown;
  }
  return ["none", ""];
}

async function reasonOf(promise: Promise<unknown> | (() => unknown)): Promise<string> {
  return (await refusal(promise))[0];
}

function claims(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    ver: 1,
    jti: IDS.next("tok"),
    sessions: [ONE],
    identity_class: "agent",
    nbf: NOW_S - 10,
    exp: NOW_S + 1_000,
    can_mint: false,
    critical_claims: ["sessions", "commands", "identity_class", "exp", "nbf", "can_mint"],
    ...more,
  };
}

/** A token with any claims at all, signed as ours are. */
function signed(value: unknown, key: Uint8Array = KEY): string {
  const payload = Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${payload}.${createHmac("sha256", key).update(payload).digest("base64url")}`;
}

/** A desk with that known key. */
async function knownKey(): Promise<Desk> {
  const folder = temporaryDirectory();
  const state = join(folder.path, "state");
  await mkdir(state);
  await writeFile(join(state, "token.key"), KEY, { mode: 0o600 });
  const opened = await desk(undefined, state);
  return {
    ...opened,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("[AUTH-01] a token that was made here is good, says what it allows, and counts for 24 hours", async () => {
  await using at = await desk();
  const token = at.authority.mint({ ...AGENT, commands: ["SendInput"] }, "engine");
  const grant = await at.authority.verify(token, "loopback");
  expect(grant).toEqual({
    jti: grant.jti,
    identityClass: "agent",
    scope: { sessions: [ONE], commands: ["SendInput"] },
    expiresAt: at.world.clock.now() + 24 * 60 * 60_000,
    canMint: false,
  });
  expect(token.length).toBeLessThan(600);
});

test("[AUTH-01] what is missing, forged, cut off, signed by others or by another rule is refused", async () => {
  await using at = await knownKey();
  const good = signed(claims());
  expect((await at.authority.verify(good, "loopback")).identityClass).toBe("agent");
  const [payload = "", mac = ""] = good.split(".");
  const wider = Buffer.from(JSON.stringify(claims({ sessions: undefined }))).toString("base64url");
  const header = (alg: string) => Buffer.from(JSON.stringify({ alg, typ: "JWT" })).toString("base64url");
  const jwt = (alg: string) =>
    `${header(alg)}.${payload}.${createHmac("sha256", KEY)
      .update(`${header(alg)}.${payload}`)
      .digest("base64url")}`;
  const forged = [
    `${wider}.${mac}`,
    `${payload}.`,
    payload,
    `.${mac}`,
    `${payload}.${mac.slice(0, -1)}`,
    `${payload}.${mac}A`,
    `${payload}.${mac}=`,
    `${payload}=.${mac}`,
    `${payload}.${mac}\n`,
    ` ${good}`,
    `${good}.`,
    `Bearer ${good}`,
    // The last character of a signature bears two bits that mean nothing: another spelling is another token.
    `${payload}.${mac.slice(0, -1)}${sibling(mac.at(-1) ?? "")}`,
    `${payload}.${"A".repeat(43)}`,
    `${payload}.${createHmac("sha256", "").update(payload).digest("base64url")}`,
    `${payload}.${createHmac("sha512", KEY).update(payload).digest("base64url")}`,
    `${payload}.${createHmac("sha256", KEY).update(Buffer.from(payload, "base64url")).digest("base64url")}`,
    signed(claims(), seededRandom(4).bytes(32)),
    jwt("none"),
    jwt("HS256"),
    `${header("none")}.${payload}.`,
    "x".repeat(1_000_000),
    "\0",
    "cinch_ci_",
  ];
  const found = await Promise.all(forged.map((text) => reasonOf(at.authority.verify(text, "loopback"))));
  expect(found).toEqual(forged.map(() => "TokenInvalid"));
  expect(await reasonOf(at.authority.verify(undefined, "unix"))).toBe("TokenMissing");
  expect(await reasonOf(at.authority.verify("", "unix"))).toBe("TokenMissing");
});

function sibling(character: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(character) ^ 1] ?? "";
}

test("[AUTH-01 BUS-05] a token of ours with claims that are not known, or not what they should be, is refused", async () => {
  await using at = await knownKey();
  const bad: readonly Readonly<Record<string, unknown>>[] = [
    { ver: 2 },
    { ver: "1" },
    { ver: undefined },
    { critical_claims: ["sessions", "region"] },
    { critical_claims: ["__proto__"] },
    { critical_claims: "sessions" },
    { critical_claims: undefined },
    { critical_claims: [["sessions"]] },
    { jti: "tok_1" },
    { jti: ONE },
    { sessions: ["sess_1"] },
    { sessions: [`${ONE}\n`] },
    { sessions: [ONE.toLowerCase()] },
    { sessions: ONE },
    { sessions: null },
    { sessions: Array.from({ length: TOKEN_SESSIONS_MAX + 1 }, () => ONE) },
    { commands: ["SendInput", "Everything"] },
    { commands: {} },
    { identity_class: "root" },
    { identity_class: undefined },
    { can_mint: 1 },
    { can_mint: undefined },
    { exp: undefined },
    { exp: `${NOW_S + 9}` },
    { exp: NOW_S + 0.5 },
    { exp: 1e300 },
    { exp: -1 },
    { nbf: undefined },
    { nbf: NOW_S + 1_000 },
    { wire: "everywhere" },
    { minted_by: ["nobody"] },
  ];
  const found = await Promise.all(
    bad.map((more) => reasonOf(at.authority.verify(signed(claims(more)), "unix"))),
  );
  expect(found).toEqual(bad.map(() => "TokenInvalid"));
  expect(await refusal(at.authority.verify(signed([claims()]), "unix"))).toEqual([
    "TokenInvalid",
    "Capability token rejected: the claims are no JSON object. Make a new one with: cinch token --session ID --identity-class CLASS",
  ]);
  // What limits nothing may be there.
  expect(await reasonOf(at.authority.verify(signed(claims({ note: "mine" })), "unix"))).toBe("none");
});

test("[AUTH-01] a claim that is inherited, or stands under __proto__, is none", () => {
  const inherited = Object.create(claims()) as unknown;
  expect(readClaims(inherited).kind).toBe("wrong");
  const proto: unknown = JSON.parse(`{"__proto__":${JSON.stringify(claims())}}`);
  expect(readClaims(proto).kind).toBe("wrong");
});

test("[AUTH-01] any claims come back as they were signed, and any change of one character is seen", async () => {
  const made = fc.record(
    {
      sessions: fc.subarray([...SESSIONS]),
      commands: fc.subarray([...COMMAND_KINDS]),
      can_mint: fc.boolean(),
      identity_class: fc.constantFrom("human", "agent"),
    },
    { requiredKeys: ["can_mint", "identity_class"] },
  );
  await holds(
    fc.property(made, fc.nat(), fc.nat(63), (more, where, what) => {
      const read = readClaims(claims({ sessions: undefined, ...more }));
      if (read.kind === "wrong") throw new Error(read.problem);
      const token = encodeToken(read.value, KEY);
      expect(openToken(token, KEY)).toEqual(read.value);
      const at = where % token.length;
      const letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[what] ?? "";
      const changed = token.slice(0, at) + letter + token.slice(at + 1);
      if (changed !== token) expect(() => openToken(changed, KEY)).toThrow(HarnessError);
    }),
  );
  await holds(
    fc.property(fc.anything({ withNullPrototype: true }), (value) => {
      readClaims(value); // never throws
    }),
    500,
  );
});

test("[AUTH-01 AUTH-08] it counts from the second of nbf on, and from that of exp on no more", async () => {
  await using at = await knownKey();
  const token = signed(claims({ nbf: NOW_S + 10, exp: NOW_S + 20 }));
  const look = () => reasonOf(at.authority.verify(token, "unix"));
  await at.world.clock.advance(9_999);
  expect(await look()).toBe("TokenInvalid");
  await at.world.clock.advance(1);
  expect(await look()).toBe("none");
  await at.world.clock.advance(9_999);
  expect(await look()).toBe("none");
  await at.world.clock.advance(1);
  expect(await refusal(at.authority.verify(token, "unix"))).toEqual([
    "TokenExpired",
    `Capability token expired at 2025-06-15T15:07:00.000Z. Mint a new one: cinch token --session ${ONE} --identity-class agent.`,
  ]);
});

test("[AUTH-01] a clock that is set back brings no expired token to life", async () => {
  await using folder = temporaryDirectory();
  const world = testWorld();
  let behindMs = 0;
  const clock = { ...world.clock, now: () => world.clock.now() - behindMs };
  const channels = () => [];
  await using authority = await openAuthority({
    world: { ...world, clock },
    stateDirectory: folder.path,
    channels,
  });
  const token = authority.mint({ ...AGENT, lifetimeMs: 10_000 }, "engine");
  await world.clock.advance(10_000);
  expect(await reasonOf(authority.verify(token, "unix"))).toBe("TokenExpired");
  behindMs = 3_600_000;
  expect(await reasonOf(authority.verify(token, "unix"))).toBe("TokenExpired");
  await world.clock.advance(60_000);
  expect(await reasonOf(authority.verify(token, "unix"))).toBe("TokenExpired");
});

const anyRequest = fc.record(
  {
    identityClass: fc.constantFrom("human" as const, "agent" as const),
    sessions: fc.subarray([...SESSIONS]),
    commands: fc.subarray([...COMMAND_KINDS].slice(0, 4)),
    lifetimeMs: fc.integer({ min: 1_000, max: 100_000 }),
    canMint: fc.boolean(),
    wire: fc.constantFrom("unix" as const, "loopback" as const),
  },
  { requiredKeys: ["identityClass"] },
);

test("[AUTH-03] whatever a holder asks for, what it gets is within what it has, also over generations", async () => {
  await using at = await desk();
  let made = 0;
  await holds(
    fc.asyncProperty(
      anyRequest,
      fc.array(anyRequest, { minLength: 1, maxLength: 4 }),
      async (first, asked) => {
        let holder = await grantOn(at, at.authority.mint({ ...first, canMint: true }, "engine"));
        for (const request of asked) {
          let token: string;
          try {
            token = at.authority.mint(request, holder);
          } catch (thrown) {
            if (thrown instanceof HarnessError && thrown.reason === "MintTooWide") continue;
            throw thrown;
          }
          made++;
          expect(holder.canMint).toBe(true);
          const got = await grantOn(at, token);
          expect(isScopeWithin(got.scope, holder.scope)).toBe(true);
          expect(got.expiresAt).toBeLessThanOrEqual(holder.expiresAt);
          expect([holder.identityClass, "agent"]).toContain(got.identityClass);
          if (holder.wire !== undefined) expect(got.wire).toBe(holder.wire);
          expect(got.mintedBy).toEqual([...(holder.mintedBy ?? []), holder.jti]);
          holder = got;
        }
      },
    ),
    1_000,
  );
  expect(made).toBeGreaterThan(60);
});

/** On whichever wire it counts. */
async function grantOn({ authority }: Desk, token: string): Promise<TokenGrant> {
  try {
    return await authority.verify(token, "unix");
  } catch {
    return await authority.verify(token, "loopback");
  }
}

test("[AUTH-03] a holder that may not mint mints nothing, and rows of minted tokens have an end", async () => {
  await using at = await desk();
  const plain = await at.authority.verify(at.authority.mint(AGENT, "engine"), "unix");
  expect(await reasonOf(() => at.authority.mint(AGENT, plain))).toBe("MintTooWide");
  let token = at.authority.mint({ ...AGENT, canMint: true }, "engine");
  for (let row = 0; row < 8; row++) {
    token = at.authority.mint({ ...AGENT, canMint: true }, await at.authority.verify(token, "unix"));
  }
  const last = await at.authority.verify(token, "unix");
  expect(await reasonOf(() => at.authority.mint({ ...AGENT, canMint: true }, last))).toBe("MintTooWide");
});

test("[AUTH-05] a token that was revoked is refused, with all that came from it, and after a restart", async () => {
  await using at = await desk();
  const parent = at.authority.mint({ ...AGENT, canMint: true }, "engine");
  const grant = await at.authority.verify(parent, "unix");
  const child = at.authority.mint(AGENT, grant);
  const other = at.authority.mint(AGENT, "engine");
  await at.authority.revoke(grant.jti);
  const refused = await refusal(at.authority.verify(parent, "unix"));
  expect(refused).toEqual([
    "TokenRevoked",
    `Token ${grant.jti} was revoked at 2025-06-15T15:06:40.000Z. Mint a new one via /v1/auth/token.`,
  ]);
  expect(await reasonOf(at.authority.verify(child, "unix"))).toBe("TokenRevoked");
  expect(await reasonOf(() => at.authority.mint(AGENT, grant))).toBe("TokenRevoked");
  expect(await reasonOf(at.authority.verify(other, "unix"))).toBe("none");
  await using later = await desk(undefined, at.state);
  expect(await refusal(later.authority.verify(parent, "unix"))).toEqual(refused);
  expect(await reasonOf(later.authority.verify(other, "unix"))).toBe("none");
});

test("[AUTH-05] what another engine of the same installation revoked is refused here from then on", async () => {
  await using at = await desk();
  await using beside = await desk(undefined, at.state);
  const [one, two] = [at.authority.mint(AGENT, "engine"), at.authority.mint(AGENT, "engine")];
  await beside.authority.revoke((await beside.authority.verify(one, "unix")).jti);
  expect(await reasonOf(at.authority.verify(one, "unix"))).toBe("TokenRevoked");
  // Neither list overwrites the other, also where the second did not look in between.
  const { jti } = await at.authority.verify(two, "unix");
  const three = at.authority.mint(AGENT, "engine");
  await beside.authority.revoke((await beside.authority.verify(three, "unix")).jti);
  await at.authority.revoke(jti);
  await using later = await desk(undefined, at.state);
  expect(await reasonOf(later.authority.verify(one, "unix"))).toBe("TokenRevoked");
  expect(await reasonOf(later.authority.verify(two, "unix"))).toBe("TokenRevoked");
  expect(await reasonOf(later.authority.verify(three, "unix"))).toBe("TokenRevoked");
});

test("[AUTH-05] a list of revoked tokens that is damaged, a link or open to others lets no token through", async () => {
  await using at = await desk();
  const token = at.authority.mint(AGENT, "engine");
  const path = join(at.state, "revoked-tokens.json");
  await at.authority.revoke(IDS.next("tok"));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const whole = await readFile(path, "utf8");
  for (const text of [
    whole.slice(0, -9),
    "{}",
    "",
    '{"version":1,"revoked":[{"jti":"tok_1","at":0,"until":9}]}',
  ]) {
    await writeFile(path, text);
    expect(await reasonOf(at.authority.verify(token, "unix"))).toBe("RevocationsUnusable");
    expect(await reasonOf(desk(undefined, at.state))).toBe("RevocationsUnusable");
  }
  await writeFile(path, whole);
  expect(await reasonOf(at.authority.verify(token, "unix"))).toBe("none");
  await chmod(path, 0o666);
  expect(await reasonOf(at.authority.verify(token, "unix"))).toBe("RevocationsUnusable");
});

test("[AUTH-05] entries go when their tokens could live no longer", async () => {
  await using at = await desk();
  await at.authority.revoke(IDS.next("tok"));
  await at.world.clock.advance(367 * 24 * 60 * 60_000);
  const late = IDS.next("tok");
  await at.authority.revoke(late);
  const kept: unknown = JSON.parse(await readFile(join(at.state, "revoked-tokens.json"), "utf8"));
  const now = at.world.clock.now();
  expect(kept).toEqual({
    version: 1,
    revoked: [{ jti: late, at: now, until: now + 366 * 24 * 60 * 60_000 }],
  });
});

test("[AUTH-05 AUTH-08] a stream is notified 5 minutes before the end, drains for 60 s, and is cut at once when revoked", async () => {
  await using at = await desk();
  const { clock } = at.world;
  const grant = await at.authority.verify(
    at.authority.mint({ ...AGENT, lifetimeMs: 3_600_000 }, "engine"),
    "unix",
  );
  using watch = at.authority.watch(grant);
  const told: number[] = [];
  watch.onExpiring((ms) => told.push(ms));
  await clock.advance(55 * 60_000 - 1);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual([grant.expiresAt]);
  await clock.advance(6 * 60_000 - 1);
  expect(watch.ended.aborted).toBe(false);
  await clock.advance(1);
  expect(watch.ended.reason).toMatchObject({ reason: "TokenExpired" });
  expect(told).toEqual([grant.expiresAt]);

  const parent = await at.authority.verify(at.authority.mint({ ...AGENT, canMint: true }, "engine"), "unix");
  const child = await at.authority.verify(at.authority.mint(AGENT, parent), "unix");
  using streams = new DisposableStack();
  const live = [parent, child].map((each) => streams.use(at.authority.watch(each)));
  const done = at.authority.revoke(parent.jti); // what is on its way to the disk is not waited for
  expect(live.map(({ ended }) => ended.reason)).toMatchObject([
    { reason: "TokenRevoked" },
    { reason: "TokenRevoked" },
  ]);
  await done;
  using after = at.authority.watch(child);
  expect(after.ended.aborted).toBe(true);
});

test("[AUTH-08] watches hold no timer once they are left or have ended", async () => {
  await using at = await desk();
  const grant = await at.authority.verify(at.authority.mint(AGENT, "engine"), "unix");
  const before = at.world.clock.waiting;
  const watch = at.authority.watch(grant);
  watch.onExpiring(() => undefined);
  expect(at.world.clock.waiting).toBe(before + 2);
  watch[Symbol.dispose]();
  expect(at.world.clock.waiting).toBe(before);
  at.authority.watch(grant).onExpiring(() => undefined);
  await at.authority.revoke(grant.jti);
  expect(at.world.clock.waiting).toBe(before);
});

test("[AUTH-03] a code that a person reads makes the token that was asked for, once", async () => {
  await using at = await desk();
  const { mintId, channel } = await at.authority.begin(AGENT, "peer-1");
  const [code = ""] = at.codes;
  expect([channel, /^\d{6}$/.test(code)]).toEqual(["tty", true]);
  const token = await at.authority.confirm(mintId, code, "peer-1");
  expect((await at.authority.verify(token, "loopback")).scope.sessions).toEqual([ONE]);
  expect(await reasonOf(at.authority.confirm(mintId, code, "peer-1"))).toBe("MintExpired");
});

test("[AUTH-03] of two that confirm at once with the right code one gets a token", async () => {
  await using at = await desk();
  const { mintId } = await at.authority.begin(AGENT, "peer");
  const both = await Promise.all(
    [1, 2].map(() => reasonOf(at.authority.confirm(mintId, at.codes[0] ?? "", "peer"))),
  );
  expect(both).toEqual(["none", "MintExpired"]);
});

test("[AUTH-03] a code counts for the peer that asked, for 60 s, for one request and no other", async () => {
  await using at = await desk();
  const first = await at.authority.begin(AGENT, "peer");
  expect(await reasonOf(at.authority.confirm(first.mintId, at.codes[0] ?? "", "another"))).toBe(
    "MintExpired",
  );
  expect(await reasonOf(at.authority.confirm("mint_", at.codes[0] ?? "", "peer"))).toBe("MintExpired");
  expect(await refusal(at.authority.begin(AGENT, "another"))).toEqual([
    "MintBusy",
    "Another token is being asked for, and its code is shown for 60 s more at most. Ask again then.",
  ]);
  await at.world.clock.advance(CODE_MS_MAX);
  expect(await reasonOf(at.authority.confirm(first.mintId, at.codes[0] ?? "", "peer"))).toBe("MintExpired");
  const second = await at.authority.begin(AGENT, "peer");
  expect(at.codes[1]).not.toBe(at.codes[0]);
  expect(await reasonOf(at.authority.confirm(first.mintId, at.codes[1] ?? "", "peer"))).toBe("MintExpired");
  expect(await reasonOf(at.authority.confirm(second.mintId, at.codes[1] ?? "", "peer"))).toBe("none");
});

test("[AUTH-03] trying codes ends after five, and by waiting and asking again after fifteen in an hour", async () => {
  await using at = await desk();
  let wrong = 0;
  const refused: string[] = [];
  for (let hour = 0; hour < 120; hour++) {
    const begun = await at.authority.begin(AGENT, "peer").catch((thrown: HarnessError) => thrown.reason);
    if (typeof begun === "string") {
      refused.push(begun);
    } else {
      const code = at.codes.at(-1) ?? "";
      const guess = code === "000000" ? "000001" : "000000";
      for (let again = 0; again < TRIES_MAX + 3; again++) {
        const reason = await reasonOf(at.authority.confirm(begun.mintId, guess, "peer"));
        expect(reason).toBe(again < TRIES_MAX ? "MintCodeWrong" : "MintExpired");
        if (reason === "MintCodeWrong") wrong++;
      }
      // Not even the right one counts any more.
      expect(await reasonOf(at.authority.confirm(begun.mintId, code, "peer"))).toBe("MintExpired");
    }
    await at.world.clock.advance(30_000);
  }
  expect(wrong).toBe(WRONG_MAX);
  expect(new Set(refused)).toEqual(new Set(["MintTooOften"]));
});

test("[AUTH-03] people are asked at most six times in ten minutes", async () => {
  await using at = await desk();
  const found: string[] = [];
  for (let again = 0; again < REQUESTS_MAX + 1; again++) {
    found.push(await reasonOf(at.authority.begin(AGENT, "peer")));
    await at.world.clock.advance(CODE_MS_MAX);
  }
  expect(found).toEqual([...Array.from({ length: REQUESTS_MAX }, () => "none"), "MintTooOften"]);
  await at.world.clock.advance(REQUESTS_WINDOW_MS);
  expect(await reasonOf(at.authority.begin(AGENT, "peer"))).toBe("none");
});

test("[AUTH-03] without a way to a person nothing is minted, in the documented words", async () => {
  await using at = await desk([]);
  expect(await refusal(at.authority.begin(AGENT, "peer"))).toEqual([
    "MintRefused",
    "Token issuance requires an interactive confirmation channel. For headless/CI: pre-provision a token file. For service managers: launch with --auth-channel notify.",
  ]);
});

test("[AUTH-03] a way that fails, says no or hangs is passed over; the answer names the one that shows the code", async () => {
  const withdrawn: string[] = [];
  const no: CodeChannel = { name: "client", show: async () => false };
  const broken: CodeChannel = { name: "tty", show: () => Promise.reject(new Error("no terminal")) };
  const silent: CodeChannel = {
    name: "desktop",
    show: (_code, _claims, signal) => {
      signal.addEventListener("abort", () => withdrawn.push("desktop"));
      return new Promise(() => undefined);
    },
  };
  const good: CodeChannel = { name: "other", show: async () => true };
  await using at = await desk([no, broken, silent, good]);
  const begun = at.authority.begin(AGENT, "peer");
  await at.world.clock.advance(SHOW_CODE_MS_MAX);
  expect((await begun).channel).toBe("other");
  expect(withdrawn).toEqual(["desktop"]);
  await using none = await desk([no, broken]);
  expect(await reasonOf(none.authority.begin(AGENT, "peer"))).toBe("MintRefused");
});

test("[AUTH-03] a first client gets all sessions and new ones where a person grants that, and never the right to make tokens", async () => {
  const texts: string[] = [];
  const shows: CodeChannel = {
    name: "tty",
    show: async (code, asked) => {
      texts.push(codeText(code, asked));
      return true;
    },
  };
  await using at = await desk([shows]);
  const everything = { identityClass: "human" } as const;
  expect(await refusal(at.authority.begin({ ...everything, canMint: true }, "peer"))).toEqual([
    "ClaimsInvalid",
    expect.stringContaining("cinch token --can-mint"),
  ]);
  const { mintId } = await at.authority.begin(everything, "peer");
  expect(texts).toEqual([expect.stringContaining("ALL sessions, those that begin later too")]);
  const [code = ""] = /\d{6}(?=\.)/.exec(texts[0] ?? "") ?? [];
  const token = await at.authority.confirm(mintId, code, "peer");
  expect(await at.authority.verify(token, "unix")).toMatchObject({
    identityClass: "human",
    scope: { sessions: "all", commands: "all" },
    canMint: false,
  });
  expect(await reasonOf(at.authority.verify(token, "lan"))).toBe("TokenNotHere");
});

test("[AUTH-03] what is asked for is read whole: a limit that is not known is refused", async () => {
  const wrong: readonly unknown[] = [
    undefined,
    [],
    { identity_class: "admin" },
    { identity_class: "agent", sessions: ["sess_x"] },
    { identity_class: "agent", commands: ["Nothing"] },
    { identity_class: "agent", expires_in: "1" },
    { identity_class: "agent", expires_in: 0 },
    { identity_class: "agent", expires_in: Number.NaN },
    { identity_class: "agent", expires_in: 1e12 },
    { identity_class: "agent", can_mint: "yes" },
    { identity_class: "agent", wire: "all" },
    { identity_class: "agent", expires: "x" },
    { identity_class: "agent", exp: 1_900_000_000 },
    { identity_class: "agent", nbf: 1 },
    { identity_class: "agent", critical_claims: ["region"] },
    { identity_class: "agent", critical_claims: "exp" },
  ];
  for (const value of wrong) expect(await reasonOf(() => readClaimsRequest(value))).toBe("ClaimsInvalid");
  expect(await refusal(() => readClaimsRequest({ identity_class: "agent", expires: "x" }))).toEqual([
    "ClaimsInvalid",
    expect.stringContaining("expires is not read: say expires_in, in seconds from now"),
  ]);
  const known = { critical_claims: ["sessions", "exp", "expires_in"], display_name: "mine" };
  expect(readClaimsRequest({ identity_class: "agent", sessions: [ONE], expires_in: 60, ...known })).toEqual({
    ...AGENT,
    lifetimeMs: 60_000,
  });
});

test("[AUTH-07] over the network only a token counts that names its sessions; one for a wire counts there alone", async () => {
  await using at = await desk();
  const all = at.authority.mint({ identityClass: "human" }, "engine");
  const some = at.authority.mint({ identityClass: "human", sessions: [OTHER] }, "engine");
  const unix = at.authority.mint({ identityClass: "human", wire: "unix" }, "engine");
  const found = await Promise.all(
    [all, some, unix].flatMap((token) =>
      (["unix", "loopback", "lan", "stdio"] as const).map((wire) =>
        reasonOf(at.authority.verify(token, wire)),
      ),
    ),
  );
  const no = "TokenNotHere";
  expect(found).toEqual([
    ...["none", "none", no, "none"],
    ...["none", "none", "none", "none"],
    ...["none", no, no, no],
  ]);
});

const DRAWN = `cinch_ci_${Buffer.from(seededRandom(9).bytes(32)).toString("base64url")}`;

test("[AUTH-04] a token file of mode 0400 lets its token in, with its claims", async () => {
  await using folder = temporaryDirectory();
  const path = join(folder.path, "ci-token.json");
  await writeFile(path, JSON.stringify({ token: DRAWN, claims: claims() }), { mode: 0o400 });
  const world = testWorld();
  const files = [await readTokenFile(path)];
  await using authority = await openAuthority({
    world,
    stateDirectory: folder.path,
    channels: () => [],
    files,
  });
  const grant = await authority.verify(DRAWN, "lan");
  expect(grant).toEqual(grantOfClaims(files[0]?.claims as Claims));
  expect(await reasonOf(authority.verify(`${DRAWN}A`, "lan"))).toBe("TokenInvalid");
  await world.clock.advance(1_000_000);
  expect(await reasonOf(authority.verify(DRAWN, "lan"))).toBe("TokenExpired");
  await authority.revoke(grant.jti);
});

test("[AUTH-04 S54] a token file of another mode, behind a link, or without a token is refused, with path and remedy", async () => {
  await using folder = temporaryDirectory();
  const text = JSON.stringify({ token: DRAWN, claims: claims() });
  const at = (name: string) => join(folder.path, name);
  for (const mode of [0o600, 0o440, 0o404, 0o644, 0o500]) {
    const path = at(`mode-${mode}`);
    await writeFile(path, text);
    await chmod(path, mode);
    const [reason, message] = await refusal(readTokenFile(path));
    const told = [message.includes(path), message.includes("chmod 400"), message.includes("chmod 600")];
    expect([reason, ...told]).toEqual(["TokenFileUnsafe", true, true, false]);
  }
  const good = at("good");
  await writeFile(good, text, { mode: 0o400 });
  await symlink(good, at("link"));
  await link(good, at("second-name")); // the same file: its own mode and owner count
  await mkdir(at("folder"));
  const contents = [
    "",
    "[]",
    "{}",
    '{"token":"secret"}',
    `{"token":"${DRAWN}"}`,
    '{"token":"short","claims":{}}',
  ];
  for (const [index, content] of contents.entries()) {
    await writeFile(at(`content-${index}`), content, { mode: 0o400 });
  }
  const names = ["link", "folder", ...contents.map((_, index) => `content-${index}`)];
  for (const name of names) {
    const [reason, message] = await refusal(readTokenFile(at(name)));
    expect([name, reason, message.includes(at(name)), message.includes(DRAWN)]).toEqual([
      name,
      "TokenFileUnsafe",
      true,
      false,
    ]);
  }
  expect(await reasonOf(readTokenFile(at("nothing")))).toBe("PathMissing");
  expect((await readTokenFile(at("second-name"))).token).toBe(DRAWN);
});

test("[AUTH-01 S54] the key is made once, for this user alone, and one that others could read is never used", async () => {
  await using at = await desk();
  const path = join(at.state, "token.key");
  const { mode, size } = await stat(path);
  expect([mode & 0o777, size]).toEqual([0o600, 32]);
  await using again = await desk(undefined, at.state);
  const token = at.authority.mint(AGENT, "engine");
  expect(await reasonOf(again.authority.verify(token, "unix"))).toBe("none");
  await chmod(path, 0o640);
  expect(await reasonOf(desk(undefined, at.state))).toBe("TokenKeyUnusable");
  await chmod(path, 0o600);
  await writeFile(path, "short");
  expect(await reasonOf(desk(undefined, at.state))).toBe("TokenKeyUnusable");
  expect(await readFile(path, "utf8")).toBe("short");
});

test("[AUTH-10] once it is closed nothing is signed or checked with the key of zeros that is left", async () => {
  const at = await desk();
  const token = at.authority.mint(AGENT, "engine");
  await at.authority[Symbol.asyncDispose]();
  const zeros = signed(claims(), new Uint8Array(32));
  expect(await reasonOf(at.authority.verify(token, "unix"))).toBe("EngineStopping");
  expect(await reasonOf(at.authority.verify(zeros, "unix"))).toBe("EngineStopping");
  expect(await reasonOf(() => at.authority.mint(AGENT, "engine"))).toBe("EngineStopping");
  await at[Symbol.asyncDispose]();
});

test("[AUTH-10 SES-05 S54] a token that is printed is redacted, however its text was cut into pieces", async () => {
  await using at = await desk();
  const hide = redactor([]);
  for (const token of [
    at.authority.mint(AGENT, "engine"),
    at.authority.mint({ identityClass: "human" }, "engine"),
    DRAWN,
  ]) {
    const text = `made ${token}\nand more`;
    expect(hide.text(text)).toBe("made «redacted:cinch-token»\nand more");
    for (let cut = 1; cut < text.length; cut++) {
      const stream = hide.stream();
      const parts = [stream.push(text.slice(0, cut)), stream.push(text.slice(cut)), stream.end()];
      expect(parts.join("")).toBe("made «redacted:cinch-token»\nand more");
    }
    expect(JSON.stringify(hide.json({ header: token }))).not.toContain(token.slice(-20));
  }
});
