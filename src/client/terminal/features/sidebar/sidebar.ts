import { HarnessError } from "../../../../base/errors.ts";
import type { SessionId } from "../../../../base/ids.ts";
import type { OverviewName } from "../../../../view/overview/sections.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { READER, SidebarFeed } from "./feed.ts";
import { SidebarPanel } from "./sidebar-panel.ts";
import { SIDEBAR_SCREEN_COLUMNS, SidebarPart } from "./sidebar-part.ts";
import { todoRows } from "./todo-rows.ts";

/**
 * The sidebar, the same as a panel, and the list of todos above the draft where there is no sidebar (TUI-06, TUI-08).
 * It also marks what the person has read, so that other sessions can be counted as unread.
 */
export function sidebar(services: Services): TerminalFeature {
  const { session, settings, screen, keys, showFailure } = services;
  const feed = new SidebarFeed(services);
  const folded = new Set<OverviewName>();
  const goTo = (id: SessionId) => {
    if (id !== session.open?.session)
      inBackground(session.goTo({ kind: "stored", info: { session: id } }), services);
  };
  const part = new SidebarPart({ feed, folded, goTo, isWanted: () => settings.values.sidebar });
  let areTodosFolded = false;
  let isFocused = true;
  /** Set while something was shown that is not marked as read. */
  let isUnmarked = false;
  let isMarking = true;

  function openPanel(): void {
    services.open(new SidebarPanel({ services, feed, folded, goTo }));
  }

  async function markRead(): Promise<void> {
    const { open, view } = session;
    if (!isFocused || !isMarking || open === undefined) return;
    isUnmarked = false;
    const event = Math.max(view.reached, open.past);
    const answer = await session.send({ kind: "MarkRead", sessionId: open.session, event, reader: READER });
    if (!(answer instanceof HarnessError)) return;
    isMarking = false; // an engine that keeps no marks is asked once
    showFailure(answer);
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
      isUnmarked = (session.open?.past ?? 0) > 0;
      if (isUnmarked) inBackground(markRead(), services);
    },
    changed(envelope) {
      feed.changed(envelope);
      const { id, kind, parentCall } = envelope;
      const isPast = id <= (session.open?.past ?? 0);
      if (kind !== "TurnEnded" || parentCall !== undefined || isPast) return;
      isUnmarked = true;
      inBackground(markRead(), services);
    },
    focused(isNow) {
      isFocused = isNow;
      if (isUnmarked) inBackground(markRead(), services);
    },
    [Symbol.dispose]() {
      part[Symbol.dispose]();
      feed[Symbol.dispose]();
    },
  };
}
