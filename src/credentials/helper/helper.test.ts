import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { fakeClock, settle } from "../../../test/support/fake-clock.ts";
import { holds } from "../../../test/support/property.ts";
import { seededRandom, temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { hasReason } from "../../base/errors.ts";
import { SILENT_LOG } from "../../base/log.ts";
import type { Fetch, FetchInit } from "../../base/world.ts";
import { hostClock } from "../../platform/clock.ts";
import { hostFetch, hostFetchThrough } from "../../platform/sockets/fetch.ts";
import { hostListen } from "../../platform/sockets/listen.ts";
import { anthropicProvider } from "../../providers/anthropic/anthropic.ts";
import type { AuthorizedRequest } from "../../providers/authorized-fetch.ts";
import { UNWATCHED_BATCH_MS } from "../../providers/http/stream/batch-reader.ts";
import { openAiProvider } from "../../providers/openai/openai.ts";
import { openRouterProvider } from "../../providers/openrouter/openrouter.ts";
import type { VendorSettings } from "../../providers/vendor-settings.ts";
import type { CustomProvider } from "../../providers/vendors.ts";
import { zaiProvider } from "../../providers/zai/zai.ts";
import { baseUrlOf, isAllowedAddress } from "./base-url.ts";
import { helperClient } from "./client.ts";
import type { Frame, FrameKind } from "./frames.ts";
import { encodeFrame, readFrames } from "./frames.ts";
import type { HelperReady } from "./helper-messages.ts";
import { parseBrokerMessage, parseHead, parseStart } from "./helper-messages.ts";
import { isUrlBelow } from "./is-url-below.ts";
import { openHelper } from "./open-helper.ts";
import { serveKeys } from "./serve.ts";

const KEY = "key-of-the-test-0123456789";
const signal = new AbortController().signal;

test("[CRED-03] a request goes through the helper with the key put in, and its answer comes back as it was", async () => {
  await using rig = await openRig((request) => {
    const body = `${request.headers.get("x-api-key")} ${request.method}`;
    return new Response(`«${body.length}» ü`, { status: 201, headers: { "x-a": "b", "set-cookie": "c=d" } });
  });
  const response = await rig.send({
    body: "{}",
    method: "POST",
    headers: { "X-Api-Key": "planted", a: "ö" },
  });
  expect([response.status, response.headers.get("x-a"), response.headers.get("set-cookie")]).toEqual([
    201,
    "b",
    null,
  ]);
  expect(await response.text()).toBe(`«${KEY.length + 5}» ü`);
  expect(rig.client.keys).toMatchObject({});
  expect(await rig.client.keys.providers()).toEqual(["own"]);
  expect(await rig.client.keys.keyFor("own")).toBeUndefined();
});

// Seen red with the caller's own headers sent on, and with any method.
test("[CRED-03 S54 S59] a request cannot choose where a key goes behind its address, nor where the request ends", async () => {
  await using rig = await openRig(
    (request) => new Response(JSON.stringify([request.method, ...[...request.headers.keys()].sort()])),
  );
  const planted = ["Host", "Connection", "Expect", "Upgrade", "TE", "Proxy-Connection", "Forwarded"];
  const more = ["X-Forwarded-Host", "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override"];
  const names = [...planted, ...more, "Content-Length", "Transfer-Encoding", "x-own"];
  const response = await rig.send({
    method: "POST",
    body: "{}",
    headers: Object.fromEntries(names.map((name) => [name, "evil.example"])),
  });
  const ours = ["accept", "accept-encoding", "connection", "content-length", "host", "user-agent"];
  expect(await response.json()).toEqual(["POST", ...ours, "x-api-key", "x-own"]);
  for (const method of ["TRACE", "CONNECT", "PUT", "post"]) {
    expect([method, String(await rig.send({ method }).catch((thrown: unknown) => thrown))]).toEqual([
      method,
      "Error: the credential helper answered 400",
    ]);
  }
});

test("[CRED-03] a refused key is reported with its source, and cut out of the body, in the helper", async () => {
  await using rig = await openRig(() => new Response(`bad key ${KEY}`, { status: 401 }));
  const response = await rig.send({});
  expect([response.status, response.headers.get("x-cinch-key-source")]).toEqual([401, "OWN_KEY"]);
  expect(await response.text()).toBe("bad key «redacted:api-key»");
});

test("[CRED-03 PROV-12] redirects are not followed, and an address that cannot be reached keeps its code", async () => {
  await using rig = await openRig(() => Response.redirect("http://127.0.0.1:9/elsewhere", 307));
  expect((await rig.send({})).status).toBe(307);
  await rig.server.stop(true);
  const failure = await rig.send({}).catch((thrown: unknown) => thrown);
  expect(Reflect.get(failure as object, "code")).toBe("ECONNREFUSED");
});

test("[CRED-03 S54] the head of an answer arrives before its body begins", async () => {
  const body = Promise.withResolvers<Uint8Array>();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(await body.promise);
      controller.close();
    },
  });
  await using rig = await openRig(() => new Response("unused"), {
    fetch: () => Promise.resolve(new Response(stream, { status: 200 })),
  });
  const response = await rig.send({}); // ends although no byte of the body is there yet
  body.resolve(new TextEncoder().encode("later"));
  expect(await response.text()).toBe("later");
});

