import type { IdSource } from "../../../../base/ids.ts";
import { count } from "../../../../base/text/text.ts";
import { EventPrinter } from "../../../../client/line/output/event-printer.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import { NEW_SESSION, sessionStep } from "../../../../view/session/session-view.ts";
import { endingText } from "../../../../view/texts/ending-text.ts";

/**
 * Prints events as the line client printed them. Prints as text what the client showed in other ways, such as the end
 * of a turn.
 */
export class ReplayPrinter {
  readonly #printer: EventPrinter;
  readonly #times: boolean;
  #view = NEW_SESSION;
  #midLine = false;

  constructor(ids: IdSource, { times }: { readonly times: boolean }) {
    // The id of no client: every event came from a client of an earlier run.
    const nobody = ids.next("sess");
    const client = ids.next("cli");
    this.#printer = new EventPrinter({ client: () => client, session: () => nobody, answers: true });
    this.#times = times;
  }

  /** Returns the text of an event; empty for one that was not shown. */
  print(event: Envelope): string {
    const text = this.#text(event);
    if (text === "") return "";
    const wasMidLine = this.#midLine;
    this.#midLine = !text.endsWith("\n");
    if (!this.#times) return text;
    const time = `${event.ts.slice(11, 19)}  `;
    if (!wasMidLine) return `${time}${text}`;
    // Only the start of a line has a time.
    return event.kind === "TextDelta" || !text.startsWith("\n") ? text : `\n${time}${text.slice(1)}`;
  }

  /** Returns the text of a turn that has not ended. */
  end(): string {
    return this.#midLine ? this.#printer.line("") : "";
  }

  #text(event: Envelope): string {
    const step = sessionStep(this.#view, event);
    this.#view = step.after;
    if (event.parentCall !== undefined) return this.#printer.print(event, step);
    if (event.kind === "TurnEnded") {
      const { turn, reason, rounds = 0 } = event.payload;
      const ending = endingText(reason);
      const facts = [count(rounds, "round"), ...(ending === undefined ? [] : [ending])].join(", ");
      return this.#printer.line(`-- end of turn ${turn}: ${facts}`);
    }
    if (event.kind === "SessionEnded")
      return this.#printer.line(`-- the run ended (${event.payload.reason})`);
    return this.#printer.print(event, step);
  }
}
