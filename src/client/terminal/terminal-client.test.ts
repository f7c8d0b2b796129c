import { expect, test } from "bun:test";
import { CLIENT, FakeConnection, LOG, SESSION } from "../../../test/support/fake-connection.ts";
import { filesUnder, isTest, readSource } from "../../../test/support/source.ts";
import { fakeServices } from "../../../test/support/terminal-parts.ts";
import { until } from "../../../test/support/until.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Event } from "../../protocol/events/events.ts";
import { displayWidth } from "../../view/terminal/display-width.ts";
import { neutralise } from "../../view/terminal/terminal-text.ts";
import { NO_EFFECT } from "./global-actions.ts";
import type { ActionName } from "./keys/actions.ts";
import { ACTION_NAMES, ACTIONS } from "./keys/actions.ts";
import type { ReachedByTerminal, TerminalOutcome } from "./options.ts";
import { textOfPainted } from "./screen/frames/painted-text.ts";
import type { ScreenFrame, ScreenInput, Size, TerminalScreenOptions } from "./screen/screen.ts";
import { runTerminalClient } from "./terminal-client.ts";

const SIZE = { columns: 120, rows: 40 };
/** A key that no action has without a file. */
const KEY = "shift+alt+f9";
const REFUSAL = new HarnessError("UsageInvalid", { problem: "there is no engine here" });

/** A client without an engine, on a screen that is read as text. */
interface Rig extends AsyncDisposable {
  press(key: string): void;
  type(text: string): void;
  readonly screen: string;
  /** Returns the picture in a size. */
  frame(size: Size): ScreenFrame;
  /** Moves the time on. */
  advance(ms: number): Promise<void>;
  /** Reason of the end; undefined while the client runs. */
  readonly left: TerminalOutcome["why"] | undefined;
}

/** An entry of the settings file that is named on the screen once the file is read. */
const MARK = "the_end = true\n";

/** An engine that refuses everything. */
const NO_ENGINE: ReachedByTerminal = {
  connection: {
    clientId: "cli_self",
    query: async () => {
      throw REFUSAL;
    },
    send: async () => {
      throw REFUSAL;
    },
  } as never,
  open: async () => {
    throw REFUSAL;
  },
};

/** Starts the client with a settings file, and waits until it is read. */
async function start(settings: string, engine = NO_ENGINE): Promise<Rig> {
  const { host, clock } = fakeServices();
  const leave = new AbortController();
  let options: TerminalScreenOptions | undefined;
  let left: TerminalOutcome["why"] | undefined;

  const screenOf = (given: TerminalScreenOptions) => {
    options = given;
    return {
      size: SIZE,
      redraw: () => undefined,
      setMouse: () => undefined,
      setTitle: () => undefined,
      control: () => undefined,
      suspend: () => undefined,
      resume: () => undefined,
      stopJob: () => undefined,
      stop: () => undefined,
    };
  };
  const outcome = runTerminalClient({
    version: "0",
    workingDir: "/work",
    engine: Promise.resolve(engine),
    host: {
      ...host,
      async readSettings() {
        return `${MARK}${settings}`;
      },
    },
    openScreen: screenOf,
    clock,
    signal: leave.signal,
  }).then(
    ({ why }) => {
      left = why;
    },
    () => undefined,
  );
  const input = (given: ScreenInput) => options?.input(given);
  const rig: Rig = {
    press: (key) => input({ kind: "key", key }),
    type(text) {
      for (const each of text) input({ kind: "key", key: each, text: each });
    },
    get screen() {
      const rows = options?.draw(SIZE).rows ?? [];
      return rows.map((each) => neutralise(each)).join("\n");
    },
    frame: (size) => options?.draw(size) ?? { rows: [] },
    advance: (ms) => clock.advance(ms),
    get left() {
      return left;
    },
    async [Symbol.asyncDispose]() {
      leave.abort();
      await outcome;
    },
  };
  await until("the settings are read", () => rig.screen.includes("the_end is not a setting"));
  return rig;
}

