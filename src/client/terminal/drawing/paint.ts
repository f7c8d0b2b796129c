import { displayWidth, fittingHead } from "../../../view/terminal/display-width.ts";
import type { RightToLeft } from "./right-to-left.ts";
import { directed } from "./right-to-left.ts";
import type { DrawnRow, Role, Span, Style } from "./span.ts";
import { likeSpan } from "./span.ts";

/** Colours of a role: SGR parameters, such as `31` or `38;2;200;0;0`. Empty: the terminal's own. */
export interface RoleColours {
  readonly foreground?: string;
  readonly background?: string;
  /** Background of rows, and of parts of rows, that have this role as their fill. Default: `background`. */
  readonly fill?: string;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isReversed?: boolean;
  readonly isUnderlined?: boolean;
}

export interface Theme {
  readonly name: string;
  readonly roles: Readonly<Partial<Record<Role, RoleColours>>>;
  /** False: no links either, as on a terminal that prints their sequences. Default: true. */
  readonly hasLinks?: boolean;
  /** Default: `isolate`. */
  readonly rightToLeft?: RightToLeft;
}

const RESET = "\u001b[0m";
const LINK_END = "\u001b]8;;\u001b\\";
/** Address that a link may have: printable ASCII. */
const ADDRESS = /^[\x21-\x7e]{1,2000}$/;
const NO_STYLE: Style = {};
const NO_COLOURS: RoleColours = {};

/** Rows are values: each is painted once for a theme and a width. */
const PAINTED = new WeakMap<
  DrawnRow,
  { readonly theme: Theme; readonly columns: number; readonly row: PaintedRow }
>();

interface PaintedRow {
  readonly text: string;
  readonly width: number;
}

/** Returns a row as the terminal gets it: exactly `columns` wide if it has a fill, else at most. */
export function paint(drawn: DrawnRow, theme: Theme, columns: number): string {
  return painted(drawn, theme, columns).text;
}

/** Returns a row as the terminal gets it, exactly `columns` wide, for what stands beside it. */
export function paintWide(drawn: DrawnRow, theme: Theme, columns: number): string {
  const { text, width } = painted(drawn, theme, columns);
  return `${text}${" ".repeat(Math.max(0, columns - width))}`;
}

function painted(drawn: DrawnRow, theme: Theme, columns: number): PaintedRow {
  const known = PAINTED.get(drawn);
  if (known?.theme === theme && known.columns === columns) return known.row;
  const painting = paintRow(drawn, theme, columns);
  PAINTED.set(drawn, { theme, columns, row: painting });
  return painting;
}

function paintRow(drawn: DrawnRow, theme: Theme, columns: number): PaintedRow {
  const { spans, width } = fitted(drawn.spans, columns);
  const { rightToLeft = "isolate" } = theme;
  const text = directed({ ...drawn, spans }, rightToLeft)
    .map((each) => paintSpan(each, theme, drawn.fill))
    .join("");
  if (drawn.fill === undefined || width >= columns) return { text, width };
  const filled = `${text}${sgr(NO_STYLE, theme, drawn.fill)}${" ".repeat(columns - width)}${RESET}`;
  return { text: filled, width: columns };
}

/** Returns the beginning of spans that fits, and its columns. */
function fitted(
  all: readonly Span[],
  columns: number,
): { readonly spans: readonly Span[]; readonly width: number } {
  const spans: Span[] = [];
  let width = 0;
  for (const each of all) {
    const columnsOfText = displayWidth(each.text);
    const fits = width + columnsOfText <= columns;
    const text = fits ? each.text : fittingHead(each.text, columns - width);
    if (text !== "") spans.push(fits ? each : likeSpan(each, { text }));
    width += fits ? columnsOfText : displayWidth(text);
    if (!fits) break;
  }
  return { spans, width };
}

function paintSpan({ text, style }: Span, theme: Theme, fill: Role | undefined): string {
  const codes = sgr(style, theme, style.fill ?? fill);
  const shown = codes === "" ? text : `${codes}${text}${RESET}`;
  const { link } = style;
  if (link === undefined || theme.hasLinks === false || !ADDRESS.test(link)) return shown;
  return `\u001b]8;;${link}\u001b\\${shown}${LINK_END}`;
}

function sgr(style: Style, { roles }: Theme, fill: Role | undefined): string {
  const { role = "text" } = style;
  const ground = (fill === undefined ? undefined : roles[fill]) ?? NO_COLOURS;
  const ownColours = roles[role] ?? NO_COLOURS;
  // Colours of a text that is shown in reverse would become those of its background.
  const colours = ground.isReversed === true ? { ...ground, isBold: ownColours.isBold ?? false } : ownColours;
  const foreground = colours.foreground ?? (role === "text" ? ground.foreground : undefined);
  const background = colours.background ?? ground.fill ?? ground.background;
  const codes = [
    ...(style.isBold === true || colours.isBold === true ? ["1"] : []),
    ...(colours.isDim === true ? ["2"] : []),
    ...(style.isItalic === true ? ["3"] : []),
    ...(style.isUnderlined === true || colours.isUnderlined === true ? ["4"] : []),
    ...(colours.isReversed === true ? ["7"] : []),
    ...(style.isStruck === true ? ["9"] : []),
    ...(foreground === undefined ? [] : [foreground]),
    ...(background === undefined ? [] : [background]),
  ];
  return codes.length === 0 ? "" : `\u001b[${codes.join(";")}m`;
}
