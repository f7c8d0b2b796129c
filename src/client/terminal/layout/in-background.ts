import type { Services } from "./services.ts";

/** Lets a work run on its own; its failure is shown to the person. */
export function inBackground(work: Promise<unknown>, { showFailure }: Pick<Services, "showFailure">): void {
  work.catch((thrown: unknown) => showFailure(thrown));
}