test("[CRED-03 ENG-09] an engine that leaves ends the request to the provider", async () => {
  const aborted = Promise.withResolvers<void>();
  await using rig = await openRig(() => new Response("unused"), {
    fetch: (_url, init: FetchInit) => {
      init.signal.addEventListener("abort", () => aborted.resolve());
      return new Promise(() => undefined);
    },
  });
  const controller = new AbortController();
  const asked = rig.send({ signal: controller.signal }).catch((thrown: unknown) => thrown);
  await rig.asked;
  controller.abort(new Error("left"));
  expect(String(await asked)).toContain("left");
  await aborted.promise;
});

test("[CRED-03] an answer that breaks off is an error for its reader, never an end", async () => {
  let sent = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent) controller.error(new Error("the provider hung up"));
      else controller.enqueue(new TextEncoder().encode("half"));
      sent = true;
    },
  });
  await using rig = await openRig(() => new Response("unused"), {
    fetch: () => Promise.resolve(new Response(stream)),
  });
  const response = await rig.send({});
  await expect(response.text()).rejects.toThrow("the provider hung up");
});

test("[CRED-03 AUTH-10 S59] without the token, or to another address than the provider's own, no key goes anywhere", async () => {
  let reached = 0;
  await using rig = await openRig(() => {
    reached += 1;
    return new Response("fine");
  });
  const ask = async (token: string, url: string, credential: unknown = rig.credential, provider = "own") => {
    const asked = JSON.stringify({ provider, url, credential, method: "GET", headers: {} });
    const headers = { "x-cinch-token": token, "x-cinch-request": asked };
    const response = await hostFetchThrough(rig.ready.socket)("http://helper/", {
      method: "POST",
      headers,
      signal,
    });
    return response.status;
  };
  const { token } = rig.ready;
  expect(await ask(token, `${rig.base}/models`)).toBe(200);
  for (const wrong of ["", "x", token.slice(1), `${token}0`]) expect(await ask(wrong, rig.base)).toBe(403);
  const { port } = new URL(rig.base);
  const elsewhere = [
    `http://127.0.0.1:${port}/other`,
    `http://127.0.0.1:${port}/v1/../other`,
    `http://127.0.0.1:${port}/v1/%2e%2e/other`,
    `http://127.0.0.1:${port}/v1evil`,
    `http://localhost:${port}/v1/models`,
    `http://u:p@127.0.0.1:${port}/v1/models`,
    `http://127.0.0.1:${port}@evil.example/v1/models`,
    `https://127.0.0.1:${port}/v1/models`,
    "file:///etc/hostname",
    "nonsense",
  ];
  for (const url of elsewhere) expect([url, await ask(token, url)]).toEqual([url, 400]);
  expect(await ask(token, rig.base, { kind: "header", header: "x-echo", prefix: "" })).toBe(400);
  expect(await ask(token, rig.base, { kind: "header", header: "authorization", prefix: "a: b\r\n" })).toBe(
    400,
  );
  expect(await ask(token, rig.base, rig.credential, "anthropic")).toBe(400);
  expect(reached).toBe(1);
});

