import type { HarnessError } from "../../src/base/errors.ts";
import { messageOf } from "../../src/base/errors.ts";
import { KnownCommands } from "../../src/client/slash/known-commands.ts";
import type { DrawnRow } from "../../src/client/terminal/drawing/span.ts";
import { textOfRow } from "../../src/client/terminal/drawing/span.ts";
import type { DraftImage } from "../../src/client/terminal/images/draft-image.ts";
import type { ModelMessage, OutgoingMessage } from "../../src/client/terminal/input/message.ts";
import { KeyTable } from "../../src/client/terminal/keys/key-table.ts";
import type { Overlay } from "../../src/client/terminal/layout/part.ts";
import type { Services } from "../../src/client/terminal/layout/services.ts";
import type { WhichSession } from "../../src/client/terminal/options.ts";
import { KeptSettings } from "../../src/client/terminal/settings/kept-settings.ts";
import { ThemeChoice } from "../../src/client/terminal/themes/theme-choice.ts";
import type { Command } from "../../src/protocol/commands/commands.ts";
import type { AcceptedOf } from "../../src/protocol/commands/results.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { NewsItem } from "../../src/protocol/events/news.ts";
import type { QueryKind } from "../../src/protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../src/protocol/queries/queries.ts";
import type { Question } from "../../src/view/questions/questions.ts";
import type { RunView } from "../../src/view/session/run-view.ts";
import { NEW_SESSION } from "../../src/view/session/session-view.ts";
import type { LocalNote } from "../../src/view/transcript/local-notes.ts";
import { NEW_TRANSCRIPT } from "../../src/view/transcript/transcript.ts";
import type { FakeClock } from "./fake-clock.ts";
import { fakeClock } from "./fake-clock.ts";

/** Services of a terminal client without an engine: what is sent and said is kept. */
export interface FakeServices extends Services {
  readonly clock: FakeClock;
  readonly sent: Command[];
  readonly said: string[];
  /** Notes in the transcript. */
  readonly notes: LocalNote[];
  readonly overlays: Overlay[];
  readonly inserted: string[];
  /** Messages that came back into the draft, and those that the history got. */
  readonly restored: OutgoingMessage[];
  readonly remembered: OutgoingMessage[];
  /** Messages for the model. */
  readonly messaged: (OutgoingMessage | ModelMessage)[];
  readonly pastedImages: DraftImage[];
  /** Control sequences that were written outside of frames. */
  readonly controls: string[];
  /** Names of the window. */
  readonly titles: string[];
  /** Sessions that were to be shown. */
  readonly shown: WhichSession[];
  /** Events of the open session that were to be shown. */
  readonly shownEvents: number[];
  /** Sets the open questions. */
  ask(...questions: readonly Question[]): void;
  /** Answer to the next commands: a result, or a refusal. */
  reply: HarnessError | object | undefined;
  /** Answer to queries that `answers` does not name. */
  found: unknown;
  /** Answers to queries by kind: a result, or a refusal. */
  readonly answers: Partial<Record<QueryKind, unknown>>;
  /** Kinds of the queries so far. */
  readonly queries: QueryKind[];
  /** News of all sessions; undefined: the engine serves none. */
  newsItems: AsyncIterable<NewsItem> | undefined;
}

