import type { Services } from "../../layout/services.ts";
import { AnswerPanel } from "./answer-panel.ts";

type AnswerServices = Pick<
  Services,
  "session" | "screen" | "draft" | "clock" | "keys" | "open" | "close" | "redraw"
>;

/**
 * Shows the answer to one slash command. A text that takes more than half the screen gets a panel, unless the person
 * types or is asked already; any other becomes a note in the transcript.
 */
export class SlashAnswer {
  readonly #services: AnswerServices;
  readonly #title: string;
  #hasTitle = false;

  /** @param title the command as it was typed. */
  constructor(services: AnswerServices, title: string) {
    this.#services = services;
    this.#title = title;
  }

  /** Shows one more text. Nothing in it can drive a terminal. */
  say(text: string): void {
    const { session, screen, draft, open, redraw } = this.#services;
    const lines = text.split("\n").length;
    const isAsked = (session.view.run?.questions.length ?? 0) > 0;
    if (lines > Math.floor(screen.size.rows / 2) && draft.text === "" && !isAsked)
      open(new AnswerPanel(this.#services, { title: this.#title, text }));
    else this.#note(text);
    redraw();
  }

  #note(text: string): void {
    const { session, clock } = this.#services;
    const title = this.#hasTitle ? {} : { title: this.#title };
    this.#hasTitle = true;
    session.note({ text, tone: "info", ts: new Date(clock.now()).toISOString(), ...title });
  }
}
