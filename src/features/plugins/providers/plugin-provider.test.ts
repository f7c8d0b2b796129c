import { expect, test } from "bun:test";
import { says, scriptedProvider } from "../../../../test/support/scripted-provider.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import type { ModelRequest, ModelUsage } from "../../../providers/provider.ts";
import { NO_USAGE } from "../../../providers/provider.ts";
import { PluginHealth } from "../runtime/containment.ts";
import { containProvider } from "./plugin-provider.ts";

const { signal } = new AbortController();

test("[PLUG-01 ENG-12] the provider of a plugin that is switched off answers with that, whatever it is asked", async () => {
  const health = new PluginHealth("mine", SILENT_LOG);
  let opened = 0;
  const open = containProvider(
    "oracle",
    async () => {
      opened += 1;
      return scriptedProvider([says("forty-two")]);
    },
    { name: "mine", health },
  );
  const provider = await open();
  await provider.models(signal);
  health.crashed(new Error("tick"));
  const off = { reason: "PluginCrashed" };
  await expect(provider.models(signal)).rejects.toMatchObject(off);
  await expect(provider.tokenCount([], signal)).rejects.toMatchObject(off);
  await expect(Array.fromAsync(provider.chat(REQUEST, signal))).rejects.toMatchObject(off);
  await expect(open()).rejects.toMatchObject(off);
  expect(opened).toBe(1);
});

test("[PLUG-01 PROV-11] what the provider of a plugin counts is made whole, and what is no count is 0 and makes the cost unknown", async () => {
  const told: unknown[] = [{ inputTokens: 12.5, outputTokens: 1e300, cacheReadTokens: "3" }, undefined];
  const open = containProvider(
    "oracle",
    async () => ({
      ...scriptedProvider([]),
      async *chat() {
        for (const usage of told) yield { kind: "usage", usage: usage as ModelUsage };
      },
    }),
    { name: "mine", health: new PluginHealth("mine", SILENT_LOG) },
  );
  const events = await Array.fromAsync((await open()).chat(REQUEST, signal));
  expect(events).toEqual([
    { kind: "usage", usage: { ...NO_USAGE, inputTokens: 13 }, unreadable: true },
    { kind: "usage", usage: NO_USAGE, unreadable: true },
  ]);
});

const REQUEST: ModelRequest = {
  model: "m",
  system: [],
  messages: [],
  tools: [],
  outputTokensMax: 1,
  cache: { prefix: false, messages: [] },
};
