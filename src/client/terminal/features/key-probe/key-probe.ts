import { cutEnd } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { KeyContext } from "../../keys/actions.ts";
import { ACTIONS } from "../../keys/actions.ts";
import { CONTEXT_TITLES, CONTEXTS } from "../../keys/context-titles.ts";
import { keyName } from "../../keys/key-name.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { KeyInput, Size } from "../../screen/screen.ts";

const SHOWN_MAX = 8;
/** The key that closes if the person has taken all keys from the actions that do. */
const ALWAYS_LEAVES = "ctrl+c";

/** The probe of keys. */
export function keyProbe(services: Services): TerminalFeature {
  return { actions: { "keys.probe": () => services.open(new KeyProbe(services)) } };
}

/** Shows the name of each key that is pressed, and what it does in each context. No key does anything meanwhile. */
export class KeyProbe implements Overlay {
  readonly title = "What a key does";
  readonly place = "full";
  readonly contexts: readonly KeyContext[] = [];
  readonly #services: Services;
  /** Names of the keys that were pressed, the newest first. */
  #pressed: readonly string[] = [];

  constructor(services: Services) {
    this.#services = services;
  }

  key({ key }: KeyInput): boolean {
    const name = keyName(key) ?? key;
    const isAgain = this.#pressed[0] === name;
    if (this.#interrupts.includes(name) || (isAgain && name === this.#leave)) this.#services.close(this);
    this.#pressed = [name, ...this.#pressed].slice(0, SHOWN_MAX);
    return true;
  }

  /** The key that closes if it is pressed twice. */
  get #leave(): string | undefined {
    return this.#services.keys.keysOf("panel.leave")[0];
  }

  /** Keys that close at once. */
  get #interrupts(): readonly string[] {
    const keys = this.#services.keys.keysOf("app.interrupt");
    return keys.length > 0 ? keys : [ALWAYS_LEAVES];
  }

  act(): boolean {
    return false;
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const leave = this.#leave === undefined ? "" : `${this.#leave} twice, or `;
    const closing = `${leave}${this.#interrupts[0] ?? ALWAYS_LEAVES}${leave === "" ? "" : ","}`;
    const intro = `Press a key to see its name in the settings file and what it does. ${closing} closes.`;
    const rows = [
      ...wrapSpans([span(intro, { role: "dim" })], { columns }),
      EMPTY_ROW,
      ...this.#pressed.flatMap((name, at) => this.#keyRows(name, at === 0, columns)),
    ];
    return { rows: rows.slice(0, height) };
  }

  #keyRows(name: string, isNewest: boolean, columns: number): readonly DrawnRow[] {
    const uses = this.#services.keys.usesOf(name);
    const head = row([span(cutEnd(name, columns), isNewest ? { role: "heading" } : { role: "dim" })]);
    if (!isNewest) return [head];
    if (uses.length === 0) {
      const text = [...name].length === 1 ? "is typed; no action has it" : "no action has it";
      return [head, row([span(`  ${text}`, { role: "dim" })]), EMPTY_ROW];
    }
    const lines = CONTEXTS.flatMap((context) =>
      uses
        .filter((use) => use.context === context)
        .flatMap(({ action }) => {
          const title = span(`  ${CONTEXT_TITLES[context]}: `);
          const text = [title, span(ACTIONS[action].help), span(`  ${action}`, { role: "dim" })];
          return wrapSpans(text, { columns, rest: [span("    ")] });
        }),
    );
    return [head, ...lines, EMPTY_ROW];
  }
}
