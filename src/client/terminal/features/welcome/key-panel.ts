import { HarnessError } from "../../../../base/errors.ts";
import { count } from "../../../../base/text/text.ts";
import { PROVIDER_KEY_CHARACTERS_MAX } from "../../../../protocol/commands/run-limits.ts";
import { storedKeyText } from "../../../../view/models/stored-key-text.ts";
import { displayWidth } from "../../../../view/terminal/display-width.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import { span } from "../../drawing/span.ts";
import { widthOfSpans, wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import { inSight } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";

export interface KeyPanelOptions {
  readonly services: Pick<Services, "session" | "keys" | "say" | "tell" | "close" | "redraw">;
  readonly provider: string;
  /** Variable of the engine's environment that could hold the key instead. */
  readonly variable: string;
  /** Called once the key is stored. */
  readonly stored: () => void;
}

const LABEL = "key: ";

/**
 * Field for the key of a provider. The key is never drawn: only the number of its characters is. It is in no draft,
 * history or log, and leaves this client in one command alone.
 */
export class KeyPanel implements Overlay {
  readonly title: string;
  readonly place = "bottom";
  readonly contexts: readonly KeyContext[] = ["list"];
  readonly #options: KeyPanelOptions;
  #key = "";
  #isSending = false;
  #problem: string | undefined;

  constructor(options: KeyPanelOptions) {
    this.#options = options;
    this.title = `Key of ${options.provider}`;
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const { keys } = this.#options.services;
    const keyOf = (action: ActionName) => keys.keysOf(action)[0] ?? "-";
    const head = wrapSpans([span(`${this.title} (not shown)`, { role: "heading" })], { columns });
    const typed = this.#key === "" ? "" : count([...this.#key].length, "character");
    const field = wrapSpans([span(LABEL, { role: "dim" }), span(typed)], { columns });
    const note = this.#isSending
      ? "The engine stores the key …"
      : `${keyOf("list.choose")} stores it, encrypted, on the engine's machine · ${keyOf("list.leave")} goes back and stores nothing · or set ${this.#options.variable} where the engine is started`;
    const below = [
      ...(this.#problem === undefined
        ? []
        : wrapSpans([span(this.#problem, { role: "failure" })], { columns })),
      ...wrapSpans([span(note, { role: "dim" })], { columns }),
    ];
    const last = field.at(-1);
    const column = last === undefined ? 0 : Math.min(columns - 1, widthOfSpans(last.spans));
    const width = typed === "" ? displayWidth(LABEL) : column;
    const rows = [...head, ...field, ...below];
    const cursor = { row: head.length + field.length - 1, column: Math.min(width, columns - 1) };
    return inSight({ rows, cursor }, height);
  }

  act(action: ActionName): boolean {
    const { services } = this.#options;
    switch (action) {
      case "list.choose":
        inBackground(this.#store(), services);
        return true;
      case "list.deleteBack":
        this.#set([...this.#key].slice(0, -1).join(""));
        return true;
      case "list.leave":
      case "turn.cancel":
        services.close(this);
        return true;
      default:
        return action.startsWith("list.");
    }
  }

  type(text: string): boolean {
    this.#set(this.#key + text);
    return true;
  }

  paste(text: string): boolean {
    this.#set(this.#key + text.trim());
    return true;
  }

  closed(): void {
    this.#key = "";
  }

  #set(key: string): void {
    if (this.#isSending) return;
    this.#problem =
      key.length > PROVIDER_KEY_CHARACTERS_MAX
        ? `A key has at most ${PROVIDER_KEY_CHARACTERS_MAX} characters.`
        : undefined;
    if (this.#problem === undefined) this.#key = key;
  }

  async #store(): Promise<void> {
    const { services, provider, stored } = this.#options;
    const key = this.#key;
    if (this.#isSending || key.trim() === "") return;
    this.#isSending = true;
    try {
      const answer = await services.session.send({ kind: "StoreProviderKey", provider, key });
      if (answer instanceof HarnessError) {
        this.#problem = refusalText(answer);
        return;
      }
      services.close(this);
      services.say(storedKeyText(provider, answer.result));
      stored();
    } finally {
      this.#isSending = false;
      this.#key = "";
      services.redraw();
    }
  }
}
