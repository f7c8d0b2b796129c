import { HarnessError, messageOf } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { followSession } from "../../view/follow.ts";
import { questionId } from "../../view/questions/questions.ts";
import type { SessionView } from "../../view/session/session-view.ts";
import { NEW_SESSION, sessionAfter } from "../../view/session/session-view.ts";
import { displayWidth } from "../../view/terminal/display-width.ts";
import { refusalText } from "../../view/texts/refusal-text.ts";
import type { Transcript } from "../../view/transcript/transcript.ts";
import { NEW_TRANSCRIPT, transcriptAfter } from "../../view/transcript/transcript.ts";
import type { Theme } from "./drawing/paint.ts";
import { paint } from "./drawing/paint.ts";
import type { DrawnRow } from "./drawing/span.ts";
import { EMPTY_ROW, row, span } from "./drawing/span.ts";
import { wrapSpans } from "./drawing/wrap-spans.ts";
import { drawEditor } from "./input/draw-editor.ts";
import type { EditName, EditorState } from "./input/editor.ts";
import { EMPTY_EDITOR, edited } from "./input/editor.ts";
import type { OpenSession, ReachedByTerminal, TerminalClientOptions, TerminalOutcome } from "./options.ts";
import type { Frame, KeyInput, Screen, ScreenInput, Size } from "./screen/screen.ts";
import { SIXTEEN } from "./themes/sixteen.ts";
import type { DrawContext } from "./transcript/draw-item.ts";
import { TranscriptPane } from "./transcript/pane.ts";

const INTERRUPT_AGAIN_MS = 2_000;
export const INTERRUPT_BANNER = "Press Ctrl-C again within 2s to exit.";
const WHEEL_ROWS = 3;

const EDIT_KEYS: Readonly<Record<string, EditName>> = {
  backspace: "deleteBack",
  delete: "deleteForward",
  "ctrl+w": "deleteWordBack",
  "alt+d": "deleteWordForward",
  "ctrl+u": "killToStart",
  "ctrl+k": "killToEnd",
  left: "left",
  right: "right",
  "ctrl+b": "left",
  "ctrl+f": "right",
  "alt+b": "wordLeft",
  "alt+f": "wordRight",
  "ctrl+left": "wordLeft",
  "ctrl+right": "wordRight",
  home: "lineStart",
  end: "lineEnd",
  "ctrl+a": "lineStart",
  "ctrl+e": "lineEnd",
  up: "lineUp",
  down: "lineDown",
  "ctrl+y": "yank",
  "ctrl+-": "undo",
  "alt+-": "redo",
};

/** Runs the terminal client until the person leaves it. @throws the signal's reason when it aborts. */
export async function runTerminalClient(options: TerminalClientOptions): Promise<TerminalOutcome> {
  const client = new TerminalClient(options);
  return await client.run();
}

