import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { FakeServices } from "../../../test/support/terminal-parts.ts";
import { fakeServices } from "../../../test/support/terminal-parts.ts";
import { DiffView } from "./changes/diff-view.ts";
import { AnswerPanel } from "./features/commands/answer-panel.ts";
import { askConfirm } from "./features/commands/confirm-panel.ts";
import { HelpPanel } from "./features/help/help-panel.ts";
import { KeyProbe } from "./features/key-probe/key-probe.ts";
import { PolicyPanel } from "./features/policy/policy-panel.ts";
import { QueueCommands } from "./features/queue/queue-commands.ts";
import { QueuePanel } from "./features/queue/queue-panel.ts";
import { ReplayView } from "./features/sessions/replay-view.ts";
import { SettingsPanel } from "./features/settings/settings-panel.ts";
import { SidebarPanel } from "./features/sidebar/sidebar-panel.ts";
import { ThemePanel } from "./features/themes/theme-panel.ts";
import { TranscriptOverlay } from "./inline/transcript-overlay.ts";
import { HistorySearch } from "./input/history/history-search.ts";
import { KeyTable } from "./keys/key-table.ts";
import type { ScreenPart } from "./layout/part.ts";
import { ScreenLayout } from "./layout/screen-layout.ts";
import { ListPanel } from "./panels/list-panel.ts";
import { typeSecret } from "./panels/secret-panel.ts";
import { NO_COLOURS } from "./themes/none.ts";
import { BrowseBar } from "./transcript/browse/browse-bar.ts";
import { SearchBar } from "./transcript/search/search-bar.ts";

const NOTHING: ScreenPart = { contexts: [], draw: () => ({ rows: [] }), act: () => false };
const ID = "ses_1" as never;

/** Opens each overlay of the client, by the name of its class. */
const OVERLAYS: Readonly<Record<string, (services: FakeServices) => void>> = {
  AnswerPanel: (services) => services.open(new AnswerPanel(services, { title: "/x", text: "text" })),
  BrowseBar: (services) =>
    services.open(new BrowseBar({ services, act: () => false, closed: () => undefined })),
  ConfirmPanel: (services) => void askConfirm("Sure?", services),
  DiffView: (services) => services.open(new DiffView(services, { title: "Changes", changes: [] })),
  HelpPanel: (services) => services.open(new HelpPanel(services)),
  HistorySearch: (services) =>
    services.open(
      new HistorySearch({ services, history: { entries: () => [] } as never, choose: () => undefined }),
    ),
  KeyProbe: (services) => services.open(new KeyProbe(services)),
  ListPanel: (services) =>
    services.open(
      new ListPanel({ title: "List", services, content: () => ({ entries: [] }), choose: () => undefined }),
    ),
  PolicyPanel: (services) => services.open(new PolicyPanel(services, ID)),
  QueuePanel: (services) =>
    services.open(new QueuePanel(services, new QueueCommands(services), () => undefined)),
  ReplayView: (services) => services.open(new ReplayView(services, { session: ID, title: "One" } as never)),
  SearchBar: (services) =>
    services.open(new SearchBar({ services, search: {} as never, closed: () => undefined })),
  SecretPanel: (services) => void typeSecret("Key", services),
  SettingsPanel: (services) => services.open(new SettingsPanel(services)),
  SidebarPanel(services) {
    const feed = { hold: () => ({ [Symbol.dispose]: () => undefined }) } as never;
    services.open(new SidebarPanel({ services, feed, folded: new Set(), goTo: () => undefined }));
  },
  ThemePanel: (services) => services.open(new ThemePanel(services)),
  TranscriptOverlay: (services) => services.open(new TranscriptOverlay(services, NOTHING)),
};

/** Returns a layout, the services that open overlays in it, and the actions that no overlay has taken. */
function openLayout() {
  const acted: string[] = [];
  const layout = new ScreenLayout({
    clock: fakeClock(),
    redraw: () => undefined,
    parts: {
      header: () => [],
      transcript: NOTHING,
      above: () => [],
      rule: () => ({ spans: [] }),
      dock: { ...NOTHING, takesKeys: false, noteKey: () => undefined },
      input: NOTHING,
      side: () => undefined,
      status: () => ({ spans: [] }),
    },
    keys: () => new KeyTable(),
    theme: () => NO_COLOURS,
    act: (action) => void acted.push(action),
  });
  const services: FakeServices = {
    ...fakeServices(),
    open: (overlay) => layout.open(overlay),
    close: (overlay) => layout.close(overlay),
  };
  return { layout, services, acted };
}

for (const [name, openOverlay] of Object.entries(OVERLAYS))
  test(`[TUI-03 TUI-06] Ctrl-C closes ${name} and nothing else: the turn and the draft stay`, () => {
    const { layout, services, acted } = openLayout();
    openOverlay(services);
    layout.input({ kind: "key", key: "ctrl+c" });
    expect(acted).toEqual([]);
    layout.input({ kind: "key", key: "ctrl+c" });
    expect(acted).toEqual(["app.interrupt"]);
  });

test("[TUI-06] every overlay is in the table, and none handles Ctrl-C by itself", async () => {
  const classes: string[] = [];
  const own: string[] = [];
  for await (const file of new Glob("**/*.ts").scan(import.meta.dir)) {
    if (file.endsWith(".test.ts")) continue;
    const text = await Bun.file(join(import.meta.dir, file)).text();
    for (const [, name = ""] of text.matchAll(/class (\w+)(?:<\w+>)? implements (?:\w+, )*Overlay\b/g)) {
      classes.push(name);
      // The probe takes every key before its action is looked up; the help names the key.
      const named = name === "KeyProbe" || name === "HelpPanel";
      if (text.includes('"app.interrupt"') && !named) own.push(file);
    }
  }
  // The question on the whole screen leaves Ctrl-C to the turn.
  expect(classes.filter((name) => name !== "FullQuestion").sort()).toEqual(Object.keys(OVERLAYS).sort());
  expect(own).toEqual([]);
});
