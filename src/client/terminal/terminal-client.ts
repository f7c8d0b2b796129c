import { HarnessError, messageOf } from "../../base/errors.ts";
import { refusalText } from "../../view/texts/refusal-text.ts";
import type { NoteTone } from "../../view/transcript/items.ts";
import type { Role } from "./drawing/span.ts";
import { row, span } from "./drawing/span.ts";
import { FEATURES } from "./features.ts";
import { InputPart } from "./input/input-part.ts";
import type { ActionName } from "./keys/actions.ts";
import { KeyTable } from "./keys/key-table.ts";
import type { Feature, SendHow } from "./layout/feature.ts";
import type { Services } from "./layout/services.ts";
import { Stage } from "./layout/stage.ts";
import { farewell } from "./lifecycle/farewell.ts";
import type { TerminalClientOptions, TerminalOutcome } from "./options.ts";
import { QuestionDock } from "./questions/question-dock.ts";
import type { Screen } from "./screen/screen.ts";
import { SessionStore } from "./session-store.ts";
import { KeptSettings } from "./settings/kept-settings.ts";
import type { Header } from "./status/header.ts";
import { drawHeader } from "./status/header.ts";
import { StatusPart } from "./status/status-part.ts";
import { NO_COLOURS } from "./themes/none.ts";
import { SIXTEEN } from "./themes/sixteen.ts";
import { TranscriptPart } from "./transcript/transcript-part.ts";

const INTERRUPT_AGAIN_MS = 2_000;
export const INTERRUPT_BANNER = "Press Ctrl-C again within 2s to exit.";
const TONES: Readonly<Record<NoteTone, Role>> = { info: "accent", warning: "warning", failure: "failure" };

/**
 * Runs the terminal client on the whole screen until the person leaves it ([A] § TUI, TUI-01). The first frame waits
 * for nothing; text that is typed before the engine is reached is kept and sent then.
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
  readonly #status: StatusPart;
  readonly #stage: Stage;
  readonly #screen: Screen;
  readonly #settings: KeptSettings;
  readonly #features: readonly Feature[];
  #interruptedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: TerminalClientOptions) {
    this.#options = options;
    const signal = AbortSignal.any([options.signal, this.#leave.signal]);
    this.#store = new SessionStore({
      engine: options.engine,
      signal,
      changed: (envelope, step) => {
        this.#status.add(envelope);
        for (const feature of this.#features) feature.changed?.(envelope, step);
        this.#screen.redraw();
      },
      opened: () => this.#opened(),
      completed: () => this.#screen.redraw(),
      ended: (failure) => this.#tell(failure),
      refused: (failure) => this.#tell(failure),
      say: (text) => this.#say(text),
    });
    this.#settings = new KeptSettings();
    const services = this.#makeServices();
    this.#input = new InputPart({
      services,
      workingDir: options.workingDir,
      send: (text, how) => this.#send(text, how),
    });
    this.#transcript = new TranscriptPart(services);
    this.#status = new StatusPart(services, { isQuiet: options.isQuiet ?? false });
    this.#stage = new Stage({
      parts: {
        header: (columns) => drawHeader(this.#header(), columns),
        transcript: this.#transcript,
        above: (columns) => this.#features.flatMap((feature) => feature.above?.(columns) ?? []),
        dock: new QuestionDock(services),
        input: this.#input,
        rule: (columns) => this.#status.rule(columns, this.#transcript.isAway),
        status: (columns) => this.#status.status(columns),
      },
      keys: () => this.#keys,
      theme: () => (options.hasColours === false ? NO_COLOURS : SIXTEEN),
      act: (action) => this.#act(action),
    });
    this.#features = FEATURES.map((make) => make(services));
    // The first frame is drawn at once: all parts are there.
    this.#screen = options.openScreen({
      draw: (size) => this.#stage.draw(size),
      input: (input) => {
        if (input.kind === "focus") for (const feature of this.#features) feature.focused?.(input.isFocused);
        this.#stage.input(input);
      },
      mouse: this.#settings.values.mouse,
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
      for (const feature of this.#features) feature[Symbol.dispose]?.();
      this.#screen.stop(farewell(this.#store));
    }
  }

  async #begin(): Promise<void> {
    try {
      await this.#store.reach();
      for (const feature of this.#features) feature.reached?.();
      this.#screen.redraw();
      await this.#input.attached();
      if (this.#options.prompt !== undefined) this.#send(this.#options.prompt, "queue");
    } catch (thrown) {
      this.#tell(thrown);
    }
  }

  #makeServices(): Services {
    const client = this;
    return {
      session: this.#store,
      get draft() {
        return client.#input;
      },
      get screen() {
        return client.#screen;
      },
      host: this.#options.host,
      settings: this.#settings,
      workingDir: this.#options.workingDir,
      clock: this.#options.clock,
      keys: this.#keys,
      redraw: () => this.#screen.redraw(),
      say: (text, tone) => this.#say(text, tone),
      tell: (failure) => this.#tell(failure),
      open: (overlay) => this.#stage.open(overlay),
      close: (overlay) => this.#stage.close(overlay),
      run: (action) => this.#stage.run(action),
      submit: (text, how) => this.#send(text, how),
      leave: () => this.#left.resolve("quit"),
    };
  }

  /** Sends a text: by the first feature that takes it, else as an input of the session. */
  #send(text: string, how: SendHow): void {
    this.#transcript.follow();
    if (this.#features.some((feature) => feature.send?.(text, how) === true)) return;
    void this.#sendInput(text, how);
  }

  async #sendInput(text: string, delivery: SendHow): Promise<void> {
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
      default:
        this.#features.find(({ actions }) => actions?.[action] !== undefined)?.actions?.[action]?.();
    }
  }

  #opened(): void {
    this.#status.begin();
    this.#transcript.follow();
    for (const feature of this.#features) feature.opened?.();
    this.#screen.redraw();
    void this.#input.attached().catch((thrown: unknown) => this.#tell(thrown));
  }

  #header(): Header {
    const { version, workingDir, clock } = this.#options;
    const { last, open } = this.#store;
    const header = {
      version,
      workingDir,
      isChoosing: open === undefined,
      keys: this.#keys,
      nowMs: clock.now(),
    };
    return last === undefined ? header : { ...header, last };
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
