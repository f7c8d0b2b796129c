import { grouped } from "../../../../base/text/text.ts";
import { displayWidth } from "../../../../view/terminal/display-width.ts";
import type { Role } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { widthOfSpans } from "../../drawing/wrap-spans.ts";
import { Field } from "../../input/editor/field.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";
import type { Search } from "./search.ts";
import type { SearchNumbers } from "./search-results.ts";

const MARK = "/ ";
/** Columns of the field that are kept before the hint is left out. */
const FIELD_COLUMNS_MIN = 12;
const NOT_SEARCHED = " (earlier messages could not be read)";

export interface SearchBarOptions {
  readonly services: Services;
  readonly search: Search;
  readonly closed: () => void;
}

/** The line in which a person types what to search for, with the count of the matches. */
export class SearchBar implements Overlay {
  readonly title = "Search";
  readonly place = "bottom";
  readonly contexts: readonly KeyContext[] = ["search", "input"];
  readonly #options: SearchBarOptions;
  readonly #field = new Field();

  constructor(options: SearchBarOptions) {
    this.#options = options;
  }

  draw({ columns }: Size): DrawnPart {
    const { search } = this.#options;
    const { text, role } = countOf(search.query, search.numbers);
    const hint = this.#hint;
    const isWide = columns - displayWidth(text) - displayWidth(hint) >= 2 * FIELD_COLUMNS_MIN;
    const behind = [span(`  ${text}`, { role }), ...(isWide ? [span(hint, { role: "dim" })] : [])];
    const room = Math.max(FIELD_COLUMNS_MIN, columns - widthOfSpans(behind));
    const field = this.#field.draw({ columns: room }, MARK);
    const at = field.cursor?.row ?? 0;
    const shown = field.rows[at]?.spans ?? [];
    const gap = span(" ".repeat(Math.max(0, room - widthOfSpans(shown))));
    return {
      rows: [row([...shown, gap, ...behind])],
      cursor: { row: 0, column: field.cursor?.column ?? MARK.length },
    };
  }

  act(action: ActionName): boolean {
    const { search, services } = this.#options;
    switch (action) {
      case "search.next":
      case "transcript.search":
        search.move(1);
        return true;
      case "search.previous":
        search.move(-1);
        return true;
      case "search.leave":
      case "turn.cancel":
        services.close(this);
        return true;
      default:
        if (this.#field.act(action)) {
          search.look(this.#field.text);
          return true;
        }
        // Other keys of the draft do nothing here.
        return /^(?:edit|input)\.|^app\.leaveIfEmpty$/.test(action);
    }
  }

  type(text: string): boolean {
    this.#field.insert(text);
    this.#options.search.look(this.#field.text);
    return true;
  }

  paste(text: string): boolean {
    return this.type(text);
  }

  closed(): void {
    this.#options.closed();
  }

  get #hint(): string {
    const { keys } = this.#options.services;
    const named = [
      ["search.next", "next"],
      ["search.previous", "before"],
      ["search.leave", "back"],
    ] as const;
    return named
      .flatMap(([action, word]) => {
        const [key] = keys.keysOf(action);
        return key === undefined ? [] : [`  ${key} ${word}`];
      })
      .join("");
  }
}

function countOf(
  query: string,
  { at, total, isComplete, isPartial }: SearchNumbers,
): { readonly text: string; readonly role: Role } {
  if (query === "") return { text: "type to search", role: "dim" };
  if (!isComplete) return { text: `${grouped(total)} so far …`, role: "dim" };
  const rest = isPartial ? NOT_SEARCHED : "";
  if (total === 0) return { text: `no match${rest}`, role: "warning" };
  const place = at === undefined ? "" : `${grouped(at)} of `;
  return { text: `${place}${grouped(total)}${rest}`, role: "accent" };
}
