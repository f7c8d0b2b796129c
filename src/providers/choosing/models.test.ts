import { expect, test } from "bun:test";
import { resolveModelId } from "./model-aliases.ts";
import { knownModel } from "./prices.ts";

const CATALOGUE = [
  "claude-opus-5-5",
  "claude-opus-4-5-20251101",
  "claude-sonnet-5-5",
  "claude-sonnet-4-5-20250929",
  "claude-haiku-5-5",
  "claude-haiku-4-5-20251001",
];

test("[LIB-08] haiku, sonnet and opus are the newest of their line in the catalogue, or the ones known here", () => {
  expect(resolveModelId("haiku", CATALOGUE)).toEqual({ id: "claude-haiku-5-5" });
  expect(resolveModelId("sonnet", CATALOGUE)).toEqual({ id: "claude-sonnet-5-5" });
  expect(resolveModelId("opus", CATALOGUE)).toEqual({ id: "claude-opus-5-5" });
  expect(
    resolveModelId("opus", ["claude-3-opus-20240229", "claude-opus-4-1-20250805", "claude-opus-4-20250514"]),
  ).toEqual({
    id: "claude-opus-4-1-20250805",
  });
  expect(resolveModelId("haiku", [])).toEqual({ id: "claude-haiku-5-5" });
});

test("[LIB-08] the document's ids are taken as they are while the catalogue lists them", () => {
  for (const id of ["claude-3-haiku-20240307", "claude-3-5-sonnet-20241022", "claude-3-opus-20240229"]) {
    expect(resolveModelId(id, [...CATALOGUE, id])).toEqual({ id });
  }
});

test("[LIB-08] a retired id is answered with the catalogue's successor, and a note says so", () => {
  expect(resolveModelId("claude-3-haiku-20240307", CATALOGUE)).toEqual({
    id: "claude-haiku-5-5",
    note: "The model claude-3-haiku-20240307 is retired; its successor claude-haiku-5-5 is used.",
  });
  expect(resolveModelId("claude-3-5-sonnet-20241022", CATALOGUE).id).toBe("claude-sonnet-5-5");
  expect(resolveModelId("claude-3-opus-20240229", []).id).toBe("claude-opus-5-5");
  expect(resolveModelId("claude-3-7-sonnet-latest", CATALOGUE).id).toBe("claude-sonnet-5-5");
});

test("[LIB-08] ids that are listed, undated, newer or not of this family go through untouched", () => {
  for (const id of [
    "claude-haiku-4-5-20251001",
    "claude-haiku-4-5",
    "claude-opus-6",
    "claude-fable-5-1",
    "gpt-5.1",
    "my-own-model",
    "",
  ]) {
    expect(resolveModelId(id, CATALOGUE)).toEqual({ id });
  }
  expect(resolveModelId("claude-sonnet-4-5", [])).toEqual({ id: "claude-sonnet-4-5" });
});

test("[PROV-11] published prices are found by exact or dated id, and by nothing less", () => {
  expect(knownModel("anthropic", "claude-sonnet-4-5-20250929")).toEqual({
    id: "claude-sonnet-4-5-20250929",
    contextTokens: 200_000,
    outputTokensMax: 64_000,
    price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    takes: ["image", "pdf"],
  });
  expect(knownModel("openai", "gpt-5.1-2025-11-13")?.price).toEqual({
    input: 1.25,
    output: 10,
    cacheRead: 0.125,
  });
  expect(knownModel("zai", "glm-4.6")?.price).toEqual({ input: 0.6, output: 2.2, cacheRead: 0.11 });
  expect(knownModel("anthropic", "claude-haiku-5-5")?.price?.longInput).toEqual({
    aboveTokens: 100_000,
    input: 0.5,
    output: 2.5,
    cacheRead: 0.05,
    cacheWrite: 0.625,
  });
  for (const [provider, id] of [
    ["openai", "gpt-5.1-codex-max"],
    ["openai", "gpt-5.1x"],
    ["anthropic", "claude-sonnet-4-5-mini"],
    ["local", "glm-4.6"],
    ["toString", "glm-4.6"],
  ] as const) {
    expect(knownModel(provider, id)).toBeUndefined();
  }
});
