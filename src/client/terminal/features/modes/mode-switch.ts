import { HarnessError } from "../../../../base/errors.ts";
import type { SessionId } from "../../../../base/ids.ts";
import type { ChosenMode, ModeFacts, SessionMode } from "../../../../view/overview/session-mode.ts";
import {
  allowsEdits,
  hasAllowed,
  LEVEL_OF_MODE,
  modeAfter,
  modeText,
  sessionModeOf,
} from "../../../../view/overview/session-mode.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";

/** Pause in the keys after which the engine gets the mode: modes that are only passed leave nothing behind. */
export const MODE_REST_MS = 600;

const PLAN_WAITS = "A plan waits for your answer: approve it or refuse it first.";
const PLAN_RUNS =
  "The model is planning. Plan mode ends when you approve its plan; to leave it now, cancel the turn first.";

/** The mode of the session that is shown, and the way to the next one. One change is made at a time. */
export class ModeSwitch implements Disposable {
  readonly #services: Services;
  /** Facts about one session that only the engine has. */
  #engineFacts: Omit<ModeFacts, "planMode"> & { readonly of?: SessionId; readonly isAllowed?: boolean } = {};
  /** The mode that a person has gone to, until the engine has it or refuses it. */
  #wanted: ChosenMode | undefined;
  /** A mode that was refused: the next one is behind it. */
  #refused: ChosenMode | undefined;
  /** Ends when the keys have rested. */
  #rest: Disposable | undefined;
  /** The session that the key begins, or whose level is still read, until its mode is known. */
  #beginning: Promise<void> | undefined;
  /** The last reading of the level. */
  #reading: Promise<void> = Promise.resolve();
  /** The change that is on its way. Resolves to false if it is refused. */
  #change: Promise<boolean> | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The mode that a person has gone to, else that of the session. Undefined: its level is unknown. */
  get mode(): SessionMode | undefined {
    return this.#wanted ?? this.#current;
  }

  /** True until the engine has the mode that a person has gone to. */
  get isPending(): boolean {
    return this.#wanted !== undefined || this.#beginning !== undefined;
  }

