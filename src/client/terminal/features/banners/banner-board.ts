import type { NoteTone } from "../../../../view/transcript/items.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { TONE_ROLES } from "../../drawing/tones.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";

/** A notice that stays above the draft until it is hidden, or its cause is gone. */
export interface Banner {
  /** A later banner with the same key replaces it. */
  readonly key: string;
  readonly text: string;
  readonly tone: NoteTone;
  /** Words about the keys that count for it, besides the one that hides it. */
  readonly hint?: string;
  /** Called when the person hides it. */
  readonly hidden?: () => void;
}

/** Banners that are kept; beyond that the oldest goes. */
const KEPT_MAX = 20;
/** Banners that are drawn, the newest, and rows of each. A failure ends with the way out of it, and is shown whole. */
const DRAWN_MAX = 3;
const ROWS_MAX = 3;
const FAILURE_ROWS_MAX = 10;
const BAR = "▌ ";

/** The banners of the client, the newest last. */
export class BannerBoard {
  #banners: readonly Banner[] = [];

  get newest(): Banner | undefined {
    return this.#banners.at(-1);
  }

  has(key: string): boolean {
    return this.#banners.some((each) => each.key === key);
  }

  put(banner: Banner): void {
    this.#banners = [...this.#banners.filter(({ key }) => key !== banner.key), banner].slice(-KEPT_MAX);
  }

  /** Takes away the banners whose keys begin so. */
  remove(keyStart: string): void {
    this.#banners = this.#banners.filter(({ key }) => !key.startsWith(keyStart));
  }

  /** Takes away the newest banner and returns it; undefined if there is none. */
  hideNewest(): Banner | undefined {
    const { newest } = this;
    if (newest !== undefined) this.#banners = this.#banners.slice(0, -1);
    newest?.hidden?.();
    return newest;
  }

  /** Returns the rows of the newest banners. @param hideKey the key that hides the newest. */
  draw(columns: number, hideKey: string): readonly DrawnRow[] {
    const shown = this.#banners.slice(-DRAWN_MAX);
    const hidden = this.#banners.length - shown.length;
    const { newest } = this;
    return [
      ...(hidden === 0 ? [] : [row([span(`  … ${hidden} more above`, { role: "dim" })])]),
      ...shown.flatMap((banner) => drawBanner(banner, columns, banner === newest ? hideKey : undefined)),
    ];
  }
}

function drawBanner(banner: Banner, columns: number, hideKey: string | undefined): readonly DrawnRow[] {
  const { text, tone, hint } = banner;
  const hints = hideKey === undefined ? [] : [...(hint === undefined ? [] : [hint]), `${hideKey} hides`];
  const role = TONE_ROLES[tone];
  const bar = [span(BAR, { role })];
  const rows = wrapSpans(
    [span(text, { role }), ...(hints.length === 0 ? [] : [span(`  ${hints.join(" · ")}`, { role: "dim" })])],
    { columns, first: bar, rest: bar },
  );
  return rows.slice(0, tone === "failure" ? FAILURE_ROWS_MAX : ROWS_MAX);
}
