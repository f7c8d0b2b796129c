import { expect, test } from "bun:test";
import fc from "fast-check";
import { failureOf, NEVER, openProviderRig } from "../../../../test/support/provider-rig.ts";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { parseCatalogue } from "./catalogue.ts";
import { CATALOGUE_TTL_MS } from "./catalogue-cache.ts";

const OPENROUTER = {
  data: [
    {
      id: "some/model",
      name: "Some: Model",
      context_length: 200_000,
      architecture: { input_modalities: ["text", "image", "file"], output_modalities: ["text"] },
      pricing: { prompt: "0.0000003", completion: "0.000015", input_cache_read: "0.00000003", image: "0" },
      top_provider: { context_length: 131_072, max_completion_tokens: 64_000 },
    },
    {
      id: "openrouter/auto",
      pricing: { prompt: "-1", completion: "-1" },
      architecture: { input_modalities: ["text"] },
    },
    { id: "some/free", pricing: { prompt: "0", completion: "0" } },
  ],
};

test("[PROV-03 PROV-11] OpenRouter's prices for a token become prices for a million; what depends is unknown", () => {
  expect(parseCatalogue(JSON.stringify(OPENROUTER))).toEqual([
    {
      id: "some/model",
      name: "Some: Model",
      contextTokens: 131_072,
      outputTokensMax: 64_000,
      price: { input: 0.3, output: 15, cacheRead: 0.03 },
      takes: ["image", "pdf"],
    },
    { id: "openrouter/auto", takes: [] },
    { id: "some/free", price: { input: 0, output: 0 } },
  ]);
});

test("[PROV-13 CTL-19] what models accept, and if they think, is read where a catalogue says it, and else unknown", () => {
  const parse = (entry: object) => {
    const [model] = parseCatalogue(JSON.stringify({ data: [{ id: "x", ...entry }] })) ?? [];
    return [model?.takes, model?.thinks, model?.efforts];
  };
  const unknown = undefined;
  expect(parse({})).toEqual([unknown, unknown, unknown]);
  expect(parse({ supported_parameters: ["tools", "reasoning"] })).toEqual([unknown, true, unknown]);
  expect(parse({ supported_parameters: ["tools"] })).toEqual([unknown, false, unknown]);
  expect(parse({ supported_parameters: "reasoning" })).toEqual([unknown, unknown, unknown]);
  const copilot = { type: "chat", supports: { vision: false, reasoning_effort: ["low", "high", "odd"] } };
  expect(parse({ capabilities: copilot })).toEqual([[], true, ["low", "high"]]);
  const adaptive = { supports: { vision: true, adaptive_thinking: true } };
  expect(parse({ capabilities: adaptive })).toEqual([["image"], true, unknown]);
  const anthropic = {
    image_input: { supported: true },
    pdf_input: { supported: true },
    thinking: { supported: true },
    effort: {
      supported: true,
      low: { supported: true },
      max: { supported: true },
      high: { supported: false },
    },
  };
  expect(parse({ capabilities: anthropic })).toEqual([["image", "pdf"], true, ["low", "max"]]);
  expect(parse({ capabilities: { effort: { supported: false } } })).toEqual([unknown, unknown, []]);
  expect(parse({ capabilities: { effort: "high", thinking: true, pdf_input: 1 } })).toEqual([
    unknown,
    unknown,
    unknown,
  ]);
});

test("[PROV-05 PROV-13] the lists of other servers are read too, and what is unusable is passed over", () => {
  const parse = (document: unknown) => parseCatalogue(JSON.stringify(document));
  expect(parse({ object: "list", data: [{ id: "qwen", max_model_len: 32_768 }] })).toEqual([
    { id: "qwen", contextTokens: 32_768 },
  ]);
  expect(
    parse({ data: [{ type: "model", id: "claude-x", display_name: "Claude X" }], has_more: false }),
  ).toEqual([{ id: "claude-x", name: "Claude X" }]);
  expect(parse({ models: [{ name: "llama3:8b" }] })).toEqual([{ id: "llama3:8b" }]);
  expect(parse(["a", { id: 5 }, null, { id: "" }, { id: "b\u001b[31m" }, { id: "a" }])).toEqual([
    { id: "a" },
  ]);
  expect(parse({ error: "no" })).toBeUndefined();
  expect(parseCatalogue("<html>")).toBeUndefined();
});