/** Returns services with an open session and no question. */
export function fakeServices(): FakeServices {
  const clock = fakeClock();
  let run = { questions: [] as readonly Question[] } as unknown as RunView;
  const services: FakeServices = {
    clock,
    sent: [],
    said: [],
    notes: [],
    overlays: [],
    inserted: [],
    restored: [],
    remembered: [],
    messaged: [],
    pastedImages: [],
    controls: [],
    titles: [],
    shown: [],
    shownEvents: [],
    reply: undefined,
    found: undefined,
    answers: {},
    queries: [],
    newsItems: undefined,
    keys: new KeyTable(),
    ask(...questions) {
      run = { ...run, questions };
    },
    session: {
      open: { session: "ses_1", profile: "p", model: "m:n", past: 0, notices: [] } as never,
      get view() {
        return { ...NEW_SESSION, run };
      },
      transcript: NEW_TRANSCRIPT,
      self: "cli_self",
      last: undefined,
      selves: new Set(),
      isModelNamed: false,
      begins: undefined,
      isUntouched: false,
      isOverNetwork: false,
      hasFailed: false,
      isPast(event) {
        return event <= (this.open?.past ?? 0);
      },
      async infoOf({ session }) {
        return await this.query({ kind: "GetSession", sessionId: session, last: 0 });
      },
      commandsOf: (open) => new KnownCommands(services.session, open.session),
      note: (note) => void services.notes.push(note),
      clear: () => void services.notes.splice(0),
      session: async () => services.session.open as never,
      goTo: async (which) => void services.shown.push(which),
      setViewport: () => undefined,
      readBack: async () => undefined,
      pageOf: async () => undefined,
      async send<Sent extends Command>(command: Sent) {
        services.sent.push(command);
        const { reply } = services;
        return (reply instanceof Error ? reply : { result: reply }) as
          | AcceptedOf<Sent["kind"]>
          | HarnessError;
      },
      async query<Kind extends QueryKind>(query: QueryOf<Kind>) {
        const { kind } = query;
        services.queries.push(kind);
        return (kind in services.answers ? services.answers[kind] : services.found) as ResultOf<Kind>;
      },
      attach: async () => undefined,
      news: () => services.newsItems,
    },
    redraw: () => undefined,
    say: (text) => void services.said.push(text),
    open: (overlay) => void services.overlays.push(overlay),
    close(overlay) {
      services.overlays.splice(services.overlays.indexOf(overlay), 1);
      overlay.closed?.();
    },
    run: () => undefined,
    panelOf: () => undefined,
    showEvent: (event) => void services.shownEvents.push(event),
    draft: {
      text: "",
      edited: { text: "", cursor: 0 },
      replacePart: (_from, _to, text) => void services.inserted.push(text),
      assist: () => undefined,
      insert: (text) => void services.inserted.push(text),
      bringBack: (text) => void services.inserted.push(text),
      replace: (text) => void services.inserted.push(text),
      insertImage: (image) => void services.pastedImages.push(image),
      restore: (messages) => void services.restored.push(...messages),
      remember: (message) => void services.remembered.push(message),
      sending: [],
    },
    messages: {
      send: async (message) => void services.messaged.push(message),
      async sendFor(_typed, compose) {
        const message = await compose();
        if (message !== undefined) services.messaged.push(message);
      },
    },
    host: {
      environment: {},
      settingsPath: "/config/terminal.toml",
      runOnTerminal: async () => 0,
      runOwn: async () => undefined,
      output: async () => undefined,
      feed: async () => false,
      writePrivate: async (name) => `/private/${name}`,
      read: async () => new Uint8Array(),
      removePrivate: async () => undefined,
      readSettings: async () => undefined,
      writeSettings: async () => undefined,
      noticeWays: async () => ({ bell: [], desktop: [] }),
    },
    settings: new KeptSettings({
      host: {
        settingsPath: "/config/terminal.toml",
        readSettings: async () => undefined,
        writeSettings: async () => undefined,
      },
      changed: () => undefined,
      showFailure: (failure) => void services.said.push(messageOf(failure)),
    }),
    themes: new ThemeChoice({ environment: {}, hasColours: true, name: () => "auto" }),
    screen: {
      size: { columns: 120, rows: 40 },
      control: (sequence) => void services.controls.push(sequence),
      lend: async (work) => await work(),
      setTitle: (title) => void services.titles.push(title),
    },
    workingDir: "/work",
    showFailure: (failure) => void services.said.push(messageOf(failure)),
    leave: () => undefined,
  };
  return services;
}

/** Returns the texts of rows, one a line. */
export function linesOf(rows: readonly DrawnRow[]): string {
  return rows.map(textOfRow).join("\n");
}

/** Returns an event that the engine sends to people beside the log. */
export function noticeOf(kind: string, facts: Readonly<Record<string, string>>): Envelope {
  const payload = { namespace: "cinch", kind, payload: facts };
  return {
    id: 4,
    session: "ses_1",
    ts: "",
    kind: "CustomEvent",
    payload,
    aside: true,
  } as unknown as Envelope;
}
