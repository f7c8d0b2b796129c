import { NotifiedEvents } from "../../../../view/notified-events.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { AwayNotices } from "./away-notices.ts";
import { SessionTitle } from "./session-title.ts";

/** The title of the window, and notices for a person who looks elsewhere. */
export function notify(services: Services): TerminalFeature {
  const title = new SessionTitle(services);
  const notices = new AwayNotices(services, () => title.session);
  let events = new NotifiedEvents();
  return {
    started: () => title.show(),
    reached: () => inBackground(notices.readWays(), services),
    opened() {
      events = new NotifiedEvents();
      notices[Symbol.dispose]();
      title.begin();
    },
    changed(envelope, { after }) {
      const event = events.add(envelope);
      const { past = 0 } = services.session.open ?? {};
      if (envelope.id < past) return; // the window is named once, after the history
      const isPast = envelope.id === past;
      if (isPast) return title.show();
      if (envelope.kind === "TurnStarted" && envelope.parentCall === undefined) {
        notices.turnStarted();
        if (title.session === "") inBackground(title.read(), services);
      }
      if (envelope.kind === "SessionRenamed" && after.title === undefined)
        inBackground(title.read(), services);
      if (event !== undefined) notices.happened(event);
      title.show();
    },
    focused: (isFocused) => notices.focused(isFocused),
    [Symbol.dispose]: () => notices[Symbol.dispose](),
  };
}
