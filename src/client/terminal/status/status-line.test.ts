import { expect, test } from "bun:test";
import type { SessionId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { NEW_SESSION, sessionAfter } from "../../../view/session/session-view.ts";
import { textOfRow } from "../drawing/span.ts";
import { drawActivity } from "./activity-rule.ts";
import { NO_STATUS_FACTS, statusFactsAfter } from "./status-facts.ts";
import type { StatusLine } from "./status-line.ts";
import { drawStatus } from "./status-line.ts";

const SESSION = "sess_01HXXA0000000000000000000Z" as SessionId;
const TS = "2026-01-01T00:00:00.000Z";

function event(id: number, kind: string, payload: object): Envelope {
  return { id, session: SESSION, ts: TS, kind, payload } as unknown as Envelope;
}

function cost(id: number, provider: string, usd: number | null): Envelope {
  return event(id, "CostIncremented", { provider, model: "m", inputTokens: 900, outputTokens: 100, usd });
}

function lineOf(events: readonly Envelope[], more: Partial<StatusLine> = {}): StatusLine {
  let [view, facts] = [NEW_SESSION, NO_STATUS_FACTS];
  for (const each of events) {
    view = sessionAfter(view, each);
    facts = statusFactsAfter(facts, each);
  }
  const open = {
    session: SESSION,
    profile: "framework",
    model: "openrouter:claude-sonnet-4",
    past: 0,
    history: false,
    notices: [],
  };
  return { open, view, facts, isReached: true, isQuiet: false, ...more };
}

const START = event(1, "TurnStarted", { turn: 1, originator: "cli_01HXXA0000000000000000000Z" });
const FULL = lineOf([START, cost(2, "openrouter", 0.04)], {
  web: "http://localhost:8421",
  contextWindow: 10_000,
});

test("[TUI-02] the status line has the fields of the document in its order, additions behind them", () => {
  expect(textOfRow(drawStatus(FULL, 140))).toBe(
    "sess_01HXX… · framework · openrouter:claude-sonnet-4 · $0.04/turn · $0.04/sess · web · http://localhost:8421 · context 10 %",
  );
});

test("[TUI-02] a narrow terminal loses additions, raw address, profile, session and $/session, in this order, and never $/turn or the model", () => {
  const shown = [110, 90, 75, 65, 50, 20].map((columns) => textOfRow(drawStatus(FULL, columns)));
  expect(shown).toEqual([
    "sess_01HXX… · framework · openrouter:claude-sonnet-4 · $0.04/turn · $0.04/sess · web · http://localhost:8421",
    "sess_01HXX… · framework · openrouter:claude-sonnet-4 · $0.04/turn · $0.04/sess · web",
    "sess_01HXX… · openrouter:claude-sonnet-4 · $0.04/turn · $0.04/sess · web",
    "openrouter:claude-sonnet-4 · $0.04/turn · $0.04/sess · web",
    "openrouter:claude-sonnet-4 · $0.04/turn · web",
    "openrouter:claude-sonnet-4 · $0.04/turn · web",
  ]);
});

test("[TUI-02] a turn of several providers shows the share of each, and an unknown price is said", () => {
  const split = lineOf([START, cost(2, "zai", 0.02), cost(3, "openrouter", 0.05)]);
  expect(textOfRow(drawStatus(split, 200))).toContain("$0.02 zai + $0.05 openrouter = $0.07/turn");
  const unknown = lineOf([START, cost(2, "zai", null), cost(3, "openrouter", 0.05)]);
  expect(textOfRow(drawStatus(unknown, 200))).toContain("$? zai + $0.05 openrouter = price unknown/turn");
  expect(textOfRow(drawStatus({ ...FULL, isQuiet: true }, 200))).not.toContain("$");
});

test("[TUI-02] the line above the draft shows that a turn runs, and for how long", () => {
  const { facts } = lineOf([START]);
  const at = { facts, nowMs: Date.parse(TS) + 75_000, newBlocks: 3, endKey: "ctrl+end", cancelKey: "escape" };
  const text = textOfRow(drawActivity(at, 80));
  expect(text).toStartWith("── working 1 min 15 s · escape cancels  ↓ 3 new blocks: ctrl+end ─");
  expect(text.length).toBe(80);
  expect(textOfRow(drawActivity({ ...at, facts: NO_STATUS_FACTS, newBlocks: undefined }, 10))).toBe(
    "─".repeat(10),
  );
});
