import { expect, test } from "bun:test";
import type { FakeServices } from "../../../../test/support/terminal-parts.ts";
import { fakeServices, linesOf } from "../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { ImageUploads } from "../images/image-uploads.ts";
import { InputPart } from "../input/input-part.ts";
import type { OutgoingMessage } from "../input/message.ts";
import type { ActionName } from "../keys/actions.ts";
import { ScreenLayout } from "../layout/screen-layout.ts";
import { NO_COLOURS } from "../themes/none.ts";
import { QuestionDock } from "./question-dock.ts";

type Request = Extract<Question, { kind: "permission" }>["request"];
type Ask = Extract<Question, { kind: "asked" }>["ask"];

const SIZE = { columns: 80, rows: 40 };
/** The quiet time, and the time in which late keys are read. */
const LIVE_MS = 310;

function permission(more: Partial<Request> = {}): Question {
  const request = { callId: "call_1", tool: "Bash", args: {}, summary: "npm run test", ...more };
  return { kind: "permission", request: request as unknown as Request };
}

function ask(more: Partial<Ask>): Question {
  return { kind: "asked", ask: { askId: "ask_1", about: "plan", text: "a plan", ...more } as unknown as Ask };
}

function openStage() {
  const services = fakeServices();
  const sentTexts: string[] = [];
  const send = ({ text }: OutgoingMessage) => void sentTexts.push(text);
  // Without a session no draft is kept: the tests count what the questions send.
  const session = { ...services.session, open: undefined };
  const uploads = new ImageUploads(session);
  const outgoing = { slow: [] };
  const input = new InputPart({
    services: { ...services, session },
    uploads,
    outgoing,
    workingDir: "/work",
    send,
  });
  const dock = new QuestionDock(services);
  const stage: ScreenLayout = new ScreenLayout({
    parts: {
      header: () => [],
      transcript: { contexts: [], draw: () => ({ rows: [] }), act: () => false },
      above: () => [],
      rule: () => ({ spans: [] }),
      dock,
      input,
      side: () => undefined,
      status: () => ({ spans: [] }),
    },
    keys: () => services.keys,
    clock: services.clock,
    redraw: () => undefined,
    theme: () => NO_COLOURS,
    act: () => undefined,
  });
  Object.assign(services, {
    open: (overlay: never) => stage.open(overlay),
    close: (overlay: never) => stage.close(overlay),
    draft: input,
  });
  const screen = (size = SIZE) => Bun.stripANSI(stage.draw(size).rows.join("\n"));
  const press = (...keys: readonly string[]) => {
    for (const key of keys) stage.input({ kind: "key", key, ...(key.length === 1 ? { text: key } : {}) });
  };
  const live = async () => {
    screen();
    await services.clock.advance(LIVE_MS);
    screen();
  };
  return { services, stage, dock, input, screen, press, live, sentTexts };
}

const answers = (services: FakeServices) =>
  services.sent.map((command) => {
    const { sessionId: _, kind: __, ...rest } = command as unknown as Record<string, unknown>;
    return rest;
  });

test("[PERM-14 TUI-04 complaint 17] keys before 300 ms of quiet go to the draft, and each one restarts the time", async () => {
  const { services, input, screen, press, sentTexts } = openStage();
  services.ask(permission());
  screen();
  for (const key of ["y", "1", "n", "4", "s", "w"]) {
    await services.clock.advance(250);
    press(key);
  }
  expect([input.text, services.sent]).toEqual(["y1n4sw", []]);
  await services.clock.advance(250);
  press("enter");
  expect([sentTexts, services.sent.length]).toEqual([["y1n4sw"], 0]);
  await services.clock.advance(299);
  press("left");
  await services.clock.advance(299);
  press("y");
  expect([input.text, services.sent.length]).toEqual(["y", 0]);
  await services.clock.advance(LIVE_MS);
  press("y");
  expect(answers(services)).toEqual([{ callId: "call_1", decision: "allow", scope: "once" }]);
});

