import { HarnessError } from "../../../../base/errors.ts";
import { spentCosts } from "../../../../view/costs/spent-costs.ts";
import type { ClientActions } from "../../../slash/create-slash-context.ts";
import { copyText } from "../../clipboard/copy-text.ts";
import type { ModelMessage } from "../../input/message.ts";
import type { Services } from "../../layout/services.ts";
import type { OpenSession } from "../../options.ts";
import { typeSecret } from "../../panels/secret-panel.ts";
import type { SlashAnswer } from "./answer.ts";
import { askConfirm } from "./confirm-panel.ts";

export interface SlashActionsOptions {
  readonly services: Services;
  readonly open: OpenSession;
  readonly answer: SlashAnswer;
  /** Takes the text for the model that the command stands for: it is sent once the command has run. */
  readonly sends: (message: ModelMessage) => void;
  /** Takes the time until another session is shown: what is sent meanwhile is for that one. */
  readonly switches: (shown: Promise<void>) => void;
  /** Resolves once another session is shown, or after a time limit. */
  readonly untilShown: () => Promise<void>;
}

/** Returns the actions of the terminal client for one slash command. */
export function slashActions(options: SlashActionsOptions): ClientActions {
  const { services, open, answer, sends, switches, untilShown } = options;
  const { session, screen } = services;
  const { session: sessionId } = open;
  const { turn } = session.view.run ?? {};
  const say = async (text: string): Promise<void> => answer.say(text);

  async function cancel(): Promise<void> {
    const refused = await session.send({ kind: "CancelTurn", sessionId });
    if (refused instanceof HarnessError) services.showFailure(refused);
  }

  return {
    say,
    cancel,
    busy: turn !== undefined || session.view.waiting.some(({ held }) => !held),
    columns: screen.size.columns,
    fresh: open.fresh,
    overNetwork: session.isOverNetwork,
    async readCosts() {
      const spend = await session.query({ kind: "GetSpend", sessionId });
      return spend instanceof HarnessError ? spend : spentCosts(spend);
    },
    modelChosen: () => undefined, // an event names it
    switched: () => switches(untilShown()), // an event names it
    // The way that it took stays in the transcript.
    copy: (text) => copyText({ ...services, say: (said) => answer.say(said) }, text),
    goTo: (next) => switches(session.goTo({ kind: "stored", info: next })),
    confirm: (question) => askConfirm(question, services),
    askSecret: (question) => typeSecret(question, services),
    takeBack: () => false, // nothing is typed while such a question is open
    sendPrompt: async (text) => sends({ text, delivery: "queue", session: sessionId, isExpanded: true }),
    steer: async (text) => sends({ text, delivery: "steer", session: sessionId }),
    useSkill: async (text, skill) => sends({ text, delivery: "queue", session: sessionId, skill }),
    askAgent: async (text, agent) => sends({ text, delivery: "queue", session: sessionId, agent }),
    drop: () => false, // a text that cannot be sent comes back to the draft
    clear() {
      session.clear();
      services.redraw();
      return true;
    },
    async quit() {
      // Leaving does not stop a turn of another client (CTL-18).
      if (turn?.originator === session.self) await cancel();
      services.leave();
    },
  };
}
