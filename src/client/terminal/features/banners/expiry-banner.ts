import { HarnessError } from "../../../../base/errors.ts";
import type { SessionId } from "../../../../base/ids.ts";
import { expiringSessionsText } from "../../../../view/notes/expiry-text.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { OpenSession } from "../../options.ts";
import type { BannerBoard } from "./banner-board.ts";

const KEY = "expiring";

/** The notice about sessions that are about to expire (SES-06): at the start, until the person hides it. */
export class ExpiryBanner {
  readonly #services: Pick<Services, "session" | "say" | "showFailure" | "redraw">;
  readonly #board: BannerBoard;
  /** True once the engine has named them. */
  #isKnown = false;

  constructor(services: Pick<Services, "session" | "say" | "showFailure" | "redraw">, board: BannerBoard) {
    this.#services = services;
    this.#board = board;
  }

  /** Reads them from the engine, before any session is open. A failure is shown. */
  read(): void {
    inBackground(this.#read(), this.#services);
  }

  /** Shows the notice that came with the start of a session, unless the engine has named the sessions itself. */
  opened({ expiring, session }: Pick<OpenSession, "expiring" | "session">): void {
    // Else it is there since the engine was reached, or was hidden meanwhile.
    if (!this.#isKnown && expiring !== undefined) this.#show(expiring, session);
  }

  async #read(): Promise<void> {
    const { session, redraw } = this.#services;
    const answer = await session.query({ kind: "ListExpiring" });
    // An older engine does not know the query: then the notices of a session have the warning.
    if (answer instanceof HarnessError) return;
    this.#isKnown = true;
    const { sessions, total, dismissed } = answer;
    const [first] = sessions;
    if (first === undefined || dismissed) return;
    this.#show(expiringSessionsText(sessions, total), first);
    redraw();
  }

  #show(text: string, of: SessionId): void {
    const hidden = () => inBackground(this.#dismiss(of), this.#services);
    this.#board.put({ key: KEY, text, tone: "warning", hidden });
  }

  /** Hides it for good: until another session is about to expire. */
  async #dismiss(sessionId: SessionId): Promise<void> {
    const { session, say } = this.#services;
    const answer = await session.send({ kind: "DismissExpiring", sessionId });
    if (answer instanceof HarnessError) say(refusalText(answer), "failure");
    else say("Hidden until another session is about to expire.");
  }
}