test("[PROV-13] no document makes the reader fail, and every price it finds is a number of at least nothing", () => {
  const entry = fc.record(
    { id: fc.anything(), name: fc.anything(), pricing: fc.anything(), context_length: fc.anything() },
    { requiredKeys: [] },
  );
  const document = fc.oneof(fc.anything(), fc.record({ data: fc.array(fc.oneof(entry, fc.anything())) }));
  fc.assert(
    fc.property(document, (value) => {
      let text = "";
      try {
        text = JSON.stringify(value) ?? "";
      } catch {
        return; // values that JSON cannot hold come from nobody
      }
      for (const model of parseCatalogue(text) ?? []) {
        expect(model.id).not.toBe("");
        expect(model.price?.input ?? 0).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test("[PROV-03] the catalogue is fetched once a day, shared by processes, and an old one is used if none is available", async () => {
  await using directory = temporaryDirectory();
  const cacheDirectory = `${directory.path}/cache`;
  await using first = openProviderRig({ vendor: "openrouter", catalogue: OPENROUTER, cacheDirectory });
  const models = await first.provider.models(NEVER);
  expect(models.map(({ id }) => id)).toEqual(["some/model", "openrouter/auto", "some/free"]);
  await first.provider.models(NEVER);
  expect(first.mock.requests).toHaveLength(1);

  await first.world.clock.advance(CATALOGUE_TTL_MS);
  await first.provider.models(NEVER);
  expect(first.mock.requests).toHaveLength(2);

  const port = Number(new URL(first.mock.url).port);
  await first.mock[Symbol.asyncDispose]();
  await using second = openProviderRig({ vendor: "openrouter", port, key: "another", cacheDirectory });
  expect(await second.provider.models(NEVER)).toEqual(models);
  expect(second.mock.requests).toHaveLength(1); // an older clock: it was asked, and refused
});

test("[PROV-03] a catalogue of another address, or a damaged file, is not used", async () => {
  await using directory = temporaryDirectory();
  const cacheDirectory = directory.path;
  await Bun.write(
    `${cacheDirectory}/models-openrouter.json`,
    '{"atMs":1,"url":"x","document":{"data":["planted"]}',
  );
  await using rig = openProviderRig({ vendor: "openrouter", catalogue: OPENROUTER, cacheDirectory });
  expect((await rig.provider.models(NEVER)).map(({ id }) => id)).not.toContain("planted");
  await using other = openProviderRig({ vendor: "openrouter", models: ["other"], cacheDirectory });
  expect((await other.provider.models(NEVER)).map(({ id }) => id)).toEqual(["other"]);
});

test("[PROV-04 PROV-13] Z.AI's own models are listed even if its catalogue has none; a refused key is reported as that", async () => {
  await using rig = openProviderRig({ vendor: "zai", catalogue: { nothing: "here" } });
  expect(await rig.provider.models(NEVER)).toEqual([
    expect.objectContaining({ id: "glm-4.6", price: expect.objectContaining({ input: 0.6 }) }),
    expect.objectContaining({ id: "glm-4.5-air" }),
    { id: "glm-z1" },
  ]);
  await using refused = openProviderRig({ vendor: "zai", key: "another" });
  expect(await failureOf(refused.provider.models(NEVER))).toMatchObject({ reason: "ProviderKeyRefused" });
});

test("[PROV-13] a catalogue beyond its size limit, or a redirect, is a clear error", async () => {
  const catalogue = { data: [{ id: "x".repeat(17 * 1_048_576) }] };
  await using rig = openProviderRig({ vendor: "openrouter", catalogue });
  expect(await failureOf(rig.provider.models(NEVER))).toMatchObject({ reason: "StreamMalformed" });
});
