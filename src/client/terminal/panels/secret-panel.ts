import { count } from "../../../base/text/text.ts";
import { PROVIDER_KEY_CHARACTERS_MAX } from "../../../protocol/commands/run-limits.ts";
import { span } from "../drawing/span.ts";
import { widthOfSpans, wrapSpans } from "../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import { inBackground } from "../layout/in-background.ts";
import type { DrawnPart, Overlay } from "../layout/part.ts";
import { inSight } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";

export interface SecretPanelOptions {
  readonly services: Pick<Services, "keys" | "showFailure" | "close" | "redraw">;
  /** Words above the field: whose secret it is, and that it is not shown. */
  readonly question: string;
  /** The effect of Enter, in a few words. */
  readonly effect: string;
  /** One more way to the same end, for the last row. */
  readonly instead?: string;
  /** Takes the secret. Resolves to the reason why it was not taken: then the person may type another. */
  readonly store: (secret: string) => Promise<string | undefined>;
  /** Called once the panel is closed, in whichever way. */
  readonly closed?: () => void;
}

const MARK = "> ";
/** Dots that are drawn; the count behind them is exact. */
const DOTS_MAX = 24;

/**
 * Field for a secret, such as the key of a provider. It is never drawn: dots and the number of its characters are. It
 * is in no draft, history or log, and goes to `store` alone. At most `PROVIDER_KEY_CHARACTERS_MAX` characters.
 */
export class SecretPanel implements Overlay {
  readonly title = "Secret";
  readonly place = "bottom";
  readonly contexts: readonly KeyContext[] = ["list"];
  readonly #options: SecretPanelOptions;
  #secret = "";
  #isStoring = false;
  #problem: string | undefined;

  constructor(options: SecretPanelOptions) {
    this.#options = options;
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const head = wrapSpans([span(this.#options.question, { role: "heading" })], { columns });
    const length = [...this.#secret].length;
    const counted = length === 0 ? "" : `  ${count(length, "character")}`;
    const room = Math.max(1, columns - MARK.length - counted.length - 1);
    const typed = [span(`${MARK}${"•".repeat(Math.min(length, DOTS_MAX, room))}`)];
    const field = wrapSpans([...typed, span(counted, { role: "dim" })], { columns });
    const problem = this.#problem === undefined ? [] : [span(this.#problem, { role: "failure" })];
    const below = [
      ...(problem.length === 0 ? [] : wrapSpans(problem, { columns })),
      ...wrapSpans([span(this.#note, { role: "dim" })], { columns }),
    ];
    const cursor = { row: head.length, column: widthOfSpans(typed) };
    return inSight({ rows: [...head, ...field, ...below], cursor }, height);
  }

  act(action: ActionName): boolean {
    const { services } = this.#options;
    switch (action) {
      case "list.choose":
        inBackground(this.#store(), services);
        return true;
      case "list.deleteBack":
        this.#set([...this.#secret].slice(0, -1).join(""));
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
    this.#set(this.#secret + text.replaceAll(/[\r\n]/g, ""));
    return true;
  }

  paste(text: string): boolean {
    return this.type(text.trim());
  }

  closed(): void {
    this.#secret = "";
    this.#options.closed?.();
  }

  get #note(): string {
    const { services, effect, instead } = this.#options;
    if (this.#isStoring) return "The engine stores it …";
    const { keys } = services;
    const enter = keys.label("list.choose");
    const leave = keys.label("list.leave");
    const others = instead === undefined ? "" : ` · ${instead}`;
    return `${enter} ${effect} · ${leave} stores nothing${others}`;
  }

  #set(secret: string): void {
    if (this.#isStoring) return;
    this.#problem =
      secret.length > PROVIDER_KEY_CHARACTERS_MAX
        ? `A key has at most ${PROVIDER_KEY_CHARACTERS_MAX} characters.`
        : undefined;
    if (this.#problem === undefined) this.#secret = secret;
  }

  async #store(): Promise<void> {
    const { services, store } = this.#options;
    const secret = this.#secret;
    if (this.#isStoring || secret.trim() === "") return;
    this.#isStoring = true;
    try {
      this.#problem = await store(secret);
      if (this.#problem === undefined) services.close(this);
    } finally {
      this.#isStoring = false;
      this.#secret = "";
      services.redraw();
    }
  }
}

type AskServices = SecretPanelOptions["services"] & Pick<Services, "open">;

/** Asks for a secret. Resolves to undefined if the person gives up. */
export async function typeSecret(question: string, services: AskServices): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const panel = new SecretPanel({
    ...{ services, question: question.trimEnd(), effect: "stores it" },
    async store(secret) {
      resolve(secret);
      return undefined;
    },
    closed: () => resolve(undefined), // nothing happens if it was answered
  });
  services.open(panel);
  services.redraw();
  return await promise;
}
