import { expect, test } from "bun:test";
import { testWorld } from "../../../../test/support/world.ts";
import type { SandboxSources } from "../policy/sandbox-sources.ts";
import type { OpenNetwork } from "./sandbox-network.ts";
import { SessionNetwork } from "./sandbox-session-network.ts";

test("[SBX-01 LIFE-02] a session that ends closes every network it has opened, whichever of them failed", async () => {
  const closed: string[] = [];
  const results: (() => OpenNetwork)[] = [
    () => openNamed("first"),
    () => {
      throw new Error("no relay");
    },
    () => openNamed("third", new Error("third would not close")),
    () => openNamed("fourth"),
  ];
  function openNamed(name: string, failure?: Error): OpenNetwork {
    return {
      kind: "open",
      policy: { kind: "off" },
      ended: () => false,
      refusals: { count: () => 0, since: () => [], tell: () => [] } as never,
      async [Symbol.asyncDispose]() {
        closed.push(name);
        if (failure !== undefined) throw failure;
      },
    };
  }
  const sources = {
    world: testWorld(),
    relay: { command: ["relay"], sockets: () => Promise.reject(new Error("nothing connects")) },
    settings: { network: ["a.example"] },
  } as unknown as SandboxSources;
  const network = new SessionNetwork(sources, "bubblewrap", async () =>
    (results.shift() ?? openNetworkMissing)(),
  );
  for (const host of ["b", "c", "d"]) {
    await network.policy("/w").catch(() => undefined);
    expect(network.grant([`${host}.example`])).toBe(true);
  }
  await network.policy("/w");
  await expect(network[Symbol.asyncDispose]()).rejects.toThrow("third would not close");
  expect(closed.sort()).toEqual(["first", "fourth", "third"]);
});

function openNetworkMissing(): never {
  throw new Error("no more networks");
}
