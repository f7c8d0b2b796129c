import { HarnessError } from "../../../../base/errors.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { ShellLine } from "../../../../view/slash/shell-line.ts";
import { parseShellLine } from "../../../../view/slash/shell-line.ts";
import { OwnShellRuns } from "../../../slash/own-shell-runs.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { OpenSession } from "../../options.ts";
import { shownSender } from "../../session/shown-sender.ts";
import { shellLabel } from "./shell-label.ts";

/** Runs lines that begin with `!` as commands for the shell of the session (TUI-08). */
export function shellLines(services: Services): TerminalFeature {
  return new ShellLines(services);
}

class ShellLines implements TerminalFeature {
  readonly #services: Services;
  readonly #end = new AbortController();
  /** Commands that this person runs in the session that is shown. */
  #own: { readonly of: OpenSession; readonly runs: OwnShellRuns } | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  above(columns: number): readonly DrawnRow[] {
    const { text } = this.#services.draft.edited;
    const line = text.startsWith("!") ? parseShellLine(text) : undefined;
    return line === undefined ? [] : [shellLabel(line, columns)];
  }

  changed(envelope: Envelope): void {
    this.#own?.runs.add(envelope);
  }

  send(text: string): boolean {
    const line = parseShellLine(text);
    if (line === undefined) return false;
    if (line.command === "") {
      this.#services.draft.bringBack(text);
      this.#services.say("Write the command behind the !, as in !git status.", "warning");
    } else inBackground(this.#run(line, text), this.#services);
    return true;
  }

  stop(): boolean {
    const runs = this.#own?.runs;
    if (runs?.mayStop !== true) return false;
    inBackground(runs.stop(), this.#services);
    return true;
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  async #run(line: ShellLine, typed: string): Promise<void> {
    const { session, draft, showFailure } = this.#services;
    try {
      const refused = await this.#runsOf(await session.session()).run(line);
      if (refused instanceof HarnessError) throw refused;
    } catch (thrown) {
      if (this.#end.signal.aborted) return;
      draft.bringBack(typed); // nothing typed is lost
      showFailure(thrown);
    }
  }

  #runsOf(open: OpenSession): OwnShellRuns {
    if (this.#own?.of === open) return this.#own.runs;
    const sender = shownSender(this.#services, this.#end.signal, async (text) => this.#services.say(text));
    this.#own = { of: open, runs: new OwnShellRuns({ session: open.session, sender }) };
    return this.#own.runs;
  }
}