test("[CRED-03] the only address of a vendor's key is the one that its adapter asks", async () => {
  await using folder = temporaryDirectory();
  for (const [name, open] of Object.entries({
    anthropic: anthropicProvider,
    openai: openAiProvider,
    openrouter: openRouterProvider,
    zai: zaiProvider,
  })) {
    const urls: string[] = [];
    const provider = open({
      world: testWorld(),
      cacheDirectory: folder.path,
      send(request) {
        urls.push(request.url);
        return Promise.reject(new Error("not sent"));
      },
    });
    await provider.models(signal).catch(() => undefined);
    const base = baseUrlOf(name, []) ?? "";
    expect([name, urls.map((url) => isUrlBelow(base, url))]).toEqual([name, urls.map(() => true)]);
    expect([name, urls.length]).toEqual([name, 1]);
  }
});

test("[PROV-06 PROV-14 S59] a token of Google's goes to a project's address at Vertex AI, one of Copilot's to Copilot, and to configured addresses instead", () => {
  const base = "https://europe-west1-aiplatform.googleapis.com";
  const own = { vertex: { baseUrl: "http://127.0.0.1:7/v1" }, copilot: { baseUrl: "http://127.0.0.1:7/c" } };
  const ghe = { copilot: { githubUrl: "https://octo.ghe.com" } };
  const verdicts: readonly (readonly [
    url: string,
    provider: string,
    settings: VendorSettings,
    goes: boolean,
  ])[] = [
    [`${base}/v1/projects/p/x:streamRawPredict`, "vertex", {}, true],
    ["https://aiplatform.googleapis.com/v1/projects/p", "vertex", {}, true],
    ["https://aiplatform.eu.rep.googleapis.com/v1/projects/p", "vertex", {}, true],
    [`${base}/v1/projects/../../evil`, "vertex", {}, false],
    [`${base}/v1/projectsevil`, "vertex", {}, false],
    [`${base}/v2/projects/p`, "vertex", {}, false],
    [`${base}:8443/v1/projects/p`, "vertex", {}, false],
    ["http://aiplatform.googleapis.com/v1/projects/p", "vertex", {}, false],
    ["https://storage.googleapis.com/v1/projects/p", "vertex", {}, false],
    ["https://evil-aiplatform.googleapis.com.evil.example/v1/projects/p", "vertex", {}, false],
    ["https://aiplatform.evil.rep.googleapis.com/v1/projects/p", "vertex", {}, false],
    [`${base}/v1/projects/p`, "anthropic", {}, false],
    [`${base}/v1/projects/p`, "vertex", own, false],
    ["http://127.0.0.1:7/v1/projects/p", "vertex", own, true],
    ["https://api.githubcopilot.com/models", "copilot", {}, true],
    ["https://api.githubcopilot.com/models", "copilot", own, false],
    ["https://api.githubcopilot.com/models", "copilot", ghe, false],
    ["https://copilot-api.octo.ghe.com/models", "copilot", ghe, true],
    ["https://api.github.com/copilot_internal/v2/token", "copilot", {}, false],
    ["http://127.0.0.1:7/c/models", "copilot", own, true],
    ["nonsense", "vertex", {}, false],
  ];
  for (const [url, provider, settings, goes] of verdicts)
    expect([url, isAllowedAddress(url, provider, [], settings)]).toEqual([url, goes]);
});