/** Actions that a person can use at any time, from the draft. */
const AT_THE_DRAFT = ACTION_NAMES.filter((name) =>
  ["global", "input", "emptyDraft"].includes(ACTIONS[name].context),
);

test("[TUI-01 bar Keys] every action of the table does something when its key is pressed at the draft", async () => {
  const missing: ActionName[] = [];
  for (const name of AT_THE_DRAFT) {
    await using rig = await start(`[keys]\n"${name}" = ["${KEY}"]\n`);
    if (ACTIONS[name].context === "input") rig.type("a word");
    rig.press(KEY);
    if (rig.screen.includes(NO_EFFECT)) missing.push(name);
  }
  expect(missing).toEqual([]);
});

test("[TUI-01 bar Keys] every action of a list, panel, question or mode is named by the part that carries it out", () => {
  const sources = filesUnder("src/client/terminal", "**/*.ts")
    .filter((file) => !isTest(file) && !file.endsWith("keys/actions.ts"))
    .map((file) => readSource(file))
    .join("\n");
  const others = ACTION_NAMES.filter((name) => !AT_THE_DRAFT.includes(name));
  const unnamed = others.filter((name) => !sources.includes(`"${name}"`));
  expect(unnamed.filter((name) => !/^(?:browse|search|completion)\./.test(name))).toEqual([]);
});

const SIZES: readonly Size[] = [
  { columns: 300, rows: 80 },
  { columns: 40, rows: 15 },
  { columns: 40, rows: 8 },
  { columns: 20, rows: 6 },
  { columns: 3, rows: 3 },
  { columns: 1, rows: 1 },
  { columns: 1, rows: 40 },
];

test("[TUI-11] at any size each panel is drawn, fits, and has its cursor on the screen", async () => {
  for (const name of AT_THE_DRAFT) {
    await using rig = await start(`[keys]\n"${name}" = ["${KEY}"]\n`);
    rig.press(KEY);
    for (const size of SIZES) {
      const { rows, cursor } = rig.frame(size);
      const widest = Math.max(0, ...rows.map((each) => displayWidth(textOfPainted(each))));
      const isInside = cursor === undefined || (cursor.row >= 0 && cursor.row < rows.length);
      const fits = rows.length <= size.rows && widest <= size.columns;
      expect([name, size, fits, isInside]).toEqual([name, size, true, true]);
    }
  }
});

test("[TUI-11] what is typed stays visible, with the caret behind it, down to one column", async () => {
  await using rig = await start("");
  rig.type("drafted");
  for (const size of SIZES) {
    const { rows, cursor } = rig.frame(size);
    const text = textOfPainted(rows[cursor?.row ?? -1] ?? "");
    expect([size, text.trim().slice(-1)]).toEqual([size, "d"]);
    expect(cursor?.column).toBe(size.columns === 1 ? 0 : displayWidth(text.trimEnd()));
  }
});

test("[TUI-11 complaint 21] wherever a text is typed, the real cursor stands behind it", async () => {
  const typed = "漢字";
  const fields: ActionName[] = [];
  for (const name of AT_THE_DRAFT) {
    await using rig = await start(`[keys]\n"${name}" = ["${KEY}"]\n`);
    rig.press(KEY);
    rig.type(typed);
    const { rows, cursor } = rig.frame(SIZE);
    const texts = rows.map(textOfPainted);
    const at = texts.findIndex((text) => text.includes(typed));
    if (at < 0) continue;
    fields.push(name);
    const end = displayWidth((texts[at] ?? "").split(typed)[0] ?? "") + displayWidth(typed);
    expect([name, cursor]).toEqual([name, { row: at, column: end }]);
  }
  for (const name of ["app.palette", "transcript.search", "input.history", "app.redraw"] as const)
    expect(fields).toContain(name);
});

