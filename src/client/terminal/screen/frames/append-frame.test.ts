import { expect, test } from "bun:test";
import { reflowsRows, resizedMs } from "../resizing.ts";
import type { LiveRegion } from "./append-frame.ts";
import { appendFrame, eraseRegion, NO_REGION } from "./append-frame.ts";

/** A terminal that knows what a frame may write. Lines that leave its top are its scrollback. */
class Paper {
  readonly lines: string[] = [""];
  #row = 0;
  #column = 0;

  readonly #height: number;

  constructor(height: number) {
    this.#height = height;
  }

  write(text: string): void {
    for (const [piece, up, down, right, erase] of text.matchAll(
      /\u001b\[(?:(\d+)A|(\d+)B|(\d+)C|([JK])|\?\d+[hl])|\r|\n|[^\u001b\r\n]+/g,
    )) {
      const top = Math.max(0, this.lines.length - this.#height);
      if (up !== undefined) this.#row = Math.max(top, this.#row - Number(up));
      else if (down !== undefined) this.#row = Math.min(this.lines.length - 1, this.#row + Number(down));
      else if (right !== undefined) this.#column += Number(right);
      else if (erase !== undefined) this.#erase(erase);
      else if (piece === "\r") this.#column = 0;
      else if (piece === "\n") this.#newLine();
      else if (!piece.startsWith("\u001b")) this.#print(piece);
    }
  }

  get cursor() {
    return { line: this.lines[this.#row], column: this.#column };
  }

  #newLine(): void {
    this.#row += 1;
    if (this.#row === this.lines.length) this.lines.push("");
  }

  #erase(what: string): void {
    this.lines[this.#row] = (this.lines[this.#row] ?? "").slice(0, this.#column);
    if (what === "J") this.lines.splice(this.#row + 1);
  }

  #print(text: string): void {
    const line = (this.lines[this.#row] ?? "").padEnd(this.#column);
    this.lines[this.#row] = line.slice(0, this.#column) + text + line.slice(this.#column + text.length);
    this.#column += text.length;
  }
}

function draw(paper: Paper, before: LiveRegion, rows: readonly string[], finished: readonly string[] = []) {
  const cursor = { row: Math.max(0, rows.length - 1), column: 2 };
  const { text, region } = appendFrame(before, { finished, rows, cursor }, 20);
  paper.write(text);
  return { text, region };
}

test("[TUI-01 complaint 3] finished rows go above the live ones, once and in order, and nothing above them is touched", () => {
  const paper = new Paper(4);
  paper.write("shell$ cinch\r\n");
  let { region } = draw(paper, NO_REGION, ["one …", "> "]);
  ({ region } = draw(paper, region, ["two …", "rule", "> a"], ["one."]));
  ({ region } = draw(paper, region, ["> ab"], ["two.", "three.", "four."]));
  expect(paper.lines).toEqual(["shell$ cinch", "one.", "two.", "three.", "four.", "> ab"]);
  expect(paper.cursor).toEqual({ line: "> ab", column: 2 });
  ({ region } = draw(paper, region, ["a", "b", "c", "> "]));
  ({ region } = draw(paper, region, ["> "]));
  expect(paper.lines.slice(0, 6)).toEqual(["shell$ cinch", "one.", "two.", "three.", "four.", "> "]);
});

test("[TUI-01 complaint 1] a row that keeps its text is not written again, and an unchanged frame writes nothing", () => {
  const paper = new Paper(10);
  const first = draw(paper, NO_REGION, ["same row", "> a"]);
  expect(draw(paper, first.region, ["same row", "> a"]).text).toBe("");
  const next = draw(paper, first.region, ["same row", "> ab"]);
  expect(next.text).toContain("> ab");
  expect(next.text).not.toContain("same row");
});

test("[TUI-11] a full row keeps its last cell: nothing is erased behind it", () => {
  const full = "x".repeat(20);
  expect(draw(new Paper(5), NO_REGION, [full, "> "]).text).toContain(`${full}\r`);
  const wide = "日".repeat(10);
  expect(draw(new Paper(5), NO_REGION, [wide, "> "]).text).toContain(`\u001b[K${wide}\r`);
});

test("[TUI-01 complaint 27] after a change of the width the region is erased from its first row on, as the terminal has wrapped it", () => {
  const { region } = appendFrame(
    NO_REGION,
    { finished: [], rows: ["x".repeat(20), "short", "> draft"], cursor: { row: 2, column: 7 } },
    20,
  );
  expect(eraseRegion(region, { columns: 10, reflows: true })).toBe("\r\u001b[3A\u001b[J");
  expect(eraseRegion(region, { columns: 10, reflows: false })).toBe("\r\u001b[2A\u001b[J");
});

test("[TUI-01 complaint 3] a cursor behind a full row, and wide characters, leave no row above the region erased", () => {
  const eraseOf = (rows: readonly string[], column: number, columns: number) => {
    const cursor = { row: rows.length - 1, column };
    const { region } = appendFrame(NO_REGION, { finished: [], rows, cursor }, 80);
    return eraseRegion(region, { columns, reflows: true });
  };
  // tmux and others keep the cursor on the last cell of a full row.
  expect(eraseOf(["> 34567890"], 10, 10)).toBe("\r\u001b[J");
  expect(eraseOf(["> 34567890123"], 13, 10)).toBe("\r\u001b[1A\u001b[J");
  expect(eraseOf(["> 34567890123"], 9, 10)).toBe("\r\u001b[J");
  // 6 wide characters stand in a row of 13 columns.
  expect(eraseOf(["日".repeat(37), "> "], 2, 13)).toBe("\r\u001b[7A\u001b[J");
});

test("[TUI-01] terminals that do not wrap again are known by their variables", () => {
  expect(reflowsRows({ TERM: "xterm-256color" })).toBe(true);
  expect(reflowsRows({ TERM: "screen-256color", TMUX: "/tmp/tmux" })).toBe(true);
  for (const each of [
    { TERM: "xterm", XTERM_VERSION: "XTerm(390)" },
    { TERM: "linux" },
    { TERM: "screen", STY: "1" },
  ])
    expect(reflowsRows(each)).toBe(false);
});

test("[TUI-01 complaint 3] inside tmux, which reports one size in 250 ms, a size counts once it is the last one", () => {
  expect(resizedMs({ TMUX: "/tmp/tmux" })).toBeGreaterThan(250);
  expect(resizedMs({ TERM: "xterm-256color" })).toBe(50);
});
