import { cutEnd, displayWidth } from "../../../../view/terminal/display-width.ts";
import type { DiffFile } from "../../diff/diff-file.ts";
import { diffRows } from "../../diff/diff-rows.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { likeSpan, row, span } from "../../drawing/span.ts";
import { highlight } from "../../highlight/highlight.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";
import type { ThemeName } from "../../themes/theme-choice.ts";
import { THEME_NAMES, THEMES } from "../../themes/theme-choice.ts";

/** Columns of the names with their mark. */
const NAME_COLUMNS = Math.max(...THEME_NAMES.map((name) => displayWidth(name))) + 4;
/** Columns from which on a sample stands beside the names. */
const SAMPLE_COLUMNS_MIN = 36;
/** Rows below which the keys have none. */
const LOW_ROWS = 6;
const SAMPLE_CODE = 'const limit = 42; // a comment\nreturn greet("world", new User(limit));';
const SAMPLE_DIFF: DiffFile = {
  from: "greet.ts",
  to: "greet.ts",
  facts: [],
  hunks: [
    {
      oldStart: 1,
      newStart: 1,
      lines: [
        { kind: "removed", text: 'const name = "old";' },
        { kind: "added", text: 'const name = "new";' },
      ],
    },
  ],
};

/** The choice of a theme. */
export function themes(services: Services): TerminalFeature {
  return { actions: { "theme.open": () => services.open(new ThemePanel(services)) } };
}

/** Shows each theme on the whole screen as the cursor reaches it. Enter keeps it; Esc brings back the one before. */
export class ThemePanel implements Overlay {
  readonly title = "Themes";
  readonly place = "bottom";
  readonly contexts: readonly KeyContext[] = ["list"];
  readonly #services: Services;
  #at: number;

  constructor(services: Services) {
    this.#services = services;
    this.#at = Math.max(0, THEME_NAMES.indexOf(services.themes.chosen));
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const name = this.#name;
    const limitation = this.#services.themes.limitation(name);
    const note = cutEnd(limitation ?? THEMES[name], columns);
    const { keys } = this.#services;
    const key = (action: ActionName) => keys.label(action);
    const ways = cutEnd(
      `${key("list.choose")} keeps it · ${key("list.leave")} goes back to the one before`,
      columns,
    );
    const foot = [
      row([span(note, { role: limitation === undefined ? "dim" : "warning" })]),
      ...(height < LOW_ROWS ? [] : [row([span(ways, { role: "dim" })])]),
    ];
    const room = Math.max(1, height - 1 - foot.length);
    const top = Math.max(0, Math.min(this.#at - Math.floor(room / 2), THEME_NAMES.length - room));
    const sampleColumns = columns - NAME_COLUMNS;
    const sample = sampleColumns < SAMPLE_COLUMNS_MIN ? [] : sampleRows(sampleColumns);
    const list = THEME_NAMES.slice(top, top + room).map((each, at) =>
      row([...nameSpans(each, top + at === this.#at), ...(sample[at]?.spans ?? [])]),
    );
    const head = row([span(this.title, { role: "heading" })]);
    return { rows: [head, ...list, ...foot].slice(0, height) };
  }

  act(action: ActionName): boolean {
    const services = this.#services;
    switch (action) {
      case "list.up":
        return this.#move(-1);
      case "list.down":
        return this.#move(1);
      case "list.pageUp":
        return this.#move(-THEME_NAMES.length);
      case "list.pageDown":
        return this.#move(THEME_NAMES.length);
      case "list.choose": {
        const name = this.#name;
        services.close(this);
        services.settings.change({ theme: name });
        return true;
      }
      case "list.leave":
      case "turn.cancel":
        services.close(this);
        return true;
      default:
        return false;
    }
  }

  closed(): void {
    this.#services.themes.preview(undefined);
  }

  get #name(): ThemeName {
    return THEME_NAMES[this.#at] ?? "auto";
  }

  #move(by: number): true {
    this.#at = Math.max(0, Math.min(THEME_NAMES.length - 1, this.#at + by));
    this.#services.themes.preview(this.#name);
    return true;
  }
}

function nameSpans(name: ThemeName, isHere: boolean) {
  return [
    span(isHere ? "▸ " : "  ", { role: "accent" }),
    span(name, isHere ? { fill: "selected", isBold: true } : {}),
    span(" ".repeat(Math.max(0, NAME_COLUMNS - 2 - displayWidth(name)))),
  ];
}

/** Returns rows with the colours that differ most between themes: code, and a change. */
function sampleRows(columns: number): readonly DrawnRow[] {
  return [
    ...highlight(SAMPLE_CODE, "ts").map((spans) => row(spans)),
    ...diffRows([SAMPLE_DIFF], { columns, layout: "unified", hasNames: false }).map(({ spans, fill }) =>
      row(
        spans.map((each) => (fill === undefined ? each : likeSpan(each, { style: { ...each.style, fill } }))),
      ),
    ),
    row([
      span("a link", { role: "link", isUnderlined: true }),
      span("  done", { role: "success" }),
      span("  careful", { role: "warning" }),
      span("  failed", { role: "failure" }),
      span("  a match", { role: "match" }),
    ]),
  ];
}
