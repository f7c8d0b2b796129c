import { expect, test } from "bun:test";
import { openMcpRig } from "../../test/support/mcp-rig.ts";
import type { AddressSpec } from "./server-spec.ts";

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
        if (!head.startsWith("POST")) return void socket.end("HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n");
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
    spec: (name: string): AddressSpec => ({
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
  "[MCP-07] a call whose connection ends before its answer is never sent again, and the model is told that its effect is unknown",
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
