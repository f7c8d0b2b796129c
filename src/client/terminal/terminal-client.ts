import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { EventSeq } from "../../base/ids.ts";
import { engineFailed } from "../../view/notes/engine-text.ts";
import { cutEnd } from "../../view/terminal/display-width.ts";
import { homePath } from "../../view/terminal/home-path.ts";
import { refusalText } from "../../view/texts/refusal-text.ts";
import type { NoteTone } from "../../view/transcript/items.ts";
import type { DrawnRow } from "./drawing/span.ts";
import { row, span } from "./drawing/span.ts";
import { TONE_ROLES } from "./drawing/tones.ts";
import { TERMINAL_FEATURES } from "./features.ts";
import { GlobalActions } from "./global-actions.ts";
import { ImageUploads } from "./images/image-uploads.ts";
import { InlineTranscript } from "./inline/inline-transcript.ts";
import { InputPart } from "./input/input-part.ts";
import { textMessage } from "./input/message.ts";
import { MessageRouter } from "./input/message-router.ts";
import type { MakeTerminalFeature, TerminalFeature } from "./layout/feature.ts";
import { inBackground } from "./layout/in-background.ts";
import { ScreenLayout } from "./layout/screen-layout.ts";
import type { Services } from "./layout/services.ts";
import type { UnsentTexts } from "./lifecycle/exit-lines.ts";
import { exitLines } from "./lifecycle/exit-lines.ts";
import { ExitTranscript } from "./lifecycle/exit-transcript.ts";
import { guardedClock } from "./lifecycle/guarded-clock.ts";
import { LentTerminal } from "./lifecycle/lent-terminal.ts";
import type { TerminalClientOptions, TerminalOutcome } from "./options.ts";
import { QuestionDock } from "./questions/question-dock.ts";
import type { MouseMode, Size, TerminalScreen } from "./screen/screen.ts";
import { SessionFollower } from "./session/session-follower.ts";
import { KeptSettings } from "./settings/kept-settings.ts";
import type { Header } from "./status/header.ts";
import { drawHeader } from "./status/header.ts";
import { StatusPart } from "./status/status-part.ts";
import { ThemeChoice } from "./themes/theme-choice.ts";
import { TranscriptPart } from "./transcript/transcript-part.ts";

/** Longest wait for the engine to keep the draft when the client ends. */
const SETTLE_MS_MAX = 1_000;

/**
 * Runs the terminal client on the whole screen until the person leaves it ([A] § TUI, TUI-01). The first frame waits
 * for nothing; text that is typed before the engine is reached is kept and sent then.
 * @throws the signal's reason when it aborts.
 */
export async function runTerminalClient(
  options: TerminalClientOptions,
  features: readonly MakeTerminalFeature[] = TERMINAL_FEATURES,
): Promise<TerminalOutcome> {
  return await new TerminalClient(options, features).run();
}

/** Joins the parts of the client. Each part stands in its own folder. */
class TerminalClient {
  readonly #options: TerminalClientOptions;
  readonly #leave = new AbortController();
  /** Aborts once the client leaves. */
  readonly #signal: AbortSignal;
  readonly #left = Promise.withResolvers<TerminalOutcome["why"]>();
  readonly #store: SessionFollower;
  readonly #input: InputPart;
  readonly #messages: MessageRouter;
  readonly #transcript: TranscriptPart;
  /** Present where the client shares the screen with a scrollback. */
  readonly #inline: InlineTranscript | undefined;
  readonly #status: StatusPart;
  readonly #dock: QuestionDock;
  readonly #exitTranscript: ExitTranscript;
  readonly #actions: GlobalActions;
  readonly #stage: ScreenLayout;
  readonly #screen: TerminalScreen;
  readonly #settings: KeptSettings;
  readonly #services: Services;
  readonly #themes: ThemeChoice;
  #features: readonly TerminalFeature[] = [];
  #mouse: MouseMode;