test("[CRED-04] a request without a head is sent again to the next helper; two crashes end it with the reason", async () => {
  const client = helperClient();
  const asked: string[] = [];
  const credentials = client.credentials({
    fetch: () => Promise.reject(new Error("no network")),
    fetchThrough: (socket): Fetch => {
      return (_url, init) => {
        asked.push(socket);
        if (socket === "first") return Promise.reject(new Error("gone"));
        if (socket === "second") return Promise.resolve(new Response("")); // ended before its head
        expect(init.signal.aborted).toBe(false);
        const head = JSON.stringify({ kind: "answer", status: 200, headers: [] });
        const bytes = (text: string) => new TextEncoder().encode(text);
        const parts = [
          encodeFrame("head", bytes(head)),
          encodeFrame("body", bytes("hello")),
          encodeFrame("end"),
        ];
        return Promise.resolve(new Response(new Blob(parts as BlobPart[])));
      };
    },
    needsOf: () => ({ variable: "OWN_KEY", kept: "" }),
  });
  const ready = (socket: string): HelperReady => ({
    kind: "ready",
    socket,
    token: "t",
    held: [{ provider: "own", source: "OWN_KEY" }],
    prints: [],
    notices: [],
  });
  const credential = { kind: "header", header: "x-api-key", prefix: "" } as const;
  const request = { provider: "own", url: "http://a/", credential, signal };
  client.receive(ready("first"));
  const answer = credentials.send(request);
  client.receive({ kind: "down" });
  expect(credentials.state().helper).toEqual({ kind: "restarting" });
  client.receive(ready("second"));
  client.receive({ kind: "down" });
  client.receive(ready("third"));
  expect(await (await answer).text()).toBe("hello");
  expect(new Set(asked)).toContain("third");

  client.receive({ kind: "down" });
  const waiting = credentials.send(request).catch((thrown: unknown) => thrown);
  client.receive({ kind: "failed", times: 2 });
  expect(hasReason(await waiting, "CredentialHelperFailed")).toBe(true);
  expect(credentials.state()).toEqual({ helper: { kind: "failed", times: 2 } });
});

test("[MCP-07 CRED-04] what is to be sent once goes to the next helper only where this one had not begun with it", async () => {
  const client = helperClient();
  const asked: string[] = [];
  const failures = ["ECONNRESET", "ENOENT", "ECONNREFUSED"];
  const credentials = client.credentials({
    fetch: () => Promise.reject(new Error("no network")),
    fetchThrough: (socket): Fetch => {
      return () => {
        asked.push(socket);
        client.receive({ kind: "down" });
        const isOver = asked.length > 3; // whoever would go on asking is ended
        client.receive(isOver ? { kind: "failed", times: 2 } : { ...READY, socket: `${socket}+` });
        return Promise.reject(Object.assign(new Error("gone"), { code: failures.pop() }));
      };
    },
    needsOf: () => ({ variable: "OWN_KEY", kept: "" }),
  });
  const credential = { kind: "header", header: "x-api-key", prefix: "" } as const;
  client.receive(READY);
  const request = { provider: "own", url: "http://a/", credential, signal, once: true };
  await expect(credentials.send(request)).rejects.toThrow(
    "the credential helper ended before it reported an answer",
  );
  expect(asked).toEqual(["one", "one+", "one++"]);
});

const READY: HelperReady = {
  kind: "ready",
  socket: "one",
  token: "t",
  held: [{ provider: "own", source: "OWN_KEY" }],
  prints: [],
  notices: [],
};

