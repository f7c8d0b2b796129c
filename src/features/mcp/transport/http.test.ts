import { expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/client";
import * as fc from "fast-check";
import { startEverything } from "../../../../test/support/everything-http.ts";
import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { holds } from "../../../../test/support/property.ts";
import { until } from "../../../../test/support/until.ts";
import { HarnessError } from "../../../base/errors.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { hostClock } from "../../../platform/clock.ts";
import { hostFetch } from "../../../platform/sockets/fetch.ts";
import type { AuthorizedFetch } from "../../../providers/authorized-fetch.ts";
import { parseChallenge } from "../login/challenge.ts";
import { toolOutput } from "../tools/results.ts";
import { boundResponse } from "./bounded-body.ts";
import { findRefusal, openHttpTransport, remoteProblem } from "./http.ts";
import type { RemoteDependencies } from "./remote-fetch.ts";
import { remoteFetch } from "./remote-fetch.ts";

const HANG_MS_MAX = 60_000;
const fetch = hostFetch();

/** Fetch without a token. */
const authorized: AuthorizedFetch = ({ provider }) =>
  Promise.reject(new HarnessError("ProviderKeyMissing", { provider, variable: "none", kept: "" }));

const PORTS: RemoteDependencies = { clock: hostClock, fetch, authorized, log: SILENT_LOG };

async function connected(
  { url, transport = "http" }: { readonly url: string; readonly transport?: "http" | "sse" },
  ports: Partial<RemoteDependencies> = {},
  negotiation: "auto" | "legacy" = "legacy",
) {
  const remote = await openHttpTransport(
    { name: "there", transport, url, headers: { "x-own": "1" } },
    { ...PORTS, ...ports },
  );
  const client = new Client({ name: "cinch", version: "0" }, { versionNegotiation: { mode: negotiation } });
  const closed = Promise.withResolvers<void>();
  client.onclose = () => closed.resolve();
  return { client, closed: closed.promise, opened: () => client.connect(remote) };
}

/** Returns the outcome of a call: its text, or why it failed. */
async function called(client: Client): Promise<string> {
  try {
    const { content } = toolOutput(await client.callTool({ name: "do", arguments: {} }));
    return content.map((block) => (block.type === "text" ? block.text : block.type)).join();
  } catch (thrown) {
    return `failed: ${remoteProblem(thrown)}`;
  }
}

interface Message {
  readonly id?: number;
  readonly method: string;
}

/** A server that greets as it should, and does with calls what the test says. */
function openServer(
  call: (message: Message, request: Request) => Response | Promise<Response>,
  others: (request: Request) => Response | Promise<Response> | undefined = () => undefined,
) {
  const seen: Request[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      seen.push(request.clone() as Request);
      const own = await others(request);
      if (own !== undefined) return own;
      if (request.method === "DELETE") return new Response(null, { status: 204 });
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const message = (await request.json()) as Message;
      if (message.method === "initialize") return greeting(message);
      if (message.method === "tools/call") return await call(message, request);
      return new Response(null, { status: 202 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    port: server.port,
    seen,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function greeting({ id }: Message): Response {
  const result = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "there", version: "1" },
  };
  return Response.json({ jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": "s1" } });
}

function answer({ id }: Message, text: string) {
  return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } };
}

function events(...lines: readonly string[]): Response {
  return new Response(lines.join("\n"), { headers: { "content-type": "text/event-stream" } });
}

for (const transport of ["http", "sse"] as const) {
  test(
    `[MCP-01] the official server is used over ${transport === "http" ? "streamable HTTP" : "HTTP with server-sent events"}`,
    async () => {
      await using server = await startEverything(transport);
      const { client, closed, opened } = await connected({ url: server.url, transport }, {}, "auto");
      await opened();
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("get-tiny-image");
      const { content } = toolOutput(await client.callTool({ name: "get-tiny-image", arguments: {} }));
      expect(content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
      const progress: number[] = [];
      await client.callTool(
        { name: "trigger-long-running-operation", arguments: { duration: 0.2, steps: 2 } },
        { onprogress: (each) => progress.push(each.progress) },
      );
      expect(progress[0]).toBe(1); // the last may come together with the result, and then counts no more
      await client.close();
      await closed;
    },
    HANG_MS_MAX,
  );
}

test("[MCP-01 CRED-03] the helper puts in the token of a server for that server; the engine has none", async () => {
  await using server = openServer((message) => Response.json(answer(message, "let in")));
  const asked: unknown[] = [];
  const holder: AuthorizedFetch = async ({ provider, credential, url, ...init }) => {
    asked.push([provider, credential, url, Object.keys(init.headers ?? {}).includes("authorization")]);
    return await fetch(url, { ...init, headers: { ...init.headers, authorization: "Bearer t" } });
  };
  const { client, opened } = await connected(server, { authorized: holder });
  await opened();
  expect(await called(client)).toBe("let in");
  await client.close();
  const use = { kind: "header", header: "authorization", prefix: "Bearer " };
  expect(new Set(asked.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify(["mcp:there", use, server.url, false])]),
  );
  expect(server.seen.every(({ headers }) => headers.get("x-own") === "1")).toBe(true);
  expect(server.seen.at(-1)?.method).toBe("DELETE");
});

for (const negotiation of ["auto", "legacy"] as const) {
  test(`[MCP-01] a server that requires a login is reported with the command that logs in (${negotiation})`, async () => {
    await using server = openServer(
      () => new Response(),
      () => new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } }),
    );
    const { opened } = await connected(server, {}, negotiation);
    const thrown = await opened().catch((error: unknown) => error);
    expect(findRefusal(thrown)?.reason).toBe("McpLoginNeeded");
    expect(remoteProblem(thrown)).toContain("cinch creds login mcp:there");
  });
}

