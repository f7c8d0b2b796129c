import { expect, test } from "bun:test";
import { startMockProvider } from "../../../test/support/mock-provider/mock-provider.ts";
import { NEVER } from "../../../test/support/provider-rig.ts";
import { testWorld } from "../../../test/support/world.ts";
import { hostFetch } from "../../platform/sockets/fetch.ts";
import { discoverLocal } from "./local.ts";

test("[PROV-05] servers that answer with models are found; other programs and silent ones are not", async () => {
  await using models = startMockProvider({ script: [], models: ["nomic-embed-text", "qwen3:4b"] });
  await using empty = startMockProvider({ script: [], models: [] });
  using page = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json({ data: [{ id: 1 }] }),
  });
  const asked = Promise.withResolvers<void>();
  using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => asked.resolve() } });
  // Each answer is read whole before it is handed on, so that the clock moves when all but the silent one are there.
  const request = hostFetch();
  const answered = Promise.withResolvers<void>();
  let answers = 0;
  const count = () => {
    answers += 1;
    if (answers === 4) answered.resolve();
  };
  const world = testWorld({
    async fetch(url, init) {
      try {
        const response = await request(url, init);
        return new Response(await response.text(), { status: response.status });
      } finally {
        count();
      }
    },
  });
  const at = (name: string, baseUrl: string) => ({ name, title: name, baseUrl });
  const servers = [
    at("nobody", "http://127.0.0.1:1/v1"),
    at("silent", `http://127.0.0.1:${silent.port}/v1`),
    at("page", `${page.url.origin}/v1`),
    at("empty", `${empty.url}/v1`),
    at("ollama", `${models.url}/v1`),
  ];
  const found = discoverLocal(world, NEVER, servers);
  await Promise.all([asked.promise, answered.promise]);
  await world.clock.advance(300);
  expect(await found).toEqual([{ ...at("ollama", `${models.url}/v1`), models: ["qwen3:4b"] }]);
  expect(world.clock.waiting).toBe(0);
});
