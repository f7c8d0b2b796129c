import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { Turn } from "../../../test/support/mock-provider/turn.ts";
import { says } from "../../../test/support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "../../../test/support/place.ts";
import { until } from "../../../test/support/until.ts";
import { NOTHING } from "../../config/config.ts";
import type { Model, Provider } from "../../providers/provider.ts";
import type { Config } from "../../session/settings/settings.ts";
import { checkModel } from "./model-check.ts";

const KEY = { OPENROUTER_API_KEY: "sk-or-of-nobody" };

test("[PROV-03 CMD-01] a model that the vendor's catalogue does not list is refused with the nearest names, and the one in use stays", async () => {
  await using rig = await openRig(says("still me"));
  await expect(rig.set("openrouter:anthropic/claude-sonet-5.5")).rejects.toMatchObject({
    reason: "UnknownModel",
    message:
      "Provider openrouter does not know the model 'anthropic/claude-sonet-5.5' (its catalogue does not list it; nearest: anthropic/claude-sonnet-5.5). List what it offers with: cinch models",
  });
  await expect(rig.set("openrouter:nonsense")).rejects.toThrow("(its catalogue does not list it)");
  await expect(rig.set("openrouter:tiny")).rejects.toThrow("; nearest: maker/tiny)");
  const events = await turn(rig.harness, "who answers?");
  expect(events.some(({ kind }) => kind === "Error")).toBe(false);
  expect(rig.place.mock.requests.at(-1)?.body["model"]).toBe("test-1");
  // Variants of a listed model are its vendor's to know.
  expect(await rig.set("openrouter:anthropic/claude-sonnet-5.5:nitro")).toEqual({
    result: { model: "openrouter:anthropic/claude-sonnet-5.5:nitro" },
  });
});

test("[PROV-03 PROV-05] if the models of a provider are not all known, an unlisted one is used with a remark", async () => {
  await using rig = await openRig(says("me"));
  expect(await rig.set("mock:other")).toEqual({
    result: {
      ...{ model: "mock:other" },
      notices: [
        "mock:other is taken as it is written: what mock offers is not known here. cinch models asks it.",
      ],
    },
  });
  await turn(rig.harness, "who answers?");
  expect(rig.place.mock.requests.at(-1)?.body["model"]).toBe("other");
  rig.keep("mock", `${rig.place.mock.url}/v1/models`, ["listed", "another"]);
  expect(await rig.set("mock:listed")).toEqual({ result: { model: "mock:listed" } });
  expect(await rig.set("mock:anther")).toEqual({
    result: {
      ...{ model: "mock:anther" },
      notices: [
        "mock:anther is taken as it is written, though the catalogue of mock does not list it; nearest: another.",
      ],
    },
  });
  await expect(rig.set("routing:nowhere")).rejects.toMatchObject({ reason: "UnknownModel" });
});

test("[PROV-03] a model that a vendor's kept catalogue does not list is looked for in its newest one, as long as a person waits", async () => {
  const rig = looking(["a-1-20250929"]);
  expect(await rig.look("anthropic", "a-1")).toBeUndefined();
  expect(await rig.look("anthropic", "a-1-latest")).toBeUndefined();
  expect(await rig.look("anthropic", "claude-sonnet-5-5")).toBeUndefined(); // its price is known, so it is
  expect(rig.asked).toEqual([]);

  rig.answer = () => Promise.resolve([{ id: "brand-new" }]);
  expect(await rig.look("anthropic", "brand-new")).toBeUndefined();
  rig.answer = () => Promise.reject(new Error("no network"));
  await expect(rig.look("anthropic", "b-1")).rejects.toMatchObject({ reason: "UnknownModel" });
  rig.answer = (signal) => new Promise((_, reject) => signal.addEventListener("abort", reject));
  const slow = rig.look("anthropic", "b-1").catch((thrown: unknown) => thrown);
  await until("it is asked", () => rig.asked.length === 3);
  await rig.clock.advance(5_000);
  expect(await slow).toMatchObject({ reason: "UnknownModel" });
  expect(rig.asked).toEqual(["anthropic", "anthropic", "anthropic"]);
});

test("[PROV-03 PROV-05 PROV-07] of a provider that bears a vendor's name, a route and a cassette nothing is taken for known that is the vendor's", async () => {
  const rig = looking(["a-1"], ["anthropic"]);
  for (const model of ["b-1", "claude-sonnet-5-5"])
    expect(await rig.look("anthropic", model)).toStartWith(`anthropic:${model} is taken as it is written`);
  expect(await rig.look("cassette", "a-1")).toBeUndefined();
  expect(rig.opened).toEqual(["anthropic", "anthropic"]);
  await expect(rig.look("routing", "nowhere")).rejects.toMatchObject({ reason: "UnknownModel" });
});

/** Models in the cached catalogue of a provider, and its answer to a request for a newer one. */
function looking(kept: readonly string[], own: readonly string[] = []) {
  const clock = fakeClock();
  const [asked, opened]: [string[], string[]] = [[], []];
  const config: Config = {
    ...NOTHING,
    providers: own.map((name) => ({ name, kind: "anthropic", baseUrl: "http://127.0.0.1:1" })),
  };
  const rig = {
    clock,
    asked,
    opened,
    answer: (_signal: AbortSignal): Promise<readonly Model[]> => Promise.resolve([]),
    look: (provider: string, model: string) =>
      checkModel({ provider, model }, { providers: { registry }, config, world: { clock } }, signal),
  };
  const registry = {
    names: () => ["anthropic"],
    async open(name: string): Promise<Provider> {
      opened.push(name);
      const models = (stop: AbortSignal) => {
        asked.push(name);
        return rig.answer(stop);
      };
      return { ...UNASKED, name, known: async () => kept.map((id) => ({ id })), models };
    },
  };
  return rig;
}

const { signal } = new AbortController();

/** Parts of a provider that these tests never call. */
const UNASKED: Omit<Provider, "name" | "models"> = {
  family: "anthropic",
  canonicalFormVersion: 1,
  chat() {
    throw new Error("nobody asks it");
  },
  tokenCount: () => Promise.reject(new Error("nobody asks it")),
};

async function openRig(...script: Turn[]) {
  const place = openPlace(...script);
  const keep = (provider: string, url: string, ids: readonly string[]) => {
    const folder = join(place.root, "data/catalogues");
    mkdirSync(folder, { recursive: true });
    const document = { data: ids.map((id) => ({ id })) };
    const atMs = place.options().world.clock.now();
    writeFileSync(join(folder, `models-${provider}.json`), `${JSON.stringify({ atMs, url, document })}\n`);
  };
  const listed = ["anthropic/claude-sonnet-5.5", "maker/tiny"];
  keep("openrouter", "https://openrouter.ai/api/v1/models", listed);
  const { environment } = place.options().wishes;
  const harness = await place.open({ wishes: { environment: { ...environment, ...KEY } } });
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  return {
    place,
    harness,
    keep,
    set: (model: string) => connection.send({ kind: "SetModel", sessionId, model }),
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
