import { expect, test } from "bun:test";
import { configuredNames, modelSources, serverNames } from "./model-sources.ts";
import { storedKeyText } from "./stored-key-text.ts";

const PROVIDERS = [
  { name: "anthropic", configured: false, key_variable: "ANTHROPIC_API_KEY" },
  { name: "openai", configured: true, key_variable: "OPENAI_API_KEY" },
  { name: "vertex", configured: false },
  { name: "ollama", configured: false, address: "http://127.0.0.1:11434/v1" },
  { name: "vllm", configured: false, address: "http://127.0.0.1:8000/v1" },
];

test("[PROV-05 TUI-01] servers that answer come first, then providers that take a key and have none", () => {
  expect(serverNames(PROVIDERS)).toEqual(["ollama", "vllm"]);
  expect(modelSources(PROVIDERS, new Map([["ollama", ["qwen3:4b"]]]))).toEqual([
    {
      kind: "server",
      provider: "ollama",
      model: "ollama:qwen3:4b",
      address: "http://127.0.0.1:11434/v1",
    },
    { kind: "key", provider: "anthropic", variable: "ANTHROPIC_API_KEY" },
  ]);
});

test("[PROV-05 TUI-01] models of a provider that is set up come before all others, also if it is a server here", () => {
  const local = { name: "ollama", configured: true, address: "http://127.0.0.1:11434/v1" };
  const providers = [...PROVIDERS.filter(({ name }) => name !== "ollama"), local];
  expect(configuredNames(providers)).toEqual(["openai", "ollama"]);
  expect(serverNames(providers)).toEqual(["vllm"]);
  const served = new Map([
    ["ollama", ["small"]],
    ["vllm", ["big"]],
  ]);
  expect(modelSources(providers, served).map((each) => ("model" in each ? each : each.kind))).toEqual([
    { kind: "configured", provider: "ollama", model: "ollama:small" },
    { kind: "server", provider: "vllm", model: "vllm:big", address: "http://127.0.0.1:8000/v1" },
    "key",
  ]);
});

test("[CTL-19] a stored key is said with what is used in its place", () => {
  expect(storedKeyText("zai", { replaced: true })).toBe(
    "The key of zai was replaced, encrypted. The next request uses it.",
  );
  expect(storedKeyText("zai", { used: false, source: "ZAI_API_KEY" })).toBe(
    "The key of zai was stored, encrypted. It is not used while ZAI_API_KEY is set for the engine.",
  );
});
