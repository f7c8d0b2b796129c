import { expect, test } from "bun:test";
import { openPlace } from "../../../test/support/place.ts";
import { filesUnder, isTest, readSource } from "../../../test/support/source.ts";
import type { EventKind } from "../../protocol/events/events.ts";
import { EVENT_KINDS } from "../../protocol/kinds.ts";
import { FEATURES } from "../features.ts";
import { featureSet } from "../plan/feature-set.ts";
import { HTTP_FEATURES } from "../serving/control-plane.ts";

/** Modules that only read events, or make envelopes of a stored line. */
const READERS = /^src\/(client|conformance|demo|protocol|runner|session\/transcript)\//;

test("[CTL-04] the handshake names every event that this version sends, and none that nobody sends", () => {
  const sources = filesUnder("src", "**/*.ts").filter((file) => !isTest(file) && !READERS.test(file));
  const named = new Set(
    sources.flatMap((file) => [...readSource(file).matchAll(/\bkind: "(\w+)"/g)].map(([, kind]) => kind)),
  );
  const sent: readonly EventKind[] = EVENT_KINDS.filter((kind) => named.has(kind));
  expect(sent).toEqual([...EVENT_KINDS]);
});

test("[CTL-04] the features have the names of the documents, beside our own", async () => {
  await using place = openPlace();
  await using harness = await place.open();
  const { served } = await harness.port(HTTP_FEATURES);
  expect(served.features).toEqual([
    "plan_mode",
    "branching",
    "delegate",
    "auto_approve",
    "auto_attach_on_mcp",
    "inproc",
    "news",
    "rest",
    "sse",
    "ws",
    "websocket",
    "mcpserver_http",
  ]);
});

test("[CTL-04 DOC-01] the handshake names nothing of a feature that the engine does not have", async () => {
  const deleted = ["plan-mode", "subagents"];
  await using place = openPlace();
  await using harness = await place.open({
    features: featureSet(FEATURES.filter(({ name }) => !deleted.includes(name))),
  });
  const { served } = await harness.port([]);
  expect(served.features).toEqual(["branching", "auto_approve", "auto_attach_on_mcp", "inproc", "news"]);
});