test("[CRED-01 CRED-03 CTL-19] a stored key is known to the engine by its fingerprints, and a variable goes before it", async () => {
  await using rig = await openRig((request) => new Response(request.headers.get("x-api-key")));
  const stored = "another-key-of-the-test-0123456789";
  const prints = await rig.client.prints();
  const before = prints.all;
  const report = await rig.client.store({ provider: "zai", key: stored });
  expect(report).toEqual({ replaced: false, source: "creds.enc" });
  expect((await rig.client.list()).map(({ provider }) => provider)).toEqual(["own", "zai"]);
  expect(prints.all.length).toBeGreaterThan(before.length);
  expect(prints.all).toEqual(expect.arrayContaining([...before])); // the same salt: nothing is doubled
  expect(JSON.stringify(prints.all)).not.toContain(stored.slice(0, 8));
  expect(await rig.client.store({ provider: "own", key: stored })).toEqual({
    replaced: false,
    source: "OWN_KEY",
  });
  expect((await (await rig.send({})).text()).length).toBe("«redacted:api-key»".length); // that of the variable
  const store = (token: string, body: string) =>
    hostFetchThrough(rig.ready.socket)("http://helper/keys", {
      ...{ method: "POST", headers: { "x-cinch-token": token }, body, signal },
    });
  const wrong = await store("wrong", JSON.stringify({ provider: "zai", key: stored }));
  const notKey = await store(rig.ready.token, JSON.stringify({ provider: "zai" }));
  expect([wrong.status, notKey.status]).toEqual([403, 400]);
});

test("[CRED-04 CTL-19] no key is stored once no helper is started again, and a key waits for the next one before", async () => {
  const client = helperClient();
  const asked: string[] = [];
  const credentials = client.credentials({
    fetch: () => Promise.reject(new Error("no network")),
    fetchThrough: (socket): Fetch => {
      return () => {
        asked.push(socket);
        client.receive({ kind: "down" });
        client.receive(asked.length === 1 ? { ...READY, socket: "two" } : { kind: "failed", times: 2 });
        return Promise.reject(new Error("the text holds the key"));
      };
    },
    needsOf: () => undefined,
  });
  client.receive(READY);
  const failure = await credentials.store({ provider: "own", key: KEY }).catch((thrown: unknown) => thrown);
  expect(hasReason(failure, "CredentialHelperFailed")).toBe(true);
  expect(asked).toEqual(["one", "two"]);
  expect(Bun.inspect(failure)).not.toContain(KEY);
});

test("[CRED-01 SES-04] a machine key of the wrong length is the helper's refusal, with its reason, for the engine to report", async () => {
  await using folder = temporaryDirectory();
  const report = await openHelper(
    { ...startIn(folder.path), variables: { CINCH_MACHINE_KEY: "short" } },
    {
      fetch: hostFetch(),
      listen: hostListen(SILENT_LOG),
      clock: hostClock,
      random: seededRandom(1),
      readSettings: () => configured([]),
    },
  );
  expect(report).toMatchObject({ kind: "refused", reason: "MachineKeyUnusable" });
  const client = helperClient();
  if (report.kind === "refused") client.receive(report);
  const credentials = client.credentials({
    fetch: () => Promise.reject(new Error("no network")),
    fetchThrough: () => () => Promise.reject(new Error("no network")),
    needsOf: () => undefined,
  });
  await expect(credentials.logKey()).rejects.toThrow("it must be exactly 32 bytes");
  await expect(credentials.keys.providers()).rejects.toThrow("CINCH_MACHINE_KEY");
});

test("[CRED-03 ENG-09] a request that is cancelled while the helper still starts ends at once", async () => {
  const credentials = helperClient().credentials({
    fetch: () => Promise.reject(new Error("no network")),
    fetchThrough: () => () => Promise.reject(new Error("no network")),
    needsOf: () => undefined,
  });
  const stop = new AbortController();
  const sent = credentials.send({
    provider: "anthropic",
    url: "https://api.anthropic.com/v1/messages",
    credential: { kind: "header", header: "x-api-key", prefix: "" },
    signal: stop.signal,
  });
  stop.abort(new Error("cancelled"));
  await expect(sent).rejects.toThrow("cancelled");
});

