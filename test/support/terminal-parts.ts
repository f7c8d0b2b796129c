import type { HarnessError } from "../../src/base/errors.ts";
import { messageOf } from "../../src/base/errors.ts";
import type { DrawnRow } from "../../src/client/terminal/drawing/span.ts";
import { textOfRow } from "../../src/client/terminal/drawing/span.ts";
import { KeyTable } from "../../src/client/terminal/keys/key-table.ts";
import type { Overlay } from "../../src/client/terminal/layout/part.ts";
import type { Services } from "../../src/client/terminal/layout/services.ts";
import type { WhichSession } from "../../src/client/terminal/options.ts";
import { KeptSettings } from "../../src/client/terminal/settings/kept-settings.ts";
import type { Command } from "../../src/protocol/commands/commands.ts";
import type { AcceptedOf } from "../../src/protocol/commands/results.ts";
import type { QueryKind } from "../../src/protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../src/protocol/queries/queries.ts";
import type { Question } from "../../src/view/questions/questions.ts";
import type { RunView } from "../../src/view/session/run-view.ts";
import { NEW_SESSION } from "../../src/view/session/session-view.ts";
import { NEW_TRANSCRIPT } from "../../src/view/transcript/transcript.ts";
import type { FakeClock } from "./fake-clock.ts";
import { fakeClock } from "./fake-clock.ts";

/** Services of a terminal client without an engine: what is sent and said is kept. */
export interface FakeServices extends Services {
  readonly clock: FakeClock;
  readonly sent: Command[];
  readonly said: string[];
  readonly overlays: Overlay[];
  readonly inserted: string[];
  readonly submitted: string[];
  /** Control sequences that were written outside of frames. */
  readonly controls: string[];
  /** Sessions that were to be shown. */
  readonly shown: WhichSession[];
  /** Sets the open questions. */
  ask(...questions: readonly Question[]): void;
  /** Answer to the next commands: a result, or a refusal. */
  reply: HarnessError | object | undefined;
  /** Answer to queries. */
  found: unknown;
}

/** Returns services with an open session and no question. */
export function fakeServices(): FakeServices {
  const clock = fakeClock();
  let run = { questions: [] as readonly Question[] } as unknown as RunView;
  const services: FakeServices = {
    clock,
    sent: [],
    said: [],
    overlays: [],
    inserted: [],
    submitted: [],
    controls: [],
    shown: [],
    reply: undefined,
    found: undefined,
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
      session: async () => services.session.open as never,
      goTo: async (which) => void services.shown.push(which),
      showsFrom: () => undefined,
      readBack: async () => undefined,
      async send<Sent extends Command>(command: Sent) {
        services.sent.push(command);
        const { reply } = services;
        return (reply instanceof Error ? reply : { result: reply }) as
          | AcceptedOf<Sent["kind"]>
          | HarnessError;
      },
      async query<Kind extends QueryKind>(_query: QueryOf<Kind>) {
        return services.found as ResultOf<Kind>;
      },
    },
    redraw: () => undefined,
    say: (text) => void services.said.push(text),
    open: (overlay) => void services.overlays.push(overlay),
    close(overlay) {
      services.overlays.splice(services.overlays.indexOf(overlay), 1);
      overlay.closed?.();
    },
    run: () => undefined,
    draft: {
      text: "",
      insert: (text) => void services.inserted.push(text),
      bringBack: (text) => void services.inserted.push(text),
      replace: (text) => void services.inserted.push(text),
    },
    host: {
      environment: {},
      settingsPath: "/config/terminal.toml",
      runOnTerminal: async () => 0,
      output: async () => undefined,
      feed: async () => false,
      writePrivate: async (name) => `/private/${name}`,
      read: async () => new Uint8Array(),
      remove: async () => undefined,
      readSettings: async () => undefined,
      writeSettings: async () => undefined,
    },
    settings: new KeptSettings(),
    screen: {
      size: { columns: 120, rows: 40 },
      control: (sequence) => void services.controls.push(sequence),
      suspend: () => undefined,
      resume: () => undefined,
      setMouse: () => undefined,
    },
    workingDir: "/work",
    tell: (failure) => void services.said.push(messageOf(failure)),
    submit: (text) => void services.submitted.push(text),
    leave: () => undefined,
  };
  return services;
}

/** Returns the texts of rows, one a line. */
export function linesOf(rows: readonly DrawnRow[]): string {
  return rows.map(textOfRow).join("\n");
}
