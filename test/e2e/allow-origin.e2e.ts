import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "../support/browser.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openServed } from "../support/served.ts";
import { temporaryDirectory } from "../support/world.ts";

const TIMEOUT_MS = 300_000;

/**
 * Script of a page: uses REST, server-sent events over fetch, and a WebSocket, without the SDK, and reports to its own
 * server what each came to.
 */
const SCRIPT = `
const base = SELF;
const { url, token, session } = await (await fetch(base + "/engine")).json();
const headers = { "x-harness-token": token, "x-harness-version": "0.3.0" };
const told = { origin: location.origin };
async function attempt(name, run) {
  try { told[name] = await run(); } catch { told[name] = "failed"; }
}
await attempt("fetch", async () => (await fetch(url + "/v1/sessions", { headers })).status);
await attempt("post", async () => {
  const body = JSON.stringify({ content: [{ type: "text", text: "hello" }] });
  const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
  return (await (await fetch(url + "/v1/sessions/" + session + "/input?wait=turn", init)).json()).text;
});
await attempt("stream", async () => {
  const answer = await fetch(url + "/v1/sessions/" + session + "/events", { headers: { ...headers, "last-event-id": "0" } });
  const { value } = await answer.body.getReader().read();
  return answer.headers.get("content-type") + (value.length > 0 ? ", read" : ", empty");
});
await attempt("source", () => new Promise((resolve, reject) => {
  // It can carry no header, so it gets the refusal of a request without a token: the connection fails either way.
  const source = new EventSource(url + "/v1/sessions/" + session + "/events");
  source.onopen = () => resolve("opened");
  source.onerror = () => reject(new Error("refused"));
}));
await attempt("socket", () => new Promise((resolve, reject) => {
  const socket = new WebSocket(url.replace("http", "ws") + "/v1/ws?session=" + session, ["cinch.v1", "cinch.token." + token]);
  socket.onmessage = () => resolve("message");
  socket.onerror = () => reject(new Error("refused"));
}));
await attempt("mcp", async () => {
  const init = { method: "POST", headers: { authorization: "Bearer " + token, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "page", version: "1" } } }) };
  const answer = await fetch(url + "/mcp", init);
  return [answer.status, answer.headers.get("mcp-session-id") !== null];
});
await fetch(base + "/told", { method: "POST", body: JSON.stringify(told) });
`;

const HTML = '<!doctype html><script type="module" src="/page.js"></script>';

interface PageServer extends Disposable {
  readonly origin: string;
  engine: object;
  /** The next report. */
  next(): Promise<unknown>;
}

/** Serves a page that calls an engine. Reports are taken from any origin: an extension's page sends one too. */
function servePage(): PageServer {
  let engine: object = {};
  const reports: unknown[] = [];
  const waiting: ((report: unknown) => void)[] = [];
  const open = { "access-control-allow-origin": "*" };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, origin } = new URL(request.url);
      switch (pathname) {
        case "/engine":
          return Response.json(engine, { headers: open });
        case "/told": {
          const report: unknown = await request.json();
          const taker = waiting.shift();
          if (taker === undefined) reports.push(report);
          else taker(report);
          return new Response("thanks", { headers: open });
        }
        case "/page.js":
          return new Response(SCRIPT.replace("SELF", JSON.stringify(origin)), {
            headers: { "content-type": "text/javascript" },
          });
        default:
          return new Response(HTML, { headers: { "content-type": "text/html" } });
      }
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    set engine(value: object) {
      engine = value;
    },
    next: () => {
      const report = reports.shift();
      return report === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(report);
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

const REFUSED = {
  fetch: "failed",
  post: "failed",
  stream: "failed",
  source: "failed",
  socket: "failed",
  mcp: "failed",
};
const WORKS = {
  fetch: 200,
  post: "hello, page",
  stream: "text/event-stream; charset=utf-8, read",
  source: "failed",
  socket: "message",
  mcp: [200, true],
};

requireProgram("chromium")(
  "[AUTH-06 CTL-07 CTL-09] in a browser, a page of an origin that --allow-origin names calls REST, streams, WebSocket and /mcp; without it nothing is reached",
  async () => {
    using page = servePage();
    using other = servePage();
    await using served = await openServed({
      script: [says("hello, page")],
      flags: ["--model", "mock:one", "--allow-origin", page.origin],
      listens: true,
    });
    const token = await served.token();
    const engine = { url: served.url, token, session: await served.session(token) };
    for (const [visited, expected] of [
      [page, WORKS],
      [other, REFUSED],
    ] as const) {
      visited.engine = engine;
      await using _browser = openBrowser(visited.origin);
      expect(await visited.next()).toEqual({ origin: visited.origin, ...expected });
    }
  },
  TIMEOUT_MS,
);

/** Returns the id that browsers make of an extension's key: half of its SHA-256, in letters from a to p. */
function extensionId(key: Buffer): string {
  const hex = new Bun.CryptoHasher("sha256").update(key).digest("hex").slice(0, 32);
  return [...hex].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join("");
}

requireProgram("chromium", "openssl")(
  "[AUTH-06] in a browser, an extension that [server] allow_origins names calls the engine, and is refused without",
  async () => {
    using page = servePage();
    await using folder = temporaryDirectory();
    const extension = join(folder.path, "extension");
    mkdirSync(extension);
    const made = Bun.spawnSync(["openssl", "genrsa", "-out", join(folder.path, "key.pem"), "2048"]);
    expect(made.exitCode).toBe(0);
    const { stdout: key } = Bun.spawnSync([
      ...["openssl", "rsa", "-in", join(folder.path, "key.pem"), "-pubout", "-outform", "DER"],
    ]);
    const manifest = {
      ...{ manifest_version: 3, name: "page", version: "1", key: key.toString("base64") },
      background: { service_worker: "worker.js" },
    };
    writeFileSync(join(extension, "manifest.json"), JSON.stringify(manifest));
    writeFileSync(join(extension, "page.js"), SCRIPT.replace("SELF", JSON.stringify(page.origin)));
    writeFileSync(join(extension, "page.html"), HTML);
    writeFileSync(join(extension, "worker.js"), 'chrome.tabs.create({ url: "page.html" });');
    const origin = `chrome-extension://${extensionId(key)}`;
    for (const allows of [true, false]) {
      await using served = await openServed({
        script: [says("hello, page")],
        config: allows ? `[server]\nallow_origins = ["${origin}"]\n` : "",
        listens: true,
      });
      const token = await served.token();
      page.engine = { url: served.url, token, session: await served.session(token) };
      await using _browser = openBrowser("about:blank", { extension });
      expect(await page.next()).toEqual({ origin, ...(allows ? WORKS : REFUSED) });
    }
  },
  TIMEOUT_MS,
);
