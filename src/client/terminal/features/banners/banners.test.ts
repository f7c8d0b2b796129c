import { expect, test } from "bun:test";
import { settle } from "../../../../../test/support/fake-clock.ts";
import { fakeServices, linesOf, noticeOf } from "../../../../../test/support/terminal-parts.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import { ENGINE_BACK, ENGINE_RESUMED, UPGRADING } from "../../../../view/notes/engine-text.ts";
import { expiringSessionsText } from "../../../../view/notes/expiry-text.ts";
import { banners } from "./banners.ts";

const AGENTS = "sess_01HXXA0000000000000000000B";

function noticed(kind: "AgentSession" | "AgentAsks", text: string): Envelope {
  return noticeOf(kind, { session: AGENTS, agent: "Outer", text });
}

function openBoard(notices: readonly string[] = [], expiring?: string) {
  const services = fakeServices();
  Object.assign(services.session, { open: { ...services.session.open, notices, expiring } });
  const feature = banners(services);
  feature.opened?.();
  return { services, feature, shown: (columns = 80) => linesOf(feature.above?.(columns) ?? []) };
}

test("[SES-06 TUI-06] the warning about sessions that expire is there before one is open, and stays until it is hidden, which the engine keeps", async () => {
  const text = expiringSessionsText(["sess_A", "sess_B", "sess_C"]);
  expect(text).toStartWith(
    "3 sessions expire this week: sess_A, sess_B, sess_C — /sessions:pin or /sessions:export to keep them.",
  );
  const { services, feature, shown } = openBoard([text], text);
  expect(shown(200)).toBe(`▌ ${text}  alt+k hides`); // an engine that knows no query for it
  services.found = { sessions: ["sess_A", "sess_B", "sess_C"], total: 3, dismissed: false };
  feature.reached?.();
  await services.clock.advance(1);
  expect(shown(200)).toBe(`▌ ${text}  alt+k hides`);
  feature.opened?.();
  expect(shown(200)).toBe(`▌ ${text}  alt+k hides`);
  feature.actions?.["banner.hide"]?.();
  await services.clock.advance(1);
  expect(shown()).toBe("");
  expect(services.sent).toEqual([{ kind: "DismissExpiring", sessionId: "sess_A" }] as never);
  expect(services.said).toEqual(["Hidden until another session is about to expire."]);
  feature.actions?.["banner.hide"]?.();
  expect(services.said.at(-1)).toBe("There is no notice to hide.");
  feature.opened?.();
  expect(shown()).toBe("");
  services.found = { sessions: ["sess_A"], total: 1, dismissed: true };
  feature.reached?.();
  await services.clock.advance(1);
  expect(shown()).toBe("");
});

test("[SES-02] an upgrade of the database is shown until the engine is reached", () => {
  const { feature, shown } = openBoard();
  feature.engineNotice?.(UPGRADING);
  expect(shown()).toStartWith("▌ Database is upgrading…");
  feature.reached?.();
  expect(shown()).toBe("");
});

test("[TUI-10] a lost engine is shown until it answers again", () => {
  const { services, feature, shown } = openBoard();
  feature.engineNotice?.({ kind: "away", text: "The engine cannot be reached." });
  expect(shown()).toContain("The engine cannot be reached.");
  feature.engineNotice?.(ENGINE_BACK);
  expect(shown()).toBe("");
  expect(services.said).toEqual(["The engine answers again."]);
});

test("[TUI-10 REL-02] a failure is shown to its end, where the way out of it stands", () => {
  const { feature, shown } = openBoard();
  feature.engineNotice?.({ kind: "failed", text: `${"The disk is full. ".repeat(20)}Make room.` });
  expect(shown(60)).toContain("Make room.");
});

test("[TUI-10] that the engine was restarted is shown until the next turn begins", () => {
  const { feature, shown } = openBoard();
  feature.engineNotice?.(ENGINE_RESUMED);
  expect(shown()).toStartWith("▌ The engine was restarted: ");
  feature.changed?.({ kind: "TurnEnded", id: 7, payload: {} } as never, undefined as never);
  expect(shown()).not.toBe("");
  feature.changed?.({ kind: "TurnStarted", id: 8, payload: { turn: 2 } } as never, undefined as never);
  expect(shown()).toBe("");
});

test("[CTL-12] an agent's session is announced, a key goes there, and a banner there says that they observe", () => {
  const { services, feature, shown } = openBoard();
  const text = `Outer agent Outer started session ${AGENTS}. /sessions:attach ${AGENTS} to observe.`;
  feature.changed?.(noticed("AgentSession", text), undefined as never);
  expect(shown(200)).toBe(`▌ ${text}  alt+o observes · alt+k hides`);
  feature.actions?.["agent.observe"]?.();
  expect(services.shown).toEqual([{ kind: "stored", info: { session: AGENTS } }] as never);
  Object.assign(services.session, { open: { ...services.session.open, session: AGENTS } });
  feature.opened?.();
  expect(shown(200)).toBe(
    "▌ This session was started by an external agent. You are observing as human.  alt+k hides",
  );
});

test("[CTL-12] the notice of an agent's session goes once it is shown, also as another run of it", async () => {
  const { services, feature, shown } = openBoard();
  feature.changed?.(noticed("AgentSession", "Outer agent Outer started a session."), undefined as never);
  feature.actions?.["agent.observe"]?.();
  await settle();
  expect(shown(200)).toContain("started a session"); // it could not be shown
  Object.assign(services.session, {
    async goTo() {
      Object.assign(services.session, { open: { ...services.session.open, session: "sess_other" } });
    },
  });
  feature.actions?.["agent.observe"]?.();
  await settle();
  expect(shown(200)).toBe("");
});

test("[TUI-07 TUI-06] many long notices take a few rows, within any width, and hostile text is harmless", () => {
  const { feature } = openBoard(
    Array.from({ length: 9 }, (_, at) => `notice ${at} \u001b[2J ${"字".repeat(200)}`),
  );
  for (const columns of [20, 40, 80]) {
    const rows = feature.above?.(columns) ?? [];
    expect(rows.length).toBeLessThanOrEqual(10);
    for (const each of linesOf(rows).split("\n")) expect(Bun.stringWidth(each)).toBeLessThanOrEqual(columns);
    expect(linesOf(rows)).not.toContain("\u001b");
    expect(linesOf(rows)).toContain("… 6 more above");
  }
});
