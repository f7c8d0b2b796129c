import { expect, test } from "bun:test";
import { CANONICAL_FORM_VERSION } from "../protocol/version.ts";
import type { Provider } from "./provider.ts";
import { ProviderRegistry } from "./registry.ts";

function named(name: string, canonicalFormVersion = CANONICAL_FORM_VERSION): Provider {
  return {
    name,
    family: name,
    canonicalFormVersion,
    chat: async function* () {},
    models: () => Promise.resolve([]),
    tokenCount: () => Promise.resolve(0),
  };
}

test("[PROV-01] a provider is loaded when it is first asked for, and only once", async () => {
  const registry = new ProviderRegistry();
  let loaded = 0;
  registry.register("one", () => {
    loaded += 1;
    return named("one");
  });
  registry.register("two", () => named("two"));
  expect([registry.names(), loaded]).toEqual([["one", "two"], 0]);
  const [first, second] = await Promise.all([registry.open("one"), registry.open("one")]);
  expect([first === second, loaded]).toEqual([true, 1]);
});

test("[PROV-01] an unknown provider is reported with the known ones", async () => {
  const registry = new ProviderRegistry();
  registry.register("one", () => named("one"));
  await expect(registry.open("won")).rejects.toThrow("There is no provider 'won'. Known: one.");
});

test("[PROV-15] an adapter for another canonical form is refused by name and version", async () => {
  const registry = new ProviderRegistry();
  registry.register("old", () => named("old", 0));
  await expect(registry.open("old")).rejects.toThrow(
    "The provider old was written for version 0 of the canonical message form; this cinch has version 1.",
  );
});

test("[PROV-01] a provider that could not be opened is tried again the next time", async () => {
  const registry = new ProviderRegistry();
  let tries = 0;
  registry.register("late", () => {
    tries += 1;
    if (tries === 1) throw new Error("not yet");
    return named("late");
  });
  await expect(registry.open("late")).rejects.toThrow("not yet");
  expect((await registry.open("late")).name).toBe("late");
});