test("[PERM-14] a question that follows another one starts with its own quiet time", async () => {
  const { services, input, screen, press, live } = openStage();
  services.ask(permission());
  await live();
  services.ask(permission({ callId: "call_2" as never }));
  press("y"); // before the new question is drawn
  screen();
  press("y");
  expect([services.sent, input.text]).toEqual([[], "yy"]);
  await services.clock.advance(LIVE_MS);
  press("n");
  expect(answers(services)).toEqual([{ callId: "call_2", decision: "deny", scope: "once" }]);
});

test("[PERM-14] a pasted text never answers, and keys wait again after it", async () => {
  const { services, stage, input, press, live } = openStage();
  services.ask(permission());
  await live();
  stage.input({ kind: "paste", text: "y" });
  press("y");
  expect([services.sent, input.text]).toEqual([[], "yy"]);
});

test("[PERM-14] the whole-screen question has the same quiet time, and closes with the question", async () => {
  const { services, dock, input, screen, press, live } = openStage();
  services.ask(permission());
  await live();
  press("ctrl+f");
  expect(screen()).toStartWith("Question");
  services.ask(permission({ callId: "call_2" as never }));
  screen();
  press("y", "4");
  expect([services.sent, input.text]).toEqual([[], "y4"]);
  await services.clock.advance(LIVE_MS);
  press("n");
  expect(services.sent.length).toBe(1);
  services.ask();
  dock.changed();
  expect(screen()).not.toStartWith("Question");
});

test("[PERM-14 TUI-08] a paste beside the whole-screen question is one for the draft, and no vim command", async () => {
  const { services, stage, input, screen, press, live } = openStage();
  input.useVimKeys(true);
  services.ask(permission());
  await live();
  press("ctrl+f");
  screen();
  const long = "x\n".repeat(30);
  stage.input({ kind: "paste", text: long });
  input.act("vim.normal");
  stage.input({ kind: "paste", text: "dd" });
  expect([input.text, services.sent]).toEqual([`dd${long}`, []]);
});

test("[PERM-03 TUI-04 bar Permission] the rule for the session can be shortened before it is sent", async () => {
  const { services, screen, press, live } = openStage();
  services.ask(permission({ rule: "Bash:npm run test", prefixes: ["Bash:npm *", "Bash:npm run *"] }));
  await live();
  press("2", "left");
  expect(screen()).toContain("allow for this session: Bash:npm run *");
  press("left");
  expect(screen()).toContain("Bash:npm *");
  press("right", "enter");
  expect(answers(services)).toEqual([
    { callId: "call_1", decision: "allow", scope: "argv_glob", rule: "Bash:npm run *" },
  ]);
});

test("[PERM-14 bar Permission] a refusal carries words, which stay out of the draft", async () => {
  const { services, input, screen, press, live } = openStage();
  services.ask(permission());
  await live();
  press("w", ..."use y".split("").map((key) => (key === " " ? " " : key)));
  expect(screen()).toContain("> use y");
  press("enter");
  expect(answers(services)).toEqual([{ callId: "call_1", decision: "deny", scope: "once", words: "use y" }]);
  expect(input.text).toBe("");
});

const HUNKS = ["h1", "h2", "h3"].map((id, at) => ({
  id,
  old_start: at * 10 + 1,
  old_lines: 1,
  new_start: at * 10 + 1,
  new_lines: 1,
  lines: [`-old ${id}`, `+new ${id}`],
}));

test("[PERM-15 TUI-05] hunks are accepted and refused one by one, and sent together", async () => {
  const { services, screen, press, live } = openStage();
  services.ask(permission({ tool: "MultiEdit", hunks: HUNKS, toolKind: "edit" }));
  await live();
  press("a", "d");
  expect(screen()).toContain("hunk 2 of 3: refused");
  press("enter");
  expect([services.sent.length, services.said]).toEqual([
    0,
    ["1 of 3 hunks are not decided yet: A accepts the rest, D refuses it."],
  ]);
  press("p", "n", "a", "enter");
  expect(answers(services)).toEqual([
    { callId: "call_1", decision: "allow", scope: "once", hunks: ["h1", "h3"] },
  ]);
});

