import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { StatusFacts } from "../../../view/costs/status-facts.ts";
import { NO_STATUS_FACTS, statusFactsAfter } from "../../../view/costs/status-facts.ts";
import { displayName } from "../../../view/session/clients.ts";
import type { SessionView } from "../../../view/session/session-view.ts";
import { NEW_SESSION } from "../../../view/session/session-view.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { inBackground } from "../layout/in-background.ts";
import type { Services } from "../layout/services.ts";
import { drawActivity } from "./activity-rule.ts";
import type { StatusLine } from "./status-line.ts";
import { drawStatus } from "./status-line.ts";

/** Shortest time between two states of the status line: 4 a second at most (TUI-02). */
const STATE_MS_MIN = 250;
/** Time between two frames while a turn runs, as a sign of life. */
const TICK_MS = 1_000;

export interface StatusPartOptions {
  /** True: no costs (`--quiet-cost`). */
  readonly isQuiet: boolean;
  /** Returns how the session treats changes; undefined while that is unknown. */
  readonly mode: () => string | undefined;
}

/** Facts that only the engine has, by its last answer. */
type EngineFacts = Pick<StatusLine, "contextWindow" | "contextTokens" | "web">;

/** The status line and the line above the draft. */
export class StatusPart implements Disposable {
  readonly #services: Services;
  readonly #options: StatusPartOptions;
  #facts: StatusFacts = NO_STATUS_FACTS;
  /** The state that is shown, and the monotonic time since which it is. */
  #shown: { readonly facts: StatusFacts; readonly view: SessionView; readonly atMs: number } = NOTHING_SHOWN;
  /** True if the last frame did not show the state as it is now. */
  #isBehind = false;
  #engineFacts: EngineFacts = {};
  /** Readings so far: the answer to the newest one counts. */
  #reads = 0;
  /** Model of a session that begins with the next prompt. */
  #nextModel: string | undefined;
  #tick: Disposable | undefined;
  /** Draws a state that came too soon after the one before. */
  #later: Disposable | undefined;

  constructor(services: Services, options: StatusPartOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** Takes an event of the session that is shown. */
  add(envelope: Envelope): void {
    this.#facts = statusFactsAfter(this.#facts, envelope);
    const { id, kind, parentCall } = envelope;
    const isPast = this.#services.session.isPast(id);
    if ((kind === "ModelChanged" || kind === "TurnEnded") && parentCall === undefined && !isPast)
      inBackground(this.read(), this.#services);
    if (this.#facts.turnSince === undefined) this.#stopTick();
    else this.#startTick();
  }

  /** Forgets the session before, and asks for the facts of this one. */
  begin(): void {
    this.#facts = NO_STATUS_FACTS;
    this.#shown = NOTHING_SHOWN;
    this.#engineFacts = {};
    this.#stopTick();
    inBackground(this.read(), this.#services);
  }

  /** Reads the window of the session's model, and the address of the web client. */
  async read(): Promise<void> {
    const { session, redraw } = this.#services;
    const { open } = session;
    if (open === undefined) return;
    this.#reads += 1;
    const read = this.#reads;
    const [info, web] = await Promise.all([session.infoOf(open), session.query({ kind: "GetWebClient" })]);
    if (session.open !== open || read !== this.#reads) return;
    // A field that the engine refuses is left out.
    const { context_window: contextWindow, context_tokens: contextTokens } =
      info instanceof HarnessError ? {} : info;
    const url = web instanceof HarnessError ? undefined : web.url;
    this.#engineFacts = {
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...(url === undefined ? {} : { web: url }),
    };
    redraw();
  }

  [Symbol.dispose](): void {
    this.#stopTick();
    this.#later?.[Symbol.dispose]();
    this.#later = undefined;
  }

  /** Asks for the model of a new session, unless the command line decides. */
  async reached(): Promise<void> {
    const { session, redraw } = this.#services;
    this.#nextModel = session.begins?.model;
    if (session.isModelNamed || session.open !== undefined) return;
    const answer = await session.query({ kind: "ListProviders", models: false, choice: true });
    if (!(answer instanceof HarnessError)) this.#nextModel = answer.default_model;
    redraw();
  }

  status(columns: number): DrawnRow {
    const { open, self, hasFailed } = this.#services.session;
    const nextModel = this.#nextModel;
    const { facts, view } = this.#sampled();
    const mode = this.#options.mode();
    return drawStatus(
      {
        ...{ open, view, facts, isReached: self !== undefined, hasFailed, isQuiet: this.#options.isQuiet },
        ...this.#engineFacts,
        ...defined({ mode, nextModel }),
      },
      columns,
    );
  }

  /** Returns the line above the draft. @param newBlocks blocks that came below the window; undefined at the end. */
  rule(columns: number, newBlocks: number | undefined): DrawnRow {
    const { keys, clock, session } = this.#services;
    const keyOf = (action: "transcript.end" | "turn.cancel" | "mode.next") => keys.label(action, "");
    const mode = this.#options.mode();
    const { run, clients } = session.view;
    const originator = run?.turn?.originator;
    const isOther = originator !== undefined && session.self !== undefined && originator !== session.self;
    return drawActivity(
      {
        facts: this.#facts,
        nowMs: clock.now(),
        newBlocks,
        endKey: keyOf("transcript.end"),
        cancelKey: keyOf("turn.cancel"),
        modeKey: keyOf("mode.next"),
        ...(mode === undefined ? {} : { mode }),
        ...(isOther ? { by: displayName(clients, originator) } : {}),
      },
      columns,
    );
  }

  /** A state that came too soon after the one before is drawn once its time has come. */
  drawn(): void {
    const { clock, redraw } = this.#services;
    if (!this.#isBehind || this.#later !== undefined) return;
    const leftMs = this.#shown.atMs + STATE_MS_MIN - clock.monotonic();
    this.#later = clock.timer(Math.max(0, leftMs), () => {
      this.#later = undefined;
      redraw();
    });
  }

  #sampled(): { readonly facts: StatusFacts; readonly view: SessionView } {
    const { clock, session } = this.#services;
    const { view } = session;
    const now = clock.monotonic();
    const isNew = view !== this.#shown.view || this.#facts !== this.#shown.facts;
    this.#isBehind = isNew && now < this.#shown.atMs + STATE_MS_MIN;
    if (isNew && !this.#isBehind) this.#shown = { facts: this.#facts, view, atMs: now };
    return this.#shown;
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
  }
}

const NOTHING_SHOWN = { facts: NO_STATUS_FACTS, view: NEW_SESSION, atMs: Number.NEGATIVE_INFINITY };
