import { expect, test } from "bun:test";
import { fakeId, SESSION } from "../../../../test/support/fake-connection.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import { readAccepted } from "../../../protocol/commands/results.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Event } from "../../../protocol/events/events.ts";
import type { Turns } from "../../../view/session/turns.ts";
import { NO_TURNS, turnsAfter } from "../../../view/session/turns.ts";
import type { SlashContext } from "../slash-context.ts";
import { runRewind } from "./rewind.ts";

const PLANNED = {
  what: "both",
  to: 40,
  place: "before turn 2",
  done: false,
  conversation: { messages: 2, removed: 4 },
  files: {
    create: ["gone\u001b[2J"],
    change: ["a"],
    mode: [],
    remove: ["new.ts"],
    contested: ["both"],
    foreign: [],
    counts: { restore: 2, remove: 1 },
  },
};
const DONE = {
  ...PLANNED,
  done: true,
  undo: 49,
  files: {
    ...PLANNED.files,
    restored: 3,
    kept: [{ path: "both", why: "you changed it" }],
    notRestorable: [],
  },
};

/** The turns that events tell of, each with its id. */
function seen(...events: readonly (readonly [number, Event])[]): Turns {
  const frame = { session: SESSION, ts: "2026-01-01T00:00:00.000Z" };
  return events.map(([id, event]) => ({ ...event, id, ...frame }) as Envelope).reduce(turnsAfter, NO_TURNS);
}

function started(turn: number, text: string): Event {
  return {
    kind: "TurnStarted",
    payload: { turn, originator: fakeId("cli", 1), content: [{ type: "text", text }] },
  };
}

function rewound(to: number, more: object = {}): Event {
  const payload = { to, what: "both", files: {}, ...more };
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind: "Rewound", payload } };
}

function surface(results: readonly unknown[], turns = seen([40, started(2, "fix it")])) {
  const [said, sent, left] = [[] as string[], [] as Command[], [...results]];
  const client: Pick<SlashContext, "session" | "turns" | "say" | "request"> = {
    session: SESSION,
    turns,
    say: (text) => Promise.resolve(void said.push(text)),
    request: ((command: Command) => {
      sent.push(command);
      return Promise.resolve(readAccepted(command.kind, { result: left.shift() }).result);
    }) as SlashContext["request"],
  };
  return { client, said, sent };
}

test("[SES-15] /rewind lists the turns with their first words, and says what can be done", async () => {
  const turns = seen(
    [10, started(1, `fix\nthe ${"parser ".repeat(20)}`)],
    [20, started(2, "\u001b[2Jand now")],
  );
  const { client, said, sent } = surface([], turns);
  await runRewind([], client);
  expect(said[0]?.split("\n")).toEqual([
    "  1  fix the parser parser parser parser parser parser parser par…",
    "  2  and now",
    "/rewind N goes back to before turn N, files and conversation; it asks first.",
    "/rewind N files, or /rewind N conversation, is for one of them alone.",
  ]);
  expect(sent).toEqual([]);
});

test("[SES-15] /rewind N says what would be done before it is asked for, then what was done and how to undo it", async () => {
  const { client, said, sent } = surface([PLANNED, DONE]);
  await runRewind(["2"], client);
  const command = { kind: "RewindSession", sessionId: SESSION, to: 40, what: "both" };
  expect(sent).toEqual([{ ...command, preview: true }, command] as Command[]);
  const files = [
    "  2 files are restored, 1 is removed:",
    "    gone comes back",
    "    a is restored",
    "    new.ts is removed",
  ];
  expect(said.map((text) => text.split("\n"))).toEqual([
    [
      "This would set back to before turn 2: fix it",
      "  Conversation: the model forgets the last 4 messages.",
      ...files,
      "    both stays as it is: you, or another program, changed it too",
    ],
    [
      "Set back to before turn 2: fix it",
      "  Conversation: the model has forgotten the last 4 messages.",
      ...files,
      "    both stays as it is: you changed it",
      "To undo that: /rewind undo",
    ],
  ]);
});

test("[SES-15] /rewind undo goes back to before the last rewind, with what that set back; a place may be an event too", async () => {
  const none = surface([]);
  await runRewind(["undo"], none.client);
  expect([none.said, none.sent]).toEqual([["No rewind of this session can be undone."], []]);
  const turns = seen([40, started(2, "fix it")], [50, rewound(40, { what: "files", undo: 49 })]);
  const undone = {
    to: 49,
    what: "files",
    place: "after turn 2",
    done: true,
    undo: 50,
    conversation: { messages: 4, removed: 0 },
  };
  const { client, said, sent } = surface([{ ...undone, done: false }, undone], turns);
  await runRewind(["undo"], client);
  expect(sent.at(-1)).toEqual({ kind: "RewindSession", sessionId: SESSION, to: 49, what: "files" });
  expect(said.at(-1)).toBe(
    "Set back to after turn 2\n  Conversation: nothing changes.\nTo undo that: /rewind undo",
  );
  await runRewind(["e49", "conversation"], client);
  expect(sent.at(-1)).toMatchObject({ to: 49, what: "conversation" });
});

test("[SES-15] turns that a rewind has taken back are marked, and come back when it is undone", async () => {
  const marks = async (...events: readonly (readonly [number, Event])[]) => {
    const turns = seen(...events);
    const { client, said } = surface([], turns);
    await runRewind([], client);
    const lines = said[0]?.split("\n").filter((line) => /^ +\d/.test(line)) ?? [];
    return lines.map((line) => line.trim()).join("; ");
  };
  const two = [
    [10, started(1, "one")],
    [20, started(2, "two")],
  ] as const;
  const back = [30, rewound(20, { undo: 29 })] as const;
  expect(await marks(...two, back)).toBe("1  one; 2  (taken back) two");
  expect(await marks(...two, [30, rewound(20, { what: "files" })])).toBe("1  one; 2  two");
  expect(await marks(...two, [30, rewound(0)])).toBe("1  (taken back) one; 2  (taken back) two");
  const third = [40, started(3, "three")] as const;
  expect(await marks(...two, back, third)).toBe("1  one; 2  (taken back) two; 3  three");
  const undone = [50, rewound(29, { undo: 49 })] as const;
  expect(await marks(...two, back, third, undone)).toBe("1  one; 2  two; 3  (taken back) three");
  expect(await marks(...two, back, third, undone, [60, rewound(49)])).toBe(
    "1  one; 2  (taken back) two; 3  three",
  );
  expect(await marks(...two, back, third, undone, [60, rewound(30)])).toBe(
    "1  one; 2  (taken back) two; 3  (taken back) three",
  );
});

test("[SES-15] /rewind sends nothing for an unknown turn or part, and says when nothing was restored", async () => {
  const none = surface([]);
  await runRewind(["7"], none.client);
  await runRewind(["2", "everything"], none.client);
  expect(none.sent).toEqual([]);
  expect(none.said).toEqual([
    "There is no turn 7; /rewind lists them.",
    "Say what is to be set back: /rewind N files, /rewind N conversation or /rewind N both.",
  ]);
  const refused = surface([PLANNED, { ...PLANNED, done: false }]);
  await runRewind(["2", "files"], refused.client);
  expect(refused.said.at(-1)).toBe("Nothing was set back.");
});