class TerminalClient {
  readonly #options: TerminalClientOptions;
  readonly #screen: Screen;
  readonly #left = Promise.withResolvers<TerminalOutcome["why"]>();
  readonly #signal: AbortSignal;
  readonly #leave = new AbortController();
  readonly #pane = new TranscriptPane();
  readonly #theme: Theme = SIXTEEN;
  #engine: ReachedByTerminal | undefined;
  #open: OpenSession | undefined;
  #opening: Promise<OpenSession> | undefined;
  #view: SessionView = NEW_SESSION;
  #transcript: Transcript = NEW_TRANSCRIPT;
  #editor: EditorState = EMPTY_EDITOR;
  #note = "";
  #interruptedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: TerminalClientOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#leave.signal]);
    this.#screen = options.openScreen({
      draw: (size) => this.#draw(size),
      input: (input) => this.#input(input),
      resized: () => undefined,
      mouse: "wheel",
    });
  }

  async run(): Promise<TerminalOutcome> {
    const aborted = Promise.withResolvers<never>();
    this.#options.signal.addEventListener("abort", () => aborted.reject(this.#options.signal.reason), { once: true });
    try {
      void this.#reach();
      const why = await Promise.race([this.#left.promise, aborted.promise]);
      return { why, ...(this.#open === undefined ? {} : { session: this.#open.session }) };
    } finally {
      this.#leave.abort();
      this.#screen.stop(this.#farewell());
    }
  }

  #farewell(): readonly string[] {
    return this.#open === undefined ? [] : [`cinch --resume ${this.#open.session}   continues this session`];
  }

  async #reach(): Promise<void> {
    try {
      this.#engine = await this.#options.engine;
      if (this.#engine.named !== undefined) this.#follow(this.#engine.named);
      if (this.#options.prompt !== undefined) await this.#submit(this.#options.prompt);
    } catch (thrown) {
      this.#say(thrown);
    }
    this.#screen.redraw();
  }

  #say(thrown: unknown): void {
    this.#note = thrown instanceof HarnessError ? refusalText(thrown) : messageOf(thrown);
    this.#screen.redraw();
  }

  async #session(): Promise<OpenSession> {
    if (this.#open !== undefined) return this.#open;
    this.#opening ??= this.#options.engine.then((engine) => engine.open({ kind: "new" }));
    const open = await this.#opening;
    if (this.#open === undefined) this.#follow(open);
    return open;
  }

  #follow(open: OpenSession): void {
    this.#open = open;
    void this.#read(open.session);
  }

  async #read(session: SessionId): Promise<void> {
    const { connection } = this.#engine ?? (await this.#options.engine);
    try {
      for await (const envelope of followSession(connection, session, { since: 0, signal: this.#signal })) {
        this.#view = sessionAfter(this.#view, envelope);
        this.#transcript = transcriptAfter(this.#transcript, envelope);
        this.#screen.redraw();
      }
    } catch (thrown) {
      if (!this.#signal.aborted) this.#say(thrown);
    }
  }

  async #submit(text: string): Promise<void> {
    try {
      const { session } = await this.#session();
      const { connection } = await this.#options.engine;
      await connection.send({
        kind: "SendInput",
        sessionId: session,
        content: [{ type: "text", text }],
        delivery: "queue",
      });
    } catch (thrown) {
      // What was typed comes back.
      if (this.#editor.text === "") this.#editor = edited(this.#editor, { kind: "set", text });
      this.#say(thrown);
    }
  }

  #input(input: ScreenInput): void {
    this.#note = "";
    if (input.kind === "paste") this.#edit({ kind: "insert", text: input.text.replaceAll(/\r\n?/g, "\n") });
    else if (input.kind === "mouse" && input.type === "wheel") this.#scroll(input.wheel * WHEEL_ROWS);
    else if (input.kind === "key") this.#key(input);
  }

  #key({ key, text }: KeyInput): void {
    if (this.#answers(key)) return;
    switch (key) {
      case "ctrl+c":
        return this.#interrupt();
      case "ctrl+d":
        if (this.#editor.text === "") this.#left.resolve("quit");
        return;
      case "escape":
        return this.#cancel();
      case "pageUp":
        return this.#scroll(-(this.#screen.size.rows - 6));
      case "pageDown":
        return this.#scroll(this.#screen.size.rows - 6);
      case "enter": {
        const prompt = this.#editor.text;
        if (prompt.trim() === "") return;
        this.#editor = edited(this.#editor, { kind: "set", text: "" });
        this.#pane.follow();
        if (prompt.trim() === "/quit") return this.#left.resolve("quit");
        void this.#submit(prompt);
        return;
      }
      case "ctrl+j":
      case "shift+enter":
      case "alt+enter":
        return this.#edit({ kind: "insert", text: "\n" });
    }
    const edit = EDIT_KEYS[key];
    if (edit !== undefined) this.#edit({ kind: edit });
    else if (text !== undefined) this.#edit({ kind: "insert", text });
  }

  /** A question takes digits while the editor is empty. */
  #answers(key: string): boolean {
    const question = this.#view.run?.questions[0];
    const open = this.#open;
    if (question === undefined || question.kind !== "permission" || open === undefined) return false;
    if (this.#editor.text !== "") return false;
    const answer = { "1": ["allow", "once"], "2": ["allow", "argv_glob"], "3": ["allow", "tool"], "4": ["deny", "once"] } as const;
    const chosen = answer[key as keyof typeof answer];
    if (chosen === undefined) return false;
    const [decision, scope] = chosen;
    void this.#options.engine
      .then(({ connection }) =>
        connection.send({ kind: "AnswerPermission", sessionId: open.session, callId: question.request.callId, decision, scope }),
      )
      .catch((thrown: unknown) => this.#say(thrown));
    return true;
  }

  #edit(edit: Parameters<typeof edited>[1]): void {
    this.#editor = edited(this.#editor, edit);
  }

  #interrupt(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#interruptedAtMs <= INTERRUPT_AGAIN_MS) return this.#left.resolve("interrupt");
    this.#interruptedAtMs = now;
    if (this.#view.run?.turn !== undefined) this.#cancel();
    else this.#edit({ kind: "set", text: "" });
    this.#note = INTERRUPT_BANNER;
  }

  #cancel(): void {
    const open = this.#open;
    if (open === undefined || this.#view.run?.turn === undefined) return;
    void this.#options.engine
      .then(({ connection }) => connection.send({ kind: "CancelTurn", sessionId: open.session }))
      .catch((thrown: unknown) => this.#say(thrown));
  }

  #scroll(by: number): void {
    this.#pane.scroll(by, this.#transcript, this.#paneHeight, this.#context(this.#screen.size.columns));
  }

  #paneHeight = 1;

  #context(columns: number): DrawContext {
    return {
      columns,
      unfolded: new Set(),
      clients: this.#view.clients,
      self: this.#engine?.connection.clientId,
      nowMs: this.#options.clock.now(),
    };
  }

  #draw({ columns, rows: height }: Size): Frame {
    const header = this.#header(columns);
    const editor = drawEditor(this.#editor, columns, Math.max(1, Math.floor(height / 3)));
    const question = this.#question(columns);
    const below = [...question, row([span("─".repeat(columns), { role: "border" })]), ...editor.rows, this.#status()];
    const paneHeight = Math.max(0, height - below.length - header.length);
    this.#paneHeight = paneHeight;
    const { rows } = this.#pane.view(this.#transcript, paneHeight, this.#context(columns));
    const shown = rows.map(({ drawn }) => drawn);
    const filler = Array.from({ length: paneHeight - shown.length }, () => EMPTY_ROW);
    const all = [...header, ...shown, ...filler, ...below];
    const cursorRow = all.length - 1 - editor.rows.length + editor.cursor.row;
    return {
      rows: all.map((each) => paint(each, this.#theme, columns)),
      cursor: { row: cursorRow, column: editor.cursor.column },
    };
  }

  #header(columns: number): readonly DrawnRow[] {
    const { version, workingDir } = this.#options;
    return wrapSpans([span(`cinch ${version}`, { role: "heading" }), span(` · ${workingDir}`, { role: "dim" })], { columns }).slice(0, 1);
  }

  #question(columns: number): readonly DrawnRow[] {
    const question = this.#view.run?.questions[0];
    if (question === undefined) return [];
    const text = question.kind === "permission" ? question.request.summary : question.ask.text;
    const lines = [`Permission needed (${questionId(question)})`, ...text.split("\n"), "1 once  2 for this session  3 tool  4 deny"];
    return lines.flatMap((line) => wrapSpans([span(line, { role: "warning" })], { columns }));
  }

  #status(): DrawnRow {
    const { session = "", profile = "", model = "" } = this.#open ?? {};
    const state = this.#engine === undefined ? "starting …" : this.#view.run?.turn === undefined ? "" : "working, Esc cancels";
    const text = this.#note === "" ? [session, profile, model, state].filter((each) => each !== "").join(" · ") : this.#note;
    return row([span(text, { role: this.#note === "" ? "dim" : "warning" })]);
  }
}
