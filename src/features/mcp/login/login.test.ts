import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { OAuthServerOptions } from "../../../../test/support/oauth-mcp-server.ts";
import { agree, startOAuthMcpServer } from "../../../../test/support/oauth-mcp-server.ts";
import { holds } from "../../../../test/support/property.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import type { McpGrant } from "../../../credentials/mcp/grant.ts";
import { joinScopes, parseGrant, renderGrant } from "../../../credentials/mcp/grant.ts";
import { hostClock } from "../../../platform/clock.ts";
import { hostRandom } from "../../../platform/random.ts";
import { hostFetch } from "../../../platform/sockets/fetch.ts";
import { hostListen } from "../../../platform/sockets/listen.ts";
import type { LoginDependencies, LoginRequest } from "./login.ts";
import { logIn } from "./login.ts";
import { loginFetch } from "./login-fetch.ts";

const PORTS: LoginDependencies = {
  clock: { ...hostClock, now: () => 1_000_000 },
  random: hostRandom,
  fetch: hostFetch(),
  resolve: () => Promise.reject(new Error("nothing is looked up here")),
  listen: hostListen(SILENT_LOG),
  show: async (page) => void (await agree(page)),
};

const STOP = new AbortController().signal;

function loggedIn(
  url: string,
  request: Partial<LoginRequest> = {},
  dependencies: Partial<LoginDependencies> = {},
): Promise<McpGrant> {
  return logIn({ name: "guarded", url, scopes: [], ...request }, { ...PORTS, ...dependencies }, STOP);
}

/** Returns the reason why a login failed, or its result. */
async function outcome(
  options: OAuthServerOptions,
  dependencies: Partial<LoginDependencies> = {},
): Promise<string> {
  await using server = startOAuthMcpServer(options);
  try {
    await loggedIn(server.url, {}, dependencies);
    return "logged in";
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return `${thrown.reason}: ${messageOf(thrown)}`;
  }
}

test("[MCP-01] a server without a login is reported as that, not by its answer to the discovery of a login", async () => {
  const page = "<!DOCTYPE html><title>Not Found</title>";
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(page, { status: 404, headers: { "content-type": "text/html" } }),
  });
  const failed = await loggedIn(`http://127.0.0.1:${server.port}/mcp`).catch(messageOf);
  expect(failed).toContain("the server describes no login. If it needs a token anyway");
  expect(failed).not.toContain("DOCTYPE");
});

test("[MCP-01] a login at an address where nothing answers says that, in a sentence of its own", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  expect(await loggedIn(`http://127.0.0.1:${port}/mcp`).catch(messageOf)).toBe(
    `The login at the MCP server 'guarded' failed: nothing answers at http://127.0.0.1:${port}: look at the address and at the network. Try again: cinch creds login mcp:guarded`,
  );
});

test("[MCP-01] a person logs in at an unconfigured server, and gets a token for that server alone", async () => {
  await using server = startOAuthMcpServer();
  const pages: URL[] = [];
  const grant = await loggedIn(
    server.url,
    { scopes: ["write"] },
    {
      async show(page) {
        pages.push(page);
        await agree(page);
      },
    },
  );
  expect(grant).toEqual({
    url: server.url,
    accessToken: "access-token-2-0123456789",
    endsAtMs: 4_600_000,
    scope: "read",
    renewal: {
      refreshToken: "refresh-token-2-0123456789",
      tokenEndpoint: `${server.origin}/token`,
      issuer: server.origin,
      clientId: "registered",
      authentication: "none",
      resource: server.url,
    },
  });
  const asked = Object.fromEntries(pages[0]?.searchParams ?? []);
  expect(asked).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    scope: "read write",
    resource: server.url,
  });
  expect(asked["state"]).toHaveLength(43);
  expect(asked["redirect_uri"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect(server.seen.every(({ authorization }) => authorization === null)).toBe(true);
});

test("[MCP-01] a client that the server knows is not registered, and rights from before are asked for again", async () => {
  await using server = startOAuthMcpServer();
  const before: McpGrant = { url: server.url, accessToken: "old", scope: "admin" };
  const grant = await loggedIn(server.url, { clientId: "known", before });
  expect(grant.renewal?.clientId).toBe("known");
  expect(server.seen.some(({ path }) => path === "/register")).toBe(false);
});

const LIES: readonly (readonly [string, OAuthServerOptions, string])[] = [
  [
    "names a page that is a script",
    { metadata: (own) => ({ ...own, authorization_endpoint: "javascript:alert(1)" }) },
    "McpLoginFailed",
  ],
  [
    "names a page without https",
    { metadata: (own) => ({ ...own, authorization_endpoint: "http://auth.example/" }) },
    "not https",
  ],
  [
    "says it is somebody else",
    { metadata: (own) => ({ ...own, issuer: "https://else.example" }) },
    "Issuer mismatch",
  ],
  ["has no PKCE", { metadata: ({ code_challenge_methods_supported: _, ...own }) => own }, "PKCE with S256"],
  [
    "has only plain PKCE",
    { metadata: (own) => ({ ...own, code_challenge_methods_supported: ["plain"] }) },
    "PKCE with S256",
  ],
  [
    "sends the code for another issuer",
    { back: (query) => query.set("iss", "https://else.example") },
    "ssuer",
  ],
  [
    "keeps back which issuer it is, having promised to say it",
    { back: (query) => query.delete("iss") },
    "ssuer",
  ],
  [
    "takes tokens elsewhere",
    { token: () => Response.redirect("http://127.0.0.1:1/token", 307) },
    "McpLoginFailed",
  ],
  [
    "takes tokens without https",
    { metadata: (own) => ({ ...own, token_endpoint: "http://else.example/token" }) },
    "McpLoginFailed",
  ],
  [
    "speaks for another resource",
    { resource: (own) => ({ ...own, resource: "https://else.example/mcp" }) },
    "does not match",
  ],
  [
    "gives a token of another kind",
    { token: () => Response.json({ access_token: "x", token_type: "mac" }) },
    "another kind",
  ],
  [
    "gives a token with a line break",
    { token: () => Response.json({ access_token: "x\nhost: y", token_type: "bearer" }) },
    "invalid characters",
  ],
  [
    "refuses, with words",
    {
      back: (query) => {
        query.delete("code");
        query.set("error", "access_denied");
        query.set("error_description", "not\u001b[2J today");
      },
    },
    "not\\e[2J today",
  ],
  ["answers without an end", { resource: () => ({ resource: "x".repeat(2_000_000) }) }, "McpLoginFailed"],
];

