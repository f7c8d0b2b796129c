import { HarnessError } from "../../../base/errors.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { DrawnRow } from "../drawing/span.ts";
import type { Services } from "../layout/services.ts";
import { drawActivity } from "./activity-rule.ts";
import type { StatusFacts } from "./status-facts.ts";
import { NO_STATUS_FACTS, statusFactsAfter } from "./status-facts.ts";
import { drawStatus } from "./status-line.ts";

/** Shortest time between two states of the status line: 4 a second at most (TUI-02). */
const STATE_MS_MIN = 250;
/** Time between two frames while a turn runs, as a sign of life. */
const TICK_MS = 1_000;

/** The status line and the line above the draft. */
export class StatusPart {
  readonly #services: Services;
  readonly #isQuiet: boolean;
  #facts: StatusFacts = NO_STATUS_FACTS;
  /** The facts that are shown, and since when. */
  #shown = { facts: NO_STATUS_FACTS, atMs: Number.NEGATIVE_INFINITY };
  #contextWindow: number | undefined;
  #tick: Disposable | undefined;

  constructor(services: Services, { isQuiet }: { readonly isQuiet: boolean }) {
    this.#services = services;
    this.#isQuiet = isQuiet;
  }

  /** Takes an event of the session that is shown. */
  add(envelope: Envelope): void {
    this.#facts = statusFactsAfter(this.#facts, envelope);
    if (envelope.kind === "ModelChanged" || envelope.kind === "TurnEnded") void this.readWindow();
    if (this.#facts.turnSince === undefined) this.#stopTick();
    else this.#startTick();
  }

  /** Forgets the session before, and asks for the window of the model. */
  begin(): void {
    this.#facts = NO_STATUS_FACTS;
    this.#shown = { facts: NO_STATUS_FACTS, atMs: Number.NEGATIVE_INFINITY };
    this.#stopTick();
    void this.readWindow();
  }

  /** Reads the window of the session's model. */
  async readWindow(): Promise<void> {
    const { session, redraw } = this.#services;
    const { open } = session;
    if (open === undefined) return;
    const info = await session.query({ kind: "GetSession", sessionId: open.session, last: 0 });
    if (info instanceof HarnessError) return; // the field is left out
    this.#contextWindow = info.context_window;
    redraw();
  }

  status(columns: number): DrawnRow {
    const { session } = this.#services;
    const { open, view, self } = session;
    const facts = this.#sampled();
    const contextWindow = this.#contextWindow;
    const line = { open, view, facts, isReached: self !== undefined, isQuiet: this.#isQuiet };
    return drawStatus(contextWindow === undefined ? line : { ...line, contextWindow }, columns);
  }

  /** Returns the line above the draft. @param newBlocks blocks that came below the window; undefined at the end. */
  rule(columns: number, newBlocks: number | undefined): DrawnRow {
    const { keys, clock } = this.#services;
    const keyOf = (action: "transcript.end" | "turn.cancel") => keys.keysOf(action)[0] ?? "";
    return drawActivity(
      {
        facts: this.#facts,
        nowMs: clock.now(),
        newBlocks,
        endKey: keyOf("transcript.end"),
        cancelKey: keyOf("turn.cancel"),
      },
      columns,
    );
  }

  #sampled(): StatusFacts {
    const now = this.#services.clock.monotonic();
    if (now - this.#shown.atMs >= STATE_MS_MIN) this.#shown = { facts: this.#facts, atMs: now };
    return this.#shown.facts;
  }

  #startTick(): void {
    this.#tick ??= this.#services.clock.timer(TICK_MS, () => {
      this.#tick = undefined;
      this.#services.redraw();
      if (this.#facts.turnSince !== undefined) this.#startTick();
    });
  }

  #stopTick(): void {
    this.#tick?.[Symbol.dispose]();
    this.#tick = undefined;
    // The last state is shown soon, even if nothing else happens.
    this.#services.clock.timer(STATE_MS_MIN, () => this.#services.redraw());
  }
}
