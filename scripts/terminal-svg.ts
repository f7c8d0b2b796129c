/** Characters of one line; longer ones are cut, as a terminal of that width would. */
export const COLUMNS = 84;

const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;
const TITLE_HEIGHT = 34;
const FOREGROUND = "#d6d6d6";

// The eight colours of a terminal, then the eight bright ones.
const PALETTE: readonly string[] = [
  ...["#1e1e1e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d6d6d6"],
  ...["#7f848e", "#ff7a85", "#b5e890", "#ffd58a", "#7cc4ff", "#dd99f0", "#6fd3df", "#ffffff"],
];

interface Style {
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
}

const PLAIN: Style = { colour: FOREGROUND, bold: false, dim: false };

/**
 * A terminal's screen as one SVG file that needs nothing else: no script, no font, no link.
 *
 * Takes text with colour sequences (SGR), as `tmux capture-pane -e` gives it; any other control character is left out.
 * Each stretch of text is stretched to its cells, so that columns meet in every font.
 */
export function terminalSvg(screen: string, title: string): string {
  const lines = screen.trimEnd().split("\n");
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN);
  const height = TITLE_HEIGHT + lines.length * CELL.height + 2 * MARGIN;
  let style = PLAIN;
  const rows = lines.map((line, row) => {
    const drawn = drawLine(line, row, style);
    style = drawn.style;
    return drawn.text;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#1e1e1e"/>`,
    ...[0, 1, 2].map((at) => `<circle cx="${22 + at * 18}" cy="18" r="5.5" fill="#4b5058"/>`),
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">`,
    `<text x="${width / 2}" y="23" fill="#7f848e" text-anchor="middle">${escaped(title)}</text>`,
    ...rows.filter((row) => row !== ""),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function drawLine(
  line: string,
  row: number,
  before: Style,
): { readonly text: string; readonly style: Style } {
  let style = before;
  let column = 0;
  let text = "";
  for (const [index, part] of line.split(SGR).entries()) {
    if (index % 2 === 1) {
      style = styled(style, part);
      continue;
    }
    const shown = [...part.replaceAll(CONTROLS, "")].slice(0, COLUMNS - column);
    text += drawText(shown, { row, column, style });
    column += shown.length;
  }
  return { text, style };
}

const SGR = /\x1b\[([\d;]*)m/;
const CONTROLS = /\x1b\[[\d;?]*[A-Za-z]|[\x00-\x1f\x7f-\x9f]/g;

interface Stretch {
  readonly row: number;
  readonly column: number;
  readonly style: Style;
}

/** Spaces at the ends are left out, and moved over: some programs drop them. */
function drawText(characters: readonly string[], { row, column, style }: Stretch): string {
  const first = characters.findIndex((character) => character !== " ");
  if (first === -1) return "";
  const shown = characters.slice(first, characters.findLastIndex((character) => character !== " ") + 1);
  const x = (MARGIN + (column + first) * CELL.width).toFixed(1);
  const y = TITLE_HEIGHT + MARGIN + row * CELL.height;
  const length = (shown.length * CELL.width).toFixed(1);
  const weight = style.bold ? ' font-weight="bold"' : "";
  const opacity = style.dim ? ' opacity="0.65"' : "";
  return `<text x="${x}" y="${y}" fill="${style.colour}"${weight}${opacity} textLength="${length}">${escaped(shown.join(""))}</text>`;
}

function styled(before: Style, codes: string): Style {
  let style = before;
  for (const code of codes.split(";")) style = afterCode(style, Number(code));
  return style;
}

function afterCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, colour: FOREGROUND };
  const colour = code >= 90 ? PALETTE[code - 90 + 8] : PALETTE[code - 30];
  return colour === undefined ? style : { ...style, colour };
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
