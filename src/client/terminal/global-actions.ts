import { HarnessError } from "../../base/errors.ts";
import { INTERRUPT_BANNER } from "../../view/terminal/interrupt-banner.ts";
import type { ActionName, KeyContext } from "./keys/actions.ts";
import { ACTIONS } from "./keys/actions.ts";
import type { TerminalFeature } from "./layout/feature.ts";
import { inBackground } from "./layout/in-background.ts";
import type { Services } from "./layout/services.ts";
import type { ExitTranscript } from "./lifecycle/exit-transcript.ts";
import type { TerminalOutcome } from "./options.ts";
import type { TerminalScreen } from "./screen/screen.ts";

const INTERRUPT_AGAIN_MS = 2_000;
/** Contexts whose actions are there at any time. */
const ANYWHERE: readonly KeyContext[] = ["global", "input", "emptyDraft"];
export const NO_EFFECT = "Nothing does this here";

export interface GlobalActionsOptions {
  readonly services: Pick<Services, "session" | "clock" | "say" | "showFailure">;
  readonly features: () => readonly TerminalFeature[];
  readonly draft: { readonly text: string; clear(): void };
  /** Messages that the engine has not taken. */
  readonly outgoing: { readonly isSending: boolean; cancel(): void };
  readonly screen: () => Pick<TerminalScreen, "suspend" | "resume" | "stopJob">;
  readonly exitTranscript: Pick<ExitTranscript, "ask" | "interrupt">;
  readonly leave: (why: TerminalOutcome["why"]) => void;
}

/** Carries out actions that no part with the focus has taken: those of the client itself, and those of features. */
export class GlobalActions {
  readonly #options: GlobalActionsOptions;
  #interruptedAtMs = Number.NEGATIVE_INFINITY;
  #cleared = "";

  constructor(options: GlobalActionsOptions) {
    this.#options = options;
  }

  /** Draft that the last Ctrl-C has cleared. */
  get cleared(): string {
    return this.#cleared;
  }

  act(action: ActionName): void {
    const { draft, exitTranscript, leave, screen } = this.#options;
    switch (action) {
      case "app.interrupt":
        this.#interrupt();
        return;
      case "app.leaveIfEmpty":
        if (draft.text === "") leave("quit");
        return;
      case "app.redraw":
        screen().suspend();
        screen().resume();
        return;
      case "app.leaveAndPrint":
        exitTranscript.ask();
        leave("quit");
        return;
      case "app.suspend":
        screen().stopJob();
        return;
      case "turn.cancel":
        if (this.#stopOwn()) return;
        if (this.#isWorking) this.#cancel();
        else this.#actByFeature(action);
        return;
      default:
        this.#actByFeature(action);
    }
  }

  #actByFeature(action: ActionName): void {
    const { features, services } = this.#options;
    const act = features().find(({ actions }) => actions?.[action] !== undefined)?.actions?.[action];
    // A key of a list or a panel may have nothing to do in one of them. Others always have.
    if (act !== undefined) act();
    else if (ANYWHERE.includes(ACTIONS[action].context))
      services.say(`${NO_EFFECT}: ${ACTIONS[action].help}`);
  }

  #interrupt(): void {
    const { draft, exitTranscript, leave, services } = this.#options;
    if (exitTranscript.interrupt()) return;
    if (this.#stopOwn()) return; // as in a shell: it is no step on the way out
    const now = services.clock.monotonic();
    const isSecond = now - this.#interruptedAtMs <= INTERRUPT_AGAIN_MS;
    this.#interruptedAtMs = now;
    if (isSecond) leave("interrupt");
    else if (this.#isWorking) this.#cancel();
    else {
      this.#cleared = draft.text;
      draft.clear();
    }
    services.say(INTERRUPT_BANNER, "warning");
  }

  /** Stops what a feature runs for the person. Returns false if nothing of theirs runs. */
  #stopOwn(): boolean {
    return this.#options.features().some((feature) => feature.stop?.() === true);
  }

  /** True while a turn runs, or a message is on its way. */
  get #isWorking(): boolean {
    const { outgoing, services } = this.#options;
    return services.session.view.run?.turn !== undefined || outgoing.isSending;
  }

  #cancel(): void {
    this.#options.outgoing.cancel();
    inBackground(this.#cancelTurn(), this.#options.services);
  }

  async #cancelTurn(): Promise<void> {
    const { session, showFailure } = this.#options.services;
    if (session.open === undefined) return;
    const answer = await session.send({ kind: "CancelTurn", sessionId: session.open.session });
    if (answer instanceof HarnessError) showFailure(answer);
  }
}