test("[PERM-15 TUI-05] the hunks that are not decided are accepted or refused with one key", async () => {
  const { services, press, live } = openStage();
  services.ask(permission({ tool: "MultiEdit", hunks: HUNKS, toolKind: "edit" }));
  await live();
  press("a", "D", "enter");
  expect(answers(services)).toEqual([{ callId: "call_1", decision: "allow", scope: "once", hunks: ["h1"] }]);
});

test("[PERM-14 TUI-04 bar Permission] on the whole screen the question names the keys back and through it, and not the one that opened it", async () => {
  const { services, screen, press, live } = openStage();
  const summary = Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\n");
  services.ask(permission({ summary }));
  await live();
  expect(screen()).toContain("ctrl+f shows all");
  press("ctrl+f");
  expect(screen()).toContain("escape goes back to the conversation · pageUp pageDown scroll");
  expect(screen()).not.toContain("ctrl+f");
});

test("[PERM-06 TUI-04 bar Permission] a question that the mode has caused names the mode and its key, and no flag", async () => {
  const { services, screen, live } = openStage();
  const why = {
    cause: "level" as const,
    text: "above --level ReadOnly",
    ends: { setting: "without --level ReadOnly" },
  };
  services.ask(permission({ summary: "touch a", reason: "above --level ReadOnly", why }));
  Object.assign(services.session.view.run ?? {}, { level: "ReadOnly", planMode: false });
  await live();
  expect(screen()).toContain('because: the mode is "ask"; shift+tab goes to the next mode, "accept edits"');
  expect(screen()).not.toContain("--level");
});

