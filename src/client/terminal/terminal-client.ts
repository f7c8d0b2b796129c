import { HarnessError, messageOf } from "../../base/errors.ts";
import { refusalText } from "../../view/texts/refusal-text.ts";
import type { NoteTone } from "../../view/transcript/items.ts";
import type { Role } from "./drawing/span.ts";
import { row, span } from "./drawing/span.ts";
import { InputPart } from "./input/input-part.ts";
import type { ActionName } from "./keys/actions.ts";
import { KeyTable } from "./keys/key-table.ts";
import type { Services } from "./layout/services.ts";
import { Stage } from "./layout/stage.ts";
import { farewell } from "./lifecycle/farewell.ts";
import type { TerminalClientOptions, TerminalOutcome } from "./options.ts";
import { openPolicy } from "./questions/policy-panel.ts";
import { QuestionDock } from "./questions/question-dock.ts";
import type { Screen } from "./screen/screen.ts";
import { SessionStore } from "./session/session-store.ts";
import { drawHeader } from "./status/header.ts";
import { drawStatus } from "./status/status-line.ts";
import { SIXTEEN } from "./themes/sixteen.ts";
import { TranscriptPart } from "./transcript/transcript-part.ts";

const INTERRUPT_AGAIN_MS = 2_000;
export const INTERRUPT_BANNER = "Press Ctrl-C again within 2s to exit.";
const TONES: Readonly<Record<NoteTone, Role>> = { info: "accent", warning: "warning", failure: "failure" };

/**
 * Runs the terminal client on the whole screen until the person leaves it ([A] § TUI, TUI-01). The first frame waits for
 * nothing; what is typed before the engine is reached is kept and sent then.
 * @throws the signal's reason when it aborts.
 */
export async function runTerminalClient(options: TerminalClientOptions): Promise<TerminalOutcome> {
  return await new TerminalClient(options).run();
}

/** Joins the parts of the client. Each part stands in its own folder. */
class TerminalClient {
  readonly #options: TerminalClientOptions;
  readonly #leave = new AbortController();
  readonly #left = Promise.withResolvers<TerminalOutcome["why"]>();
  readonly #store: SessionStore;
  readonly #keys = new KeyTable();
  readonly #input: InputPart;
  readonly #transcript: TranscriptPart;
  readonly #stage: Stage;
  readonly #services: Services;
  readonly #screen: Screen;
  #interruptedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: TerminalClientOptions) {
    this.#options = options;
    const signal = AbortSignal.any([options.signal, this.#leave.signal]);
    this.#store = new SessionStore({
      engine: options.engine,
      signal,
      changed: () => this.#screen.redraw(),
      ended: (failure) => this.#tell(failure),
      say: (text) => this.#say(text),
    });
    const services = this.#makeServices();
    this.#services = services;
    this.#input = new InputPart({ send: (text, how) => void this.#send(text, how) });
    this.#transcript = new TranscriptPart(services);
    this.#stage = new Stage({
      parts: {
        header: (columns) => drawHeader(options, columns),
        transcript: this.#transcript,
        queue: () => [],
        dock: new QuestionDock(services),
        input: this.#input,
        status: (columns) => drawStatus(this.#store, columns),
      },
      keys: () => this.#keys,
      theme: () => SIXTEEN,
      act: (action) => this.#act(action),
    });
    this.#screen = options.openScreen({
      draw: (size) => this.#stage.draw(size),
      input: (input) => this.#stage.input(input),
      mouse: "wheel",
    });
  }

  async run(): Promise<TerminalOutcome> {
    const { signal } = this.#options;
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
    try {
      void this.#begin();
      const why = await Promise.race([this.#left.promise, aborted.promise]);
      const session = this.#store.open?.session;
      return session === undefined ? { why } : { why, session };
    } finally {
      this.#leave.abort();
      this.#screen.stop(farewell(this.#store));
    }
  }

  async #begin(): Promise<void> {
    try {
      await this.#store.reach();
      this.#screen.redraw();
      if (this.#options.prompt !== undefined) await this.#send(this.#options.prompt, "queue");
    } catch (thrown) {
      this.#tell(thrown);
    }
  }

  #makeServices(): Services {
    return {
      session: this.#store,
      clock: this.#options.clock,
      keys: this.#keys,
      redraw: () => this.#screen.redraw(),
      say: (text, tone) => this.#say(text, tone),
      open: (overlay) => this.#stage.open(overlay),
      close: (overlay) => this.#stage.close(overlay),
      run: (action) => this.#stage.run(action),
      insert: (text) => void this.#input.type(text),
    };
  }

  async #send(text: string, delivery: "queue" | "steer"): Promise<void> {
    this.#transcript.follow();
    if (text.trim() === "/quit") return this.#left.resolve("quit");
    try {
      const { session: sessionId } = await this.#store.session();
      const content = [{ type: "text" as const, text }];
      const answer = await this.#store.send({ kind: "SendInput", sessionId, content, delivery });
      if (answer instanceof HarnessError) throw answer;
    } catch (thrown) {
      this.#input.bringBack(text); // nothing typed is lost
      this.#tell(thrown);
    }
  }

  #act(action: ActionName): void {
    switch (action) {
      case "app.interrupt":
        this.#interrupt();
        return;
      case "app.leaveIfEmpty":
        if (this.#input.text === "") this.#left.resolve("quit");
        return;
      case "app.suspend":
        this.#screen.stopJob();
        return;
      case "turn.cancel":
        void this.#cancel();
        return;
      case "policy.open":
        openPolicy(this.#services);
        return;
      default:
        return;
    }
  }

  #interrupt(): void {
    const now = this.#options.clock.monotonic();
    const isSecond = now - this.#interruptedAtMs <= INTERRUPT_AGAIN_MS;
    this.#interruptedAtMs = now;
    if (isSecond) this.#left.resolve("interrupt");
    else if (this.#store.view.run?.turn === undefined) this.#input.clear();
    else void this.#cancel();
    this.#say(INTERRUPT_BANNER, "warning");
  }

  async #cancel(): Promise<void> {
    const { open, view } = this.#store;
    if (open === undefined || view.run?.turn === undefined) return;
    const answer = await this.#store.send({ kind: "CancelTurn", sessionId: open.session });
    if (answer instanceof HarnessError) this.#tell(answer);
  }

  #say(text: string, tone: NoteTone = "info"): void {
    this.#stage.say(row([span(text, { role: TONES[tone] })]));
    this.#screen.redraw();
  }

  #tell(failure: unknown): void {
    if (failure === undefined) return;
    this.#say(failure instanceof HarnessError ? refusalText(failure) : messageOf(failure), "failure");
  }
}
