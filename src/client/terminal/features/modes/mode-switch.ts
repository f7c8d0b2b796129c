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
import type { Services } from "../../layout/services.ts";

const PLAN_WAITS = "A plan waits for your answer: approve it or refuse it first.";
const PLAN_RUNS =
  "The model is planning. Plan mode ends when you approve its plan; to leave it now, cancel the turn first.";

/** The mode of the session that is shown, and the way to the next one. One change is made at a time. */
export class ModeSwitch {
  readonly #services: Services;
  /** Facts about one session that only the engine has. */
  #engineFacts: Omit<ModeFacts, "planMode"> & { readonly of?: SessionId; readonly isAllowed?: boolean } = {};
  /** The mode that a person has gone to, until the engine has it or refuses it. */
  #wanted: ChosenMode | undefined;
  /** A mode that was refused: the next one is behind it. */
  #refused: ChosenMode | undefined;
  #isWorking = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The mode of the session; of the next one while none is open. Undefined: its level is unknown. */
  get mode(): SessionMode | undefined {
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
    const { session, redraw } = this.#services;
    const { open } = session;
    if (open === undefined) return;
    const { session: sessionId } = open;
    const [info, rules] = await Promise.all([
      session.query({ kind: "GetSession", sessionId, last: 0 }),
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

  /** Goes to the next mode. Begins a session if none is open. */
  async next(): Promise<void> {
    if (this.#wanted === undefined && this.#services.session.open === undefined) {
      await this.#services.session.session();
      await this.read();
    }
    this.#wanted = modeAfter(this.#refused ?? this.#wanted ?? this.mode);
    this.#refused = undefined;
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      while (this.#wanted !== undefined) {
        const wanted: ChosenMode = this.#wanted;
        await this.#goTo(wanted);
        if (this.#wanted === wanted) this.#wanted = undefined;
      }
    } finally {
      this.#isWorking = false;
      this.#wanted = undefined;
    }
  }

  async #goTo(mode: ChosenMode): Promise<void> {
    const { session, say } = this.#services;
    const { session: sessionId } = await session.session();
    const isPlanning = session.view.run?.planMode === true;
    if (mode !== "plan" && isPlanning) {
      const why = this.#whyNotLeave();
      if (why !== undefined) return say(why, "warning");
    }
    // The level is lowered before plan mode ends, so that nothing runs in between.
    const refused =
      mode === "plan"
        ? await this.#send({ kind: "EnterPlanMode", sessionId })
        : ((await this.#send({ kind: "SetLevel", sessionId, level: LEVEL_OF_MODE[mode] })) ??
          (isPlanning ? await this.#send({ kind: "ExitPlanMode", sessionId, approve: true }) : undefined));
    if (refused !== undefined) {
      this.#refused = mode;
      return say(`${mode}: ${refusalText(refused)}`, "failure");
    }
    await this.read();
    const { allowsEdits: allows, isAllowed = false } = this.#engineFacts;
    say(modeText(mode, { isAllowed, ...(allows === undefined ? {} : { allowsEdits: allows }) }));
  }

  /** Returns why plan mode cannot be left by a key: to leave it would approve a plan that nobody has read. */
  #whyNotLeave(): string | undefined {
    const { run } = this.#services.session.view;
    const isAsked = run?.questions.some((each) => each.kind === "asked" && each.ask.about === "plan");
    if (isAsked === true) return PLAN_WAITS;
    return run?.turn === undefined ? undefined : PLAN_RUNS;
  }

  async #send(command: Parameters<Services["session"]["send"]>[0]): Promise<HarnessError | undefined> {
    const answer = await this.#services.session.send(command);
    return answer instanceof HarnessError ? answer : undefined;
  }
}
