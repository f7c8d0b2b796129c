import { expect, test } from "bun:test";
import { join } from "node:path";
import { CinchError, connect, EngineUnreachable } from "../sdk/typescript/src/index.ts";
import { unixSocket } from "../sdk/typescript/src/node.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { requireProgram } from "./support/requires.ts";
import { ROOT } from "./support/source.ts";
import { temporaryDirectory } from "./support/world.ts";

/** An address of this machine at which nobody listens. */
function freeAddress(): string {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  const { port } = server;
  server.stop(true);
  return `http://127.0.0.1:${port}`;
}

test("[SDK-01 CTL-04] without an engine, the TypeScript client names the address and what starts one there", async () => {
  await using scratch = temporaryDirectory("cinch-no-engine-");
  const url = freeAddress();
  const thrown: unknown = await connect({ url, token: "t" }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(EngineUnreachable);
  expect(thrown).toBeInstanceOf(CinchError);
  if (!(thrown instanceof EngineUnreachable)) return;
  expect([thrown.name, thrown.reason]).toEqual(["EngineUnreachable", "EngineUnreachable"]);
  expect(thrown.message).toStartWith(`No engine of cinch answers at ${url} (`);
  expect(thrown.message).toEndWith(
    `Unable to connect): start one there with: cinch serve --listen ${url.slice(7)}`,
  );

  const path = join(scratch.path, "control.sock");
  const none = connect({ url: "http://localhost", fetch: unixSocket(path), token: "t" });
  await expect(none).rejects.toThrow(`No engine of cinch answers at ${path} (`);
  await expect(connect({ url: "http://localhost", fetch: unixSocket(path), token: "t" })).rejects.toThrow(
    /start one there with: cinch serve$/,
  );
});

test("[SDK-01 CTL-19] a file that goes over the Unix socket arrives, as bytes and as a Blob", async () => {
  await using scratch = temporaryDirectory("cinch-sdk-unix-");
  const path = join(scratch.path, "control.sock");
  const received: string[] = [];
  using _server = Bun.serve({
    unix: path,
    async fetch(request) {
      if (request.method === "POST") received.push(await request.text());
      return Response.json({
        protocol_version: PROTOCOL_VERSION,
        event_kinds: [],
        pid: 1,
        started_at: "2026-01-01T00:00:00Z",
      });
    },
  });
  const client = await connect({ url: "http://localhost", fetch: unixSocket(path), token: "t" });
  const session = client.session("sess_00000000000000000000000000");
  await session.attach(new TextEncoder().encode("as bytes"), { name: "a" });
  await session.attach(new Blob(["as a Blob"]), { name: "a" });
  expect(received).toEqual(["as bytes", "as a Blob"]);
});

const PYTHON = `
import sys
from cinch_client import CinchError, EngineUnreachable, connect

for given in ({"url": sys.argv[1]}, {"socket_path": sys.argv[2]}):
    try:
        connect(token="t", **given)
    except EngineUnreachable as thrown:
        print(isinstance(thrown, CinchError), thrown.reason, thrown.message)
`;

requireProgram("python3")(
  "[SDK-01 CTL-04] without an engine, the Python client names the address and what starts one there",
  async () => {
    const url = freeAddress();
    const path = "/nowhere/control.sock";
    const { stdout, stderr } = Bun.spawnSync(["python3", "-c", PYTHON, url, path], {
      env: {
        PATH: process.env["PATH"] ?? "",
        PYTHONPATH: join(ROOT, "sdk/python/src"),
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
    expect(stderr.toString()).toBe("");
    const [port, unix] = stdout.toString().split("\n");
    expect(port).toStartWith(`True EngineUnreachable No engine of cinch answers at ${url} (`);
    expect(port).toEndWith(`): start one there with: cinch serve --listen ${url.slice(7)}`);
    expect(unix).toStartWith(`True EngineUnreachable No engine of cinch answers at ${path} (`);
    expect(unix).toEndWith("): start one there with: cinch serve");
  },
  120_000,
);
