import { inBackground } from "./in-background.ts";
import type { Services } from "./services.ts";

/**
 * Runs requests one at a time, so that a slow engine gets no pile of them: of those that come meanwhile only the newest
 * is run. A failure is shown, and the next request is run.
 */
export class LatestRequest<Request> {
  readonly #services: Pick<Services, "showFailure">;
  readonly #run: (request: Request, isNewest: () => boolean) => Promise<void>;
  /** The newest request, until it is forgotten. */
  #newest: { readonly request: Request } | undefined;
  /** The newest request, until it is run. */
  #next: { readonly request: Request } | undefined;
  #isRunning = false;

  /** @param run is given a test that is true until another request comes, or this one is forgotten. */
  constructor(
    services: Pick<Services, "showFailure">,
    run: (request: Request, isNewest: () => boolean) => Promise<void>,
  ) {
    this.#services = services;
    this.#run = run;
  }

  want(request: Request): void {
    this.#newest = { request };
    this.#next = this.#newest;
    if (!this.#isRunning) inBackground(this.#runAll(), this.#services);
  }

  /** Wants nothing any more. */
  forget(): void {
    this.#newest = undefined;
    this.#next = undefined;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      const { request } = next;
      const wanted = next;
      try {
        await this.#run(request, () => this.#newest === wanted);
      } catch (thrown) {
        this.#services.showFailure(thrown);
      }
    }
    this.#isRunning = false;
  }

  #take(): { readonly request: Request } | undefined {
    const next = this.#next;
    this.#next = undefined;
    return next;
  }
}