test("[MCP-01 CRED-03] a server that greets everybody and wants a login for calls is let have it with the first call after one", async () => {
  let hasLogin = false;
  const holder: AuthorizedFetch = async (request) => {
    if (!hasLogin) return await authorized(request);
    const headers = { ...request.headers, authorization: "Bearer t" };
    return await fetch(request.url, { ...request, headers });
  };
  await using server = openServer((message, request) =>
    request.headers.get("authorization") === "Bearer t"
      ? Response.json(answer(message, "let in"))
      : new Response(null, { status: 401 }),
  );
  const { client, opened } = await connected(server, { authorized: holder });
  await opened();
  expect(await called(client)).toContain("cinch creds login mcp:there");
  hasLogin = true;
  expect(await called(client)).toBe("let in");
  await client.close();
});

test("[MCP-01] a server that must have a token gets no request without one", async () => {
  await using server = openServer(() => new Response());
  const remote = { name: "there", transport: "http", url: server.url, headers: {}, bearer: true } as const;
  const client = new Client({ name: "cinch", version: "0" });
  const thrown = await client
    .connect(await openHttpTransport(remote, PORTS))
    .catch((error: unknown) => error);
  expect(findRefusal(thrown)?.reason).toBe("McpLoginNeeded");
  expect(server.seen).toEqual([]);
});

test("[MCP-01] a call that wants more rights says which, and the command that gives them", async () => {
  const challenge = 'Bearer error="insufficient_scope", scope="files:write", resource_metadata="https://x"';
  await using server = openServer(
    () => new Response(null, { status: 403, headers: { "www-authenticate": challenge } }),
  );
  const { client, opened } = await connected(server);
  await opened();
  expect(await called(client)).toContain(
    "To grant them: cinch creds login mcp:there files:write; they apply at the next use.",
  );
  await client.close();
});

test("[MCP-01 S53] no request goes to another host, whoever redirects there", async () => {
  await using elsewhere = openServer(() => new Response());
  await using server = openServer(() => new Response());
  const reach = remoteFetch({ name: "there", transport: "http", url: server.url, headers: {} }, PORTS);
  for (const url of [elsewhere.url, "file:///etc/passwd", server.url.replace("//", "//a:b@")])
    await expect(reach(url)).rejects.toThrow("leads to another place");
  expect([elsewhere.seen, server.seen]).toEqual([[], []]);
});

