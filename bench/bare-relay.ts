import type { ServerWebSocket } from "bun";
import { linesOf } from "./watching.ts";

/**
 * Relay that `bench/control.ts` compares cinch with: asks the model server at POST /go, hands each piece of its
 * answer to every WebSocket as it comes, and answers GET /item with some JSON. No log, no tokens, no order, nothing
 * for who is slow.
 */
const [baseUrl = ""] = Bun.argv.slice(2);
const open = new Set<ServerWebSocket>();
const item = {
  id: "sess_01",
  title: "a session",
  state: "idle",
  profile: "default",
  working_dir: "/home/user/project",
};
const encoder = new TextEncoder();
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request, self) {
    const { pathname } = new URL(request.url);
    const headers = { "sec-websocket-protocol": "cinch.v1" };
    if (pathname === "/v1/ws" && self.upgrade(request, { headers })) return undefined;
    if (pathname === "/go") void relay();
    return Response.json(item);
  },
  websocket: {
    open: (ws) => void open.add(ws),
    close: (ws) => void open.delete(ws),
    message: (ws) => void ws.send('{"frame":"handshake"}'),
  },
});
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}` })}\n`);

async function relay(): Promise<void> {
  const body = encoder.encode(JSON.stringify({ model: "bench", stream: true, messages: [] }));
  const answer = await fetch(`${baseUrl}/messages`, { method: "POST", body });
  let id = 0;
  for await (const line of linesOf(answer.body ?? new ReadableStream())) {
    if (!line.startsWith("data:")) continue;
    const { type, delta } = JSON.parse(line.slice(5));
    id += 1;
    if (type === "message_stop") publish({ id, kind: "TurnEnded" });
    else if (typeof delta?.text === "string")
      publish({ id, kind: "TextDelta", payload: { text: delta.text } });
  }
}

function publish(event: object): void {
  const message = JSON.stringify({ frame: "event", body: event });
  for (const ws of open) ws.send(message);
}
