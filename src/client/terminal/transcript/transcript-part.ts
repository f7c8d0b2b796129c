import type { EventSeq } from "../../../base/ids.ts";
import { count } from "../../../base/text/text.ts";
import type { TranscriptItem } from "../../../view/transcript/items.ts";
import { copyText } from "../clipboard/copy-text.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import { inBackground } from "../layout/in-background.ts";
import type { DrawnPart, ScreenPart } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import { WHEEL_ROWS } from "../panels/scroll.ts";
import type { MouseInput, Size } from "../screen/screen.ts";
import { countBehind, isShown, itemBefore, itemOf } from "./browse/blocks.ts";
import { Browse } from "./browse/browse.ts";
import { BrowseBar } from "./browse/browse-bar.ts";
import { GUTTER_COLUMNS, withGutter, withMarks } from "./browse/marked-rows.ts";
import { copyBlock, openBlock, openTranscript } from "./browse/open-block.ts";
import type { TranscriptWindow } from "./browse/window.ts";
import { bringIntoSight, firstRowOf, scrollBy } from "./browse/window.ts";
import type { DrawContext } from "./draw-context.ts";
import { drawContext } from "./draw-context.ts";
import { alsoUnfolded, Folds } from "./folds.ts";
import type { PaneView, PlacedRow } from "./pane.ts";
import { TranscriptPane } from "./pane.ts";
import { Search } from "./search/search.ts";
import { SearchBar } from "./search/search-bar.ts";
import { nextMouseMode } from "./selection/mouse-mode.ts";
import { Pointer } from "./selection/pointer.ts";
import { MouseSelection } from "./selection/selection.ts";

/** Rows that a page keeps of the one before. */
const OVERLAP_ROWS = 2;
/** Blocks that are counted behind the last one that was seen. */
const NEW_BLOCKS_MAX = 999;

/** The transcript in its window, with what marks, searches and selects in it. */
export class TranscriptPart implements ScreenPart, Disposable {
  readonly contexts: readonly KeyContext[] = ["browse"];
  readonly #services: Services;
  readonly #window: TranscriptWindow;
  readonly #pane = new TranscriptPane();
  readonly #browse: Browse;
  readonly #search: Search;
  readonly #selection: MouseSelection;
  readonly #pointer: Pointer;
  #folds = new Folds();
  #browseBar: BrowseBar | undefined;
  #searchBar: SearchBar | undefined;
  /** The size and the rows of the last frame. */
  #size: Size = { columns: 80, rows: 1 };
  #view: PaneView = { rows: [], isAtEnd: true };
  /** The last block while the end was in sight. */
  #seen: EventSeq = 0;