test("[MCP-01 S53] a redirect to another place is not followed, with a token or without", async () => {
  await using elsewhere = openServer((message) => Response.json(answer(message, "stolen")));
  await using server = openServer(() => Response.redirect(`http://127.0.0.1:${elsewhere.port}/mcp`, 307));
  const { client, opened } = await connected(server);
  await opened();
  expect(await called(client)).toStartWith("failed: ");
  await client.close();
  expect(elsewhere.seen).toEqual([]);
});

test("[MCP-01 MCP-07] a redirect at the server itself is followed where the method stays, and not for ever", async () => {
  const moved = (status: number, to: string) => () =>
    new Response(null, { status, headers: { location: to } });
  for (const [status, to, result, requests] of [
    [307, "/there", "moved", 1],
    [308, "/mcp", "failed: ", 6],
    [301, "/there", "failed: ", 1],
    [303, "/there", "failed: ", 1],
  ] as const) {
    const there = async (request: Request) =>
      Response.json(answer((await request.json()) as Message, "moved"));
    await using server = openServer(moved(status, to), (request) =>
      request.url.endsWith("/there") ? there(request) : undefined,
    );
    const { client, opened } = await connected(server);
    await opened();
    expect(await called(client)).toStartWith(result);
    await client.close();
    const texts = await Promise.all(server.seen.map((request) => request.text()));
    const sent = texts.filter(
      (text, at) => text.includes("tools/call") && server.seen[at]?.url === server.url,
    );
    expect([status, sent.length]).toEqual([status, requests]);
  }
});

test("[MCP-01 S53] the older transport sends nothing to an address elsewhere that the server names", async () => {
  await using elsewhere = openServer((message) => Response.json(answer(message, "stolen")));
  await using server = openServer(
    () => new Response(),
    () => events("event: endpoint", `data: http://127.0.0.1:${elsewhere.port}/mcp`, "", ""),
  );
  const { opened } = await connected({ url: server.url, transport: "sse" });
  expect(
    await opened().then(
      () => "connected",
      () => "refused",
    ),
  ).toBe("refused");
  expect(elsewhere.seen).toEqual([]);
});

test(
  "[MCP-01 R23] the older transport is over with its stream, whatever pause the server asks for, and so are its calls",
  async () => {
    let stream: ReadableStreamDefaultController<string> | undefined;
    const start = (controller: ReadableStreamDefaultController<string>) => {
      stream = controller;
      controller.enqueue("retry: 3600000\nevent: endpoint\ndata: /mcp\n\n");
    };
    const headers = { "content-type": "text/event-stream" };
    const post = async (request: Request) => {
      const message = (await request.json()) as Message;
      if (message.method === "initialize")
        stream?.enqueue(`data: ${JSON.stringify(await greeting(message).json())}\n\n`);
      if (message.method === "tools/call") stream?.close();
      return new Response(null, { status: 202 });
    };
    await using server = openServer(
      () => new Response(),
      (request) =>
        request.method === "GET" ? new Response(new ReadableStream({ start }), { headers }) : post(request),
    );
    const { client, closed, opened } = await connected({ url: server.url, transport: "sse" });
    await opened();
    expect(await called(client)).toStartWith("failed: ");
    await closed;
    expect(server.seen.filter(({ method }) => method === "GET").length).toBe(1);
  },
  HANG_MS_MAX,
);

test("[MCP-01] a server that is busy is asked once more after the time it names, and not where that is long", async () => {
  const standing = fakeClock();
  const waits: number[] = [];
  const clock = {
    ...standing,
    sleep(ms: number, signal: AbortSignal) {
      waits.push(ms);
      return standing.sleep(ms, signal);
    },
  };
  let calls = 0;
  let waitSeconds = "7";
  await using server = openServer((message) => {
    calls += 1;
    if (calls === 2) return Response.json(answer(message, "now"));
    return new Response("busy", { status: 429, headers: { "retry-after": waitSeconds } });
  });
  const { client, opened } = await connected(server, { clock });
  await opened();
  const result = called(client);
  await until("the wait", () => waits.length === 1);
  await clock.advance(7_000);
  expect(await result).toBe("now");
  waitSeconds = "3600";
  expect(await called(client)).toStartWith("failed: ");
  expect([calls, waits]).toEqual([3, [7_000]]);
  await client.close();
});

