import { expect, test } from "bun:test";
import { says, scriptedProvider } from "../../test/support/scripted-provider.ts";
import { SILENT } from "../base/log.ts";
import { PluginHealth } from "../plugin/containment.ts";
import type { ModelRequest } from "../provider/provider.ts";
import { containedProvider } from "./plugin-provider.ts";

const { signal } = new AbortController();

test("[PLUG-01 ENG-12] the provider of a plugin that is switched off answers with that, whatever it is asked", async () => {
  const health = new PluginHealth("mine", SILENT);
  let opened = 0;
  const open = containedProvider(
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

const REQUEST: ModelRequest = {
  model: "m",
  system: [],
  messages: [],
  tools: [],
  outputTokensMax: 1,
  cache: { prefix: false, messages: [] },
};
