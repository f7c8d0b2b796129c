import { displayWidth, fittingHead } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Role, Span, Style } from "./span.ts";

/** Colours of a role: SGR parameters, such as `31` or `38;2;200;0;0`. Empty: the terminal's own. */
export interface RoleColours {
  readonly foreground?: string;
  readonly background?: string;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isReversed?: boolean;
}

export interface Theme {
  readonly name: string;
  readonly roles: Readonly<Partial<Record<Role, RoleColours>>>;
  /** False: no links either, as on a terminal that prints their sequences. Default: true. */
  readonly hasLinks?: boolean;
}

const RESET = "\u001b[0m";
const LINK_END = "\u001b]8;;\u001b\\";
/** Address that a link may have: printable ASCII. */
const ADDRESS = /^[\x21-\x7e]{1,2000}$/;

/** Rows are values: each is painted once for a theme and a width. */
const PAINTED = new WeakMap<
  DrawnRow,
  { readonly theme: Theme; readonly columns: number; readonly text: string }
>();

/** Returns a row as the terminal gets it: exactly `columns` wide if it has a fill, else at most. */
export function paint(drawn: DrawnRow, theme: Theme, columns: number): string {
  const known = PAINTED.get(drawn);
  if (known?.theme === theme && known.columns === columns) return known.text;
  const text = paintRow(drawn, theme, columns);
  PAINTED.set(drawn, { theme, columns, text });
  return text;
}

function paintRow(drawn: DrawnRow, theme: Theme, columns: number): string {
  let text = "";
  let width = 0;
  for (const each of drawn.spans) {
    const fitting =
      displayWidth(each.text) > columns - width ? fittingHead(each.text, columns - width) : each.text;
    if (fitting !== "") text += paintSpan({ ...each, text: fitting }, theme, drawn.fill);
    width += displayWidth(fitting);
    if (fitting.length < each.text.length) break;
  }
  if (drawn.fill === undefined || width >= columns) return text;
  return `${text}${sgr({ role: drawn.fill }, theme)}${" ".repeat(columns - width)}${RESET}`;
}

function paintSpan({ text, style }: Span, theme: Theme, fill: Role | undefined): string {
  const codes = sgr(style, theme, fill);
  const shown = codes === "" ? text : `${codes}${text}${RESET}`;
  const { link } = style;
  if (link === undefined || theme.hasLinks === false || !ADDRESS.test(link)) return shown;
  return `\u001b]8;;${link}\u001b\\${shown}${LINK_END}`;
}

function sgr(style: Style, { roles }: Theme, fill?: Role): string {
  const colours = roles[style.role ?? "text"] ?? {};
  const background = colours.background ?? (fill === undefined ? undefined : roles[fill]?.background);
  const codes = [
    ...(style.isBold === true || colours.isBold === true ? ["1"] : []),
    ...(colours.isDim === true ? ["2"] : []),
    ...(style.isItalic === true ? ["3"] : []),
    ...(style.isUnderlined === true ? ["4"] : []),
    ...(colours.isReversed === true ? ["7"] : []),
    ...(style.isStruck === true ? ["9"] : []),
    ...(colours.foreground === undefined ? [] : [colours.foreground]),
    ...(background === undefined ? [] : [background]),
  ];
  return codes.length === 0 ? "" : `\u001b[${codes.join(";")}m`;
}
