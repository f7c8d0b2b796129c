import { expect, test } from "bun:test";
import type { ControlRig } from "../../../../test/support/control-rig.ts";
import { openControlRig } from "../../../../test/support/control-rig.ts";
import type { RpcAnswer } from "../../../../test/support/mcp-stdio.ts";
import { hangs, says } from "../../../../test/support/scripted-provider.ts";
import { until } from "../../../../test/support/until.ts";
import { BoundedQueue } from "../../../base/async/queue.ts";
import type { TokenGrant } from "../../../session/access/authority.ts";
import type { AskQuery } from "../../../session/commands/query-handlers.ts";
import { RUN_TOOL } from "../mcp-names.ts";
import type { StdioEnd } from "./stdio.ts";
import { serveMcpStdio, UNANSWERED_REQUESTS_MAX } from "./stdio.ts";

/** The server over standard input and output, with the input and the output in hand. */
interface Wire extends AsyncDisposable {
  readonly sent: RpcAnswer[];
  readonly ended: Promise<StdioEnd>;
  /** True if the output is read. */
  isRead: boolean;
  /** Pieces of the input that were taken. */
  readonly taken: number;
  send(...messages: readonly object[]): void;
  until(fits: (message: RpcAnswer) => boolean): Promise<RpcAnswer>;
  /** Takes what waits to be read. */
  read(): void;
  end(): void;
}

function openWire(control: ControlRig, token: string): Wire {
  const input = new BoundedQueue<Uint8Array>(100_000);
  const sent: RpcAnswer[] = [];
  const waiting = new Set<() => void>();
  let readers: (() => void)[] = [];
  const stop = new AbortController();
  let taken = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of input) {
      taken += 1;
      yield piece;
    }
  }
  const wire: Wire = {
    sent,
    isRead: true,
    get taken() {
      return taken;
    },
    ended: serveMcpStdio({
      input: counted(),
      async write(text) {
        if (!wire.isRead) await new Promise<void>((resolve) => readers.push(resolve));
        sent.push(JSON.parse(text) as RpcAnswer);
        for (const wake of waiting) wake();
      },
      world: control.rig.world,
      version: "0.0.0",
      admit: async () => ({ engine: control.engine, authority: control.authority, token }),
      signal: stop.signal,
    }),
    send(...messages) {
      const text = messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join("");
      input.push(new TextEncoder().encode(text));
    },
    async until(fits) {
      for (;;) {
        const found = sent.find(fits);
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
    },
    read() {
      wire.isRead = true;
      const all = readers;
      readers = [];
      for (const resolve of all) resolve();
    },
    end: () => input.end(),
    async [Symbol.asyncDispose]() {
      wire.read();
      stop.abort();
      await wire.ended;
    },
  };
  return wire;
}

const initialize = {
  id: "init",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

async function openShaken(control: ControlRig, token = agent(control)): Promise<Wire> {
  const wire = openWire(control, token);
  wire.send(initialize, { method: "notifications/initialized" });
  await wire.until(({ id }) => id === "init");
  return wire;
}

/** Bound to the session of the rig. */
function agent(control: ControlRig): string {
  return control.mint({ identityClass: "agent", sessions: [control.rig.session.id] });
}

const run = (id: number, prompt: string) => ({
  id,
  method: "tools/call",
  params: { name: RUN_TOOL, arguments: { prompt, delivery: "queue" } },
});

test("[CTL-08 AUTH-07] a process that attaches to a person's session does not decide over it, unless its token names it", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  const { id: sessionId } = control.rig.session;
  const reasonOf = async (wire: Wire, id: string, name: string, args: object) => {
    wire.send({ id, method: "tools/call", params: { name, arguments: args } });
    const { result } = await wire.until((message) => message.id === id);
    const meta: unknown = Reflect.get(Object(result), "_meta");
    return Reflect.get(Object(result), "isError") === true ? Reflect.get(Object(meta), "reason") : "allowed";
  };
  await using wire = await openShaken(control, control.mint({ identityClass: "agent" }));
  expect(await reasonOf(wire, "attach", "harness.attach_session", { sessionId })).toBe("allowed");
  for (const name of ["harness.end_session", "harness.cancel_turn"])
    expect(await reasonOf(wire, name, name, {})).toBe("Forbidden");
  expect(await reasonOf(wire, "run", RUN_TOOL, { prompt: "hi" })).toBe("allowed");
  expect(await reasonOf(wire, "cancel", "harness.cancel_turn", {})).toBe("allowed");
  await using named = await openShaken(control);
  expect(await reasonOf(named, "end", "harness.end_session", {})).toBe("allowed");
});