// Seen red without the field in the helper's request, and with its answer gathered for 16 ms.
test("[PERF-02 CRED-03] the helper gathers an answer that nobody watches for longer", async () => {
  const clock = fakeClock();
  const write = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const handle = serveKeys({
    token: "t",
    clock,
    isAllowed: () => true,
    store: () => Promise.reject(new Error("no key is stored here")),
    send: () => Promise.resolve(new Response(new ReadableStream({ start: write.resolve }))),
  });
  const client = helperClient();
  client.receive(READY);
  const credentials = client.credentials({
    fetch: () => Promise.reject(new Error("no network")),
    fetchThrough: () => (_url, init) => handle(new Request("http://helper/", init as RequestInit)),
    needsOf: () => undefined,
  });
  const credential = { kind: "header", header: "x-api-key", prefix: "" } as const;
  const request = { provider: "own", url: "http://a/", credential, signal, isUnwatched: true };
  const { body } = await credentials.send(request);
  const reader = body?.getReader();
  const read = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
  const written = await write.promise;
  written.enqueue(Buffer.from("a"));
  expect(await read()).toBe("a");
  written.enqueue(Buffer.from("b"));
  const together = read();
  await clock.armed();
  await clock.advance(UNWATCHED_BATCH_MS - 1);
  written.enqueue(Buffer.from("c"));
  await settle();
  await clock.advance(1);
  expect(await together).toBe("bc");
});

test("[CRED-03] frames are read wherever the bytes are cut", async () => {
  const kind = fc.constantFrom<FrameKind>("head", "body", "end", "failure");
  const frames = fc.array(fc.record({ kind, bytes: fc.uint8Array({ maxLength: 300 }) }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(frames, fc.array(fc.integer({ min: 1, max: 200 })), async (written, cuts) => {
      const all = Buffer.concat(written.map(({ kind, bytes }) => encodeFrame(kind, bytes)));
      async function* chunks(): AsyncGenerator<Uint8Array> {
        let at = 0;
        for (const size of [...cuts, all.length]) {
          yield new Uint8Array(all.subarray(at, at + size));
          at += size;
        }
      }
      const read: Frame[] = [];
      for await (const { kind, bytes } of readFrames(chunks()))
        read.push({ kind, bytes: new Uint8Array(bytes) });
      expect(read).toEqual(written);
    }),
  );
});

test("[CRED-03] no text between the processes makes a reader throw", async () => {
  await holds(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      for (const read of [parseBrokerMessage, parseStart, parseHead]) read(text);
    }),
  );
});

function configured(customs: readonly CustomProvider[]) {
  return Promise.resolve({ customs, keychain: false });
}

function startIn(directory: string) {
  return {
    socket: join(directory, "h.sock"),
    variables: {},
    directory: join(directory, "config"),
    workingDir: directory,
    insecureDevKey: false,
  };
}

async function openRig(answer: (request: Request) => Response, more: { readonly fetch?: Fetch } = {}) {
  const folder = temporaryDirectory();
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  const base = `http://127.0.0.1:${server.port}/v1`;
  const custom = { name: "own", kind: "anthropic", baseUrl: base, apiKeyEnv: "OWN_KEY" } as const;
  const asked = Promise.withResolvers<void>();
  const network = more.fetch ?? hostFetch();
  const report = await openHelper(
    { ...startIn(folder.path), variables: { OWN_KEY: KEY } },
    {
      clock: hostClock,
      readSettings: () => configured([custom]),
      listen: hostListen(SILENT_LOG),
      random: seededRandom(5),
      fetch(url, init) {
        asked.resolve();
        return network(url, init);
      },
    },
  );
  if (report.kind !== "ready") throw new Error(`the helper refused: ${report.reason}`);
  const client = helperClient();
  client.receive(report);
  const credentials = client.credentials({
    fetch: hostFetch(),
    fetchThrough: hostFetchThrough,
    needsOf: () => ({ variable: "OWN_KEY", kept: "" }),
  });
  const credential = { kind: "header", header: "x-api-key", prefix: "" } as const;
  return {
    base,
    server,
    ready: report,
    credential,
    client: credentials,
    asked: asked.promise,
    send: (request: Partial<AuthorizedRequest>) =>
      credentials.send({ provider: "own", url: `${base}/messages`, credential, signal, ...request }),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await folder[Symbol.asyncDispose]();
    },
  };
}
