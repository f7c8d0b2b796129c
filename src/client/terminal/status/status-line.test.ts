import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { LOG } from "../../../../test/support/fake-connection.ts";
import { holds } from "../../../../test/support/property.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { NO_STATUS_FACTS, statusFactsAfter } from "../../../view/costs/status-facts.ts";
import { NEW_SESSION, sessionAfter } from "../../../view/session/session-view.ts";
import { displayWidth } from "../../../view/terminal/display-width.ts";
import { textOfRow } from "../drawing/span.ts";
import { drawActivity } from "./activity-rule.ts";
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
    log: LOG,
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

test("[TUI-02 bar Status line] the status line has the fields and words of the document in its order, additions behind them", () => {
  const line = { ...FULL, mode: "accept edits" };
  expect(textOfRow(drawStatus(line, 160))).toBe(
    "sess_…0000Z · framework · openrouter:claude-sonnet-4 · $0.04/turn · $0.04/sess · web: http://localhost:8421 · accept edits · context 10 %",
  );
});

test("[TUI-02 bar Status line] of a model whose window is not known the tokens of the context are shown", () => {
  const local = lineOf([START, cost(2, "ollama", 0)]);
  expect(textOfRow(drawStatus(local, 160))).toEndWith(" · $0.00/sess · context 1k");
  expect(textOfRow(drawStatus(lineOf([START]), 160))).not.toContain("context");
});

test("[TUI-02] a narrow terminal loses additions, raw address, profile, session and $/session, in this order, and never $/turn or the model", () => {
  const shown = [110, 90, 75, 65, 50, 44, 30, 20].map((columns) => textOfRow(drawStatus(FULL, columns)));
  expect(shown).toEqual([
    "sess_…0000Z · framework · openrouter:claude-sonnet-4 · $0.04/turn · $0.04/sess · web: http://localhost:8421",
    "sess_…0000Z · framework · openrouter:claude-sonnet-4 · $0.04/turn · $0.04/sess · web",
    "sess_…0000Z · openrouter:claude-sonnet-4 · $0.04/turn · $0.04/sess · web",
    "openrouter:claude-sonnet-4 · $0.04/turn · $0.04/sess · web",
    "openrouter:claude-sonnet-4 · $0.04/turn · web",
    "openrouter:claude-sonnet-4 · $0.04/turn",
    "openrouter:claud… · $0.04/turn",
    "openro… · $0.04/turn",
  ]);
});

test("[TUI-02] at each width from 24 to 300 columns the line fits, and keeps its fields in order with model and cost", async () => {
  const model = fc.stringMatching(/^[a-z]{1,12}:[a-z0-9/.-]{1,40}$/);
  const costs = fc.array(fc.tuple(fc.constantFrom("zai", "openrouter", "anthropic"), fc.option(fc.nat(3))), {
    maxLength: 4,
  });
  const facts = fc.record({
    columns: fc.integer({ min: 24, max: 300 }),
    model,
    profile: fc.constantFrom("default", "ひらがな", "a-long-name-of-a-profile"),
    mode: fc.constantFrom(undefined, "ask", "accept edits", "plan"),
    web: fc.constantFrom(undefined, "http://localhost:8421"),
    costs,
  });
  await holds(
    fc.property(facts, ({ columns, model: name, profile, mode, web, costs: paid }) => {
      const events = paid.map(([provider, usd], at) => cost(at + 2, provider, usd));
      const line = lineOf([START, ...events]);
      const open = { session: SESSION, log: LOG, profile, model: name, past: 0, history: false, notices: [] };
      const more = { ...(mode === undefined ? {} : { mode }), ...(web === undefined ? {} : { web }) };
      const drawn = drawStatus({ ...line, open, ...more, contextWindow: 10_000 }, columns);
      const text = textOfRow(drawn);
      expect(displayWidth(text)).toBeLessThanOrEqual(columns);
      expect(text).toMatch(/\$(?:\?|\d+\.\d\d)\/turn/);
      expect(text).toContain(name.slice(0, 3));
      const ranks = text.split(" · ").map((field) => {
        if (field.startsWith("sess_")) return 0;
        if (field === profile) return 1;
        if (field.endsWith("/turn")) return 3;
        if (field.endsWith("/sess")) return 4;
        if (/^web(?:: http:\/\/localhost:8421)?$/.test(field)) return 5;
        if (field === mode) return 6;
        return field.startsWith("context ") ? 7 : 2;
      });
      expect(ranks).toEqual([...new Set(ranks)].sort((one, other) => one - other));
    }),
    500,
  );
});

test("[TUI-02] the address is a link, also where its text has no room", () => {
  for (const columns of [160, 90]) {
    const { spans } = drawStatus(FULL, columns);
    const link = spans.find(({ text }) => text.startsWith("web"));
    expect(link?.style.link).toBe("http://localhost:8421");
  }
});

test("[TUI-02] a turn of several providers shows the share of each, and with an unknown price the least that was paid", () => {
  const split = lineOf([START, cost(2, "zai", 0.02), cost(3, "openrouter", 0.05)]);
  expect(textOfRow(drawStatus(split, 200))).toContain("$0.02 zai + $0.05 openrouter = $0.07/turn");
  expect(textOfRow(drawStatus(split, 55))).toEndWith(" · 2 providers $0.07/turn");
  expect(textOfRow(drawStatus(split, 30))).toEndWith(" · 2× $0.07/turn");
  const unknown = lineOf([START, cost(2, "zai", null), cost(3, "openrouter", 0.05)]);
  expect(textOfRow(drawStatus(unknown, 200))).toContain(
    "$? zai + $0.05 openrouter = ≥$0.05/turn · ≥$0.05/sess",
  );
  expect(textOfRow(drawStatus({ ...FULL, isQuiet: true }, 200))).not.toContain("$");
});