test("[CTL-08] so many requests may wait for their answers and no more; each answer makes room", async () => {
  await using control = await openControlRig({ script: [] });
  const { promise: never, resolve } = Promise.withResolvers<void>();
  const query: AskQuery = async (asked, asking) => {
    if (asked.kind === "ListProfiles") await never;
    return await control.engine.query(asked, asking);
  };
  await using wire = await openShaken({ ...control, engine: { ...control.engine, query } });
  const read = (id: number) => ({ id, method: "resources/read", params: { uri: "harness/v1://profiles" } });
  for (let id = 1; id <= UNANSWERED_REQUESTS_MAX; id += 1) wire.send(read(id));
  wire.send({ id: "beyond", method: "ping" });
  expect((await wire.until(({ id }) => id === "beyond")).error?.data?.reason).toBe("TooManyFrames");
  // What the client takes back gets no answer, and makes room too.
  wire.send({ method: "notifications/cancelled", params: { requestId: 7 } }, { id: "then", method: "ping" });
  expect((await wire.until(({ id }) => id === "then")).result).toEqual({});
  resolve();
  await wire.until(({ id }) => id === UNANSWERED_REQUESTS_MAX);
  expect(wire.sent.filter(({ id }) => id === 7)).toEqual([]);
});

test("[CTL-08] a client that does not read is read no further than a little, and loses nothing", async () => {
  await using control = await openControlRig({ script: [] });
  await using wire = await openShaken(control);
  wire.isRead = false;
  const count = 600;
  for (let id = 1; id <= count; id += 1) wire.send({ id, method: "tools/list" });
  let [last, times] = [0, 0];
  await until("no more is read", () => {
    [last, times] = [wire.taken, wire.taken === last ? times + 1 : 0];
    return times > 10;
  });
  expect(wire.taken).toBeLessThan(count - 100);
  wire.read();
  await wire.until(({ id }) => id === count);
  const answered = wire.sent.flatMap(({ id }) => (typeof id === "number" ? [id] : []));
  expect(answered.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_each, at) => at + 1));
});

test("[CTL-08] a request that is taken back stops the turn that it began, and is not answered", async () => {
  await using control = await openControlRig({ script: [hangs("first "), says("second")] });
  await using wire = await openShaken(control);
  wire.send(run(1, "one"));
  await control.rig.until("TextDelta");
  wire.send({ method: "notifications/cancelled", params: { requestId: 1, reason: "not wanted" } });
  expect((await control.rig.until("TurnEnded")).payload.reason).toBe("cancelled");
  wire.send(run(2, "two"));
  expect((await wire.until(({ id }) => id === 2)).result?.["structuredContent"]).toMatchObject({
    text: "second",
  });
  expect(wire.sent.some(({ id }) => id === 1)).toBe(false);
});

test("[CTL-08] a client whose input ends while a turn runs stops nothing", async () => {
  await using control = await openControlRig({ script: [hangs("first ")] });
  const wire = await openShaken(control);
  wire.send(run(1, "one"));
  await control.rig.until("TextDelta");
  wire.end();
  await control.rig.world.clock.advance(1_000);
  expect(await wire.ended).toEqual({ kind: "closed" });
  await control.rig.connection.send({ kind: "CancelTurn", sessionId: control.rig.session.id });
  expect((await control.rig.until("Cancelled")).payload.by).toBe(control.rig.connection.clientId);
});

