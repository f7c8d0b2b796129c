import { HarnessError } from "../../../base/errors.ts";
import { DRAFT_CHARACTERS_MAX } from "../../../protocol/commands/run-limits.ts";
import type { Services } from "../layout/services.ts";

/** The reader whose draft it is, for the engine. */
export const DRAFT_READER = "cinch-terminal";
/** Pause in the changes after which a draft is kept. */
export const DRAFT_PAUSE_MS = 300;

/** Keeps the draft in the session that is shown, so that it survives the end of this client (TUI-10). */
export class DraftKeeper {
  readonly #services: Pick<Services, "session" | "clock" | "say">;
  readonly #read: () => string;
  /** The draft that the engine has, and its session. */
  #kept: { readonly session: string; readonly text: string } | undefined;
  #timer: Disposable | undefined;
  #isSending = false;
  #isCutSaid = false;

  /** `read` returns the draft as it is. */
  constructor(services: Pick<Services, "session" | "clock" | "say">, read: () => string) {
    this.#services = services;
    this.#read = read;
  }

  /** Keeps the draft once it has not changed for `DRAFT_PAUSE_MS`. */
  changed(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#services.clock.timer(DRAFT_PAUSE_MS, () => void this.#keep());
  }

  /** Returns the draft that the session has; empty if it has none, or none can be read. */
  async restored(): Promise<string> {
    const { session } = this.#services;
    if (session.open === undefined) return "";
    const sessionId = session.open.session;
    const answer = await session.query({ kind: "GetDraft", sessionId, reader: DRAFT_READER });
    if (answer instanceof HarnessError) return "";
    this.#kept = { session: sessionId, text: answer.text };
    return answer.text;
  }

  async #keep(): Promise<void> {
    const { session, say } = this.#services;
    // The newest draft is kept behind the one that is on its way.
    if (session.open === undefined || this.#isSending) return;
    const sessionId = session.open.session;
    const whole = this.#read();
    const text = whole.slice(0, DRAFT_CHARACTERS_MAX);
    const isNew = this.#kept?.session !== sessionId && text !== "";
    if (!isNew && (this.#kept?.text ?? "") === text) return;
    this.#isSending = true;
    const answer = await session.send({ kind: "SetDraft", sessionId, text, reader: DRAFT_READER });
    this.#isSending = false;
    if (answer instanceof HarnessError) return;
    this.#kept = { session: sessionId, text };
    if (whole.length > text.length && !this.#isCutSaid) {
      this.#isCutSaid = true;
      say(`The draft is long: after a crash only its first ${text.length} characters come back.`, "warning");
    }
    if (this.#read().slice(0, DRAFT_CHARACTERS_MAX) !== text) this.changed();
  }
}
