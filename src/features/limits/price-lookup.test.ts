import { expect, test } from "bun:test";
import { settle } from "../../../test/support/fake-clock.ts";
import { NO_HISTORY } from "../../../test/support/request-context.ts";
import { scriptedProvider } from "../../../test/support/scripted-provider.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { RequestContext } from "../../providers/middleware.ts";
import type { ModelEvent, ModelRequest } from "../../providers/provider.ts";
import { priceLookup } from "./price-lookup.ts";

const REQUEST: ModelRequest = {
  model: "m",
  system: [],
  messages: [],
  tools: [],
  outputTokensMax: 100,
  cache: { prefix: false, messages: [] },
};

test("[PROV-11] a turn that is cancelled while the catalogue is on its way breaks nothing, and the next one asks again", async () => {
  const world = testWorld();
  const asked: AbortSignal[] = [];
  const lookup = priceLookup({
    priceOf: () => undefined,
    learnPrice: (_provider, _model, signal) => {
      asked.push(signal);
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
      );
    },
  });
  async function send(stop: AbortController): Promise<unknown> {
    const context: RequestContext = {
      world,
      signal: stop.signal,
      session: world.ids.next("sess"),
      originator: world.ids.next("cli"),
      provider: { ...scriptedProvider([]), name: "openrouter", pricesInCatalogue: true },
      turn: 1,
      round: 1,
      history: NO_HISTORY,
      emit: () => undefined,
      spent: () => undefined,
    };
    async function* answer(): AsyncGenerator<ModelEvent> {
      await new Promise((_resolve, reject) =>
        stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true }),
      );
    }
    return await Array.fromAsync(lookup(REQUEST, context, answer)).catch((thrown: unknown) => thrown);
  }
  for (const why of [new Error("first"), new Error("second")]) {
    const stop = new AbortController();
    const sent = send(stop);
    await settle();
    stop.abort(why);
    expect(await sent).toBe(why);
    await settle(); // a rejection without an owner would fail the test here
  }
  expect(asked).toHaveLength(2);
});
