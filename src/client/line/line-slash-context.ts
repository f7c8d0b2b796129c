import { neutralise } from "../../view/terminal/terminal-text.ts";
import { copiedText } from "../slash/commands/copy.ts";
import type { ClientActions, SlashContextParts } from "../slash/create-slash-context.ts";
import { createSlashContext } from "../slash/create-slash-context.ts";
import type { SlashContext } from "../slash/slash-context.ts";
import type { Outbox } from "./input/outbox.ts";
import type { SessionScreen } from "./output/session-screen.ts";
import type { LineSessionView } from "./session/line-session-view.ts";

export interface LineSlashDependencies
  extends Pick<
      ClientActions,
      | "busy"
      | "fresh"
      | "switched"
      | "goTo"
      | "cancel"
      | "quit"
      | "confirm"
      | "takeBack"
      | "askSecret"
      | "overNetwork"
      | "isSpoken"
    >,
    Pick<SlashContextParts, "session" | "sender" | "commands"> {
  readonly seen: LineSessionView;
  readonly screen: SessionScreen;
  readonly outbox: Outbox;
  readonly nowMs: () => number;
}

/** Returns the context for one slash command: the state of the line client now, and its actions. */
export function lineSlashContext({
  session,
  sender,
  commands,
  seen,
  screen,
  outbox,
  nowMs,
  ...actions
}: LineSlashDependencies): SlashContext {
  return createSlashContext(
    { session, sender, commands, state: seen, nowMs: nowMs() },
    {
      ...actions,
      columns: screen.columns,
      say: (text) => screen.note(text),
      readCosts: async () => seen.costs,
      modelChosen(model) {
        seen.model = model;
      },
      steer: (text) => outbox.sendText(text, "steer"),
      askAgent: (text, agent) => outbox.send([{ type: "text", text }], "queue", { agent }),
      useSkill: (text, skill) => outbox.send([{ type: "text", text }], "queue", { skill }),
      async sendPrompt(text) {
        await screen.note(neutralise(text));
        await outbox.sendText(text);
      },
      clear: () => screen.clear(),
      copy: (text) => screen.note(copiedText(screen.copy(text), text)),
      drop: () => outbox.take() !== undefined,
    },
  );
}
