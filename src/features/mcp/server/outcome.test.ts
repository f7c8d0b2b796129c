import { expect, test } from "bun:test";
import { openMcpRig } from "../../../../test/support/mcp-rig.ts";
import { until } from "../../../../test/support/until.ts";
import type { RemoteSpec } from "./server-spec.ts";

const { signal } = new AbortController();
const HANG_MS_MAX = 60_000;
const UNKNOWN = "It is unknown whether the call took effect: find that out before you make it again.";

interface Message {
  readonly id?: number;
  readonly method: string;
}

/** A server over HTTP that counts the calls it was sent, and does with them what the test says. */
function openServer(call: (message: Message) => string) {
  const calls: string[] = [];
  const server = Bun.listen<{ text: string }>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = { text: "" };
      },
      data(socket, bytes) {
        socket.data.text += bytes.toString();
        const [head = "", body] = socket.data.text.split("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (body === undefined || body.length < length) return;
        socket.data.text = "";
        if (!head.startsWith("POST")) return void socket.write(status("405 Method Not Allowed"));
        const message = JSON.parse(body) as Message;
        if (message.method === "tools/call") {
          calls.push(body);
          const said = call(message);
          if (said === "") return socket.terminate();
          return void socket.write(said);
        }
        socket.write(answer(message));
      },
    },
  });
  return {
    calls,
    spec: (name: string): RemoteSpec => ({
      name,
      identity: name,
      declaration: "d".repeat(64),
      eagerToolsMax: 20,
      callMsMax: 120_000,
      declaredIn: "/config.toml",
      transport: "http",
      url: `http://127.0.0.1:${server.port}/mcp`,
      headers: {},
      bearer: false,
      scopes: [],
    }),
    [Symbol.dispose]: () => server.stop(true),
  };
}

function answer({ id, method }: Message): string {
  if (id === undefined) return "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
  switch (method) {
    case "initialize":
      return json(id, {
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "there", version: "1" },
        },
      });
    case "tools/list":
      return json(id, { result: { tools: [{ name: "pay", inputSchema: { type: "object" } }] } });
    default:
      return json(id, { error: { code: -32_601, message: "no such method" } });
  }
}

function json(id: number | undefined, value: object): string {
  const body = JSON.stringify({ jsonrpc: "2.0", id, ...value });
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function status(line: string): string {
  return `HTTP/1.1 ${line}\r\ncontent-length: 0\r\n\r\n`;
}

test(
  "[MCP-07] a call whose connection ends before its answer is never sent again, and its effect is reported to the model as unknown",
  async () => {
    const stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 3\r\n\r\n:\n\n";
    for (const [what, said, isKnown] of [
      ["the connection is dropped", "", false],
      ["the server fails", status("502 Bad Gateway"), false],
      ["the stream of the answer ends", stream, false],
      ["the server refuses", status("400 Bad Request"), true],
      ["the server answers with an error", undefined, true],
    ] as const) {
      using server = openServer(({ id }) => said ?? json(id, { error: { code: -32_602, message: "no" } }));
      await using rig = openMcpRig();
      await using session = rig.session(server.spec("there"));
      await session.server.connected(signal);
      const failed = await session.call("mcp__there__pay", {}).then(
        () => "answered",
        (thrown: unknown) => String(thrown),
      );
      expect([what, failed.endsWith(UNKNOWN), server.calls.length]).toEqual([what, !isKnown, 1]);
    }
  },
  HANG_MS_MAX,
);

/** A server of today, which declares its one tool anew with each list, and refuses each call for its headers. */
function openRefusing() {
  const asked: string[] = [];
  let lists = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as Message;
      asked.push(method);
      if (id === undefined) return new Response(null, { status: 202 });
      const says = (value: object, status = 200) =>
        Response.json({ jsonrpc: "2.0", id, ...value }, { status });
      const done = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
      const about = { capabilities: { tools: {} }, serverInfo: { name: "there", version: "1" } };
      switch (method) {
        case "server/discover":
          return says({ result: { ...done, supportedVersions: ["2026-07-28"], ...about } });
        case "tools/list": {
          lists += 1;
          const region = { type: "string", "x-mcp-header": "Region" };
          const inputSchema = { type: "object", properties: { region } };
          return says({
            result: { ...done, tools: [{ name: "pay", description: `No. ${lists}`, inputSchema }] },
          });
        }
        case "tools/call":
          asked.push(request.headers.get("mcp-param-region") ?? "no header");
          return says({ error: { code: -32_020, message: "the headers do not fit" } }, 400);
        default:
          return says({ error: { code: -32_601, message: "no such method" } });
      }
    },
  });
  const url = `http://127.0.0.1:${server.port}/mcp`;
  return { asked, url, [Symbol.dispose]: () => void server.stop(true) };
}

test(
  "[MCP-07 S37] a server that refuses a call for its headers gets it once, and is asked what its tools are by now",
  async () => {
    using server = openRefusing();
    using other = openServer(() => "");
    await using rig = openMcpRig();
    await using session = rig.session({ ...other.spec("there"), url: server.url });
    await session.server.connected(signal);
    const tool = session.tool("mcp__there__pay");
    const context = rig.context(signal);
    const pay = async () => await tool.run(await tool.plan({ region: "eu" }, context), context);
    await expect(pay()).rejects.toThrow("the headers do not fit");
    await until("its tools are listed again", () => session.events.length > 0);
    expect(session.events).toEqual([{ kind: "changed", tools: ["pay"] }]);
    await expect(pay()).rejects.toThrow("look it up again");
    const relevant = server.asked.filter((each) => /^tools|^eu|^no header/.test(each));
    expect(relevant).toEqual(["tools/list", "tools/call", "eu", "tools/list"]);
  },
  HANG_MS_MAX,
);