  /** The mode of the session; of the next one while none is open. */
  get #current(): SessionMode | undefined {
    const { open, view, begins } = this.#services.session;
    if (open === undefined) return begins === undefined ? undefined : sessionModeOf(begins);
    const known = this.#engineFacts.of === open.session ? this.#engineFacts : {};
    const level = view.run?.level ?? known.level;
    const planMode = view.run?.planMode ?? false;
    const { allowsEdits: allows } = known;
    return sessionModeOf({
      planMode,
      ...(level === undefined ? {} : { level }),
      ...(allows === undefined ? {} : { allowsEdits: allows }),
    });
  }

  /** Reads the level of the session that is shown, and whether a rule allows edits. */
  async read(): Promise<void> {
    this.#reading = this.#read();
    await this.#reading;
  }

  async #read(): Promise<void> {
    const { session, redraw } = this.#services;
    const { open } = session;
    if (open === undefined) return;
    const { session: sessionId } = open;
    const [info, rules] = await Promise.all([
      session.infoOf(open),
      session.query({ kind: "ListRules", sessionId }),
    ]);
    const level = info instanceof HarnessError ? undefined : info.level;
    const allows = rules instanceof HarnessError ? undefined : allowsEdits(rules);
    const isAllowed = !(rules instanceof HarnessError) && hasAllowed(rules);
    this.#engineFacts = {
      of: sessionId,
      isAllowed,
      ...(level === undefined ? {} : { level }),
      ...(allows === undefined ? {} : { allowsEdits: allows }),
    };
    redraw();
  }

  /** Another session is shown: the key was meant for the one before. */
  opened(): void {
    this.#stopRest();
    this.#wanted = undefined;
    this.#refused = undefined;
    inBackground(this.read(), this.#services);
  }

  /**
   * Goes to the next mode, which is shown at once. The engine gets it once the keys rest, or with `settle`. Begins a
   * session if none is open, and waits for the level of one that was just opened: the next mode depends on it.
   */
  async next(): Promise<void> {
    const { open } = this.#services.session;
    if (open === undefined || this.mode === undefined) {
      this.#beginning ??= (open === undefined ? this.#begin() : this.#reading).finally(() => {
        this.#beginning = undefined;
      });
    }
    await this.#beginning;
    const { clock, redraw, say } = this.#services;
    const why = this.#wanted === undefined ? this.#whyNotLeave() : undefined;
    if (why !== undefined) return say(why, "warning");
    const next = modeAfter(this.#refused ?? this.mode);
    this.#refused = undefined;
    this.#stopRest();
    // To come back to the mode of the session is no change, unless one is on its way.
    const isBack = next === this.#current && this.#change === undefined;
    this.#wanted = isBack ? undefined : next;
    if (!isBack) this.#rest = clock.timer(MODE_REST_MS, () => inBackground(this.settle(), this.#services));
    redraw();
  }

  /**
   * Gives the engine the chosen mode at once. Returns false if it is refused: the reason is shown.
   * @throws HarnessError if the session that the key needs cannot be begun.
   */
  async settle(): Promise<boolean> {
    await this.#beginning; // the keys before it are counted first
    this.#stopRest();
    while (this.#change !== undefined) await Promise.allSettled([this.#change]);
    this.#change = this.#makeChange();
    try {
      return await this.#change;
    } finally {
      this.#change = undefined;
    }
  }

  /** Says what the mode of the session allows, if the key goes to it. */
  say(): void {
    const mode = this.#current;
    if (mode !== undefined && mode !== "full access") this.#say(mode);
  }

  [Symbol.dispose](): void {
    this.#stopRest();
  }

  async #begin(): Promise<void> {
    await this.#services.session.session();
    await this.read();
  }

  async #makeChange(): Promise<boolean> {
    const wanted = this.#wanted;
    if (wanted === undefined || wanted === this.#current) {
      this.#wanted = undefined;
      return true;
    }
    try {
      return await this.#goTo(wanted);
    } finally {
      if (this.#wanted === wanted) this.#wanted = undefined;
    }
  }

  async #goTo(mode: ChosenMode): Promise<boolean> {
    const { session, say } = this.#services;
    const { session: sessionId } = await session.session();
    const isPlanning = session.view.run?.planMode === true;
    const why = mode === "plan" ? undefined : this.#whyNotLeave();
    if (why !== undefined) {
      say(why, "warning");
      return false;
    }
    // The level is lowered before plan mode ends, so that nothing runs in between.
    const refused =
      mode === "plan"
        ? await this.#send({ kind: "EnterPlanMode", sessionId })
        : ((await this.#send({ kind: "SetLevel", sessionId, level: LEVEL_OF_MODE[mode] })) ??
          (isPlanning ? await this.#send({ kind: "ExitPlanMode", sessionId, approve: true }) : undefined));
    if (refused !== undefined) {
      this.#refused = mode;
      say(`${mode}: ${refusalText(refused)}`, "failure");
      return false;
    }
    await this.read();
    this.#say(mode);
    return true;
  }

  /** Returns why plan mode cannot be left by a key: to leave it would approve a plan that nobody has read. */
  #whyNotLeave(): string | undefined {
    const { run } = this.#services.session.view;
    if (run?.planMode !== true) return undefined;
    const isAsked = run.questions.some((each) => each.kind === "asked" && each.ask.about === "plan");
    if (isAsked) return PLAN_WAITS;
    return run.turn === undefined ? undefined : PLAN_RUNS;
  }

  async #send(command: Parameters<Services["session"]["send"]>[0]): Promise<HarnessError | undefined> {
    const answer = await this.#services.session.send(command);
    return answer instanceof HarnessError ? answer : undefined;
  }

  #say(mode: ChosenMode): void {
    const { allowsEdits: allows, isAllowed = false } = this.#engineFacts;
    this.#services.say(
      modeText(mode, { isAllowed, ...(allows === undefined ? {} : { allowsEdits: allows }) }),
    );
  }

  #stopRest(): void {
    this.#rest?.[Symbol.dispose]();
    this.#rest = undefined;
  }
}
