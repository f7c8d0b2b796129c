import { displayWidth, fittingHead } from "../src/view/terminal/display-width.ts";

/** Columns of a screen unless a picture names others. */
export const COLUMNS = 84;

const CELL = { width: 8.4, height: 18 };
/** Height of a cell above the line that its letters stand on. */
const ASCENT = 13.5;
const MARGIN = 16;
const TITLE_HEIGHT = 34;
const FOREGROUND = "#d6d6d6";
const BACKGROUND = "#1e1e1e";

// The eight colours of a terminal, then the eight bright ones.
const PALETTE: readonly string[] = [
  ...["#1e1e1e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d6d6d6"],
  ...["#7f848e", "#ff7a85", "#b5e890", "#ffd58a", "#7cc4ff", "#dd99f0", "#6fd3df", "#ffffff"],
];
const CUBE = [0, 95, 135, 175, 215, 255] as const;

/** Facts of a picture beside its screen. */
export interface Picture {
  readonly title: string;
  /** Default: `COLUMNS`. A longer line is cut, as a terminal of that width would. */
  readonly columns?: number;
  /** Rows of the terminal. Default: those up to the last one with text. */
  readonly rows?: number;
  /** Colours of cells that name none, as `#rrggbb`. Default: light grey on dark grey. */
  readonly foreground?: string;
  readonly background?: string;
  /** The cell of the cursor, counted from 0. Absent: none is shown. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

interface Style {
  /** Absent: the terminal's own. */
  readonly foreground?: string | undefined;
  readonly background?: string | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underlined?: boolean;
  readonly reversed?: boolean;
  readonly struck?: boolean;
}

const PLAIN: Style = {};

/** Cells of one row in one style. */
interface Stretch {
  readonly column: number;
  readonly width: number;
  readonly text: string;
  readonly style: Style;
}

/** Cells of one row with one background. */
interface Fill {
  readonly column: number;
  readonly width: number;
  readonly colour: string;
}

/**
 * Returns a terminal's screen as one SVG file that needs nothing else: no script, no font, no link.
 *
 * Takes text with colour sequences (SGR), as `tmux capture-pane -e` gives it; any other control character is left out.
 * Each stretch of text is stretched to its cells, so that columns meet in every font. `textOfSvg` reads the text back.
 */
