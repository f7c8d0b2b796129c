import type { Services } from "../../../src/client/terminal/layout/services.ts";
import { FrameWriter } from "../../../src/client/terminal/screen/frames/frame-writer.ts";
import { paintedWidth, textOfPainted } from "../../../src/client/terminal/screen/frames/painted-text.ts";
import type { ScreenFrame, Size, TerminalScreenOptions } from "../../../src/client/terminal/screen/screen.ts";
import { SmallScreen } from "../small-screen.ts";
import type { MemoryTerminal } from "./memory-terminal.ts";
import type { PlayedClock } from "./played-clock.ts";

/** Longest wait of the library for its next frame. */
export const FRAME_MS = 17;
/** A lower screen leaves out the line over the draft. */
const SURE_ROWS = 8;
/** Redraws that follow each other before a frame is up to date: the events of a long log come in parts. */
const TRIES_MAX = 3;
const TRIES_LONG_MAX = 60;
/** Rows that are known to be right; beyond that all are looked at again. */
const KNOWN_ROWS_MAX = 5_000;
/** Everything that a row of a frame may have beside text: colours, and both ends of a link. */
const VOCABULARY = /\u001b(?:\[[\d;]*m|\]8;;[\x21-\x7e]*\u001b\\|\]133;[A-D]\u001b\\|\]133;[A-D]\u0007)/g;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Characters that a screen shows as they are. */
const PLAIN = /^[\u0021-\u007e\u4e00-\u9fff]$/;
/** Characters that join the one before. */
const JOINING = /^(?:\p{Mark}|\u200d)/u;
/** Errors of the program itself. */
const PROGRAM_ERRORS =
  /undefined is not|null is not|is not a function|is not iterable|Maximum call stack|cinch could not/;

interface DrawnFrame {
  readonly frame: ScreenFrame;
  readonly size: Size;
  readonly atMs: number;
}

/** The client as its screen is judged by. */
export interface WatchedClient {
  readonly services: Services | undefined;
  readonly hasOverlay: boolean;
  readonly hasQuestion: boolean;
  /** True while the client has the terminal. */
  readonly hasTerminal: boolean;
}

export interface ScreenWatchOptions {
  readonly terminal: MemoryTerminal;
  readonly clock: PlayedClock;
  readonly isInline: boolean;
  readonly reflows: boolean;
  readonly isLong: boolean;
  readonly client: WatchedClient;
  readonly fault: (sentence: string) => void;
  readonly drawn: () => void;
}

/** Compares what a terminal shows with the frames that a client draws, and each frame with what a frame may be. */
export class ScreenWatch {
  readonly #options: ScreenWatchOptions;
  readonly #known = new Set<string>();
  #knownColumns = 0;
  #screen: TerminalScreenOptions | undefined;
  #frame: DrawnFrame | undefined;
  /** The frame that was compared last, and the writes up to then. */
  #compared: { readonly drawn: DrawnFrame; readonly writes: number } | undefined;
  /** The last frame at the bottom of the main screen. */
  #live: DrawnFrame | undefined;
  /** Texts of all rows that were finished. */
  readonly #finished: string[] = [];
  #comparedRows = 0;
  /** True once a change of the size has put live rows out of reach: they may stay in the scrollback. */
  #mayHaveGhosts = false;
  #hasNarrowed = false;

  constructor(options: ScreenWatchOptions) {
    this.#options = options;
  }

