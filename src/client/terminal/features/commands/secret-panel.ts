import { row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import { inSight } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";

type SecretServices = Pick<Services, "keys" | "open" | "close" | "redraw">;

/** Characters that are taken; keys are far shorter. */
const SECRET_CHARACTERS_MAX = 16_384;
const DOTS_MAX = 24;

/**
 * Asks for a secret. What is typed is not shown, and goes into no draft and no history. Resolves to undefined if the
 * person gives up or enters nothing.
 */
export async function typeSecret(question: string, services: SecretServices): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  services.open(new SecretPanel(question, services, resolve));
  services.redraw();
  return await promise;
}

/** A field that shows dots. Text goes nowhere else while it is open. */
class SecretPanel implements Overlay {
  readonly title = "Secret";
  readonly place = "bottom";
  readonly contexts: readonly KeyContext[] = ["list"];
  readonly #question: string;
  readonly #services: SecretServices;
  readonly #answered: (secret: string | undefined) => void;
  #secret = "";

  constructor(question: string, services: SecretServices, answered: (secret: string | undefined) => void) {
    this.#question = question.trimEnd();
    this.#services = services;
    this.#answered = answered;
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const head = wrapSpans([span(this.#question, { role: "warning", isBold: true })], { columns });
    const count = [...this.#secret].length;
    const dots = "•".repeat(Math.min(count, DOTS_MAX, Math.max(1, columns - 3)));
    const { keys } = this.#services;
    const [enter, leave] = [keys.keysOf("list.choose")[0] ?? "-", keys.keysOf("list.leave")[0] ?? "-"];
    const foot = wrapSpans([span(`${enter} stores it · ${leave} gives up`, { role: "dim" })], { columns });
    const rows = [...head, row([span(`> ${dots}`)]), ...foot];
    return inSight({ rows, cursor: { row: head.length, column: 2 + dots.length } }, height);
  }

  act(action: ActionName): boolean {
    switch (action) {
      case "list.choose":
        return this.#answer(this.#secret === "" ? undefined : this.#secret);
      case "list.leave":
      case "turn.cancel":
      case "app.interrupt":
        return this.#answer(undefined);
      case "list.deleteBack":
        this.#secret = [...this.#secret].slice(0, -1).join("");
        return true;
      default:
        return false;
    }
  }

  type(text: string): boolean {
    this.#secret = (this.#secret + text.replaceAll(/[\r\n]/g, "")).slice(0, SECRET_CHARACTERS_MAX);
    return true;
  }

  paste(text: string): boolean {
    return this.type(text.trim());
  }

  closed(): void {
    this.#secret = "";
    this.#answered(undefined); // nothing happens if it was answered
  }

  #answer(secret: string | undefined): true {
    this.#answered(secret);
    this.#services.close(this);
    return true;
  }
}