test("[TUI-02] a call that was cut off before its price was known leaves the least price of its turn, if one is known", () => {
  const end = event(3, "TurnEnded", { turn: 1, reason: "cancelled", rounds: 2 });
  expect(textOfRow(drawStatus(lineOf([START, { ...end, id: 2 }]), 200))).toContain("$?/turn · $?/sess");
  expect(textOfRow(drawStatus(lineOf([START, cost(2, "zai", 0.02), end]), 200))).toContain(
    "≥$0.02/turn · ≥$0.02/sess",
  );
});

test("[TUI-02] the line above the draft shows that a turn runs, for how long and for whom, and the mode", () => {
  const { facts } = lineOf([START]);
  const at = {
    ...{ facts, nowMs: Date.parse(TS) + 75_000, newBlocks: 3, mode: "plan", by: '"web" (human, …ABCDEF)' },
    ...{ endKey: "ctrl+end", cancelKey: "escape", modeKey: "shift+tab" },
  };
  const rows = [120, 100, 80, 60, 10].map((columns) => textOfRow(drawActivity(at, columns)));
  expect(rows.map((text) => displayWidth(text))).toEqual([120, 100, 80, 60, 10]);
  expect(rows[0]).toStartWith(
    '── working 1 min 15 s · for "web" (human, …ABCDEF) · escape cancels  ↓ 3 new blocks: ctrl+end ─',
  );
  expect(rows[0]).toEndWith("─ plan · shift+tab ──");
  expect(rows[2]).toStartWith("── working 1 min 15 s · escape cancels  ↓ 3 new blocks: ctrl+end ─");
  expect(rows[2]).toEndWith("─ plan ──");
  expect(rows[3]).toStartWith("── working 1 min 15 s  ↓ ctrl+end ─");
  expect(rows[3]).toEndWith("─ plan ──");
  expect(rows[4]).toBe("─".repeat(10));
  const idle = { ...at, facts: NO_STATUS_FACTS, newBlocks: undefined };
  expect(textOfRow(drawActivity(idle, 40))).toEndWith("─ plan · shift+tab ──");
});

test("[TUI-02] the seconds until a provider is tried again are counted down, until the next attempt begins", () => {
  const startMs = Date.parse(TS);
  const wait = event(2, "Error", {
    reason: "RateLimited",
    message: "Retrying in 7s…",
    severity: "notice",
    details: { retryInMs: 6_600, attempt: 2, attemptsMax: 10 },
  });
  const left = (afterMs: number, events: readonly Envelope[] = [START, wait]) => {
    const { facts } = lineOf(events);
    const keys = { newBlocks: undefined, endKey: "", cancelKey: "escape", modeKey: "" };
    return textOfRow(drawActivity({ facts, nowMs: startMs + afterMs, ...keys }, 80))
      .split(/[─]+/)[1]
      ?.trim();
  };
  expect([left(0), left(1_000), left(6_000), left(6_600), left(9_000)]).toEqual([
    "working 0 s · retrying in 7 s · escape cancels",
    "working 1 s · retrying in 6 s · escape cancels",
    "working 6 s · retrying in 1 s · escape cancels",
    "working 6 s · escape cancels",
    "working 9 s · escape cancels",
  ]);
  expect(left(-60_000)).toBe("working 0 s · retrying in 7 s · escape cancels"); // a clock that is behind
  const sub = { ...wait, id: 3, parentCall: "call_1" } as Envelope;
  expect(left(0, [START, sub])).toBe("working 0 s · escape cancels");
  expect(left(0, [START, wait, event(3, "SessionRenamed", { title: "x" })])).toContain("retrying in 7 s");
  const ofPerson = { callId: "call_2", tool: "Bash", input: {}, shell: true };
  expect(left(0, [START, wait, event(3, "ToolCallStarted", ofPerson)])).toContain("retrying in 7 s");
  for (const [kind, payload] of [
    ["TextDelta", { text: "x" }],
    ["ModelChanged", { model: "a:b" }],
    ["Error", { reason: "ProviderSilent", message: "silent", severity: "notice" }],
  ] as const)
    expect(left(0, [START, wait, event(3, kind, payload)])).toBe("working 0 s · escape cancels");
  expect(lineOf([START, wait, event(3, "TurnEnded", { turn: 1, reason: "cancelled" })]).facts.retry).toBe(
    undefined,
  );
});

test("[TUI-02 TUI-01 bar First screen] before the first prompt the line has the model and mode that it would go to", () => {
  const none = { ...lineOf([]), open: undefined };
  expect(textOfRow(drawStatus(none, 80))).toBe("no session yet");
  expect(textOfRow(drawStatus({ ...none, nextModel: "mock:one", mode: "plan" }, 80))).toBe(
    "no session yet · mock:one · plan",
  );
  expect(textOfRow(drawStatus({ ...none, isReached: false, nextModel: "mock:one" }, 80))).toBe("starting …");
});
