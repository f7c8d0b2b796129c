import { HarnessError } from "../../../../base/errors.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";

const PROGRAM = "cinch";

/** States of a session, as the first characters of the title: tabs show no more. */
const MARKS = { waiting: "? ", working: "● ", idle: "" } as const;

/** Names the window after the session that is shown, and its state. */
export class SessionTitle {
  readonly #services: Services;
  /** Title of the session as the engine makes it. */
  #made = "";
  #shown: string | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The title of the session; empty without one. */
  get session(): string {
    return this.#services.session.view.title ?? this.#made;
  }

  /** Forgets the session before. */
  begin(): void {
    this.#made = "";
    this.show();
    inBackground(this.read(), this.#services);
  }

  /** Reads the title that the engine has made from the first prompt. */
  async read(): Promise<void> {
    const { session } = this.#services;
    const { open } = session;
    if (open === undefined) return;
    const answer = await session.infoOf(open);
    // Without an answer the window keeps the name of the folder.
    if (answer instanceof HarnessError || session.open !== open) return;
    this.#made = answer.title;
    this.show();
  }

  /** Shows the title if it has changed. */
  show(): void {
    const { session, screen, workingDir } = this.#services;
    const run = session.open === undefined ? undefined : session.view.run;
    const isWaiting = (run?.questions.length ?? 0) > 0;
    const state = isWaiting ? "waiting" : run?.turn === undefined ? "idle" : "working";
    const name = this.session === "" ? (workingDir.split("/").at(-1) ?? "") : this.session;
    const title = `${MARKS[state]}${name === "" ? PROGRAM : `${name} · ${PROGRAM}`}`;
    if (title === this.#shown) return;
    this.#shown = title;
    screen.setTitle(title);
  }
}
