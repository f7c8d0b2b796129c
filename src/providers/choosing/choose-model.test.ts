import { expect, test } from "bun:test";
import type { ModelPreferences } from "./choose-model.ts";
import { chooseModel } from "./choose-model.ts";

const OWN = { name: "own", kind: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1" } as const;

const KEYED = ["anthropic", "openai", "openrouter", "zai"];

function wishes(parts: Partial<ModelPreferences> = {}): ModelPreferences {
  return { keyed: [], customs: [], discoverLocal: () => Promise.resolve([]), ...parts };
}

test("[PROF-01] what was asked for is taken, split at its first colon", async () => {
  const choose = (asked: string) =>
    chooseModel(
      wishes({ requested: asked, keyed: ["openrouter"], customs: [OWN], preferred: ["zai:glm-4.6"] }),
    );
  expect(await choose("own:llama3:8b")).toEqual({ provider: "own", model: "llama3:8b" });
  expect(await choose("openrouter:anthropic/claude-opus-4.5")).toEqual({
    provider: "openrouter",
    model: "anthropic/claude-opus-4.5",
  });
  expect(await choose("ollama:qwen3:4b")).toEqual({ provider: "ollama", model: "qwen3:4b" });
});

test("[PROF-01] a bare name goes to the one provider that has it", async () => {
  const choose = (asked: string) => chooseModel(wishes({ requested: asked, keyed: KEYED }));
  expect(await choose("sonnet")).toEqual({ provider: "anthropic", model: "claude-sonnet-5-5" });
  expect(await choose("glm-4.6")).toEqual({ provider: "zai", model: "glm-4.6" });
});

test("[PROF-01] what cannot be meant is refused with what could be", async () => {
  const choose = (asked: string) => chooseModel(wishes({ requested: asked }));
  await expect(choose("opnai:gpt-6")).rejects.toThrow(
    "There is no provider 'opnai'. Did you mean 'openai'? Known: anthropic, openai, openrouter, zai, vertex, copilot, ollama, llama.cpp, vllm, lm-studio.",
  );
  await expect(choose("some-model")).rejects.toThrow("name its provider too, as in provider:some-model");
  await expect(choose("openai")).rejects.toThrow("name a model of it too, as in openai:MODEL");
  await expect(choose("openai:")).rejects.toThrow(
    'the name of the model is missing behind "openai:": write openai:MODEL. List them with: cinch models',
  );
});

test("[PROF-01] the first preferred model whose provider has a key is used, and skipped ones are reported", async () => {
  const both = { preferred: ["zai:glm-4.6", "openai:gpt-5"] };
  expect(await chooseModel(wishes({ ...both, keyed: ["zai", "openai"] }))).toEqual({
    provider: "zai",
    model: "glm-4.6",
  });
  expect(await chooseModel(wishes({ ...both, keyed: ["openai"] }))).toEqual({
    provider: "openai",
    model: "gpt-5",
    notice: "Using openai:gpt-5, since zai:glm-4.6 needs ZAI_API_KEY.",
  });
});

test("[PROF-01] a default without a key falls back to the first provider that has one, and says so", async () => {
  expect(await chooseModel(wishes({ preferred: ["zai:glm-4.6"], keyed: ["openrouter"] }))).toEqual({
    provider: "openrouter",
    model: "anthropic/claude-sonnet-5.5",
    notice: "Using openrouter:anthropic/claude-sonnet-5.5, since zai:glm-4.6 needs ZAI_API_KEY.",
  });
  expect(await chooseModel(wishes({ keyed: ["anthropic"] }))).toEqual({
    provider: "anthropic",
    model: "claude-sonnet-5-5",
  });
  expect(await chooseModel(wishes({ customs: [{ ...OWN, defaultModel: "m" }] }))).toEqual({
    provider: "own",
    model: "m",
  });
});

test("[PROF-01] if only an embedded profile's suggestion cannot be used, the notice names the used model alone", async () => {
  const suggested = "zai:glm-4.6";
  expect(await chooseModel(wishes({ suggested, keyed: ["anthropic"] }))).toEqual({
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    notice: "Using anthropic:claude-sonnet-5-5. Another: --model, or default_model in config.toml.",
  });
  expect(await chooseModel(wishes({ suggested, keyed: ["anthropic", "zai"] }))).toEqual({
    provider: "zai",
    model: "glm-4.6",
  });
  expect(await chooseModel(wishes({ suggested, preferred: ["openai:gpt-5"], keyed: ["zai"] }))).toEqual({
    provider: "zai",
    model: "glm-4.6",
    notice: "Using zai:glm-4.6, since openai:gpt-5 needs OPENAI_API_KEY.",
  });
});

test("[PROV-05] servers of this machine are looked for only where nothing else is configured", async () => {
  let looked = 0;
  const discoverLocal = () => {
    looked += 1;
    return Promise.resolve([{ name: "ollama", models: ["qwen3:4b", "other"] }]);
  };
  await chooseModel(wishes({ keyed: ["openai"], discoverLocal }));
  expect(looked).toBe(0);
  expect(await chooseModel(wishes({ discoverLocal }))).toEqual({
    provider: "ollama",
    model: "qwen3:4b",
    notice: "Using ollama:qwen3:4b, since no provider is configured.",
  });
});

test("[PROF-01] with nothing at all the message says what to set", async () => {
  await expect(chooseModel(wishes())).rejects.toThrow(
    "No model is configured. Set one of ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, ZAI_API_KEY, or add a key with cinch creds add PROVIDER, or start a local server (Ollama, llama.cpp, vLLM, LM Studio). You can also describe a provider as [providers.NAME] in config.toml, or name a model with --model provider:name. To see cinch at work without a key: cinch demo",
  );
});

test("[PROF-01] the default that an embedded profile suggests is named with what it lacks if nothing replaces it", async () => {
  const suggested = "zai:glm-4.6";
  await expect(chooseModel(wishes({ suggested }))).rejects.toThrow(
    "No model can be used: the default zai:glm-4.6 needs ZAI_API_KEY, and nothing replaces it. Set one of ZAI_API_KEY, ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, or add",
  );
  await expect(chooseModel(wishes({ suggested, preferred: ["openai:gpt-5"] }))).rejects.toThrow(
    "No model can be used: openai:gpt-5 needs OPENAI_API_KEY, and no key is there. Set one of OPENAI_API_KEY, ANTHROPIC_API_KEY,",
  );
});

test("[PROF-01 PROV-05] a provider that is almost configured is named with what it lacks", async () => {
  const keyless = { ...OWN, name: "mock", defaultModel: "m", apiKeyEnv: "MY_KEY" };
  await expect(chooseModel(wishes({ customs: [keyless, OWN] }))).rejects.toThrow(
    "No model can be used: [providers.mock] has no key (set MY_KEY); [providers.own] has no default_model (add it, or use --model own:NAME). Set one of",
  );
  const discoverLocal = () => Promise.resolve([{ name: "ollama", models: ["qwen3:4b"] }]);
  expect((await chooseModel(wishes({ customs: [keyless], discoverLocal }))).notice).toBe(
    "Using ollama:qwen3:4b, since [providers.mock] has no key (set MY_KEY).",
  );
});

test("[PROF-01 PROV-03] what was asked for and has no key is refused at once, with the variable to set", async () => {
  const needing = { ...OWN, name: "acme", apiKeyEnv: "ACME_KEY" };
  const choose = (asked: string) =>
    chooseModel(wishes({ requested: asked, keyed: ["zai"], customs: [needing] }));
  await expect(choose("anthropic:opus")).rejects.toThrow(
    "Provider anthropic needs a key. Set ANTHROPIC_API_KEY (or keep it: cinch creds add anthropic), or pick another model with --model.",
  );
  await expect(choose("acme:m")).rejects.toThrow(
    "Provider acme needs a key. Set ACME_KEY (or keep it: cinch creds add acme), or",
  );
});

test("[PROF-01] a default without a key is named with its variable, also where nothing can take its place", async () => {
  const needing = { ...OWN, name: "acme", apiKeyEnv: "ACME_KEY" };
  const parts = { customs: [needing], preferred: ["acme:m", "zai:glm-4.6"] };
  await expect(chooseModel(wishes(parts))).rejects.toThrow(
    "No model can be used: acme:m needs ACME_KEY and zai:glm-4.6 needs ZAI_API_KEY, and no key is there. Set one of ACME_KEY, ZAI_API_KEY, ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, or add a key with cinch creds add PROVIDER, or start a local server",
  );
  const discoverLocal = () => Promise.resolve([{ name: "ollama", models: ["qwen3:4b"] }]);
  expect((await chooseModel(wishes({ ...parts, preferred: ["acme:m"], discoverLocal }))).notice).toBe(
    "Using ollama:qwen3:4b, since acme:m needs ACME_KEY.",
  );
});

test("[PROV-06 PROF-01] Copilot is used only if it is named, and the error says so if there is no other provider", async () => {
  const failure = chooseModel(wishes({ keyed: ["copilot"] }));
  await expect(failure).rejects.toThrow(
    "No model can be used: copilot has a key, and is used only where a model of it is named: --model copilot:NAME.",
  );
  expect(await chooseModel(wishes({ keyed: ["copilot", "zai"] }))).toMatchObject({ provider: "zai" });
  const named = { provider: "copilot", model: "gpt-4.1" };
  expect(await chooseModel(wishes({ keyed: ["copilot"], requested: "copilot:gpt-4.1" }))).toEqual(named);
  expect(await chooseModel(wishes({ keyed: ["copilot"], preferred: ["copilot:gpt-4.1"] }))).toEqual(named);
  await expect(chooseModel(wishes({ keyed: [], requested: "copilot:gpt-4.1" }))).rejects.toThrow(
    "Provider copilot needs a key. Set COPILOT_GITHUB_TOKEN (or log in: cinch creds login copilot), or pick",
  );
});

test("[PROV-14 PROF-01] Claude's name alone means Vertex AI where that is preferred, or where Anthropic has no key", async () => {
  const choose = (asked: string, keyed: readonly string[], prefersVertex = false) =>
    chooseModel(wishes({ requested: asked, keyed, prefersVertex }));
  const opus = (provider: string) => ({ provider, model: "claude-opus-5-5" });
  expect(await choose("opus", ["anthropic", "vertex"])).toEqual(opus("anthropic"));
  expect(await choose("opus", ["anthropic", "vertex"], true)).toEqual(opus("vertex"));
  expect(await choose("opus", ["vertex"])).toEqual(opus("vertex"));
  expect(await choose("vertex:opus", ["anthropic", "vertex"])).toEqual(opus("vertex"));
  expect(await choose("anthropic:opus", ["anthropic", "vertex"], true)).toEqual(opus("anthropic"));
  expect(await choose("vertex:claude-sonnet-4-5@20250929", ["vertex"])).toEqual({
    provider: "vertex",
    model: "claude-sonnet-4-5@20250929",
  });
  expect(await chooseModel(wishes({ keyed: ["anthropic", "vertex"], prefersVertex: true }))).toMatchObject({
    provider: "vertex",
  });
  await expect(choose("vertex:opus", [])).rejects.toThrow(
    "Provider vertex needs a key. Set ANTHROPIC_VERTEX_PROJECT_ID and CLOUD_ML_REGION, with Application Default Credentials of Google, or pick",
  );
});