  /** Returns the handlers of a screen, which are watched from now on. */
  watched(options: TerminalScreenOptions): TerminalScreenOptions {
    this.#screen = options;
    return {
      ...options,
      draw: this.#noted("draw", (size: Size) => {
        const frame = options.draw(size);
        const { terminal, clock } = this.#options;
        if (this.#frame?.size.rows !== size.rows || this.#frame.size.columns !== size.columns)
          terminal.screen.beyond = undefined;
        this.#frame = { frame, size, atMs: clock.monotonic() };
        if (frame.isWhole !== true) this.#live = this.#frame;
        this.#lookAtRows("a frame", frame.rows, size.columns);
        if (frame.rows.length > size.rows)
          this.#fault(`a frame has ${frame.rows.length} of ${size.rows} rows`);
        this.#options.drawn();
        return frame;
      }),
      finished: this.#noted("finished", (size: Size, isLast: boolean) => {
        const rows = options.finished(size, isLast);
        this.#lookAtRows("the scrollback", rows, size.columns);
        this.#finished.push(...rows.map(plain));
        return rows;
      }),
      input: this.#noted("input", options.input),
    };
  }

  /** To be called before and after a change of the size. */
  resizing(isSettled: boolean, change: () => void): void {
    const { terminal, isInline } = this.#options;
    if (isInline && isSettled && this.#live !== undefined) this.#markLive(this.#live.frame);
    const { columns } = terminal.size;
    change();
    if (terminal.size.columns < columns) this.#hasNarrowed = true;
    if (terminal.main.isMarkGone) this.#mayHaveGhosts = true;
  }

  /** True if the cursor stands above the line over the draft; undefined while that is not shown. */
  get isInField(): boolean | undefined {
    const { frame, size } = this.#frame ?? {};
    const row = frame?.cursor?.row;
    if (frame === undefined || row === undefined || size === undefined) return undefined;
    const line = frame.rows.findLastIndex((text) => textOfPainted(text).startsWith("──"));
    return line >= 0 && size.rows >= SURE_ROWS ? line > row : undefined;
  }

  /** Holds what must be true of the screen between two steps. */
  async look(): Promise<void> {
    const { terminal, clock, client, isInline } = this.#options;
    if (!client.hasTerminal || !(isInline || terminal.isAlternate)) return;
    const triesMax = this.#options.isLong ? TRIES_LONG_MAX : TRIES_MAX;
    for (let tries = 0; this.#staleRow() !== undefined && tries < triesMax; tries += 1)
      await clock.advance(FRAME_MS);
    if (!client.hasTerminal) return;
    const stale = this.#staleRow();
    if (stale !== undefined) this.#fault(`the screen is not up to date: ${stale}`);
    const drawn = this.#frame;
    if (drawn === undefined) return;
    const { columns, rows } = drawn.size;
    if (columns !== terminal.size.columns || rows !== terminal.size.rows) {
      this.#fault("the frame has another size than the terminal");
      return;
    }
    if (isInline && terminal.isAlternate !== (drawn.frame.isWhole === true))
      this.#fault("the client is on the other one of the two screens");
    else this.#compare(drawn);
    if (!terminal.isAlternate) this.#lookAtScrollback();
  }

  #compare(drawn: DrawnFrame): void {
    const { terminal } = this.#options;
    const { writes } = terminal;
    if (this.#compared?.drawn === drawn && this.#compared.writes === writes) return;
    this.#compared = { drawn, writes };
    const { columns, rows } = drawn.size;
    const isMain = !terminal.isAlternate;
    if (isMain) this.#markLive(drawn.frame);
    const height = isMain ? Math.max(1, drawn.frame.rows.length) : rows;
    const fresh = new SmallScreen(columns, height);
    const size = { columns, rows: height };
    fresh.write(new FrameWriter().update(drawn.frame, size));
    const wanted = fresh.rows(true);
    const shown = isMain
      ? wanted.map((_, row) => terminal.main.cells(row, true).join("").trimEnd())
      : terminal.screen.rows(true);
    const ghost = wanted.findIndex((row, at) => row !== shown[at]);
    if (ghost >= 0)
      this.#fault(
        `row ${ghost} shows ${JSON.stringify(shown[ghost])} and not ${JSON.stringify(wanted[ghost])}`,
      );
    if (fresh.beyond !== undefined) this.#fault(fresh.beyond);
    if (!isMain && terminal.screen.beyond !== undefined) this.#fault(terminal.screen.beyond);
    this.#lookAtCursor(drawn);
    const text = fresh.rows().join("\n");
    const error = PROGRAM_ERRORS.exec(text);
    if (error !== null)
      this.#fault(`the screen says ${JSON.stringify(text.slice(error.index, error.index + 90))}`);
  }

  /** Finished rows are above the live ones, each once and in order, with nothing of a frame between them. */
  #lookAtScrollback(): void {
    const { terminal, reflows } = this.#options;
    if (this.#comparedRows === this.#finished.length) return;
    this.#comparedRows = this.#finished.length;
    if (!reflows && this.#hasNarrowed) return;
    const above = terminal.main.above.map(unisolated);
    if (!this.#mayHaveGhosts) {
      const at = this.#finished.findIndex((text, row) => text !== above[row]);
      if (at >= 0 || above.length !== this.#finished.length)
        this.#fault(
          `line ${at} of ${above.length} in the scrollback is ${JSON.stringify(above[at])} and not ${JSON.stringify(this.#finished[at])} of ${this.#finished.length}`,
        );
      return;
    }
    let next = 0;
    for (const text of above) if (text === this.#finished[next]) next += 1;
    if (next < this.#finished.length)
      this.#fault(`the scrollback has lost ${JSON.stringify(this.#finished[next])}`);
  }

  #markLive({ rows, cursor }: ScreenFrame): void {
    this.#options.terminal.main.mark(cursor?.row ?? Math.max(0, rows.length - 1));
  }

  #lookAtRows(where: string, rows: readonly string[], columns: number): void {
    if (columns !== this.#knownColumns || this.#known.size > KNOWN_ROWS_MAX) this.#known.clear();
    this.#knownColumns = columns;
    for (const row of rows) {
      if (this.#known.has(row)) continue;
      this.#known.add(row);
      const bare = row.replaceAll(VOCABULARY, "");
      if (CONTROL.test(bare) || !row.isWellFormed())
        this.#fault(`${where} has a row with control characters: ${JSON.stringify(row)}`);
      const width = paintedWidth(row);
      if (width > columns)
        this.#fault(`${where} has a row of ${width} columns on ${columns}: ${JSON.stringify(row)}`);
    }
  }

  /** Returns a row that another drawing at the same moment would show in another way. */
  #staleRow(): string | undefined {
    const [drawn, options] = [this.#frame, this.#screen];
    if (drawn === undefined || options === undefined) return undefined;
    const now = this.#options.clock.at(drawn.atMs, () => options.draw(drawn.size));
    const at = Array.from({ length: drawn.size.rows }, (_, row) => row).find(
      (row) => (now.rows[row] ?? "") !== (drawn.frame.rows[row] ?? ""),
    );
    if (at === undefined) return undefined;
    return `${JSON.stringify(drawn.frame.rows[at])} and not ${JSON.stringify(now.rows[at])}`;
  }

  #lookAtCursor({ frame: { cursor }, size: { columns, rows } }: DrawnFrame): void {
    const { terminal, client } = this.#options;
    const { screen, main, isAlternate } = terminal;
    const isShown = isAlternate ? screen.isCursorShown : main.isCursorShown;
    if (isShown !== (cursor !== undefined)) this.#fault("the cursor is not as the frame has it");
    if (cursor === undefined) {
      if (!client.hasOverlay) this.#fault("the cursor is hidden while the draft has the focus");
      return;
    }
    const place = [cursor.row, Math.min(columns - 1, cursor.column)];
    const real = isAlternate ? screen.cursor : [cursor.row, main.cursor.column];
    if (cursor.row >= rows) this.#fault(`the cursor is in row ${cursor.row} of ${rows}`);
    else if (real[0] !== place[0] || real[1] !== place[1])
      this.#fault(`the cursor is at ${real.join(",")} and not at ${place.join(",")}`);
    else if (!client.hasOverlay && (this.isInField === false || !client.hasQuestion))
      this.#lookAtCaret(cursor, columns);
  }

  /** The characters beside the cursor are those beside the caret in the draft. */
  #lookAtCaret({ row, column }: { readonly row: number; readonly column: number }, columns: number): void {
    const { terminal, client } = this.#options;
    const { services } = client;
    if (services === undefined || columns < 8 || services.settings.values.rightToLeft === "reorder") return;
    const { text, cursor } = services.draft.edited;
    const drawn = terminal.isAlternate ? terminal.screen.cells(row) : terminal.main.cells(row);
    const cells = drawn.map(unisolated);
    const [before, behind] = [text[cursor - 1] ?? "", text[cursor] ?? ""];
    const left = cells[column - 1] === "" ? cells[column - 2] : cells[column - 1];
    // A row begins with the mark; a caret there follows a line end or a wrapped row.
    if (PLAIN.test(before) && column > 2 && left !== before)
      this.#fault(`left of the cursor stands ${JSON.stringify(left)} and not ${JSON.stringify(before)}`);
    const joins = JOINING.test(text.slice(cursor + 1));
    if (
      !joins &&
      PLAIN.test(behind) &&
      column < columns - 2 &&
      cells[column] !== behind &&
      cells[column] !== " "
    )
      this.#fault(`at the cursor stands ${JSON.stringify(cells[column])} and not ${JSON.stringify(behind)}`);
  }

  #noted<Args extends readonly unknown[], Value>(name: string, call: (...args: Args) => Value) {
    return (...args: Args): Value => {
      try {
        return call(...args);
      } catch (thrown) {
        this.#fault(`${name} threw ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
        throw thrown;
      }
    };
  }

  #fault(sentence: string): void {
    this.#options.fault(sentence);
  }
}

/** Returns the text of a finished row as it stands in the scrollback. */
function plain(row: string): string {
  return unisolated(textOfPainted(row)).trimEnd();
}

/** Returns a text without the marks around words that are read from the right to the left: they take no cell. */
function unisolated(text: string): string {
  return text.replaceAll(/[\u2066-\u2069]/g, "");
}
