import { expect, test } from "bun:test";
import { parseArguments } from "../../args/arguments.ts";
import { COMMANDS } from "../commands.ts";
import type { SessionsWords } from "./sessions-words.ts";
import { sessionsWords } from "./sessions-words.ts";
import type { SessionsContext } from "./verbs.ts";

function parse(line: string): SessionsWords {
  const call = parseArguments(line.split(" "), COMMANDS);
  if (call.kind !== "command") throw new Error(JSON.stringify(call));
  return sessionsWords(call as unknown as SessionsContext);
}

function problem(line: string): string {
  const read = parseArguments(line.split(" "), COMMANDS);
  return read.kind === "usage" ? read.problem : read.kind;
}

test("[SES-07 SES-10 CLI-01] the verbs of cinch sessions read as they are documented", () => {
  expect(parse("sessions list --all --limit 5 --json")).toMatchObject({
    verb: "list",
    all: true,
    limit: 5,
    json: true,
  });
  const positional = parse("sessions export sess_1 --format markdown --output out.md");
  expect(positional).toMatchObject({
    verb: "export",
    target: "sess_1",
    format: "markdown",
    output: "out.md",
  });
  expect(parse("sessions export --session sess_1 --format markdown --output out.md")).toEqual(positional);
  expect(parse("sessions branch last --at 3")).toMatchObject({ at: { kind: "turn", turn: 3 } });
  expect(parse("sessions branch last --at e120")).toMatchObject({ at: { kind: "event", event: 120 } });
  expect(parse("sessions replay last --from 2 --speed 1.5")).toMatchObject({ speed: 1.5 });
  expect(parse("sessions expire --older-than 0 --yes")).toMatchObject({ olderThanDays: 0, yes: true });
});

test("[SES-15] a session is set back to a turn, to an event, or to its beginning, which is event 0", () => {
  const places = ["2", "e120", "0", "e0"].map((to) =>
    parse(`sessions rewind last --to ${to} --conversation`),
  );
  expect(places.map(({ what, to }) => [what, to])).toEqual([
    ["conversation", { kind: "turn", turn: 2 }],
    ["conversation", { kind: "event", event: 120 }],
    ["conversation", undefined],
    ["conversation", undefined],
  ]);
});

test("[SES-07] resume takes the flags of the line client", () => {
  const call = parseArguments(
    "sessions resume last --model mock:one --auto-approve --no-listen".split(" "),
    COMMANDS,
  );
  expect(call).toMatchObject({
    kind: "command",
    verb: "resume",
    words: ["last"],
    flags: { "no-listen": true },
    settings: { model: "mock:one", autoApprove: true },
  });
  expect(problem("sessions list --model x")).toBe(
    "--model goes with cinch sessions resume, not with cinch sessions list",
  );
});

test("[SES-15] a target of a rewind that is no place is refused", () => {
  expect(() => parse("sessions rewind last --to last")).toThrow(
    '--to takes the number of a turn, or of an event behind an e such as e120, not "last"',
  );
});

test.each([
  ["sessions", "cinch sessions is followed by one of list,"],
  ["sessions lst", "did you mean cinch sessions list?"],
  ["sessions show", "cinch sessions show needs ID: a session or log id, the beginning of one, or last"],
  ["sessions import", "cinch sessions import needs FILE: an export"],
  ["sessions show a b", 'cinch sessions show takes ID; "b" is one too many'],
  ["sessions list x", 'cinch sessions list takes no "x"'],
  ["sessions list --at 3", "--at goes with cinch sessions branch, not with cinch sessions list"],
  ["sessions rewind last", "cinch sessions rewind needs --to TURN|eN"],
  ["sessions rewind last --to 1 --files --both", "--files and --both exclude each other"],
  [
    "sessions branch last --at last",
    '--at takes the number of a turn, or of an event behind an e such as e120, not "last"',
  ],
  ["sessions export last --format html", '--format is one of jsonl, markdown, md, not "html"'],
  ["sessions list --limit 0", "--limit takes a whole number from 1 to 1000000"],
  ["sessions replay last --step --speed 2", "--speed and --step exclude each other"],
  ["-p hello --at 3", "--at goes with cinch sessions or cinch tasks, not with -p"],
])("[CLI-01] wrong words are refused with the right form: cinch %s", (line, text) => {
  expect(problem(line)).toContain(text);
});
