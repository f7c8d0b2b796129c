import { expect, test } from "bun:test";
import { settle } from "../support/fake-clock.ts";
import { fails } from "../support/mock-provider/turn.ts";
import { NEVER, openProviderRig, REQUEST } from "../support/provider-rig.ts";
import { openRig } from "../support/rig.ts";
import { until } from "../support/until.ts";

const PHASES = [
  { at: "headers", phase: "connecting and waiting for its answer to begin", limit: 600 },
  { at: "first-byte", phase: "waiting for the first byte", limit: 600 },
  { at: "mid-event", phase: "streaming its answer", limit: 300 },
] as const;

test.each(PHASES)(
  "[ENG-22 R07] a self-hosted server may be silent for long, and its silence is reported within 10 s: %o",
  async ({ at, phase, limit }) => {
    await using server = openProviderRig({ vendor: "local", script: [fails({ kind: "stall", at })] });
    const { mock, world, provider } = server;
    await using rig = await openRig({
      script: [],
      requestMiddleware: [(request, context, next) => next(request, { ...context, provider })],
    });
    const reached = {
      headers: Promise.resolve(),
      "first-byte": server.answered(),
      "mid-event": server.heard(),
    };
    const turn = rig.send("go");
    await Promise.all([reached[at], mock.until(({ stalled }) => stalled === 1)]);
    await settle();

    // The last bytes may still be on their way: silence begins with the last one.
    const isReported = () => rig.events.some(({ kind }) => kind === "Error");
    await until("the silence is reported", async () => {
      if (!isReported()) await world.clock.advance(1_000);
      return isReported();
    });
    expect((await rig.until("Error")).payload).toEqual({
      reason: "ProviderSilent",
      message: `Provider ollama has sent nothing for 9s while ${phase}. Still waiting, up to ${limit}s; cancel the turn to stop.`,
      details: { silentMs: 9_000, limitMs: limit * 1_000 },
      severity: "notice",
    });
    // Told once: what comes next is the limit itself.
    await world.clock.advance(limit * 1_000);
    expect((await turn).reason).toBe("error");
    expect(rig.events.flatMap(({ kind, payload }) => (kind === "Error" ? [payload.reason] : []))).toEqual([
      "ProviderSilent",
      "ProviderTimeout",
    ]);
  },
);

test("[R07] an answer that is read without a pause reports no silence, however long it takes", async () => {
  await using server = openProviderRig({ script: [{ parts: [{ text: "one two three" }], deltaChars: 1 }] });
  const told: unknown[] = [];
  for await (const _event of server.provider.chat(REQUEST, NEVER, (silence) => told.push(silence))) {
    await server.world.clock.advance(30_000); // the reader takes its time, and nobody waits for the provider
  }
  expect(told).toEqual([]);
});
