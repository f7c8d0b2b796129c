import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Turn } from "../../test/support/mock-provider/turn.ts";
import { says } from "../../test/support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "../../test/support/place.ts";

const KEY = { OPENROUTER_API_KEY: "sk-or-of-nobody" };

test("[PROV-03 CMD-01] a model that the vendor's catalogue does not list is refused with the nearest names, and the one in use stays", async () => {
  await using rig = await openRig(says("still me"));
  await expect(rig.set("openrouter:anthropic/claude-sonet-5.5")).rejects.toMatchObject({
    reason: "UnknownModel",
    message:
      "Provider openrouter does not know the model 'anthropic/claude-sonet-5.5'. List what it offers with: cinch models. (its catalogue does not list it; nearest: anthropic/claude-sonnet-5.5)",
  });
  await expect(rig.set("openrouter:nonsense")).rejects.toThrow("(its catalogue does not list it)");
  await expect(rig.set("openrouter:tiny")).rejects.toThrow("; nearest: maker/tiny)");
  const events = await turn(rig.harness, "who answers?");
  expect(events.some(({ kind }) => kind === "Error")).toBe(false);
  expect(rig.place.mock.requests.at(-1)?.body["model"]).toBe("test-1");
  // Variants of a listed model are its vendor's to know.
  expect(await rig.set("openrouter:anthropic/claude-sonnet-5.5:nitro")).toEqual({});
});

test("[PROV-03 PROV-05] where nobody knows all models of a provider, one is taken with a remark", async () => {
  await using rig = await openRig(says("me"));
  expect(await rig.set("mock:other")).toEqual({
    result: {
      notices: [
        "mock:other is taken as it is written: what mock offers is not known here. cinch models asks it.",
      ],
    },
  });
  await turn(rig.harness, "who answers?");
  expect(rig.place.mock.requests.at(-1)?.body["model"]).toBe("other");
  rig.keep("mock", `${rig.place.mock.url}/v1/models`, ["listed", "another"]);
  expect(await rig.set("mock:listed")).toEqual({});
  expect(await rig.set("mock:anther")).toEqual({
    result: {
      notices: [
        "mock:anther is taken as it is written, though the catalogue of mock does not list it; nearest: another.",
      ],
    },
  });
  await expect(rig.set("routing:nowhere")).rejects.toMatchObject({ reason: "UnknownModel" });
});

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
  const { environment } = place.options();
  const harness = await place.open({ environment: { ...environment, ...KEY } });
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