export function terminalSvg(screen: string, picture: Picture): string {
  const { title, columns = COLUMNS, background = BACKGROUND, foreground = FOREGROUND, cursor } = picture;
  const lines = screen.trimEnd().split("\n");
  const rowsShown = Math.max(lines.length, picture.rows ?? 0);
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = TITLE_HEIGHT + rowsShown * CELL.height + 2 * MARGIN;
  let style = PLAIN;
  const fills: string[] = [];
  const texts: string[] = [];
  for (const [row, line] of lines.entries()) {
    const drawn = stretchesOf(line, style, columns);
    style = drawn.style;
    const coloured = drawn.stretches.map((each) => ({
      ...each,
      colours: coloursOf(each.style, foreground, background),
    }));
    fills.push(...fillsOf(coloured).map((each) => drawFill(each, row)));
    texts.push(...coloured.map((each) => drawText(each, row)).filter((each) => each !== ""));
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${background}"/>`,
    ...[0, 1, 2].map((at) => `<circle cx="${22 + at * 18}" cy="18" r="5.5" fill="#4b5058"/>`),
    ...fills,
    ...(cursor === undefined ? [] : [drawCursor(cursor, foreground)]),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">`,
    `<text x="${width / 2}" y="23" fill="#7f848e" text-anchor="middle">${escaped(title)}</text>`,
    ...texts,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Returns the text of the screen in a picture that `terminalSvg` made, without trailing blanks. */
export function textOfSvg(svg: string): string {
  const rows: string[] = [];
  for (const [, x, y, text = ""] of svg.matchAll(STRETCH)) {
    const row = Math.round((Number(y) - TITLE_HEIGHT - MARGIN) / CELL.height);
    const column = Math.round((Number(x) - MARGIN) / CELL.width);
    const before = rows[row] ?? "";
    rows[row] = `${before}${" ".repeat(Math.max(0, column - displayWidth(before)))}${unescaped(text)}`;
  }
  return Array.from(rows, (each) => each ?? "").join("\n");
}

const STRETCH = /<text x="([\d.]+)" y="([\d.]+)" [^>]*textLength="[^>]*>([^<]*)<\/text>/g;

function stretchesOf(
  line: string,
  before: Style,
  columns: number,
): { readonly stretches: readonly Stretch[]; readonly style: Style } {
  let style = before;
  let column = 0;
  const stretches: Stretch[] = [];
  for (const [index, part] of line.replaceAll(LINKS, "").split(SGR).entries()) {
    if (index % 2 === 1) {
      style = styled(style, part);
      continue;
    }
    const shown = fittingHead(part.replaceAll(CONTROLS, ""), columns - column);
    for (const text of shown.split(BLANKS)) {
      const width = displayWidth(text);
      if (width > 0) stretches.push({ column, width, text, style });
      column += width;
    }
  }
  return { stretches, style };
}

/** Some programs draw several spaces as one: they end a stretch. */
const BLANKS = /( {2,})/;
const SGR = /\x1b\[([\d;:]*)m/;
const LINKS = /\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g;
const CONTROLS = /\x1b\[[\d;?]*[A-Za-z]|[\x00-\x1f\x7f-\x9f]/g;

function coloursOf({ foreground, background, reversed }: Style, own: string, ground: string) {
  if (reversed === true) return { ink: background ?? ground, fill: foreground ?? own };
  return { ink: foreground ?? own, fill: background };
}

/** Returns the backgrounds of a row. Neighbours of one colour are one: no seam is seen between them. */
function fillsOf(
  stretches: readonly (Stretch & { readonly colours: { readonly fill: string | undefined } })[],
): readonly Fill[] {
  const fills: Fill[] = [];
  for (const { column, width, colours } of stretches) {
    const { fill: colour } = colours;
    if (colour === undefined) continue;
    const last = fills.at(-1);
    if (last?.colour === colour && last.column + last.width === column)
      fills[fills.length - 1] = { ...last, width: last.width + width };
    else fills.push({ column, width, colour });
  }
  return fills;
}

function drawFill({ column, width, colour }: Fill, row: number): string {
  return `<rect ${cellsOf(row, column, width)} fill="${colour}" shape-rendering="crispEdges"/>`;
}

function drawCursor({ row, column }: { readonly row: number; readonly column: number }, colour: string) {
  return `<rect ${cellsOf(row, column, 1)} fill="${colour}" opacity="0.55"/>`;
}

function cellsOf(row: number, column: number, width: number): string {
  const x = xOf(column);
  const y = (yOf(row) - ASCENT).toFixed(1);
  return `x="${x}" y="${y}" width="${(width * CELL.width).toFixed(1)}" height="${CELL.height}"`;
}

function xOf(column: number): string {
  return (MARGIN + column * CELL.width).toFixed(1);
}

function yOf(row: number): number {
  return TITLE_HEIGHT + MARGIN + row * CELL.height;
}

/** Spaces at the ends are left out, and moved over: some programs drop them. */
function drawText(
  { column, text, style, colours }: Stretch & { readonly colours: { readonly ink: string } },
  row: number,
): string {
  const shown = text.trim();
  if (shown === "") return "";
  const x = xOf(column + text.length - text.trimStart().length);
  const length = (displayWidth(shown) * CELL.width).toFixed(1);
  const attributes = [
    ...(style.bold === true ? [' font-weight="bold"'] : []),
    ...(style.italic === true ? [' font-style="italic"'] : []),
    ...decoration(style),
    ...(style.dim === true ? [' opacity="0.65"'] : []),
  ].join("");
  return `<text x="${x}" y="${yOf(row)}" fill="${colours.ink}"${attributes} textLength="${length}">${escaped(shown)}</text>`;
}

function decoration({ underlined, struck }: Style): readonly string[] {
  const words = [...(underlined === true ? ["underline"] : []), ...(struck === true ? ["line-through"] : [])];
  return words.length === 0 ? [] : [` text-decoration="${words.join(" ")}"`];
}

function styled(before: Style, parameters: string): Style {
  let style = before;
  const codes = parameters.split(";").map((code) => Number.parseInt(code === "" ? "0" : code, 10));
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code !== 38 && code !== 48) {
      style = afterCode(style, code);
      continue;
    }
    const isIndexed = codes[at + 1] === 5;
    const [red = 0, green = 0, blue = 0] = codes.slice(at + 2);
    const colour = isIndexed ? indexedColour(red) : hexOf([red, green, blue]);
    style = code === 38 ? { ...style, foreground: colour } : { ...style, background: colour };
    at += isIndexed ? 2 : 4;
  }
  return style;
}

function afterCode(style: Style, code: number): Style {
  switch (code) {
    case 0:
      return PLAIN;
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underlined: true };
    case 7:
      return { ...style, reversed: true };
    case 9:
      return { ...style, struck: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 23:
      return { ...style, italic: false };
    case 24:
      return { ...style, underlined: false };
    case 27:
      return { ...style, reversed: false };
    case 29:
      return { ...style, struck: false };
    case 39:
      return { ...style, foreground: undefined };
    case 49:
      return { ...style, background: undefined };
    default:
      return afterColour(style, code);
  }
}

function afterColour(style: Style, code: number): Style {
  const isBackground = (code >= 40 && code < 48) || code >= 100;
  const first = isBackground ? code - 10 : code;
  const colour = first >= 90 ? PALETTE[first - 90 + 8] : PALETTE[first - 30];
  if (colour === undefined) return style;
  return isBackground ? { ...style, background: colour } : { ...style, foreground: colour };
}

/** Returns the colour of a number from 0 to 255: the palette, a cube of 216 colours, then 24 greys. */
function indexedColour(index: number): string {
  if (index < 16) return PALETTE[index] ?? FOREGROUND;
  if (index >= 232) return hexOf(Array.from({ length: 3 }, () => 8 + 10 * (index - 232)));
  const at = index - 16;
  return hexOf([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => CUBE[step] ?? 0));
}

function hexOf(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

const ENTITIES = [
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
] as const;

function escaped(text: string): string {
  return ENTITIES.reduce((all, [sign, entity]) => all.replaceAll(sign, entity), text);
}

function unescaped(text: string): string {
  return ENTITIES.toReversed().reduce((all, [sign, entity]) => all.replaceAll(entity, sign), text);
}
