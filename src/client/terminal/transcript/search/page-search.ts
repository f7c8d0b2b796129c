import { nextTurn } from "../../../../base/async/next-turn.ts";
import type { TranscriptPage, TranscriptRange } from "../../../../view/transcript/pages.ts";
import type { Services } from "../../layout/services.ts";
import type { DrawContext } from "../draw-context.ts";
import type { PartLocation } from "../place.ts";
import { eventAt, firstPart, partBehind } from "../place.ts";
import { countIn } from "./matcher.ts";
import type { FoundPart } from "./search-scan.ts";
import { SearchTexts } from "./search-scan.ts";

/** Time of one look through a page: shorter than a frame. */
const STEP_MS = 8;
/** Characters of pages that are kept for the next words of a search. */
const KEPT_CHARACTERS_MAX = 4_000_000;

/** A page of the session as it is drawn with everything unfolded. */
interface PageText extends TranscriptRange {
  readonly columns: number;
  readonly parts: readonly { readonly place: PartLocation; readonly text: string }[];
  readonly characters: number;
}

/** Looks through parts of a session that are not loaded, a page at a time, without adding them to the transcript. */
export class PageSearch {
  readonly #services: Pick<Services, "session" | "clock">;
  #kept: readonly PageText[] = [];

  constructor(services: Pick<Services, "session" | "clock">) {
    this.#services = services;
  }

  /**
   * Looks through the last page of a part. Returns the part of it that was looked through, with its matches; undefined
   * once another session is shown.
   * @throws HarnessError if the engine refuses; the error that broke the subscription.
   */
  async lastPage(
    range: TranscriptRange,
    matcher: RegExp,
    context: DrawContext,
  ): Promise<{ readonly range: TranscriptRange; readonly found: readonly FoundPart[] } | undefined> {
    const known = this.#kept.find(
      ({ first, last, columns }) => columns === context.columns && first <= range.last && range.last <= last,
    );
    const text = known ?? (await this.#read(range, context));
    if (text === undefined) return undefined;
    const first = Math.min(Math.max(text.first, range.first), range.last);
    const found = text.parts.flatMap(({ place, text: words }) => {
      const isOutside = place.event < first || place.event > range.last;
      const count = isOutside ? 0 : countIn(words, matcher);
      return count === 0 ? [] : [{ place, count }];
    });
    return { range: { first, last: range.last }, found };
  }

  async #read(range: TranscriptRange, context: DrawContext): Promise<PageText | undefined> {
    const page = await this.#services.session.pageOf(range, "end");
    if (page === undefined) return undefined;
    const text = { first: page.first, last: range.last, ...(await this.#textOf(page, context)) };
    this.#keep(text);
    return text;
  }

  async #textOf(
    { last, segments }: TranscriptPage,
    context: DrawContext,
  ): Promise<Omit<PageText, keyof TranscriptRange>> {
    const { clock } = this.#services;
    const texts = new SearchTexts(context.columns);
    const transcript = { reached: last, segments };
    const parts: { readonly place: PartLocation; readonly text: string }[] = [];
    let characters = 0;
    let untilMs = clock.monotonic() + STEP_MS;
    for (let at = firstPart(transcript); at !== undefined; at = partBehind(transcript, at)) {
      const text = texts.of(transcript, at, context)?.text;
      if (text === undefined) continue;
      characters += text.length;
      parts.push({ place: { event: eventAt(transcript, at), part: at.part }, text });
      if (clock.monotonic() < untilMs) continue;
      await nextTurn();
      untilMs = clock.monotonic() + STEP_MS;
    }
    return { columns: context.columns, parts, characters };
  }

  #keep(page: PageText): void {
    const all = [page, ...this.#kept.filter(({ columns }) => columns === page.columns)];
    let left = KEPT_CHARACTERS_MAX;
    this.#kept = all.filter(({ characters }) => {
      left -= characters;
      return left >= 0;
    });
  }
}