test("[MCP-01 R23] a call whose stream ends without an answer fails at once, and the server continues", async () => {
  let calls = 0;
  await using server = openServer((message) => {
    calls += 1;
    return calls === 1 ? events(": nothing", "", "") : Response.json(answer(message, "well"));
  });
  const { client, opened } = await connected(server);
  await opened();
  expect(await called(client)).toContain("the server ended its answer before the result came");
  expect(await called(client)).toBe("well");
  await client.close();
});

test("[MCP-01 R23] a call that is answered with another's result, or with nothing, fails at once, and no header of ours reveals it", async () => {
  for (const said of [
    () => Response.json(answer({ id: 999, method: "" }, "another's")),
    () => Response.json([]),
    () => new Response(null, { status: 202 }),
  ]) {
    await using server = openServer(said);
    const { client, opened } = await connected(server);
    await opened();
    expect(await called(client)).toBe("failed: the server ended its answer before the result came");
    expect(
      server.seen.flatMap(({ headers }) => [...headers.keys()].filter((name) => /cinch/.test(name))),
    ).toEqual([]);
    await client.close();
  }
});

test("[MCP-01] a stream that broke off is opened again after the last event that came", async () => {
  let message: Message | undefined;
  await using server = openServer(
    (asked) => {
      message = asked;
      return events("id: e7", "retry: 100", "data:", "", "");
    },
    (request) =>
      request.headers.get("last-event-id") === "e7" && message !== undefined
        ? events(`data: ${JSON.stringify(answer(message, "resumed"))}`, "", "")
        : undefined,
  );
  const { client, opened } = await connected(server);
  await opened();
  expect(await called(client)).toBe("resumed");
  await client.close();
});

test("[MCP-01] a session that the server has forgotten closes the connection, so that a new one can be made", async () => {
  await using server = openServer(() => new Response("who?", { status: 404 }));
  const { client, closed, opened } = await connected(server);
  await opened();
  expect(await called(client)).toStartWith("failed: ");
  await closed;
});

test(
  "[MCP-01 R21] an answer without an end, as JSON or as one event, costs its own call",
  async () => {
    const endless = (type: string) => {
      const piece = new TextEncoder().encode("x".repeat(1_048_576));
      return new Response(
        new ReadableStream<Uint8Array>(
          { pull: (controller) => controller.enqueue(piece) },
          { highWaterMark: 0 },
        ),
        { headers: { "content-type": type } },
      );
    };
    for (const type of ["application/json", "text/event-stream"]) {
      await using server = openServer(() => endless(type));
      const { client, opened } = await connected(server);
      await opened();
      expect(await called(client)).toStartWith("failed: ");
      await client.close();
    }
  },
  HANG_MS_MAX,
);

test("[MCP-01 R23] a call that is never answered ends after its time, and no other", async () => {
  const clock = fakeClock();
  const hung: Message[] = [];
  await using server = openServer((message) => {
    hung.push(message);
    return new Promise<Response>(() => undefined);
  });
  const remote = await openHttpTransport(
    { name: "there", transport: "http", url: server.url, headers: {} },
    { ...PORTS, clock },
    { callMsMax: 90_000 },
  );
  const client = new Client({ name: "cinch", version: "0" });
  await client.connect(remote);
  const result = called(client);
  await until("the call", () => hung.length === 1);
  await clock.advance(89_999);
  expect(await Promise.race([result, Promise.resolve("waits")])).toBe("waits");
  await clock.advance(1);
  expect(await result).toStartWith("failed: ");
  await client.close();
});

test("[MCP-06] a call that is cancelled is cancelled at the server", async () => {
  let hung: Message | undefined;
  await using server = openServer((message) => {
    hung = message;
    return new Promise<Response>(() => undefined);
  });
  const { client, opened } = await connected(server);
  await opened();
  const cancel = new AbortController();
  const result = client.callTool({ name: "do", arguments: {} }, { signal: cancel.signal });
  await until("the call", () => hung !== undefined);
  cancel.abort(new Error("never mind"));
  await expect(result).rejects.toThrow("never mind");
  const told = async () => await Promise.all(server.seen.map((each) => each.clone().text()));
  await until("the word", async () =>
    (await told()).some((body) => body.includes("notifications/cancelled")),
  );
  const [cancelled] = (await told()).filter((body) => body.includes("notifications/cancelled"));
  expect(JSON.parse(cancelled ?? "")).toMatchObject({ params: { requestId: hung?.id } });
  await client.close();
});

