import { AnswerGuard } from "../../../../view/terminal/answer-guard.ts";
import { row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";

type ConfirmServices = Pick<Services, "keys" | "clock" | "draft" | "open" | "close" | "redraw">;

const CHOICES = [
  ["confirm.yes", "yes", true],
  ["confirm.no", "no", false],
] as const;

/** Asks a yes or no question of this client alone. Resolves to undefined if the person closes it. */
export async function askConfirm(question: string, services: ConfirmServices): Promise<boolean | undefined> {
  const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
  services.open(new ConfirmPanel(question, services, resolve));
  services.redraw();
  return await promise;
}

/** A question with two answers. Keys answer after 300 ms without any key; each earlier one goes to the draft. */
class ConfirmPanel implements Overlay {
  readonly title = "Question";
  readonly place = "bottom";
  readonly #question: string;
  readonly #services: ConfirmServices;
  readonly #answered: (answer: boolean | undefined) => void;
  readonly #guard: AnswerGuard;
  #at = 0;

  constructor(question: string, services: ConfirmServices, answered: (answer: boolean | undefined) => void) {
    this.#question = question;
    this.#services = services;
    this.#answered = answered;
    this.#guard = new AnswerGuard(services.clock, () => services.redraw());
    this.#guard.ask(this);
  }

  /** Until its keys answer, each one goes to the draft. */
  get contexts(): readonly KeyContext[] {
    return this.#isLive ? ["confirm", "list"] : ["list"];
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const isLive = this.#isLive;
    const head = wrapSpans([span(this.#question, { role: "warning", isBold: true })], { columns });
    const choices = CHOICES.map(([action, word], at) =>
      row([
        span(at === this.#at ? "▸ " : "  ", { role: "accent" }),
        span(
          `${this.#services.keys.label(action)}  ${word}`,
          isLive ? { isBold: at === this.#at } : { role: "dim" },
        ),
      ]),
    );
    const { keys } = this.#services;
    const foot = `${keys.label("list.choose")} answers · ${keys.label("list.leave")} gives up`;
    const below = wrapSpans([span(foot, { role: "dim" })], { columns });
    return {
      rows: [...head.slice(0, Math.max(1, height - CHOICES.length)), ...choices, ...below].slice(0, height),
    };
  }

  act(action: ActionName): boolean {
    switch (action) {
      case "confirm.yes":
      case "confirm.no":
        if (this.#isLive) this.#answer(action === "confirm.yes");
        return true;
      case "list.up":
      case "list.down":
        this.#guard.key();
        this.#at = Math.max(0, Math.min(CHOICES.length - 1, this.#at + (action === "list.up" ? -1 : 1)));
        return true;
      case "list.choose":
        if (this.#isLive) this.#answer(CHOICES[this.#at]?.[2]);
        else this.#guard.key();
        return true;
      case "list.leave":
      case "turn.cancel":
        this.#answer(undefined);
        return true;
      default:
        return false;
    }
  }

  type(text: string): boolean {
    this.#guard.pasted();
    this.#services.draft.insert(text);
    return true;
  }

  paste(): boolean {
    this.#guard.pasted();
    return false; // the draft gets it
  }

  closed(): void {
    this.#guard[Symbol.dispose]();
    this.#answered(undefined); // nothing happens if it was answered
  }

  get #isLive(): boolean {
    return this.#guard.state === "open";
  }

  #answer(answer: boolean | undefined): void {
    this.#answered(answer);
    this.#services.close(this);
  }
}