for (const [what, options, words] of LIES) {
  test(`[MCP-01 S53] a login fails with the reason where the authorization server ${what}`, async () => {
    const said = await outcome(options);
    expect(said).toStartWith("McpLoginFailed: ");
    expect(said).toContain(words);
  });
}

test("[MCP-01 S53] an answer that does not belong to the login neither ends it nor puts a code in", async () => {
  await using server = startOAuthMcpServer();
  const tried: number[] = [];
  const grant = await loggedIn(
    server.url,
    {},
    {
      async show(page) {
        const back = page.searchParams.get("redirect_uri") ?? "";
        const stranger = async (url: string, init?: RequestInit) =>
          tried.push((await fetch(url, init)).status);
        await stranger(`${back}?code=evil`);
        await stranger(`${back}?code=evil&state=guessed`);
        await stranger(`${back}/?code=evil&state=${page.searchParams.get("state")}`);
        await stranger(back, { method: "POST" });
        await stranger(`${back}?code=evil&state=${page.searchParams.get("state")}`, {
          headers: { host: "evil.example" },
        });
        await agree(page);
      },
    },
  );
  expect(tried).toEqual([400, 400, 404, 404, 404]);
  expect(grant.accessToken).toBe("access-token-2-0123456789");
});

test("[MCP-01 S55] a server of the public internet does not lead a login into a private network, or to this machine", async () => {
  const asked: (string | undefined)[] = [];
  const net = {
    clock: hostClock,
    fetch: (_url: string, { address }: { readonly address?: string }) => {
      asked.push(address);
      return Promise.resolve(new Response("{}"));
    },
    resolve: (host: string) =>
      Promise.resolve([
        { "mcp.example": "93.184.216.34", "auth.example": "93.184.216.35" }[host] ?? "10.0.0.8",
      ]),
  };
  const open = loginFetch(new URL("https://mcp.example/mcp"), net, STOP);
  await open("https://auth.example/token");
  expect(asked).toEqual(["93.184.216.35"]);
  for (const url of [
    "https://inner.example/",
    "https://169.254.169.254/latest",
    "https://[::1]/",
    "http://127.0.0.1/",
    "http://localhost:80/",
    "http://auth.example/",
    "file:///etc/passwd",
  ])
    await expect(open(url)).rejects.toThrow();
  expect(asked).toHaveLength(1);
  const inside = loginFetch(new URL("https://inner.example/mcp"), net, STOP);
  await inside("https://inner.example/token");
  expect(asked).toEqual(["93.184.216.35", undefined]);
});

test("[MCP-01] a login that is given up leaves nothing to listen", async () => {
  await using server = startOAuthMcpServer();
  const leave = new AbortController();
  let back = "";
  const ports = {
    ...PORTS,
    show(page: URL) {
      back = page.searchParams.get("redirect_uri") ?? "";
      leave.abort(new Error("Ctrl-C"));
      return Promise.resolve();
    },
  };
  await expect(logIn({ name: "guarded", url: server.url, scopes: [] }, ports, leave.signal)).rejects.toThrow(
    "Ctrl-C",
  );
  await expect(fetch(back)).rejects.toThrow();
});

test("[MCP-01 S65] what is kept of a login is read as it was written, and nothing else is taken for one", async () => {
  const text = fc.string({ minLength: 1 });
  const renewal = fc.record(
    {
      refreshToken: text,
      tokenEndpoint: text,
      issuer: text,
      clientId: text,
      authentication: fc.constantFrom(
        "none" as const,
        "client_secret_basic" as const,
        "client_secret_post" as const,
      ),
      clientSecret: text,
      resource: text,
    },
    { requiredKeys: ["refreshToken", "tokenEndpoint", "issuer", "clientId", "authentication"] },
  );
  const grant = fc.record(
    {
      url: fc.constantFrom("https://a.example/mcp", "http://127.0.0.1:1/x?y=1"),
      below: text,
      accessToken: text,
      endsAtMs: fc.integer(),
      scope: text,
      renewal,
    },
    { requiredKeys: ["url", "accessToken"] },
  );
  await holds(fc.property(grant, (each) => expect(parseGrant(renderGrant(each))).toEqual(each)));
  await holds(fc.property(fc.string(), (any) => expect(parseGrant(any)).toBeUndefined()));
  await holds(
    fc.property(fc.jsonValue({ maxDepth: 2 }), (any) =>
      expect(parseGrant(JSON.stringify(any))).toBeUndefined(),
    ),
  );
});

test("[MCP-01] rights are put together without losing or repeating one", () => {
  expect(joinScopes("a b", undefined, " b  c ")).toBe("a b c");
  expect(joinScopes(undefined, " ")).toBeUndefined();
});