  constructor(options: TerminalClientOptions, features: readonly MakeTerminalFeature[]) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#leave.signal]);
    this.#store = this.#makeStore();
    this.#settings = new KeptSettings({
      host: options.host,
      changed: () => this.#settingsChanged(),
      showFailure: (failure) => this.#showFailure(failure),
    });
    this.#mouse = this.#settings.values.mouse;
    this.#themes = new ThemeChoice({
      environment: options.host.environment,
      hasColours: options.hasColours ?? true,
      name: () => this.#settings.values.theme,
      rightToLeft: () => this.#settings.values.rightToLeft,
    });
    const services = this.#makeServices();
    this.#services = services;
    const uploads = new ImageUploads(services.session);
    this.#messages = this.#makeMessages(uploads);
    this.#input = new InputPart({
      services,
      uploads,
      outgoing: this.#messages,
      workingDir: options.workingDir,
      send: (message, how) => this.#messages.send(message, how),
    });
    this.#transcript = new TranscriptPart(services);
    this.#inline =
      options.isInline === true
        ? new InlineTranscript(services, this.#transcript, (columns) =>
            drawHeader(this.#header(), columns).slice(0, 1),
          )
        : undefined;
    this.#status = new StatusPart(services, {
      isQuiet: options.isQuiet ?? false,
      mode: () => firstOf(this.#features, (feature) => feature.mode?.()),
    });
    this.#dock = new QuestionDock(services);
    this.#exitTranscript = new ExitTranscript(services);
    this.#actions = this.#makeActions();
    this.#stage = this.#makeLayout();
    this.#features = features.map((make) => make(services));
    // The first frame is drawn at once: all parts are there.
    this.#screen = options.openScreen({
      draw: (size) => this.#stage.draw(size),
      finished: (size, isLast) => this.#stage.finished(size, isLast),
      input: (input) => {
        if (input.kind === "background") this.#themes.setBackground(input.colour);
        if (input.kind === "focus") this.#eachFeature((feature) => feature.focused?.(input.isFocused));
        this.#stage.input(input);
      },
      mouse: this.#mouse,
    });
    this.#eachFeature((feature) => feature.started?.());
  }

  #makeStore(): SessionFollower {
    return new SessionFollower({
      engine: this.#options.engine,
      signal: this.#signal,
      changed: (envelope, step) => {
        this.#safely(() => this.#status.add(envelope));
        this.#safely(() => this.#dock.changed());
        this.#eachFeature((feature) => feature.changed?.(envelope, step));
        this.#screen.redraw();
      },
      opened: (at) => this.#opened(at),
      completed: () => this.#screen.redraw(),
      ended: (failure) => this.#showFailure(failure),
      refused: (failure) => this.#showFailure(failure),
      say: (text) => this.#say(text),
    });
  }

  #makeLayout(): ScreenLayout {
    const inline = this.#inline;
    return new ScreenLayout({
      parts: {
        // An inline client writes the first row once, above everything.
        header: (columns) => drawHeader(this.#header(), columns).slice(inline === undefined ? 0 : 1),
        transcript: inline ?? this.#transcript,
        ...(inline === undefined
          ? {}
          : { finished: (size: Size, isLast: boolean) => inline.finished(size, isLast) }),
        above: (columns) => this.#features.flatMap((feature) => rowsAbove(feature, columns)),
        dock: this.#dock,
        offer: () => firstOf(this.#features, ({ offer }) => offer),
        input: this.#input,
        side: () => firstOf(this.#features, ({ side }) => side),
        rule: (columns) =>
          this.#status.rule(columns, inline === undefined ? this.#transcript.newBlocks : undefined),
        status: (columns) => this.#status.status(columns),
        drawn: () => this.#status.drawn(),
      },
      isInline: inline !== undefined,
      keys: () => this.#settings.keys,
      clock: this.#services.clock,
      redraw: () => this.#screen.redraw(),
      theme: () => this.#themes.theme,
      alwaysShowsCursor: () => this.#settings.values.visibleCursor,
      act: (action) => this.#actions.act(action),
    });
  }

  async run(): Promise<TerminalOutcome> {
    let printed: readonly string[] = [];
    try {
      inBackground(this.#settings.reload(), this.#services);
      inBackground(this.#begin(), this.#services);
      inBackground(this.#readNotices(), this.#services);
      const why = await whileAlive(this.#left.promise, this.#options.signal);
      await this.#settle();
      // An inline screen has the transcript in its scrollback.
      if (this.#inline === undefined)
        printed = await whileAlive(this.#exitTranscript.lines(), this.#options.signal);
      const session = this.#store.open?.session;
      return session === undefined ? { why } : { why, session };
    } finally {
      // The end of the client ends what is on its way, too.
      const unsent = this.#unsent;
      this.#leave.abort();
      this.#stage.say(undefined);
      this.#eachFeature((feature) => feature[Symbol.dispose]?.());
      this.#screen.stop([...printed, ...exitLines(this.#store, unsent)]);
      // A frame may begin timers: these parts end behind the last one.
      for (const part of [this.#transcript, this.#dock, this.#status, this.#input]) part[Symbol.dispose]();
    }
  }

  /**
   * Keeps what was written, and leaves the session, before the client ends. An engine that does not answer in time ends
   * the wait.
   */
  async #settle(): Promise<void> {
    const { clock, signal } = this.#options;
    using limit = deadline(clock, SETTLE_MS_MAX, signal);
    try {
      await whileAlive(Promise.all([this.#input.settle(), this.#settings.settle()]), limit.signal);
      // A message on its way may begin a turn.
      if (this.#messages.unsent.length === 0) await whileAlive(this.#store.leave(), limit.signal);
    } catch (thrown) {
      if (!limit.reached && !(thrown instanceof HarnessError)) throw thrown;
    }
  }

  /** Texts that were written and not sent. */
  get #unsent(): UnsentTexts {
    const isReached = this.#store.self !== undefined;
    const { slow, unsent } = this.#messages;
    const { text, unkept } = this.#input;
    const sending = (isReached ? slow : unsent).map((message) => message.text);
    return { sending, drafts: [this.#actions.cleared, text], unkept };
  }

  async #begin(): Promise<void> {
    try {
      await this.#store.reach();
      this.#eachFeature((feature) => feature.reached?.());
      inBackground(this.#status.reached(), this.#services);
      this.#screen.redraw();
      const { choosesSession = false, prompt } = this.#options;
      if (choosesSession) this.#services.run("session.open");
      await this.#input.attached();
      if (prompt === undefined) return;
      // It is meant for the session that the person is about to choose.
      if (choosesSession) this.#input.bringBack(prompt);
      else this.#messages.send(textMessage(prompt), "queue");
    } catch (thrown) {
      if (this.#store.hasFailed) this.#eachFeature((feature) => feature.engineNotice?.(engineFailed(thrown)));
      else this.#showFailure(thrown);
      this.#screen.redraw();
    }
  }

  async #readNotices(): Promise<void> {
    const { notices, signal } = this.#options;
    if (notices === undefined) return;
    for await (const notice of notices(AbortSignal.any([signal, this.#leave.signal]))) {
      this.#eachFeature((feature) => feature.engineNotice?.(notice));
      this.#screen.redraw();
    }
  }

  #makeServices(): Services {
    const client = this;
    const lent = new LentTerminal(() => this.#screen);
    return {
      session: this.#store,
      get draft() {
        return client.#input;
      },
      get messages() {
        return client.#messages.sender;
      },
      screen: {
        get size() {
          return client.#screen.size;
        },
        control: (sequence) => client.#screen.control(sequence),
        setTitle: (title) => client.#screen.setTitle(title),
        lend: (work) => lent.lend(work),
      },
      host: this.#options.host,
      settings: this.#settings,
      workingDir: this.#options.workingDir,
      clock: guardedClock(this.#options.clock, {
        signal: this.#leave.signal,
        showFailure: (failure) => this.#showFailure(failure),
      }),
      get keys() {
        return client.#settings.keys;
      },
      themes: this.#themes,
      redraw: () => this.#screen.redraw(),
      say: (text, tone) => this.#say(text, tone),
      showFailure: (failure) => this.#showFailure(failure),
      open: (overlay) => {
        this.#stage.open(overlay);
        this.#screen.redraw();
      },
      close: (overlay) => this.#stage.close(overlay),
      run: (action) => this.#stage.run(action),
      panelOf: (command) => firstOf(this.#features, ({ panels }) => panels?.[command]),
      showEvent: (event) => this.#showEvent(event),
      leave: () => this.#left.resolve("quit"),
    };
  }

  #makeMessages(uploads: ImageUploads): MessageRouter {
    return new MessageRouter({
      services: this.#services,
      uploads,
      features: () => this.#features,
      sending: () => this.#transcript.follow(),
      refused: (refusal) => this.#eachFeature((feature) => feature.refused?.(refusal)),
    });
  }

  #makeActions(): GlobalActions {
    return new GlobalActions({
      services: this.#services,
      features: () => this.#features,
      draft: this.#input,
      outgoing: this.#messages,
      screen: () => this.#screen,
      exitTranscript: this.#exitTranscript,
      leave: (why) => this.#left.resolve(why),
    });
  }

  #settingsChanged(): void {
    const { mouse, vimKeys } = this.#settings.values;
    if (mouse !== this.#mouse) this.#screen.setMouse(mouse);
    this.#mouse = mouse;
    this.#input.useVimKeys(vimKeys);
    this.#screen.redraw();
  }

  #opened(at: EventSeq | undefined): void {
    this.#stage.closeOfSession();
    this.#inline?.begin();
    this.#status.begin();
    this.#transcript.begin();
    if (at !== undefined) this.#showEvent(at);
    this.#eachFeature((feature) => feature.opened?.());
    this.#screen.redraw();
    inBackground(this.#input.attached(), this.#services);
  }

  #showEvent(event: EventSeq): void {
    this.#inline?.openWhole();
    this.#transcript.showEvent(event);
    this.#screen.redraw();
  }

  #header(): Header {
    const { version, workingDir, clock, host } = this.#options;
    const { last, open, isUntouched } = this.#store;
    const header = {
      version,
      workingDir: homePath(workingDir, host.environment["HOME"]),
      isChoosing: open === undefined || (last !== undefined && isUntouched),
      keys: this.#settings.keys,
      nowMs: clock.now(),
    };
    return last === undefined ? header : { ...header, last };
  }

  /** Calls all features. A failure is shown; the others are called nevertheless. */
  #eachFeature(call: (feature: TerminalFeature) => void): void {
    for (const feature of this.#features) this.#safely(() => call(feature));
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#showFailure(thrown);
    }
  }

  #say(text: string, tone: NoteTone = "info"): void {
    this.#stage.say(row([span(text, { role: TONE_ROLES[tone] })]));
    this.#screen.redraw();
  }

  #showFailure(failure: unknown): void {
    // What the client's own end has cut off is no failure.
    if (failure === undefined || (this.#signal.aborted && failure === this.#signal.reason)) return;
    this.#say(failure instanceof HarnessError ? refusalText(failure) : messageOf(failure), "failure");
  }
}

/** Returns the rows of a feature above the draft; a sentence if it fails, so that the others are still drawn. */
function rowsAbove(feature: TerminalFeature, columns: number): readonly DrawnRow[] {
  try {
    return feature.above?.(columns) ?? [];
  } catch (thrown) {
    const text = `cinch could not draw this: ${messageOf(thrown)}`;
    return [row([span(cutEnd(text, columns), { role: "failure" })])];
  }
}

function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
