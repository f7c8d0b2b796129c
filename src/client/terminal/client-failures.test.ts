import { expect, test } from "bun:test";
import type { FakeClock } from "../../../test/support/fake-clock.ts";
import { CLIENT, FakeConnection, LOG, SESSION } from "../../../test/support/fake-connection.ts";
import { fakeServices } from "../../../test/support/terminal-parts.ts";
import { until } from "../../../test/support/until.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Event } from "../../protocol/events/events.ts";
import { neutralise } from "../../view/terminal/terminal-text.ts";
import { row, span } from "./drawing/span.ts";
import type { MakeTerminalFeature } from "./layout/feature.ts";
import type { TerminalOutcome } from "./options.ts";
import type { TerminalScreenOptions } from "./screen/screen.ts";
import { runTerminalClient } from "./terminal-client.ts";

const SIZE = { columns: 100, rows: 30 };

interface Rig {
  readonly connection: FakeConnection;
  readonly clock: FakeClock;
  readonly outcome: Promise<TerminalOutcome>;
  /** Lines that were printed when the screen was given back; undefined before. */
  printed(): readonly string[] | undefined;
  screen(): string;
  type(text: string): void;
  press(key: string): void;
}

/** A client that shows a session, on a screen that is read as text. */
function openClient(features: readonly MakeTerminalFeature[], signal: AbortSignal): Rig {
  const { host, clock } = fakeServices();
  const connection = new FakeConnection();
  connection.reply = ({ kind }) => (kind === "GetDraft" ? { text: "" } : {});
  let screen: TerminalScreenOptions | undefined;
  let printed: readonly string[] | undefined;
  const named = {
    session: SESSION,
    log: LOG,
    profile: "p",
    model: "mock:one",
    past: 0,
    history: false,
    notices: [],
  };
  const outcome = runTerminalClient(
    {
      version: "0",
      workingDir: "/work",
      engine: Promise.resolve({ connection, isShared: false, named, open: async () => named }),
      host,
      clock,
      signal,
      openScreen(given) {
        screen = given;
        return {
          size: SIZE,
          redraw: () => undefined,
          setMouse: () => undefined,
          setTitle: () => undefined,
          control: () => undefined,
          suspend: () => undefined,
          resume: () => undefined,
          stopJob: () => undefined,
          stop: (lines) => {
            printed = lines;
          },
        };
      },
    },
    features,
  );
  return {
    connection,
    clock,
    outcome,
    printed: () => printed,
    screen: () => (screen?.draw(SIZE).rows ?? []).map((each) => neutralise(each)).join("\n"),
    type(text) {
      for (const each of text) screen?.input({ kind: "key", key: each, text: each });
    },
    press: (key) => screen?.input({ kind: "key", key }),
  };
}

function prompt(turn: number, text: string): Event {
  const content = [{ type: "text" as const, text }];
  return { kind: "TurnStarted", payload: { turn, originator: CLIENT, content } } as Event;
}

test("[TUI-10 complaint 18] a feature that throws on an event keeps neither the others nor the next event from being shown", async () => {
  const leave = new AbortController();
  const seen: string[] = [];
  const broken: MakeTerminalFeature = () => ({
    changed({ kind }) {
      seen.push(`broken ${kind}`);
      if (kind === "TurnStarted") throw new Error("the feature is broken");
    },
    [Symbol.dispose]() {
      throw new Error("it cannot end either");
    },
  });
  const sound: MakeTerminalFeature = () => ({
    changed: ({ kind }) => void seen.push(`sound ${kind}`),
    [Symbol.dispose]: () => void seen.push("sound ends"),
  });
  const rig = openClient([broken, sound], leave.signal);
  rig.connection.publish(prompt(1, "a first prompt"));
  await until("the failure is shown", () => rig.screen().includes("the feature is broken"));
  expect(rig.screen()).toContain("a first prompt");
  rig.connection.publish({ kind: "TextDelta", payload: { text: "an answer" } } as Event);
  await until("the next event is shown", () => rig.screen().includes("an answer"));
  expect(seen).toEqual(["broken TurnStarted", "sound TurnStarted", "broken TextDelta", "sound TextDelta"]);
  leave.abort();
  await rig.outcome.catch(() => undefined);
  expect(seen.at(-1)).toBe("sound ends");
  expect(rig.printed()).toBeDefined();
});

test("[TUI-10 complaint 18] a feature whose timer or rows fail keeps neither the client from running nor the others from being drawn", async () => {
  const leave = new AbortController();
  const late: MakeTerminalFeature = ({ clock }) => ({
    started: () =>
      void clock.timer(10, () => {
        throw new Error("the timer is broken");
      }),
    above() {
      throw new Error("the rows are broken");
    },
  });
  const sound: MakeTerminalFeature = () => ({ above: () => [row([span("rows of another feature")])] });
  const rig = openClient([late, sound], leave.signal);
  expect(rig.screen()).toContain("cinch could not draw this: the rows are broken");
  expect(rig.screen()).toContain("rows of another feature");
  await rig.clock.advance(10);
  expect(rig.screen()).toContain("the timer is broken");
  leave.abort();
  await rig.outcome.catch(() => undefined);
});

test("[TUI-10] a draft that the engine refuses to keep is printed when the client ends; one that it keeps is not", async () => {
  for (const isRefused of [true, false]) {
    const leave = new AbortController();
    const leaving: MakeTerminalFeature = (services) => ({ actions: { "app.help": services.leave } });
    const rig = openClient([leaving], leave.signal);
    rig.connection.answer = ({ kind }) => {
      if (isRefused && kind === "SetDraft")
        throw new HarnessError("UsageInvalid", { problem: "the disk is full" });
      return {};
    };
    await until("the session is shown", () => rig.connection.subscriptions.length > 0);
    rig.type("half written");
    rig.press("f1");
    await rig.outcome;
    const lines = (rig.printed() ?? []).join("\n");
    expect([isRefused, lines.includes("A draft that is kept nowhere else:\nhalf written")]).toEqual([
      isRefused,
      isRefused,
    ]);
  }
});

test("[TUI-10] what the end of the client cuts off is no failure, and leaves nothing waiting", async () => {
  const leave = new AbortController();
  const failures: unknown[] = [];
  const answered = Promise.withResolvers<unknown>();
  const asking: MakeTerminalFeature = ({ session }) => ({
    opened() {
      session.query({ kind: "ListProfiles" }).then(answered.resolve, answered.reject);
    },
  });
  const rig = openClient([asking], leave.signal);
  rig.connection.reply = ({ kind }) => (kind === "ListProfiles" ? new Promise(() => undefined) : {});
  await until("the query is on its way", () =>
    rig.connection.queries.some(({ kind }) => kind === "ListProfiles"),
  );
  leave.abort();
  await rig.outcome.catch((thrown: unknown) => failures.push(thrown));
  await answered.promise.catch((thrown: unknown) => failures.push(thrown));
  expect(failures).toEqual([leave.signal.reason, leave.signal.reason]);
});
