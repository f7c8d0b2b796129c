import { describe, expect, test } from "bun:test";
import { runScenarios } from "../../src/conformance/run-scenarios.ts";
import { MCP } from "../../src/conformance/scenario.ts";
import { SCENARIOS } from "../../src/conformance/scenarios/all.ts";
import type { TransportName } from "../../src/conformance/transports/transport.ts";
import { CUE_WORDS } from "../../src/providers/conformance/cue.ts";
import { readSource } from "../support/source.ts";
import { requestFault } from "./broken/faults.ts";
import { reachedKinds, UNNAMED_KINDS } from "./named-kinds.ts";
import type { Fault } from "./server.ts";
import { openMemoryServer } from "./server.ts";

const { signal } = new AbortController();

describe("conformance in memory", () => {
  for (const wire of ["inproc", "ws", ...MCP] as const) {
    test(`[CTL-13] our own server walks every scenario: ${wire}`, async () => {
      expect(await notOk(wire)).toEqual([]);
    }, 300_000);
  }

  test("[CTL-13] our own server walks every scenario: rest; they name each kind of command, query and event that is not listed with a reason", async () => {
    const reached = reachedKinds();
    expect(await notOk("rest", reached.fault)).toEqual([]);
    expect(reached.unnamed().toSorted()).toEqual(Object.keys(UNNAMED_KINDS).toSorted());
  }, 300_000);
});

/** Walks every scenario over a wire; returns what did not go well. */
async function notOk(wire: TransportName, fault?: Fault) {
  await using server = await openMemoryServer(fault);
  const walked = await Array.fromAsync(runScenarios({ ...server.parts(wire), scenarios: SCENARIOS }, signal));
  return walked.filter(({ outcome }) => outcome !== "ok");
}

test("[CTL-13 CTL-09] a server without the newer revision of MCP is not asked for it, and the reason is reported", async () => {
  const older = requestFault((request, text) => {
    if (!text.includes('"server/discover"')) return request;
    const error = { code: -32601, message: "Method not found" };
    return Response.json({ jsonrpc: "2.0", id: JSON.parse(text).id, error });
  });
  await using server = await openMemoryServer(older);
  const scenarios = SCENARIOS.filter(({ id }) => id === "mcp-tools");
  for (const [wire, outcome] of [
    ["mcp", "ok"],
    ["mcp-2026-07-28", "skipped"],
  ] as const) {
    const [walked] = await Array.fromAsync(runScenarios({ ...server.parts(wire), scenarios }, signal));
    expect(walked?.outcome).toBe(outcome);
    if (outcome === "skipped") expect(walked?.why).toContain("does not speak the revision 2026-07-28 of MCP");
  }
});

describe("the documents about conformance", () => {
  test("[CTL-13] name every scenario with its promise, in order", () => {
    const page = readSource("docs/protocol/scenarios.md");
    const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (.*) \| (.*) \|$/gm)].map(([, ...cells]) => cells);
    expect(rows).toEqual(SCENARIOS.map(({ id, promise, section }) => [id, promise, section]));
  });

  test("[CTL-13] name every cue word that the model knows, and no other", () => {
    const page = readSource("docs/conformance.md");
    const words = [...page.matchAll(/^\| `cue:([a-z]+)/gm)].map(([, word]) => word ?? "");
    expect(words.toSorted()).toEqual([...CUE_WORDS].toSorted());
  });
});
