import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "../support/browser.ts";
import type { ControlRig } from "../support/control-rig.ts";
import { openControlRig } from "../support/control-rig.ts";
import { requireProgram } from "../support/requires.ts";
import { says } from "../support/scripted-provider.ts";
import { buildSdk } from "../support/sdk/runtimes.ts";
import { ROOT } from "../support/source.ts";

const TIMEOUT_MS = 300_000;

/** Pages of one origin, which hold the SDK as it is built. */
interface PageServer extends Disposable {
  readonly origin: string;
  engine: object;
  /** The page's report. */
  readonly told: Promise<unknown>;
}

function servePage(sdk: string): PageServer {
  const told = Promise.withResolvers<unknown>();
  const page: { engine: object } = { engine: {} };
  const script = (path: string) =>
    new Response(readFileSync(path, "utf8"), { headers: { "content-type": "text/javascript" } });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const [, file] = /^\/sdk\/([a-z]+\.js)$/.exec(pathname) ?? [];
      if (file !== undefined) return script(join(sdk, file));
      if (pathname === "/page.js") return script(join(ROOT, "test/support/sdk/page.js"));
      if (pathname === "/engine") return Response.json(page.engine);
      if (pathname === "/told") {
        told.resolve(await request.json());
        return new Response("thanks");
      }
      const html = '<!doctype html><title>page</title><script type="module" src="/page.js"></script>';
      return new Response(html, { headers: { "content-type": "text/html" } });
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    set engine(engine: object) {
      page.engine = engine;
    },
    told: told.promise,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

async function visit(page: PageServer, control: ControlRig): Promise<unknown> {
  page.engine = { url: control.url, token: control.token, session: control.rig.session.id };
  await using _browser = openBrowser(page.origin);
  return await page.told;
}

requireProgram("chromium")(
  "[SDK-01 CTL-14 AUTH-06] a page of an allowed origin has the same client in a browser, and one of another is refused",
  async () => {
    using sdk = buildSdk();
    using allowed = servePage(sdk.path);
    using other = servePage(sdk.path);
    await using control = await openControlRig({
      script: [says("Hello, page."), says("Hello again.")],
      origins: [allowed.origin],
    });
    const works = { inOrder: true, all: true };
    expect(await visit(allowed, control)).toEqual({
      sse: { text: "Hello, page.", ...works },
      websocket: { text: "Hello again.", ...works },
      bare: "opened",
      read: "read",
    });
    const { events: before } = (await (
      await control.ask(`/v1/sessions/${control.rig.session.id}`)
    ).json()) as {
      readonly events: number;
    };
    expect(await visit(other, control)).toEqual({
      sse: "EngineUnreachable",
      websocket: "EngineUnreachable",
      bare: "refused",
      read: "refused",
    });
    expect(await (await control.ask(`/v1/sessions/${control.rig.session.id}`)).json()).toMatchObject({
      events: before,
    });
  },
  TIMEOUT_MS,
);