test("[MCP-01 REL-04] closing the connection ends every stream of it", async () => {
  let left = 0;
  const endless = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(": open\n\n")),
        cancel() {
          left += 1;
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  await using server = openServer(endless, ({ method }) => (method === "GET" ? endless() : undefined));
  const { client, opened } = await connected(server);
  await opened();
  const hanging = called(client);
  await until("both streams", () => server.seen.length === 4);
  await client.close();
  expect(await hanging).toStartWith("failed: ");
  await until("the end of both", () => left === 2);
});

test("[MCP-01] garbage, in any form, is the failure of its call and of nothing else", async () => {
  const garbage = [
    () => new Response("<html>", { headers: { "content-type": "text/html" } }),
    () => new Response("{", { headers: { "content-type": "application/json" } }),
    () => Response.json([1, 2]),
    () => events("data: nonsense", "", ""),
    () => new Response("boom", { status: 500 }),
  ];
  let at = 0;
  await using server = openServer((message) => garbage[at++]?.() ?? Response.json(answer(message, "well")));
  const { client, opened } = await connected(server);
  await opened();
  for (const _ of garbage) expect(await called(client)).toStartWith("failed: ");
  expect(await called(client)).toBe("well");
  await client.close();
});

test("[MCP-01 S65] a challenge is read whatever stands in it", async () => {
  expect(parseChallenge('Basic realm="x", Bearer scope="a \\"b\\"", error=invalid_token, scope="c"')).toEqual(
    {
      error: "invalid_token",
      scope: 'a "b"',
    },
  );
  await holds(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const read = parseChallenge(`${before} Bearer ${after}`);
      for (const value of Object.values(read)) expect(typeof value).toBe("string");
    }),
    500,
  );
});

test("[MCP-01 R21] a stream of many short events continues for ever, wherever its bytes are split", async () => {
  const event = fc.array(fc.constantFrom("data: a", "id: 1", ": c"), { minLength: 1, maxLength: 3 });
  const breaks = fc.constantFrom("\n", "\r\n");
  await holds(
    fc.asyncProperty(
      fc.array(event, { minLength: 5 }),
      breaks,
      fc.integer({ min: 1, max: 9 }),
      async (all, end, size) => {
        const text = all.map((lines) => lines.join(end) + end + end).join("");
        const bytes = new TextEncoder().encode(text);
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const longest = Math.max(...all.map((lines) => lines.join(end).length + 2 * end.length));
        const answered = () =>
          new Response(inPieces(pieces), { headers: { "content-type": "text/event-stream" } });
        expect(await boundResponse(answered(), hostClock, longest).text()).toBe(text);
        await expect(boundResponse(answered(), hostClock, longest - 1).text()).rejects.toThrow("longer than");
      },
    ),
  );
});

function inPieces(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

test(
  "[MCP-01 REL-04] a stream of events without end is read no faster than a thousand a second, and may be left while it waits",
  async () => {
    const clock = fakeClock();
    const chunk = new TextEncoder().encode("data: x\n\n".repeat(600));
    let given = 0;
    const endless = new ReadableStream({
      pull(controller) {
        given += 1;
        controller.enqueue(chunk);
      },
    });
    const headers = { "content-type": "text/event-stream" };
    const body = boundResponse(new Response(endless, { headers }), clock).body ?? new ReadableStream();
    const reader = body.getReader();
    await reader.read();
    await reader.read();
    let came = false;
    const third = reader.read().then(() => {
      came = true;
    });
    await until("it waits", () => clock.waiting === 1);
    expect([came, given < 5]).toEqual([false, true]);
    await clock.advance(1_000);
    await third;
    await reader.read();
    await until("it waits again", () => clock.waiting === 1);
    await reader.cancel();
    await until("nothing waits", () => clock.waiting === 0);
  },
  HANG_MS_MAX,
);
