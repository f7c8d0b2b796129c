import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { openSessionList } from "./session-panel.ts";

/** Commands that list sessions without words behind them. */
const SESSION_COMMANDS = Object.fromEntries(
  ["/resume", "/sessions", "/sessions:list", "/sessions:resume", "/sessions:attach"].map(
    (command) => [command, "session.open"] as const,
  ),
);

/** Shows another session: the last one of this folder, one from the list, or a new one (CTL-11). */
export function sessionChoice(services: Services): TerminalFeature {
  const { session } = services;
  return {
    panels: SESSION_COMMANDS,
    actions: {
      "session.open": () => openSessionList(services),
      "session.new"() {
        const isBusy = session.view.run?.turn !== undefined;
        inBackground(session.goTo({ kind: "new" }), services);
        const list = services.keys.label("session.open", "the palette");
        if (isBusy) services.say(`The turn of the session before goes on. ${list} returns to it.`);
      },
      "session.continue"() {
        const { last, isUntouched } = session;
        const list = services.keys.label("session.open", "the palette");
        if (last === undefined)
          services.say(`This folder has no earlier session. ${list} lists all sessions.`);
        else if (isUntouched) inBackground(session.goTo({ kind: "stored", info: last }), services);
        else services.say(`This session has begun already. ${list} lists the others.`);
      },
    },
  };
}
