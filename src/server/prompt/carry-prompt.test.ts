import { expect, test } from "bun:test";
import { BoundedQueue } from "../../base/async/queue.ts";
import { idFromBytes } from "../../base/ids.ts";
import type { Connection } from "../../protocol/connection.ts";
import { carryPrompt } from "./carry-prompt.ts";

test("[CTL-11] two inputs of a prompt have one subscription, and every answer leaves before the end", async () => {
  const session = idFromBytes("sess", new Uint8Array(16));
  let subscriptions = 0;
  const connection = {
    clientId: idFromBytes("cli", new Uint8Array(16)),
    handshake: async () => ({}),
    send: async () => ({}),
    subscribe() {
      subscriptions += 1;
      const none = new BoundedQueue<never>(1);
      none.end();
      return none;
    },
    async [Symbol.asyncDispose]() {},
  } as unknown as Connection;
  const content = [{ type: "text", text: "go" }];
  const wishes = { environment: {}, autoApprove: false, strictPermissions: false };
  async function* lines() {
    yield JSON.stringify({ workingDir: "/", wishes, input: { content } });
    yield JSON.stringify({
      frame: "command",
      id: 1,
      body: { kind: "SendInput", sessionId: session, content },
    });
    yield JSON.stringify({ frame: "leave" });
  }
  const sent: string[] = [];
  await carryPrompt(
    { openSession: async () => ({ session, notices: [] }), attach: async () => connection },
    {
      lines: lines(),
      write: async (line) => void sent.push(JSON.parse(line).frame),
      stop: new AbortController().signal,
    },
  );
  expect(subscriptions).toBe(1);
  expect(sent).toEqual(["opened", "accepted", "accepted", "left"]);
});

test.each([
  [true, { deltasMayWait: true }],
  [undefined, {}],
])(
  "[PERF-02] deltas of a prompt may wait only if its client shows none before the end (%p)",
  async (deltasMayWait, expected) => {
    const session = idFromBytes("sess", new Uint8Array(16));
    let asked: object = {};
    const connection = {
      clientId: idFromBytes("cli", new Uint8Array(16)),
      handshake: async () => ({}),
      send: async () => ({}),
      subscribe(_session: unknown, { signal: _signal, ...options }: { readonly signal: AbortSignal }) {
        asked = options;
        const none = new BoundedQueue<never>(1);
        none.end();
        return none;
      },
      async [Symbol.asyncDispose]() {},
    } as unknown as Connection;
    const wishes = { environment: {}, autoApprove: false, strictPermissions: false };
    const input = { content: [{ type: "text", text: "go" }] };
    async function* lines() {
      yield JSON.stringify({ workingDir: "/", wishes, input, deltasMayWait });
      yield JSON.stringify({ frame: "leave" });
    }
    await carryPrompt(
      { openSession: async () => ({ session, notices: [] }), attach: async () => connection },
      { lines: lines(), write: async () => undefined, stop: new AbortController().signal },
    );
    expect(asked).toEqual(expected);
  },
);
