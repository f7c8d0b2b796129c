import { transcriptText } from "../../../view/transcript/source/transcript-text.ts";
import type { Services } from "../layout/services.ts";
import { wholeTranscript } from "../transcript/browse/whole-transcript.ts";

/** Leaves the transcript on the main screen when the client ends, if the person wants it there. */
export class ExitTranscript {
  readonly #services: Pick<Services, "session" | "settings" | "say" | "showFailure">;
  #isAsked = false;
  #reading: AbortController | undefined;

  constructor(services: Pick<Services, "session" | "settings" | "say" | "showFailure">) {
    this.#services = services;
  }

  /** Asks for it once, whatever the setting says. */
  ask(): void {
    this.#isAsked = true;
  }

  /** Ends the reading of pages that are not loaded. Returns false if none are read. */
  interrupt(): boolean {
    this.#reading?.abort();
    return this.#reading !== undefined;
  }

  /** Returns the lines to print; none if the person does not want them. Reads the pages that are not loaded. */
  async lines(): Promise<readonly string[]> {
    const { settings, say } = this.#services;
    if (!this.#isAsked && !settings.values.transcriptAtExit) return [];
    const reading = new AbortController();
    this.#reading = reading;
    say("Reading the transcript. Ctrl-C prints what is there.");
    const text = transcriptText(await wholeTranscript(this.#services, reading.signal));
    return text === "" ? [] : text.split("\n");
  }
}
