import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { textOfRow } from "../drawing/span.ts";
import { StatusPart } from "./status-part.ts";

function event(id: number, kind: string, payload: object): Envelope {
  return { id, session: "ses_1", ts: "2026-01-01T00:00:00.000Z", kind, payload } as unknown as Envelope;
}

test("[TUI-02] a state that comes too soon after another one is drawn as soon as it may be, and not before", async () => {
  const services = fakeServices();
  services.found = {};
  const frames: string[] = [];
  const part = new StatusPart(
    { ...services, redraw: () => void frames.push("frame") },
    {
      isQuiet: false,
      mode: () => undefined,
    },
  );
  const cost = (id: number) =>
    event(id, "CostIncremented", { provider: "zai", model: "m", inputTokens: 1, outputTokens: 1, usd: 1 });
  const turn = () => {
    const line = textOfRow(part.status(100));
    part.drawn();
    return /\$[\d.]+\/turn/.exec(line)?.[0];
  };
  part.add(event(1, "TurnStarted", { turn: 1, originator: "cli_self" }));
  part.add(cost(2));
  expect(turn()).toBe("$1.00/turn");
  await services.clock.advance(240);
  part.add(cost(3));
  part.add(event(4, "TurnEnded", { turn: 1, reason: "complete" }));
  expect(turn()).toBe("$1.00/turn");
  await services.clock.advance(0); // what the end of the turn asks for
  frames.length = 0;
  await services.clock.advance(10);
  expect(frames).toHaveLength(1);
  expect(turn()).toBe("$2.00/turn");
  await services.clock.advance(60_000);
  expect(frames).toHaveLength(1);
  expect(services.clock.waiting).toBe(0);
});

test("[TUI-02 TUI-10] a status line that has ended waits for nothing", () => {
  const services = fakeServices();
  const part = new StatusPart(services, { isQuiet: false, mode: () => undefined });
  part.add(event(1, "TurnStarted", { turn: 1, originator: "cli_self" }));
  part.status(100);
  part.add(event(2, "TextDelta", { text: "x" }));
  services.ask();
  part.status(100);
  part.drawn();
  expect(services.clock.waiting).toBeGreaterThan(0);
  part[Symbol.dispose]();
  expect(services.clock.waiting).toBe(0);
});
