import { expect, test } from "bun:test";
import { parseArguments } from "../../args/arguments.ts";
import { helpText } from "../../args/help.ts";
import { VERBS } from "./sessions-verbs.ts";

function parse(line: string): Readonly<Record<string, unknown>> {
  const { settings: _settings, ...rest } = { settings: undefined, ...parseArguments(line.split(" ")) };
  return rest;
}

test("[SES-07 SES-10 CLI-01] the verbs of cinch sessions read as they are documented", () => {
  expect(parse("sessions list --all --limit 5 --json")).toMatchObject({
    kind: "sessions",
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

test("[SES-07] resume is the line client on that session, with its flags", () => {
  const invocation = parseArguments("sessions resume last --model mock:one --auto-approve".split(" "));
  expect(invocation).toMatchObject({
    kind: "line",
    settings: { resume: { kind: "id", id: "last" }, model: "mock:one", autoApprove: true },
  });
});

test.each([
  ["sessions", "cinch sessions is followed by one of list,"],
  ["sessions lst", "did you mean cinch sessions list?"],
  ["sessions show", "cinch sessions show needs a session: an id, the beginning of one, or last"],
  ["sessions import", "cinch sessions import needs a file: an export"],
  ["sessions show a b", 'takes one session; "b" is one more'],
  ["sessions list x", 'cinch sessions list takes no "x"'],
  ["sessions list --at 3", "--at does not go with cinch sessions list"],
  [
    "sessions branch last --at last",
    '--at takes the number of a turn, or of an event behind an e such as e120, not "last"',
  ],
  ["sessions export last --format html", '--format is one of jsonl, markdown, not "html"'],
  ["sessions list --limit 0", "--limit takes a whole number from 1 to 1000000"],
  ["sessions replay last --step --speed 2", "--speed and --step exclude each other"],
  ["sessions list --model x", "--model does not go with cinch sessions"],
  ["-p hello --at 3", "--at does not go with -p"],
])("[CLI-01] `cinch %s` is told what is wrong", (line, problem) => {
  const invocation = parse(line);
  expect(invocation["kind"]).toBe("usage");
  expect(String(invocation["problem"])).toContain(problem);
});

test("[CLI-01] each verb has its own help, with its flags, within 80 columns", () => {
  expect(parseArguments(["sessions", "export", "--help"])).toEqual({
    kind: "help",
    about: ["sessions", "export"],
  });
  expect(parseArguments(["help", "sessions", "export"])).toEqual({
    kind: "help",
    about: ["sessions", "export"],
  });
  const all = helpText(["sessions"]);
  for (const { name, flags } of VERBS) {
    expect(all).toContain(`  cinch sessions ${name}`);
    const own = helpText(["sessions", name]);
    for (const flag of flags) expect(own).toContain(`--${flag}`);
    expect(Math.max(...own.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  }
  expect(helpText(["sessions", "export"])).toMatchSnapshot();
  expect(all).toMatchSnapshot();
});
