import { expect, test } from "bun:test";
import { fakeServices, linesOf, noticeOf } from "../../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import { autoAttach } from "./auto-attach.ts";

const [ONE, TWO] = ["sess_01HXXA0000000000000000000A", "sess_01HXXA0000000000000000000B"] as const;
const TEXT = "Always auto-attach sessions from this parent? /opt/agent";
const SIZE = { columns: 160, rows: 20 };
/** Longer than a question waits for a pause in the keys. */
const QUIET_MS = 400;

function notice(kind: "AutoAttachAsked" | "AutoAttachAnswered", session: string, text = TEXT): Envelope {
  return noticeOf(kind, { session, agent: "Outer", text });
}

function openOffer() {
  const services = fakeServices();
  const draft = { ...services.draft, text: "" };
  Object.assign(services, { draft });
  const feature = autoAttach(services);
  return {
    services,
    feature,
    draft,
    take: (envelope: Envelope) => feature.changed?.(envelope, undefined as never),
    /** Draws a frame. */
    shown(size = SIZE) {
      const { offer } = feature;
      const rows = offer?.draw(size).rows ?? [];
      if (rows.length > 0) offer?.drawn?.(size);
      else offer?.hidden();
      return linesOf(rows);
    },
  };
}

for (const [action, always] of [
  ["list.choose", true],
  ["confirm.yes", true],
  ["confirm.no", false],
] as const) {
  test(`[CTL-12 PERM-14] ${action} answers "${always ? "yes" : "no"}", once the question was in sight for 300 ms without a key`, async () => {
    const { services, feature, take, shown } = openOffer();
    take(notice("AutoAttachAsked", ONE));
    expect(shown()).toContain(`▌ ${TEXT}`);
    expect(shown()).toEndWith("▌ [Y/n] enter/y yes · n no");
    expect(feature.offer?.act(action)).toBe(false);
    await services.clock.advance(200);
    feature.offer?.noteKey();
    await services.clock.advance(200);
    expect([feature.offer?.takesKeys, feature.offer?.act(action)]).toEqual([false, false]);
    await services.clock.advance(QUIET_MS);
    expect(feature.offer?.act("edit.left")).toBe(false);
    expect(feature.offer?.act(action)).toBe(true);
    expect(shown()).toEndWith("The answer is on its way.");
    expect(feature.offer?.act(action)).toBe(false);
    await services.clock.advance(1);
    expect(services.sent).toEqual([{ kind: "AnswerAutoAttach", sessionId: ONE, always }] as never);
    expect(feature.offer).toBeUndefined();
  });
}

test("[CTL-12] it takes no key while the draft holds text, another question is open, or it is out of sight; Enter starts what is held first", async () => {
  const { services, feature, draft, take, shown } = openOffer();
  take(notice("AutoAttachAsked", ONE));
  shown();
  await services.clock.advance(QUIET_MS);
  expect(feature.offer?.takesKeys).toBe(true);
  draft.text = "no";
  expect(feature.offer?.act("confirm.no")).toBe(false);
  expect(shown()).toEndWith("· with an empty draft");
  draft.text = "";
  services.ask({ kind: "asked", ask: { askId: "ask_1", about: "plan", text: "?" } } as never);
  expect(feature.offer?.act("confirm.yes")).toBe(false);
  services.ask();
  expect(shown({ columns: 160, rows: 2 })).toBe("");
  expect(shown()).not.toBe("");
  expect(feature.offer?.takesKeys).toBe(false);
  await services.clock.advance(QUIET_MS);
  expect(feature.offer?.takesKeys).toBe(true);
  const { view } = services.session;
  Object.defineProperty(services.session, "view", { value: { ...view, waiting: [{ held: true }] } });
  expect(feature.offer?.act("list.choose")).toBe(false);
  expect(feature.offer?.act("confirm.yes")).toBe(true);
});

test("[CTL-12] it goes when another client answers, when its engine is away and when another session is shown; the next one has its own quiet time", async () => {
  const { services, feature, take, shown } = openOffer();
  take(notice("AutoAttachAsked", ONE));
  take(notice("AutoAttachAsked", ONE));
  take(notice("AutoAttachAsked", TWO, "And this one? /opt/two"));
  expect(shown()).toContain(`${TEXT} · 1 more`);
  await services.clock.advance(QUIET_MS);
  take(notice("AutoAttachAnswered", ONE, "Sessions are not auto-attached"));
  expect(services.said).toEqual(["Sessions are not auto-attached"]);
  expect(shown()).toContain("And this one? /opt/two");
  expect(feature.offer?.takesKeys).toBe(false);
  feature.opened?.();
  expect(feature.offer).toBeUndefined();
  take(notice("AutoAttachAsked", ONE));
  feature.engineNotice?.({ kind: "away", text: "away" });
  expect(feature.offer).toBeUndefined();
  expect(services.sent).toEqual([]);
});

test("[CTL-12] a refusal is shown: the question stays if its file cannot be used, and goes if it is asked no more", async () => {
  const { services, feature, take, shown } = openOffer();
  const answer = async () => {
    shown();
    await services.clock.advance(QUIET_MS);
    feature.offer?.act("confirm.no");
    await services.clock.advance(1);
  };
  take(notice("AutoAttachAsked", ONE));
  services.reply = new HarnessError("ParentsUnusable", { path: "/c/mcp-parents.lock", problem: "it is big" });
  await answer();
  expect(services.said.at(-1)).toContain("/c/mcp-parents.lock");
  expect(feature.offer).toBeDefined();
  services.reply = new HarnessError("InvalidCommand", { kind: "AnswerAutoAttach", why: "yes was answered" });
  await answer();
  expect(services.said.at(-1)).toContain("yes was answered");
  expect(feature.offer).toBeUndefined();
});

test("[CTL-12 TUI-07] a long path takes a few rows of any width", () => {
  const { take, shown } = openOffer();
  take(notice("AutoAttachAsked", ONE, `${TEXT}/${"字".repeat(900)}`));
  for (const columns of [30, 80]) {
    const lines = shown({ columns, rows: 30 }).split("\n");
    expect(lines.length).toBeLessThanOrEqual(12);
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(lines.at(-1)).toContain("n no");
  }
});
