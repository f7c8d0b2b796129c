import { HarnessError } from "../../../../base/errors.ts";
import type { EventSeq, SessionId } from "../../../../base/ids.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import { sessionTitle } from "../../../../view/facts/session-facts.ts";
import { neutraliseLine } from "../../../../view/terminal/terminal-text.ts";
import { ageText } from "../../../../view/texts/age-text.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import type { DrawnRow, Span } from "../../drawing/span.ts";
import { EMPTY_ROW, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { ListContent, PanelEntry } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";
import type { Size } from "../../screen/screen.ts";
import { openReplay } from "./replay-view.ts";

/** Pause after a key, after which the search begins. */
const PAUSE_MS = 150;
const HITS_MAX = 100;
/** Characters that a list shows before the first match. */
const BEFORE_MATCH_UNITS = 16;

type Found = ResultOf<"SearchSessions">;

/** A place in a session in which the words were found. */
interface Hit {
  readonly session: SessionId;
  readonly title: string;
  /** Absent: the title has the words. */
  readonly event?: EventSeq;
  readonly snippet: string;
  readonly at: readonly (readonly number[])[];
}

export interface ContentSearchOptions {
  /** Words to begin with. */
  readonly text: string;
  /** True: only sessions of this folder. */
  readonly isHere: boolean;
  /** Closes the list from which the search was opened. */
  readonly leave: () => void;
}

const BEGIN = "Type words that were said in a session: prompts, answers, calls and their output.";

/** Opens a search in what was said in sessions. A session that is chosen is continued, and shows the match. */
export function openContentSearch(services: Services, { text, isHere, leave }: ContentSearchOptions): void {
  let content: ListContent<Hit> = { entries: [], note: BEGIN };
  let pause: Disposable | undefined;
  let searches = 0;
  const panel: ListPanel<Hit> = new ListPanel<Hit>({
    title: isHere ? "Search in sessions of this folder" : "Search in all sessions",
    place: "full",
    services,
    contexts: ["sessions"],
    columns: [{ name: "age" }],
    content: () => content,
    hints: () => [
      ["list.choose", "continue the session, from there"],
      ["sessions.replay", "step through it from there"],
    ],
    search(pattern) {
      pause?.[Symbol.dispose]();
      searches += 1;
      pause = services.clock.timer(PAUSE_MS, () => inBackground(search(pattern, searches), services));
    },
    choose({ session, event }) {
      leave();
      if (session === services.session.open?.session) {
        if (event !== undefined) services.showEvent(event);
        return;
      }
      const which = {
        kind: "stored",
        info: { session },
        ...(event === undefined ? {} : { at: event }),
      } as const;
      inBackground(services.session.goTo(which), services);
    },
    act(action, hit) {
      if (action !== "sessions.replay" || hit === undefined) return false;
      const { session, title, event } = hit;
      openReplay(services, { session, title, ...(event === undefined ? {} : { event }) });
      return true;
    },
    preview: hitPreview,
    closed: () => {
      searches += 1;
      pause?.[Symbol.dispose]();
    },
  });

  async function search(pattern: string, number: number): Promise<void> {
    const words = pattern.trim();
    if (words === "") {
      content = { entries: [], note: BEGIN };
      return panel.refresh();
    }
    const workingDir = isHere ? { workingDir: services.workingDir } : {};
    const query = { kind: "SearchSessions", text: words, limit: HITS_MAX, ...workingDir } as const;
    const found = await services.session.query(query);
    if (number !== searches) return; // other words were typed meanwhile
    content =
      found instanceof HarnessError
        ? { entries: [], note: refusalText(found) }
        : contentOf(found, services.clock.now());
    panel.toTop();
  }

  services.open(panel);
  if (text.trim() !== "") panel.paste(text);
}

function contentOf(found: Found, nowMs: number): ListContent<Hit> {
  const titles = (found.titles ?? []).map(
    ({ session, title, at }): PanelEntry<Hit> => ({
      value: { session, title, snippet: title, at },
      label: neutraliseLine(title),
      detail: "title",
    }),
  );
  const hits = found.hits.map(
    ({ session, title, event, kind, tool, turn, snippet, at, ts }): PanelEntry<Hit> => {
      const where = [sessionTitle({ title }), tool ?? kind, ...(turn === undefined ? [] : [`turn ${turn}`])];
      return {
        value: { session, title: sessionTitle({ title }), event, snippet, at },
        label: aroundMatch(snippet, at),
        detail: where.join(" · "),
        cells: [{ text: ageText(ts, nowMs) }],
      };
    },
  );
  const entries = [...titles, ...hits];
  const notes = [
    ...(entries.length === 0 ? ["Nothing was found."] : []),
    ...(found.complete ? [] : ["Not everything was searched: more words find less, and sooner."]),
    ...(found.searched.expired > 0 ? ["Expired content is not searched."] : []),
  ];
  return notes.length === 0 ? { entries } : { entries, note: notes.join(" ") };
}

/** Returns the line that a list shows of a snippet: the first match is near its beginning. */
function aroundMatch(snippet: string, at: Hit["at"]): string {
  const first = at[0]?.[0] ?? 0;
  const from = first <= 2 * BEFORE_MATCH_UNITS ? 0 : first - BEFORE_MATCH_UNITS;
  return `${from === 0 ? "" : "…"}${snippet.slice(from)}`.replaceAll(/\s+/g, " ");
}

function hitPreview({ session, title, snippet, at }: Hit, { columns, rows }: Size): readonly DrawnRow[] {
  const spans: Span[] = [];
  let end = 0;
  for (const [from = 0, to = 0] of at) {
    spans.push(span(snippet.slice(end, from)), span(snippet.slice(from, to), { role: "match" }));
    end = to;
  }
  spans.push(span(snippet.slice(end)));
  const drawn = [
    ...wrapSpans([span(title, { role: "heading" })], { columns }),
    ...wrapSpans([span(session, { role: "dim" })], { columns }),
    EMPTY_ROW,
    ...wrapSpans(spans, { columns }),
  ];
  return drawn.slice(0, rows);
}