  constructor(services: Services) {
    this.#services = services;
    this.#window = this.#makeWindow();
    this.#browse = new Browse(this.#window);
    this.#search = new Search(this.#window);
    this.#selection = new MouseSelection(this.#window);
    this.#pointer = new Pointer({
      window: this.#window,
      selection: this.#selection,
      textColumn: (column) => Math.max(0, column - this.#gutter),
      clicked: (at) => this.#clicked(at),
      selected: () => this.#selected(),
    });
  }

  draw(size: Size): DrawnPart {
    this.#size = size;
    const { transcript } = this.#services.session;
    this.#search.land();
    this.#view = this.#pane.view(transcript, size.rows, this.#context());
    const { rows: shown } = this.#view;
    const rows = withMarks(shown, { search: this.#search, selection: this.#selection });
    return { rows: this.#browse.isOpen ? withGutter(rows, shown, this.#browse) : rows };
  }

  /** Counts the rows in sight as seen, and reads back a part that is missing in them. */
  drawn(): void {
    const { session } = this.#services;
    const { isAtEnd, missing } = this.#view;
    this.#search.refresh();
    session.setViewport(this.#pane.top?.event);
    if (missing !== undefined) inBackground(session.readBack(missing.first, missing.place), this.#services);
    const last = isAtEnd
      ? itemBefore(session.transcript, Number.POSITIVE_INFINITY, this.#isShown)?.event
      : undefined;
    this.#seen = Math.max(this.#seen, last ?? 0);
  }

  act(action: ActionName): boolean {
    const page = Math.max(1, this.#size.rows - OVERLAP_ROWS);
    switch (action) {
      case "transcript.pageUp":
        return this.#scroll(-page);
      case "transcript.pageDown":
        return this.#scroll(page);
      case "transcript.end":
        this.#browse.toEnd();
        return true;
      case "transcript.top":
        this.#browse.toTop();
        return true;
      case "transcript.previousPrompt":
        this.#browse.toPrompt(-1);
        return true;
      case "transcript.nextPrompt":
        this.#browse.toPrompt(1);
        return true;
      case "transcript.unfoldAll":
        this.#search.settle();
        this.#folds.toggleAll();
        this.#selection.clear();
        return true;
      case "transcript.browse":
        this.#toggleBrowse();
        return true;
      case "transcript.search":
        this.#openSearch();
        return true;
      case "transcript.pager":
        inBackground(openTranscript(this.#services, "pager"), this.#services);
        return true;
      case "transcript.editor":
        inBackground(openTranscript(this.#services, "editor"), this.#services);
        return true;
      case "selection.copy":
        this.#copySelection();
        return true;
      case "mouse.next":
        this.#selection.clear();
        nextMouseMode(this.#services);
        return true;
      default:
        return false;
    }
  }

  mouse(input: MouseInput): boolean {
    if (input.type === "wheel") return this.#scroll(input.wheel * WHEEL_ROWS);
    return this.#pointer.take(input);
  }

  /** Blocks that came since the window left the end; undefined while the last frame showed the end. */
  get newBlocks(): number | undefined {
    const { transcript } = this.#services.session;
    if (this.#view.isAtEnd) return undefined;
    return countBehind(transcript, this.#seen, { accepts: this.#isShown, most: NEW_BLOCKS_MAX });
  }

  /** Shows the newest rows from now on. */
  follow(): void {
    this.#browse.toEnd();
  }

  /** Shows an event from now on, also if it is still to be read. The stored part of the session counts as seen. */
  showEvent(event: EventSeq): void {
    this.#closeBars();
    this.#selection.clear();
    this.#seen = Math.max(this.#seen, this.#services.session.open?.past ?? 0);
    this.#folds.unfold([event]);
    this.#pane.goTo(firstRowOf(event));
    this.#browse.moved();
  }

  /** Forgets the session before: its folds, its marks, its search. */
  begin(): void {
    this.#closeBars();
    this.#selection.clear();
    this.#folds = new Folds();
    this.#seen = 0;
    this.#pane.follow();
    this.#browse.moved();
  }

  [Symbol.dispose](): void {
    this.#pointer[Symbol.dispose]();
    this.#search[Symbol.dispose]();
  }

  #makeWindow(): TranscriptWindow {
    const part = this;
    return {
      services: this.#services,
      pane: this.#pane,
      get folds() {
        return part.#folds;
      },
      get transcript() {
        return part.#services.session.transcript;
      },
      get size() {
        return part.#textSize;
      },
      get shown() {
        return part.#view.rows;
      },
      context: () => part.#context(),
    };
  }

  get #gutter(): number {
    return this.#browse.isOpen ? GUTTER_COLUMNS : 0;
  }

  get #textSize(): Size {
    const { columns, rows } = this.#size;
    return { columns: Math.max(1, columns - this.#gutter), rows };
  }

  #scroll(by: number): true {
    scrollBy(this.#window, by);
    this.#browse.moved();
    return true;
  }

  #toggleBrowse(): void {
    const isOpen = this.#browseBar !== undefined;
    this.#closeBars();
    if (!isOpen) this.#openBrowse();
  }

  #closeBars(): void {
    for (const bar of [this.#searchBar, this.#browseBar]) if (bar !== undefined) this.#services.close(bar);
  }

  #openBrowse(): void {
    if (!this.#browse.begin()) {
      this.#services.say("There is nothing to browse yet.", "warning");
      return;
    }
    this.#browseBar = new BrowseBar({
      services: this.#services,
      act: (action) => this.#actInBrowse(action),
      closed: () => {
        this.#browseBar = undefined;
        this.#search.settle();
        this.#search[Symbol.dispose]();
        this.#browse.end();
        this.#followAtEnd();
      },
    });
    this.#services.open(this.#browseBar);
  }

  #openSearch(): void {
    if (this.#searchBar !== undefined) return;
    this.#search.settle();
    this.#search[Symbol.dispose]();
    this.#searchBar = new SearchBar({
      services: this.#services,
      search: this.#search,
      closed: () => this.#searchClosed(),
    });
    this.#services.open(this.#searchBar);
  }

  /** Keeps the place of the match; while browsing, its block is marked, and n and N continue. */
  #searchClosed(): void {
    this.#searchBar = undefined;
    this.#search.rest();
    if (this.#browseBar === undefined) {
      this.#search[Symbol.dispose]();
      this.#followAtEnd();
    } else this.#markMatch();
  }

  #markMatch(): void {
    const { current } = this.#search;
    if (current !== undefined) this.#browse.mark(current.event);
  }

  /** Follows the end again if it is in sight and nothing holds the place. */
  #followAtEnd(): void {
    const { transcript } = this.#services.session;
    if (this.#pane.view(transcript, this.#size.rows, this.#context()).isAtEnd) this.#pane.follow();
  }

  #actInBrowse(action: ActionName): boolean {
    switch (action) {
      case "browse.up":
        this.#browse.move(-1);
        return true;
      case "browse.down":
        this.#browse.move(1);
        return true;
      case "browse.top":
        return this.act("transcript.top");
      case "browse.end":
        return this.act("transcript.end");
      case "browse.previousPrompt":
        return this.act("transcript.previousPrompt");
      case "browse.nextPrompt":
        return this.act("transcript.nextPrompt");
      case "browse.unfold":
        this.#search.settle();
        this.#selection.clear();
        this.#browse.toggle();
        return true;
      case "browse.enter":
        if (!this.#browse.enter()) this.#services.say("This block has no parts of its own.");
        return true;
      case "browse.out":
        this.#browse.leavePart();
        return true;
      case "browse.search":
        this.#openSearch();
        return true;
      case "browse.next":
        return this.#moveMatch(1);
      case "browse.previous":
        return this.#moveMatch(-1);
      case "browse.leave":
        if (this.#browseBar !== undefined) this.#services.close(this.#browseBar);
        return true;
      default:
        return this.#actOnBlock(action);
    }
  }

  #actOnBlock(action: ActionName): boolean {
    const { marked } = this.#browse;
    switch (action) {
      case "browse.copy":
        if (this.#selection.isThere) this.#copySelection();
        else if (marked !== undefined) inBackground(copyBlock(this.#services, marked), this.#services);
        return true;
      case "browse.pager":
        if (marked !== undefined) inBackground(openBlock(this.#services, marked, "pager"), this.#services);
        return true;
      case "browse.editor":
        if (marked !== undefined) inBackground(openBlock(this.#services, marked, "editor"), this.#services);
        return true;
      case "browse.pagerAll":
        return this.act("transcript.pager");
      case "browse.editorAll":
        return this.act("transcript.editor");
      default:
        return false;
    }
  }

  #moveMatch(by: -1 | 1): true {
    if (!this.#search.isActive) {
      const [key] = this.#services.keys.keysOf("browse.search");
      this.#services.say(
        `There is no search yet${key === undefined ? "" : `: ${key} begins one`}.`,
        "warning",
      );
      return true;
    }
    this.#search.move(by);
    this.#markMatch();
    return true;
  }

  #clicked({ drawn, place }: PlacedRow): void {
    if (this.#browse.isOpen) this.#browse.mark(place.event);
    const { target } = drawn;
    if (target === undefined) return;
    const kind = itemOf(this.#services.session.transcript, place.event)?.kind;
    if (kind !== "call" && kind !== "thinking") return;
    this.#search.settle();
    this.#folds.toggle(target.event);
    if (target.event === place.event) bringIntoSight(this.#window, firstRowOf(place.event));
  }

  #selected(): void {
    const { settings, keys, say } = this.#services;
    if (settings.values.copyOnSelect) {
      this.#copySelection();
      return;
    }
    const lines = this.#selection.text.split("\n").length;
    const [key] = keys.keysOf("selection.copy");
    say(`${count(lines, "line")} selected${key === undefined ? "" : `: ${key} copies`}.`);
  }

  #copySelection(): void {
    if (this.#selection.isThere) inBackground(copyText(this.#services, this.#selection.text), this.#services);
    else this.#services.say("Nothing is selected. With the mouse on full, drag selects.", "warning");
  }

  /** Accepts items with rows. */
  get #isShown(): (item: TranscriptItem) => boolean {
    const context = this.#context();
    return (item) => isShown(item, context);
  }

  #context(): DrawContext {
    const unfolded = alsoUnfolded(this.#folds, this.#search.unfolded);
    return drawContext(this.#services, { columns: this.#textSize.columns, unfolded });
  }
}
