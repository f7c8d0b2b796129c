// What a page does with the TypeScript SDK; it tells its own server what came of it.
import { CinchError, connect } from "/sdk/index.js";

const { url, token, session } = await (await fetch("/engine")).json();

/** Each stream ends after a few pieces, as if the network had broken. */
async function breaking(address, init) {
  const answer = await fetch(address, init);
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) return answer;
  let pieces = 0;
  const cut = new TransformStream({
    transform(piece, controller) {
      controller.enqueue(piece);
      pieces += 1;
      if (pieces === 3) controller.terminate();
    },
  });
  return new Response(answer.body.pipeThrough(cut), { status: answer.status, headers: answer.headers });
}

class BreakingSocket extends WebSocket {
  constructor(address, protocols) {
    super(address, protocols);
    let messages = 0;
    this.addEventListener("message", () => {
      messages += 1;
      if (messages === 4) this.close();
    });
  }
}

async function attempt(wire) {
  const limits = { backoffMsMin: 10, backoffMsMax: 100 };
  const client = await connect({ url, token, wire, limits, fetch: breaking, WebSocket: BreakingSocket });
  const opened = client.session(session);
  const { text } = await opened.runTurn("hello");
  const ids = [];
  const { events: last } = await opened.info();
  for await (const { id } of opened.events({ since: 0 })) {
    ids.push(id);
    if (id === last) break;
  }
  client.close();
  return { text, inOrder: ids.every((id, at) => id === at + 1), all: ids.length === last };
}

const told = {};
for (const wire of ["sse", "websocket"]) {
  try {
    told[wire] = await attempt(wire);
  } catch (thrown) {
    told[wire] = thrown instanceof CinchError ? thrown.reason : `${thrown}`;
  }
}
// Past the SDK: what a page could try by itself.
told.bare = await new Promise((resolve) => {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/ws`, ["cinch.v1", `cinch.token.${token}`]);
  socket.addEventListener("open", () => resolve("opened"));
  socket.addEventListener("error", () => resolve("refused"));
});
told.read = await fetch(`${url}/v1/health`).then(
  () => "read",
  () => "refused",
);
await fetch("/told", { method: "POST", body: JSON.stringify(told) });