test("[PERM-06 TUI-04 bar Permission] shows the whole command, its parts, the risk, the reason, and who asks; at 40 columns too", async () => {
  const { services, screen, live } = openStage();
  services.ask(
    permission({
      summary: "rm -rf a \u001b[2J && ls",
      parts: [
        { text: "rm -rf a", verdict: "ask", why: "no rule" },
        { text: "ls", verdict: "allow", why: "reads" },
      ],
      why: { cause: "network", text: "x" } as never,
      reason: "no rule allows it",
      agent: "explorer",
      timeoutMs: 60_000,
    }),
    permission({ callId: "call_2" as never }),
  );
  await live();
  const shown = screen();
  for (const text of [
    "Permission needed: Bash (for the sub-agent explorer) · network · 1 of 2",
    "60 s",
    "rm -rf a ␛[2J && ls",
    "ask: rm -rf a (no rule)",
    "because: no rule allows it",
    "1/y  allow once",
    "5/w  deny, and tell",
  ])
    expect(shown).toContain(text);
  const narrow = screen({ columns: 40, rows: 15 });
  expect(narrow).toContain("y");
  expect(narrow).toMatch(/… (?:\d+ rows? above, )?\d+ rows? (?:above|below) · ctrl\+f shows all/);
  for (const line of narrow.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
});

test("[TUI-04] a refused answer is said and can be given again; one that came too late is said", async () => {
  const { services, press, live } = openStage();
  services.ask(permission());
  await live();
  services.reply = new HarnessError("InvalidCommand", { kind: "AnswerPermission", why: "no such call" });
  services.found = { questions: 1 };
  press("y");
  await live();
  expect(services.said.at(-1)).toContain("no such call");
  services.reply = { counted: false };
  press("y");
  await services.clock.advance(1);
  expect(services.said.at(-1)).toContain("came first");
  press("y");
  expect(services.sent.length).toBe(2);
});

test("[TUI-04] Tab goes to the next open question", async () => {
  const { services, screen, press, live } = openStage();
  services.ask(permission(), permission({ callId: "call_2" as never, summary: "second" }));
  await live();
  press("tab");
  expect(screen()).toContain("2 of 2");
  await live();
  press("y");
  expect(answers(services)).toMatchObject([{ callId: "call_2" }]);
});

test("[ENG-21] a plan is approved with a key, or refused with words", async () => {
  const choices = [
    { value: "approve", label: "carry it out" },
    { value: "deny", label: "go on planning" },
  ];
  const plan = () => ask({ text: "# Plan\n\n- one\n", choices, words: true });
  const { services, press, live } = openStage();
  services.ask(plan());
  await live();
  press("w", "n", "o", "enter");
  services.ask(plan());
  await live();
  press("y");
  expect(answers(services)).toEqual([
    { askId: "ask_1", answer: "no" },
    { askId: "ask_1", answer: "approve" },
  ]);
});

test("[TUI-04] a field of a form takes a text after the quiet time, and can be declined", async () => {
  const { services, input, screen, press, live } = openStage();
  services.ask(ask({ about: "elicitation", text: "server asks for a number" }));
  screen();
  press("a");
  await live();
  press("4", "2", "enter");
  services.ask(ask({ about: "elicitation", text: "another" }));
  await live();
  press("alt+x");
  expect([input.text, answers(services)]).toEqual([
    "a",
    [
      { askId: "ask_1", answer: "42" },
      { askId: "ask_1", answer: null },
    ],
  ]);
});

const TRUST: Partial<Ask> = {
  about: "trust",
  text: "a skill: changed.\nThe model reads it.\n\n== SKILL.md\n@@ -1 +1 @@\n-old\n+new\n== run.sh\n+echo hi",
  choices: [
    { value: "approve", label: "use it" },
    { value: "deny", label: "leave it out" },
  ],
};

test("[TUI-05 TOFU-01 bar Diff complaint 30] trust review: files one by one, layout by width and by key, a and d decide", async () => {
  const { services, screen, press, live } = openStage();
  services.ask(ask(TRUST));
  await live();
  expect(screen()).toContain("SKILL.md, changed (file 1 of 2)");
  expect(screen()).not.toContain("│");
  press("s");
  expect(screen()).toMatch(/1 - old +│1 \+ new/);
  expect(services.settings.values.diffLayout).toBe("side");
  press("n");
  expect(screen()).toContain("run.sh, new (file 2 of 2)\n  1 + echo hi");
  press("p", "v");
  expect(screen()).toStartWith("Question");
  press("d");
  expect(answers(services)).toEqual([{ askId: "ask_1", answer: "deny" }]);
});

test("[TUI-05] side by side from 120 columns on", async () => {
  const { services, screen, live } = openStage();
  services.ask(ask(TRUST));
  await live();
  expect(screen({ columns: 120, rows: 40 })).toMatch(/1 - old +│1 \+ new/);
  services.settings.change({ diffLayout: "unified" });
  expect(screen({ columns: 120, rows: 40 })).toContain("+ new");
  expect(screen({ columns: 120, rows: 40 })).not.toContain("│");
});

test("[PERM-14] a long question scrolls inside the half of the screen that it has", async () => {
  const { services, screen, press, live } = openStage();
  const summary = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");
  services.ask(permission({ summary }));
  await live();
  expect(screen()).not.toContain("line 20");
  press("pageDown");
  expect(screen()).toContain("line 20");
  const names: readonly ActionName[] = ["question.once"];
  expect(names.every((name) => services.keys.keysOf(name).length > 0)).toBe(true);
});

test("[TUI-04] answers are dimmed until keys give them", async () => {
  const { services, dock, live } = openStage();
  services.ask(permission());
  const roles = () =>
    dock
      .draw(SIZE)
      .rows.at(-1)
      ?.spans.map(({ style }) => style.role);
  expect(new Set(roles())).toEqual(new Set(["dim"]));
  await live();
  expect(roles()?.[0]).toBe("accent");
  expect(linesOf(dock.draw(SIZE).rows)).toContain("deny");
});

test("[PERM-03 TUI-04] the answers of a question about hosts, and of one that is allowed once only", async () => {
  const { services, screen, press, live } = openStage();
  services.ask(permission({ hosts: ["example.org"] }));
  await live();
  expect(screen()).toContain("which reaches example.org");
  press("2");
  services.ask(permission({ callId: "call_2" as never, onceOnly: true }));
  await live();
  press("3");
  expect(services.sent.length).toBe(1);
  await live();
  press("4");
  expect(answers(services)).toEqual([
    { callId: "call_1", decision: "allow", scope: "once", hosts: true },
    { callId: "call_2", decision: "deny", scope: "once" },
  ]);
});

test("[TUI-04] names the client whose turn asks, and counts a limit down", async () => {
  const { services, screen, live } = openStage();
  services.ask(permission({ originator: "cli_01ABCDEF" as never, timeoutMs: 60_000 }));
  await live();
  await services.clock.advance(5_000);
  expect(screen()).toMatch(/ · for \S+ · 55 s/);
  services.ask(permission({ timeoutMs: 60_000, onlyUnattended: true }));
  expect(screen()).not.toContain("s left");
  expect(screen()).toContain("While nobody is here: without an answer within 60 s it is denied.");
});

test("[TUI-04] an interrupted call is judged by number, with a note where one may stand", async () => {
  const choices = [
    { value: "failed", label: "failed" },
    { value: "succeeded", label: "succeeded" },
  ];
  const orphan = () =>
    ask({
      about: "orphan",
      choices,
      noteFor: "succeeded",
      details: { tool: "Bash", args: { command: "make" } },
    });
  const { services, screen, press, live } = openStage();
  services.ask(orphan());
  await live();
  expect(screen()).toContain("make");
  press("w", "o", "k", "enter");
  services.ask(orphan());
  await live();
  press("1");
  expect(answers(services)).toEqual([
    { askId: "ask_1", answer: "succeeded: ok" },
    { askId: "ask_1", answer: "failed" },
  ]);
});

test("[TUI-07] the address in a question of a tool server is shown whole, on narrow screens too", async () => {
  const address = `https://example.org/${"a".repeat(150)}?end`;
  const { services, screen, live } = openStage();
  services.ask(ask({ about: "elicitation", text: `Open this:\n${address}`, choices: [] }));
  await live();
  expect(screen({ columns: 40, rows: 40 }).replaceAll("\n", "")).toContain(address);
});

test("[PERM-14] a question that an overlay hid waits again once it is back in sight", async () => {
  const { services, stage, input, screen, press, live } = openStage();
  services.ask(permission());
  await live();
  const overlay = {
    title: "List",
    place: "full" as const,
    contexts: [],
    draw: () => ({ rows: [] }),
    act: () => false,
  };
  stage.open(overlay);
  press("y");
  await live();
  stage.close(overlay);
  screen();
  press("y");
  expect([services.sent, input.text]).toEqual([[], "y"]);
  await live();
  press("y");
  expect(services.sent.length).toBe(1);
});

test("[TUI-11 PERM-06] on the lowest screens a question shows its command, the count of its other rows, and its first answers, and the cursor stands in its field", async () => {
  const { services, stage, screen, live, press } = openStage();
  const summary = Array.from({ length: 9 }, (_, at) => `line ${at}`).join("\n");
  services.ask(permission({ summary }));
  await live();
  for (const size of [
    { columns: 40, rows: 8 },
    { columns: 20, rows: 6 },
  ]) {
    const rows = screen(size).split("\n");
    expect(rows).toHaveLength(size.rows);
    expect(rows.join("\n")).toMatch(/line 0.*\n[\s\S]*1 once/);
    expect(rows.join("\n")).toMatch(/\+\d+|\d+ rows? below/);
    expect(rows.at(-2)).toStartWith(">");
  }
  press("w");
  await live();
  press("n", "o");
  const size = { columns: 20, rows: 6 };
  const at = screen(size)
    .split("\n")
    .findIndex((text) => text.startsWith("> no"));
  expect(stage.draw(size).cursor).toEqual({ row: at, column: 4 });
});

test("[PERM-14 TUI-10] a drawing alone begins no time, and a dock that has ended waits for nothing", () => {
  const { services, dock, screen } = openStage();
  services.ask(permission({ timeoutMs: 60_000 }));
  dock.draw(SIZE);
  expect(services.clock.waiting).toBe(0);
  screen();
  expect(services.clock.waiting).toBe(2);
  dock[Symbol.dispose]();
  expect(services.clock.waiting).toBe(0);
});

test("[PERM-14 TUI-11] on a screen without a row for what is asked no key answers, and the whole screen shows it", async () => {
  for (const question of [permission(), ask({ choices: [{ value: "yes", label: "yes" }] as never })]) {
    const { services, input, screen, press } = openStage();
    services.ask(question);
    const small = { columns: 20, rows: 4 };
    screen(small);
    await services.clock.advance(LIVE_MS);
    expect(screen(small)).not.toMatch(/npm run|a plan/);
    press("y", "1");
    expect([services.sent, input.text]).toEqual([[], "y1"]);
    input.clear();
    await services.clock.advance(LIVE_MS);
    press("ctrl+f");
    expect(screen(small)).toMatch(/npm run|a plan/);
    await services.clock.advance(LIVE_MS);
    press("1");
    expect(services.sent).toHaveLength(1);
  }
});

test("[PERM-14] an answer to what is not asked any more says so; any other refusal is shown as it is", async () => {
  for (const [questions, said] of [
    [0, "The question is gone: its turn has ended."],
    [1, "That cannot be done: no"],
  ] as const) {
    const { services, press, live } = openStage();
    services.ask(permission());
    await live();
    services.reply = new HarnessError("InvalidCommand", { kind: "AnswerPermission", why: "no" });
    services.found = { questions };
    press("y");
    await live();
    expect(services.said).toEqual([said]);
  }
});

test("[TUI-08 TUI-10 complaint 16] words for a question that another client answers, or whose turn ends, come into the draft", async () => {
  const { services, dock, input, press, live } = openStage();
  services.ask(permission());
  await live();
  press("w", ..."use rg");
  expect(input.text).toBe("");
  services.ask(permission({ callId: "call_2" as never }));
  dock.changed();
  expect(input.text).toBe("use rg");
  expect(services.said.at(-1)).toBe("The question is gone: what you wrote for it is in the draft.");
  dock.changed();
  expect(input.text).toBe("use rg");
});

test("[TUI-08 TUI-10 complaint 16] words of an answer that is refused, or comes too late, come into the draft", async () => {
  for (const reply of [
    new HarnessError("EngineUnreachable", { url: "unix", detail: "it has gone" }),
    new HarnessError("InvalidCommand", { kind: "AnswerPermission", why: "no such call" }),
    { counted: false },
  ]) {
    const { services, dock, input, press, live } = openStage();
    services.reply = reply;
    services.answers.GetSession = { questions: 0 };
    services.ask(permission());
    await live();
    press("w", ..."use rg", "enter");
    await live();
    services.ask();
    dock.changed();
    expect(input.text).toBe("use rg");
  }
  const { services, dock, input, press, live } = openStage();
  services.ask(permission());
  await live();
  press("w", ..."use rg", "enter");
  await live();
  services.ask();
  dock.changed();
  expect([answers(services), input.text]).toEqual([
    [{ callId: "call_1", decision: "deny", scope: "once", words: "use rg" }],
    "",
  ] as never);
});
