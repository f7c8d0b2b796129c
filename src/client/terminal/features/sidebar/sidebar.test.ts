import { expect, test } from "bun:test";
import { fakeServices, linesOf } from "../../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { NewsItem } from "../../../../protocol/events/news.ts";
import type { SessionInfo } from "../../../../protocol/resources.ts";
import { sidebar } from "./sidebar.ts";

const LISTS = {
  skills: [{ name: "write-docs", description: "", source: "user" }],
  servers: [{ name: "db", state: "running", tools: 3 }],
  hooks: [{ event: "PreToolUse", command: "lint", source: "x", timeout_s: 1 }],
  waiting: [],
  more: false,
};

const OTHER = {
  session: "sess_01HXXA0000000000000000000B",
  log: "log_01HXXA0000000000000000000B",
  title: "another one",
  state: "waiting",
  unread: 3,
  working_dir: "/home/user/there",
  updated_at: "2026-01-01T00:00:00.000Z",
} as unknown as SessionInfo;

/** A client with services that count what the sidebar asks for. */
function openSidebar(columns: number, run: object = {}) {
  const services = fakeServices();
  const asked: string[] = [];
  let isReading = false;
  const { session } = services;
  async function* news(signal: AbortSignal): AsyncGenerator<NewsItem> {
    isReading = true;
    try {
      yield { kind: "SessionChanged", session: OTHER.session, info: OTHER };
      await new Promise<void>((ended) => signal.addEventListener("abort", () => ended(), { once: true }));
    } finally {
      isReading = false;
    }
  }
  const todos = [
    { content: "read", status: "completed" },
    { content: "write", status: "in_progress", activeForm: "writing" },
    { content: "test", status: "pending" },
  ];
  const known = {
    ...services,
    screen: { ...services.screen, size: { columns, rows: 40 } },
    session: {
      ...session,
      get view() {
        return { ...session.view, todos, run: { questions: [], tasks: [], rules: [], ...run } } as never;
      },
      news: ({ signal }: { readonly signal: AbortSignal }) => news(signal),
      async query(query: { readonly kind: string }) {
        asked.push(query.kind);
        return LISTS as never;
      },
    },
  } as unknown as typeof services;
  const feature = sidebar(known);
  const frame = (rows = 30) => {
    const width = feature.side?.columns({ columns, rows }) ?? 0;
    const size = { columns: Math.max(0, width - 2), rows };
    const drawn = width === 0 ? undefined : linesOf(feature.side?.draw(size).rows ?? []);
    feature.side?.drawn?.(size);
    return drawn;
  };
  return { services, feature, asked, frame, isReading: () => isReading };
}

test("[TUI-06] a hidden sidebar asks for nothing; a shown one is live, and asks no more once it is hidden", async () => {
  const { services, feature, asked, frame, isReading } = openSidebar(120);
  feature.reached?.();
  feature.opened?.();
  expect(frame()).toBeUndefined();
  await services.clock.advance(1);
  expect([asked, isReading()]).toEqual([[], false]);
  feature.actions?.["sidebar.toggle"]?.();
  frame();
  await services.clock.advance(1);
  const shown = frame() ?? "";
  expect(isReading()).toBe(true);
  expect(asked.sort()).toEqual(["ListHooks", "ListMcpServers", "ListSkills"]);
  for (const text of [
    "▾ Sessions 1, 1 waiting",
    "? another one",
    "▾ Todos 1/3",
    "▸ writing",
    "write-docs",
    "● db",
    "PreToolUse",
  ])
    expect(shown).toContain(text);
  feature.actions?.["sidebar.toggle"]?.();
  expect(frame()).toBeUndefined();
  await services.clock.advance(1);
  expect(isReading()).toBe(false);
});

test("[TUI-06] below 120 columns the key opens the same as a panel, where Enter folds a section and goes to a session", async () => {
  const { services, feature, isReading } = openSidebar(80);
  feature.actions?.["sidebar.toggle"]?.();
  await services.clock.advance(1);
  const [panel] = services.overlays;
  expect(panel?.place).toBe("full");
  const shown = () => linesOf(panel?.draw({ columns: 80, rows: 20 }).rows ?? []);
  expect(shown()).toContain("? another one  waits for an answer · 3 unread · there");
  panel?.act("list.choose");
  expect(shown()).toContain("▸ Sessions");
  expect(shown()).not.toContain("another one");
  panel?.act("list.choose");
  panel?.act("list.down");
  panel?.act("list.choose");
  expect(services.shown).toEqual([{ kind: "stored", info: { session: OTHER.session } }] as never);
  expect(services.overlays).toEqual([]);
  await services.clock.advance(1);
  expect(isReading()).toBe(false);
});

test("[TUI-06] a click on a title folds the section, and one on a session goes there", async () => {
  const { services, feature, frame } = openSidebar(120);
  feature.actions?.["sidebar.toggle"]?.();
  frame();
  await services.clock.advance(1);
  frame();
  const press = (row: number) =>
    feature.side?.mouse?.({
      kind: "mouse",
      type: "press",
      button: "left",
      row,
      column: 3,
      wheel: 0,
      shift: false,
    });
  press(1);
  expect(services.shown).toHaveLength(1);
  press(0);
  expect(frame()).toContain("▸ Sessions");
});

test("[TUI-08] without a sidebar the todos stand above the draft while a turn runs, and a key folds them", () => {
  const { feature } = openSidebar(80, { turn: { number: 1, originator: "cli_self" } });
  const rows = () => linesOf(feature.above?.(60) ?? []);
  expect(rows().split("\n")).toEqual(["▾ Todos 1/3 · alt+t folds", "  ✓ read", "  ▸ writing", "  ○ test"]);
  feature.actions?.["todos.fold"]?.();
  expect(rows()).toBe("▸ Todos 1/3 · ▸ writing · alt+t unfolds");
  expect(openSidebar(80).feature.above?.(60)).toEqual([]);
});

test("[TUI-06 CTL-19] what is shown to a person is marked as read once its window has the focus", async () => {
  const { services, feature } = openSidebar(80);
  const end = { id: 7, kind: "TurnEnded", payload: { turn: 1, reason: "complete" } } as never;
  feature.focused?.(false);
  feature.changed?.(end, undefined as never);
  await services.clock.advance(1);
  expect(services.sent).toEqual([]);
  feature.focused?.(true);
  await services.clock.advance(1);
  expect(services.sent).toEqual([
    { kind: "MarkRead", sessionId: "ses_1", event: 0, reader: "person" },
  ] as never);
});

test("[TUI-06 CTL-19] a mark that the engine refuses is tried again with the next turn that is read, and its reason is said once", async () => {
  const { services, feature } = openSidebar(80);
  const end = async (id: number) => {
    const ended = { id, kind: "TurnEnded", payload: { turn: id, reason: "complete" } };
    feature.changed?.(ended as never, undefined as never);
    await services.clock.advance(1);
    return [services.sent.length, services.said.length];
  };
  services.reply = new HarnessError("StoreBusy", { path: "/data/sessions.db", detail: "locked" });
  expect([await end(7), await end(8)]).toEqual([
    [1, 1],
    [2, 1],
  ]);
  services.reply = undefined;
  feature.focused?.(true);
  await services.clock.advance(1);
  expect(services.sent).toHaveLength(3); // looked at again
  feature.focused?.(true);
  await services.clock.advance(1);
  expect(services.sent).toHaveLength(3); // nothing is left to mark
  services.reply = new HarnessError("StoreBusy", { path: "/data/sessions.db", detail: "locked" });
  expect(await end(9)).toEqual([4, 2]);
});
