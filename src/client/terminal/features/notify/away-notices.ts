import type { NoticeWays, NotifiedEvent } from "../../../../view/notified-events.ts";
import { noticeSequence, RING } from "../../../../view/terminal/terminal-notice.ts";
import type { Services } from "../../layout/services.ts";

/** Time in which a person who is there sees it by themselves. */
const NOTICE_AFTER_MS = 5_000;
/** In a terminal that does not say if it has the focus, a shorter turn is taken for one that is watched. */
const WATCHED_TURN_MS_MAX = 20_000;

const WORDS: Readonly<Record<NotifiedEvent, string>> = {
  "turn-end": "the turn has ended",
  question: "a question waits for you",
  error: "the turn has failed",
};

const NO_WAYS: NoticeWays = { bell: [], desktop: [] };

/**
 * Tells a person who looks elsewhere that a turn has ended or a question waits, by the bell and a notice of the
 * terminal. The settings say if it does; a notice that the engine shows on the desktop is not shown twice.
 */
export class AwayNotices implements Disposable {
  readonly #services: Services;
  readonly #title: () => string;
  /** Absent: the terminal does not report it. */
  #isFocused: boolean | undefined;
  #turnSinceMs = 0;
  #wait: Disposable | undefined;
  #ways: NoticeWays = NO_WAYS;

  /** @param title returns the title of the session. */
  constructor(services: Services, title: () => string) {
    this.#services = services;
    this.#title = title;
  }

  /** Reads what the engine and the user's configuration already give. */
  async readWays(): Promise<void> {
    this.#ways = await this.#services.host.noticeWays();
  }

  focused(isFocused: boolean): void {
    this.#isFocused = isFocused;
    if (isFocused) this[Symbol.dispose]();
  }

  turnStarted(): void {
    this.#turnSinceMs = this.#services.clock.monotonic();
    this[Symbol.dispose]();
  }

  /** Takes a moment of the session that is shown. */
  happened(event: NotifiedEvent): void {
    const { clock, settings, screen, draft } = this.#services;
    const rings = this.#ways.bell.includes(event);
    if (rings) screen.control(RING);
    const { notify } = settings.values;
    if (notify === "off" || (notify === "unfocused" && !this.#couldBeAway(event))) return;
    const written = draft.text;
    this[Symbol.dispose]();
    this.#wait = clock.timer(NOTICE_AFTER_MS, () => {
      this.#wait = undefined;
      const isHere = this.#isFocused !== false && draft.text !== written;
      if (this.#isOver(event) || (isHere && notify === "unfocused")) return;
      this.#notify(event, { rings: !rings });
    });
  }

  [Symbol.dispose](): void {
    this.#wait?.[Symbol.dispose]();
    this.#wait = undefined;
  }

  #couldBeAway(event: NotifiedEvent): boolean {
    if (this.#isFocused !== undefined) return !this.#isFocused;
    const ranMs = this.#services.clock.monotonic() - this.#turnSinceMs;
    return event === "question" || ranMs >= WATCHED_TURN_MS_MAX;
  }

  /** True if the person, or another client, has acted since. */
  #isOver(event: NotifiedEvent): boolean {
    const { run } = this.#services.session.view;
    return event === "question" ? (run?.questions.length ?? 0) === 0 : run?.turn !== undefined;
  }

  #notify(event: NotifiedEvent, { rings }: { readonly rings: boolean }): void {
    const { screen, host, settings } = this.#services;
    if (rings) screen.control(RING);
    if (this.#ways.desktop.includes(event)) return;
    const title = settings.values.notifyContent ? this.#title() : "";
    const text = `cinch: ${title === "" ? "" : `${title}: `}${WORDS[event]}`;
    screen.control(noticeSequence(text, host.environment));
  }
}
