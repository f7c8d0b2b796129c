import type { SessionId } from "../../../../base/ids.ts";
import type { OverviewName } from "../../../../view/overview/sections.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { SidebarFeed } from "./feed.ts";
import { ReadMarks } from "./read-marks.ts";
import { SidebarPanel } from "./sidebar-panel.ts";
import { SIDEBAR_SCREEN_COLUMNS, SidebarPart } from "./sidebar-part.ts";
import { todoRows } from "./todo-rows.ts";

/**
 * The sidebar, the same as a panel, and the list of todos above the draft where there is no sidebar (TUI-06, TUI-08).
 * It also marks what the person has read, so that other sessions can be counted as unread.
 */
export function sidebar(services: Services): TerminalFeature {
  const { session, settings, screen, keys } = services;
  const feed = new SidebarFeed(services);
  const folded = new Set<OverviewName>();
  const goTo = (id: SessionId) => {
    if (id !== session.open?.session)
      inBackground(session.goTo({ kind: "stored", info: { session: id } }), services);
  };
  const marks = new ReadMarks(services);
  const part = new SidebarPart({ feed, folded, goTo, isWanted: () => settings.values.sidebar });
  let areTodosFolded = false;

  function openPanel(): void {
    services.open(new SidebarPanel({ services, feed, folded, goTo }));
  }

  return {
    side: part,
    actions: {
      "sidebar.toggle"() {
        if (screen.size.columns < SIDEBAR_SCREEN_COLUMNS) openPanel();
        else settings.change({ sidebar: !settings.values.sidebar });
      },
      "sidebar.open": openPanel,
      "todos.fold"() {
        areTodosFolded = !areTodosFolded;
      },
    },
    above(columns) {
      const isRunning = session.view.run?.turn !== undefined;
      if (!isRunning || part.isShown || session.view.todos.length === 0) return [];
      const todos = feed.sections().find(({ name }) => name === "todos");
      const key = keys.label("todos.fold");
      return todos === undefined ? [] : todoRows(todos, { columns, isFolded: areTodosFolded, key });
    },
    reached: () => feed.reached(),
    opened() {
      feed.opened();
      if ((session.open?.past ?? 0) > 0) marks.shown();
      else marks.nothingShown();
    },
    changed(envelope) {
      feed.changed(envelope);
      const { id, kind, parentCall } = envelope;
      const isPast = session.isPast(id);
      if (kind === "TurnEnded" && parentCall === undefined && !isPast) marks.shown();
    },
    focused: (isFocused) => marks.focused(isFocused),
    [Symbol.dispose]() {
      part[Symbol.dispose]();
      feed[Symbol.dispose]();
    },
  };
}