test("[TUI-11 complaint 21] with visible_cursor, a panel without a field has the cursor at what is chosen", async () => {
  for (const [setting, isShown] of [
    ["", false],
    ["visible_cursor = true\n", true],
  ] as const) {
    await using rig = await start(`${setting}[keys]\n"settings.open" = ["${KEY}"]\n`);
    rig.press(KEY);
    rig.press("down");
    const { rows, cursor } = rig.frame(SIZE);
    const chosen = rows.findIndex((each) => textOfPainted(each).startsWith("▸ "));
    expect(cursor).toEqual(isShown ? { row: chosen, column: 0 } : undefined);
  }
});

test("[TUI-11 complaint 23] right_to_left decides how a right-to-left draft is written, and where its caret stands", async () => {
  for (const [setting, shown, column] of [
    ["", "> \u2067שלום\u2069", 6],
    ['right_to_left = "reorder"\n', "> םולש", 1],
    ['right_to_left = "plain"\n', "> שלום", 6],
  ] as const) {
    await using rig = await start(setting);
    rig.type("שלום");
    const { rows, cursor } = rig.frame(SIZE);
    expect(textOfPainted(rows[cursor?.row ?? -1] ?? "").trimEnd()).toBe(shown);
    expect(cursor?.column).toBe(column);
  }
});

test("[TUI-03 bar Exit] a second Ctrl-C leaves within two seconds of the first one, and clears the draft after that", async () => {
  await using rig = await start("");
  rig.type("one");
  rig.press("ctrl+c");
  expect(rig.screen).toContain("Press Ctrl-C again within 2s to exit.");
  expect(rig.screen).not.toContain("> one");
  await rig.advance(2_001);
  rig.type("two");
  rig.press("ctrl+c");
  await rig.advance(1_999);
  expect(rig.screen).not.toContain("> two");
  expect(rig.left).toBeUndefined();
  rig.press("ctrl+c");
  await until("the client has ended", () => rig.left !== undefined);
  expect(rig.left).toBe("interrupt");
});

test.each([true, false])(
  "[CTL-11 TUI-03] who leaves a session in which nothing is says so to its engine (%p)",
  async (isEmpty) => {
    const connection = new FakeConnection();
    const content = [{ type: "text" as const, text: "hi" }];
    if (!isEmpty)
      connection.publish({
        kind: "TurnStarted",
        payload: { turn: 1, originator: CLIENT, content },
      } as unknown as Event);
    const past = isEmpty ? 0 : 1;
    const named = {
      session: SESSION,
      log: LOG,
      profile: "p",
      model: "m:n",
      past,
      history: false,
      notices: [],
    };
    await using rig = await start("", { ...NO_ENGINE, connection, named });
    await until("the session is read", () => connection.queries.some(({ kind }) => kind === "GetDraft"));
    rig.press("ctrl+d");
    await until("the client has ended", () => rig.left !== undefined);
    const leaves = { kind: "DetachSession", sessionId: SESSION, left: true } as const;
    expect(connection.sent.filter(({ kind }) => kind === "DetachSession")).toEqual(isEmpty ? [leaves] : []);
  },
);

test("[PERF-01 TUI-10] the parts of the screen ask once for the facts of a session that is opened", async () => {
  const connection = new FakeConnection();
  const tokens = { inputTokens: 1, outputTokens: 1, usd: 1 };
  const past = 2_100; // of so long a log the last page is read
  for (let event = 0; event < past; event += 1)
    connection.publish({
      kind: "CostIncremented",
      payload: { provider: "m", model: "n", ...tokens },
    } as Event);
  connection.reply = ({ kind }) => {
    if (kind !== "GetSession") throw REFUSAL;
    return { title: "A title", state: "idle", context_window: 1_000 };
  };
  const named = { session: SESSION, log: LOG, profile: "p", model: "m:n", past, history: true, notices: [] };
  await using rig = await start("", { ...NO_ENGINE, connection, named });
  const asked = () => connection.queries.map(({ kind }) => kind);
  await until("the last page and the draft are read", () => {
    expect(rig.left).toBeUndefined();
    return asked().includes("GetDraft") && asked().includes("ListTasks");
  });
  expect(asked().filter((kind) => kind === "GetSession")).toHaveLength(1);
});