test("[CTL-08 AUTH-08] a subscriber of events is notified before its token expires; then nothing more is served", async () => {
  await using control = await openControlRig({ script: [says("one")] });
  const { id } = control.rig.session;
  const minute = 60_000;
  const token = control.mint({ identityClass: "agent", sessions: [id], lifetimeMs: 10 * minute });
  const { jti, expiresAt }: TokenGrant = await control.authority.verify(token, "stdio");
  await using wire = await openShaken(control, token);
  const uri = `harness/v1://session/${id}/events`;
  wire.send({ id: 1, method: "resources/subscribe", params: { uri } });
  await wire.until((message) => message.id === 1);
  await control.rig.world.clock.advance(5 * minute);
  const told = await wire.until(({ method }) => method === "notifications/resources/updated");
  expect(told.params?.["contents"]).toMatchObject({
    kind: "TokenExpiring",
    session: id,
    payload: { jti, expAt: expiresAt / 1_000 },
  });
  await control.rig.world.clock.advance(5 * minute);
  wire.send({ id: 2, method: "tools/list" });
  expect((await wire.until((message) => message.id === 2)).error?.data?.reason).toBe("TokenExpired");
  await control.rig.world.clock.advance(minute);
  expect(await wire.ended).toMatchObject({ kind: "refused", thrown: { reason: "TokenExpired" } });
});

test("[CTL-08 CTL-04] a client that needs a newer protocol of cinch is refused when it first needs the engine", async () => {
  await using control = await openControlRig({ script: [] });
  await using wire = openWire(control, agent(control));
  const capabilities = { experimental: { "harness/v1": { protocol_version: "99.0.0" } } };
  wire.send({ ...initialize, params: { ...initialize.params, capabilities } }, run(1, "one"));
  const { result } = await wire.until(({ id }) => id === 1);
  expect(result).toMatchObject({ isError: true, _meta: { reason: "HandshakeVersionMismatch" } });
});

test("[CTL-08] in the newer era a subscription gets nothing before it is acknowledged, and ends when it is taken back", async () => {
  await using control = await openControlRig({ script: [says("one"), says("two")] });
  const { id } = control.rig.session;
  await control.rig.send("first");
  await using wire = openWire(control, agent(control));
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  };
  const uri = `harness/v1://session/${id}/events?since=0`;
  const listen = (uris: readonly string[]) => ({ _meta, notifications: { resourceSubscriptions: uris } });
  wire.send({ id: 1, method: "subscriptions/listen", params: listen([uri]) });
  const last = control.rig.events.at(-1)?.id;
  const eventOf = ({ params }: RpcAnswer) =>
    (params?.["contents"] as { readonly id: number } | undefined)?.id;
  await wire.until((message) => eventOf(message) === last);
  const [first] = wire.sent;
  expect(first?.method).toBe("notifications/subscriptions/acknowledged");
  expect(wire.sent.slice(1).map(eventOf)).toEqual(control.rig.events.map((event) => event.id));
  expect(wire.sent.at(-1)?.params?.["_meta"]).toMatchObject({ "io.modelcontextprotocol/subscriptionId": 1 });

  wire.send({ method: "notifications/cancelled", params: { requestId: 1, _meta } });
  const elsewhere = "harness/v1://session/sess_01ARZ3NDEKTSV4RRFFQ69G5FAV/events";
  wire.send({ id: 2, method: "subscriptions/listen", params: listen([elsewhere]) });
  expect((await wire.until((message) => message.id === 2)).error?.data?.reason).toBe("Forbidden");
  const before = wire.sent.length;
  await control.rig.send("second");
  wire.send({ id: 3, method: "tools/list", params: { _meta } });
  await wire.until((message) => message.id === 3);
  expect(wire.sent.slice(before).filter((message) => eventOf(message) !== undefined)).toEqual([]);
});
