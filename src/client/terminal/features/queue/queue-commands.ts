import { defined } from "../../../../base/defined.ts";
import { HarnessError } from "../../../../base/errors.ts";
import { withoutFenceTags } from "../../../../view/input-text.ts";
import type { WaitingInput } from "../../../../view/session/waiting.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import type { DraftImage } from "../../images/draft-image.ts";
import { draftImage } from "../../images/draft-image.ts";
import type { OutgoingMessage } from "../../input/message.ts";
import type { Services } from "../../layout/services.ts";

const GONE = "That message does not wait any more: it has started, or somebody took it back.";
const NOT_EDITABLE = "That message has attached files: it can be moved and withdrawn, and not edited.";

/** Changes what waits in the queue of the session that is shown (ENG-26). Shows refusals and races. */
export class QueueCommands {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Takes one message back into the draft. Sent again, it gets its place again. */
  async edit(input: WaitingInput): Promise<void> {
    const { session, say } = this.#services;
    const { waiting } = session.view;
    const message = draftOfInput(input);
    if (message === undefined) return say(NOT_EDITABLE, "warning");
    const at = waiting.findIndex(({ inputId }) => inputId === input.inputId);
    const { skill, agent } = input;
    const ahead = waiting.slice(0, Math.max(0, at)).map(({ inputId }) => inputId);
    const { draft } = this.#services;
    draft.remember(message); // nothing is lost if the client is killed between the two
    if (!(await this.#withdraw(input))) return;
    draft.restore([{ ...message, fromQueue: { ahead, ...defined({ skill, agent }) } }]);
    const how = skill ?? agent;
    if (how !== undefined) say(`Sent again, it uses ${how} as before.`);
    this.#services.redraw();
  }

  /** Takes back the messages of a turn that this client has cancelled: they are in the draft again. */
  async returnAll(inputs: readonly WaitingInput[]): Promise<void> {
    const { draft, say, redraw } = this.#services;
    const back: OutgoingMessage[] = [];
    let isAnyGone = false;
    for (const input of inputs) {
      const message = draftOfInput(input);
      // One that no draft can hold stays in the queue: it is held, and shown so.
      if (message === undefined || input.skill !== undefined || input.agent !== undefined) continue;
      draft.remember(message);
      if ((await this.#send("WithdrawInput", input)) === undefined) back.push(message);
      else isAnyGone = true;
    }
    if (back.length > 0) draft.restore(back);
    if (isAnyGone) say(GONE, "warning");
    redraw();
  }

  /** Withdraws a message. The history keeps its text. */
  async withdraw(input: WaitingInput): Promise<void> {
    const { draft, say, keys } = this.#services;
    if (!(await this.#withdraw(input))) return;
    const message = draftOfInput(input);
    if (message !== undefined) draft.remember(message);
    const key = keys.label("input.history", "the history");
    say(message === undefined ? "Withdrawn." : `Withdrawn: ${key} finds it again.`);
  }

  /** Sends a message into the running turn, or starts one that is held. */
  async sendNow(input: WaitingInput): Promise<void> {
    const { session, draft, say, messages } = this.#services;
    const { open, view } = session;
    if (open === undefined) return;
    const isRunning = view.run?.turn !== undefined;
    if (isRunning && input.delivery === "steer" && !input.held)
      return say("It enters the running turn with the next request.");
    if (!isRunning && !input.held) return say("It starts now.");
    const message = draftOfInput(input) ?? { text: textOf(input), images: [] };
    draft.remember(message);
    if (!(await this.#withdraw(input))) return;
    const { content, skill, agent } = input;
    const delivery = isRunning ? "steer" : "queue";
    await messages.sendFor(message, async () => ({
      ...{ content, delivery, session: open.session },
      ...defined({ skill, agent }),
    }));
  }

  /** Moves a message by one place. */
  async move(input: WaitingInput, step: -1 | 1): Promise<void> {
    const { session, say } = this.#services;
    const { open, view } = session;
    const at = view.waiting.findIndex(({ inputId }) => inputId === input.inputId);
    const to = at + step;
    if (open === undefined || at === -1 || to < 0 || to >= view.waiting.length) return;
    const before = view.waiting[step < 0 ? to : to + 1]?.inputId;
    const refused = await this.#send("MoveInput", input, defined({ before }));
    if (refused === undefined) return;
    // The one before which it should stand may be gone instead.
    const stillWaits = session.view.waiting.some(({ inputId }) => inputId === input.inputId);
    say(isNotWaiting(refused) && !stillWaits ? GONE : refusalText(refused), "warning");
  }

  async #withdraw(input: WaitingInput): Promise<boolean> {
    const refused = await this.#send("WithdrawInput", input);
    if (refused === undefined) return true;
    this.#services.say(isNotWaiting(refused) ? GONE : refusalText(refused), "warning");
    return false;
  }

  async #send(
    kind: "WithdrawInput" | "MoveInput",
    { inputId }: WaitingInput,
    more: { readonly before?: WaitingInput["inputId"] } = {},
  ): Promise<HarnessError | undefined> {
    const { session } = this.#services;
    if (session.open === undefined) return undefined;
    const answer = await session.send({ kind, sessionId: session.open.session, inputId, ...more });
    return answer instanceof HarnessError ? answer : undefined;
  }
}

/** Returns true for the refusal of a message that does not wait any more: a person is refused for nothing else. */
function isNotWaiting({ reason }: HarnessError): boolean {
  return reason === "InvalidCommand";
}

/** Returns a waiting input as a draft has it; undefined if it has what no draft can hold: files, foreign text. */
export function draftOfInput(input: WaitingInput): OutgoingMessage | undefined {
  const images: DraftImage[] = [];
  for (const block of input.content) {
    if (block.type === "text") {
      if (withoutFenceTags(block.text) !== block.text) return undefined;
      continue;
    }
    const image =
      block.type === "image"
        ? draftImage(new Uint8Array(Buffer.from(block.source.data, "base64")))
        : undefined;
    if (image === undefined) return undefined;
    images.push(image);
  }
  return { text: textOf(input), images };
}

function textOf({ content }: WaitingInput): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
