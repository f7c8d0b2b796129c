import { expect, test } from "bun:test";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { ClientId } from "../../base/ids.ts";
import type { TokenGrant } from "../../session/access/authority.ts";
import { EVERYTHING } from "../../session/access/scope.ts";
import type { EnginePort, ServedConnection } from "../../session/engine-port.ts";
import { CLIENT_KEPT_MS, CLIENTS_KEPT_MAX, SocketClients } from "./ws-clients.ts";

const GRANT: TokenGrant = {
  jti: "tok_01JZ0000000000000000000000" as TokenGrant["jti"],
  identityClass: "human",
  scope: EVERYTHING,
  expiresAt: Number.MAX_SAFE_INTEGER,
  canMint: false,
};

const WISH = { grant: GRANT, wire: "unix", label: "test" } as const;

/** An engine that counts who is attached to it. */
function countingEngine() {
  const attached = new Set<string>();
  let count = 0;
  const engine = {
    attach(): Partial<ServedConnection> {
      count += 1;
      const clientId = `cli_01JZ${String(count).padStart(22, "0")}` as ClientId;
      attached.add(clientId);
      return {
        clientId,
        over() {
          return this as ServedConnection;
        },
        async [Symbol.asyncDispose]() {
          attached.delete(clientId);
        },
      };
    },
  };
  return { attached, engine: engine as unknown as EnginePort };
}

test("[CTL-01 CTL-07] clients that come and go without end are forgotten, those that were left first before others", async () => {
  const clock = fakeClock();
  const { engine, attached } = countingEngine();
  await using clients = new SocketClients(engine, clock);
  const left: string[] = [];
  for (let at = 0; at < CLIENTS_KEPT_MAX + 2; at++) {
    using held = clients.hold(WISH);
    left.push(held.connection.clientId);
  }
  expect(attached.size).toBe(CLIENTS_KEPT_MAX);
  expect(clock.waiting).toBe(CLIENTS_KEPT_MAX);
  const isItself = (id: string | undefined) => {
    using held = clients.hold({ ...WISH, named: id });
    return held.connection.clientId === id;
  };
  expect([isItself(left[2]), isItself(left.at(-1)), isItself(left[0])]).toEqual([true, true, false]);
  await clock.advance(CLIENT_KEPT_MS);
  expect([attached.size, clock.waiting]).toEqual([0, 0]);
});

test("[CTL-07 LIFE-02] a socket that reports its end after the engine's keeps no timer and no client", async () => {
  const clock = fakeClock();
  const { engine, attached } = countingEngine();
  const clients = new SocketClients(engine, clock);
  const held = clients.hold(WISH);
  await clients[Symbol.asyncDispose]();
  held[Symbol.dispose]();
  expect([attached.size, clock.waiting]).toEqual([0, 0]);
});
