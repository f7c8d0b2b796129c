import { expect, test } from "bun:test";
import { fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import type { Command } from "../../protocol/commands.ts";
import type { Envelope } from "../../protocol/envelope.ts";
import type { RewindSurface, SeenTurn } from "./rewind.ts";
import { rewind, withTurn } from "./rewind.ts";

const PLANNED = {
  done: false,
  conversation: { messages: 2, removed: 4 },
  files: {
    create: ["gone\u001b[2J"],
    change: ["a"],
    mode: [],
    remove: ["new"],
    contested: ["both"],
    foreign: [],
  },
};
const DONE = {
  done: true,
  conversation: { messages: 2, removed: 4 },
  files: { restored: 3, kept: [{ path: "both", why: "you changed it" }], notRestorable: [] },
};
const TURNS: readonly SeenTurn[] = [{ turn: 2, event: 40, words: "fix it" }];

function surface(results: readonly unknown[], turns = TURNS) {
  const [said, sent, left] = [[] as string[], [] as Command[], [...results]];
  const client: RewindSurface = {
    session: SESSION,
    turns,
    say: (text) => Promise.resolve(void said.push(text)),
    request(command) {
      sent.push(command);
      return Promise.resolve(left.shift());
    },
  };
  return { client, said, sent };
}

test("[SES-15] /rewind lists the turns with their first words", async () => {
  const started = (turn: number, text: string): Envelope => ({
    id: turn * 10,
    session: SESSION,
    ts: "2026-01-01T00:00:00.000Z",
    kind: "TurnStarted",
    payload: { turn, originator: fakeId("cli", 1), content: [{ type: "text", text }] },
  });
  const events = [started(1, `fix\nthe ${"parser ".repeat(20)}`), started(2, "\u001b[2Jand now")];
  const { client, said, sent } = surface([], events.reduce<readonly SeenTurn[]>(withTurn, []));
  await rewind([], client);
  expect(said[0]?.split("\n").slice(0, 2)).toEqual([
    "  1  fix the parser parser parser parser parser parser parser par…",
    "  2  and now",
  ]);
  expect(sent).toEqual([]);
});

test("[SES-15] /rewind N shows what would be done before it is asked for, then what was done", async () => {
  const { client, said, sent } = surface([PLANNED, DONE]);
  await rewind(["2"], client);
  const command = { kind: "RewindSession", sessionId: SESSION, to: 40, what: "both" };
  expect(sent).toEqual([{ ...command, preview: true }, command] as Command[]);
  expect(said).toEqual([
    [
      "Conversation: 4 messages to be taken out.",
      "Files:",
      "  gone: comes back",
      "  a: is changed back",
      "  new: goes",
      "  both: stays: changed here and by somebody else",
    ].join("\n"),
    "Conversation: 4 messages taken out.\nFiles: 3 set back.\n  both: left as it is: you changed it",
  ]);
});

test("[SES-15] /rewind sends nothing where turn or part is none, and says when nothing was set back", async () => {
  const none = surface([]);
  await rewind(["7"], none.client);
  await rewind(["2", "everything"], none.client);
  expect(none.sent).toEqual([]);
  expect(none.said).toEqual([
    "There is no turn with this number; /rewind lists them.",
    "Say what is to be set back: /rewind N files, /rewind N conversation or /rewind N both.",
  ]);
  const refused = surface([PLANNED, { ...PLANNED, done: false }]);
  await rewind(["2", "files"], refused.client);
  expect(refused.said.at(-1)).toBe("Nothing was set back.");
});
