import { expect, test } from "bun:test";
import { join } from "node:path";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { agree, startOAuthMcpServer } from "../../../test/support/oauth-mcp-server.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { Secret } from "../../base/brand.ts";
import { SILENT_LOG } from "../../base/log.ts";
import { logIn } from "../../features/mcp/login/login.ts";
import { hostClock } from "../../platform/clock.ts";
import { hostRandom } from "../../platform/random.ts";
import { hostFetch } from "../../platform/sockets/fetch.ts";
import { hostListen } from "../../platform/sockets/listen.ts";
import { hostResolve } from "../../platform/sockets/resolve.ts";
import { openMachineKey } from "../machine-key.ts";
import { changeKeyStore } from "../store/key-store.ts";
import type { McpGrant } from "./grant.ts";
import { belowAddress, renderGrant } from "./grant.ts";
import type { GrantStore } from "./grant-fetch.ts";
import { grantFetch } from "./grant-fetch.ts";
import { storedGrants } from "./stored-grants.ts";

const fetch = hostFetch();
const { signal } = new AbortController();
const CREDENTIAL = { kind: "header", header: "authorization", prefix: "Bearer " } as const;

/** A login at a server, kept in memory, on a clock that stands still. */
async function openRig(options: Parameters<typeof startOAuthMcpServer>[0] = {}) {
  const server = startOAuthMcpServer(options);
  const clock = fakeClock();
  const ports = { clock, random: hostRandom, fetch, resolve: hostResolve, listen: hostListen(SILENT_LOG) };
  const show = async (page: URL) => void (await agree(page));
  const kept: { grant: McpGrant | undefined } = {
    grant: await logIn({ name: "guarded", url: server.url, scopes: [] }, { ...ports, show }, signal),
  };
  const store: GrantStore = {
    read: () => Promise.resolve(kept.grant),
    replace(_name, before, after) {
      if (kept.grant?.accessToken === before.accessToken) kept.grant = after;
      return Promise.resolve();
    },
  };
  const send = grantFetch({ store, fetch, clock });
  return {
    server,
    clock,
    kept,
    store,
    ask: (url = server.url) =>
      send({
        provider: "mcp:guarded",
        credential: CREDENTIAL,
        url,
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call" }),
        signal,
      }),
    renewals: () => server.forms.filter((form) => form.get("grant_type") === "refresh_token").length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test("[MCP-01 CRED-03] the token goes with each request, and is cut out of what the server says", async () => {
  await using rig = await openRig();
  const answer = await rig.ask();
  expect(await answer.text()).toContain("let in, with Bearer «redacted:api-key»");
  expect(rig.renewals()).toBe(0);
});

test("[MCP-01 S53] a token goes where its login was and below, and to no other place, whatever a configuration says", async () => {
  await using rig = await openRig();
  await using elsewhere = startOAuthMcpServer();
  const before = rig.server.seen.length;
  for (const url of [
    elsewhere.url,
    rig.server.url.replace("//", "//user:pw@"),
    `${rig.server.origin}/other/mcp`,
    `${rig.server.url}/../x`,
    `${rig.server.url}2`,
    "file:///etc/passwd",
    "nonsense",
  ])
    await expect(rig.ask(url)).rejects.toThrow("needs a key");
  expect([elsewhere.seen, rig.server.seen.length]).toEqual([[], before]);
});

test("[MCP-01] a token that ends is renewed before, once however many requests wait, and kept", async () => {
  await using rig = await openRig({ seconds: 3_600 });
  await rig.clock.advance(3_550_000);
  const answers = await Promise.all([rig.ask(), rig.ask(), rig.ask()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(rig.renewals()).toBe(1);
  expect(rig.kept.grant?.accessToken).toBe("access-token-3-0123456789");
  expect(rig.kept.grant?.renewal?.refreshToken).toBe("refresh-token-3-0123456789");
  expect(rig.server.forms.at(-1)?.get("resource")).toBe(rig.server.url);
});

test("[MCP-01] a token that the server refuses is renewed once; where that is refused too, a person is needed", async () => {
  await using rig = await openRig();
  rig.server.revoke();
  expect((await rig.ask()).status).toBe(200);
  rig.server.revoke();
  rig.server.forget();
  expect((await rig.ask()).status).toBe(401);
});

test("[MCP-01] a login of another process counts from the next request that needs one", async () => {
  await using rig = await openRig();
  const { grant } = rig.kept;
  rig.server.revoke();
  rig.server.forget();
  expect((await rig.ask()).status).toBe(401);
  const ports = {
    clock: rig.clock,
    random: hostRandom,
    fetch,
    resolve: hostResolve,
    listen: hostListen(SILENT_LOG),
  };
  const show = async (page: URL) => void (await agree(page));
  rig.kept.grant = await logIn(
    { name: "guarded", url: rig.server.url, scopes: [] },
    { ...ports, show },
    signal,
  );
  expect(rig.kept.grant).not.toEqual(grant);
  expect((await rig.ask()).status).toBe(200);
});

test("[MCP-01] a refresh token that another process has used up meanwhile costs nothing", async () => {
  await using rig = await openRig();
  const stale = rig.kept.grant;
  await rig.clock.advance(3_590_000);
  const other = grantFetch({ store: rig.store, fetch, clock: rig.clock });
  const request = {
    provider: "mcp:guarded",
    credential: CREDENTIAL,
    url: rig.server.url,
    method: "POST",
    signal,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call" });
  expect((await other({ ...request, body })).status).toBe(200);
  // This one has read the store before the other one wrote.
  let reads = 0;
  const late: GrantStore = {
    read: () => Promise.resolve(reads++ < 2 ? stale : rig.kept.grant),
    replace: rig.store.replace,
  };
  expect((await grantFetch({ store: late, fetch, clock: rig.clock })({ ...request, body })).status).toBe(200);
});

for (const [what, answer] of [
  ["no JSON", () => new Response("<html>")],
  ["no token", () => Response.json({})],
  ["a token with a line break", () => Response.json({ access_token: "a\nb", token_type: "Bearer" })],
  ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 307)],
  ["a giant", () => new Response("x".repeat(200_000))],
  ["that it is broken", () => new Response("{}", { status: 500 })],
] as const) {
  test(`[MCP-01 S53] an endpoint that renews with ${what} costs the request, and not the login`, async () => {
    let renews = false;
    await using rig = await openRig({ token: () => (renews ? answer() : undefined) });
    const { grant } = rig.kept;
    renews = true;
    rig.server.revoke();
    expect((await rig.ask()).ok).toBe(false);
    expect(rig.kept.grant).toEqual(grant);
  });
}

test("[MCP-01 CRED-01] grants lie encrypted in the key store, and one that changed meanwhile is not overwritten", async () => {
  await using folder = temporaryDirectory();
  using machineKey = await openMachineKey({ directory: folder.path, random: hostRandom });
  const path = join(folder.path, "creds.enc");
  const grant: McpGrant = { url: "https://a.example/mcp", accessToken: "token-one" };
  const entry = { provider: "mcp:a", account: "default", addedAt: "2026-01-01T00:00:00.000Z" };
  await changeKeyStore({ path, machineKey, random: hostRandom, clock: hostClock }, () => [
    { ...entry, secret: new Secret("api-key", renderGrant(grant)) },
    { ...entry, provider: "mcp:b", secret: new Secret("api-key", "a plain key") },
  ]);
  const store = storedGrants(folder.path, machineKey, { random: hostRandom, clock: hostClock });
  machineKey[Symbol.dispose]();
  expect(await store.read("mcp:a")).toEqual(grant);
  expect(await store.read("mcp:b")).toBeUndefined();
  expect(await store.read("mcp:c")).toBeUndefined();
  expect(await Bun.file(path).text()).not.toContain("token-one");
  const next = { ...grant, accessToken: "token-two" };
  await store.replace("mcp:a", grant, next);
  await store.replace("mcp:a", grant, { ...grant, accessToken: "token-three" });
  expect(await store.read("mcp:a")).toEqual(next);
});

test("[MCP-01] the older transport streams from one address and takes messages at another beside it: both get the token", () => {
  expect(belowAddress("https://a.example/team/sse", "sse")).toEqual({ below: "https://a.example/team/" });
  expect(belowAddress("https://a.example/team/mcp", "http")).toEqual({});
});
