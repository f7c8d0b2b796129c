import { displayWidth } from "../../../../view/terminal/display-width.ts";
import type { Span } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";

/** Actions that the bar names, the most used ones first: a narrow terminal loses the last ones. */
const NAMED: readonly (readonly [action: ActionName, word: string])[] = [
  ["browse.leave", "back"],
  ["browse.unfold", "unfold"],
  ["browse.copy", "copy"],
  ["browse.search", "search"],
  ["browse.enter", "parts"],
  ["browse.pager", "pager"],
  ["browse.editor", "editor"],
  ["browse.previousPrompt", "prompt above"],
  ["browse.nextPrompt", "below"],
];
const TITLE = " BROWSE ";

export interface BrowseBarOptions {
  readonly services: Services;
  readonly act: (action: ActionName) => boolean;
  readonly closed: () => void;
}

/** The line above the draft while a person browses the transcript: it has the focus, and names its keys. */
export class BrowseBar implements Overlay {
  readonly title = "Browse";
  readonly place = "bottom";
  readonly contexts: readonly KeyContext[] = ["browse"];
  readonly #options: BrowseBarOptions;

  constructor(options: BrowseBarOptions) {
    this.#options = options;
  }

  draw({ columns }: Size): DrawnPart {
    const { services } = this.#options;
    const questions = services.session.view.run?.questions.length ?? 0;
    const spans: Span[] = [span(TITLE, { role: "selected" })];
    let width = TITLE.length;
    const add = (text: string, role: "accent" | "dim" | "warning") => {
      spans.push(span(text, { role }));
      width += displayWidth(text);
    };
    if (questions > 0) add(" a question waits ", "warning");
    for (const [action, word] of NAMED) {
      const [key] = services.keys.keysOf(action);
      if (key === undefined) continue;
      const text = ` ${key} ${word}`;
      if (width + 1 + displayWidth(text) > columns) break;
      add(` ${text.slice(0, key.length + 1)}`, "accent");
      add(text.slice(key.length + 1), "dim");
    }
    return { rows: [row(spans)] };
  }

  act(action: ActionName): boolean {
    return this.#options.act(action);
  }

  /** Letters without a meaning do nothing here: they are not for the draft. */
  type(): boolean {
    return true;
  }

  closed(): void {
    this.#options.closed();
  }
}
