import { beforeAll, expect, test } from "bun:test";
import { fakeClock, settle } from "../../../test/support/fake-clock.ts";
import { CLIENT, FakeConnection, fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import { until } from "../../../test/support/until.ts";
import { TOOLS } from "../../app/plan/tool-list.ts";
import { BoundedQueue } from "../../base/async/queue.ts";
import { HarnessError } from "../../base/errors.ts";
import type { EventSeq } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { SLASH_COMMANDS } from "../../protocol/commands/own-commands.ts";
import type { Event, PayloadOf } from "../../protocol/events/events.ts";
import { displayFields } from "../../tools/tool-facts.ts";
import type { NotifiedEvent } from "../../view/notified-events.ts";
import { INTERRUPT_BANNER } from "../../view/terminal/interrupt-banner.ts";
import { slashHelpText } from "../slash/commands/help-text.ts";
import type { LineInput, LineTerminal } from "./input/terminal.ts";
import { runLineClient } from "./line-client.ts";
import type { LineOutcome } from "./options.ts";

const CALL = fakeId("call", 1);
const ASK = fakeId("ask", 1);
const NEXT = fakeId("sess", 2);
const PROMOTED = "Allowed from the next session on, under the profile mine";
const QUESTION = "1-4 > ";

// Loaded by the client at the first result that it reads: a step of this process from then on.
beforeAll(async () => void (await import("../../protocol/commands/results.ts")));

test("[CLI-01] a line is sent, the answer is streamed, and the cost stands after the turn", async () => {
  const rig = openRig();
  await rig.type("fix it");
  rig.publish(started(1), text("Do"), text("ne."), cost(0.0123), ended(1, "complete", 2));
  await settle();
  expect(rig.sent).toEqual([input("fix it")]);
  expect(rig.shown()).toBe("Done.\n-- rounds: 2, $0.0123 this turn, $0.0123 this session\n");
  expect(rig.prompts).toEqual(["> ", undefined, "> "]);
  expect(await rig.leave("/quit")).toEqual({ why: "quit", lastTurn: "complete" });
});

test("[CTL-19] the bell rings for the moments that the user has named, when they happen, and not for a turn that was cancelled", async () => {
  const of = async (rings: readonly NotifiedEvent[]) => {
    const rig = openRig(true, new FakeConnection(), { rings });
    await settle();
    const counts: number[] = [];
    const after = async (...events: readonly Event[]) => {
      rig.publish(...events);
      await settle();
      counts.push(rig.rung());
    };
    await after(started(1), text("Done."));
    await after({ kind: "Asked", payload: { askId: ASK, about: "plan", text: "1. look", choices: [] } });
    await after({ kind: "Answered", payload: { askId: ASK, answer: "no" } });
    await after(ended(1, "complete", 1));
    await after(started(2), ended(2, "cancelled", 1));
    await after(started(3), ended(3, "error", 1));
    await rig.end();
    return counts;
  };
  expect(await of([])).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await of(["turn-end", "question", "error"])).toEqual([0, 1, 1, 2, 2, 3]);
  expect(await of(["question"])).toEqual([0, 1, 1, 1, 1, 1]);
});

test("[CTL-19] the bell does not ring for the history of a resumed session", async () => {
  const connection = new FakeConnection();
  for (const event of [started(1), ended(1, "complete", 1)]) connection.publish(event);
  const rig = openRig(true, connection, { history: true, past: 2, rings: ["turn-end"] });
  await settle();
  expect(rig.rung()).toBe(0);
  rig.publish(started(2), ended(2, "complete", 1));
  await settle();
  expect(rig.rung()).toBe(1);
  await rig.end();
});

test("[CLI-01 PROV-11] an unknown price is reported after the first turn, and not after each", async () => {
  const rig = openRig();
  for (const turn of [1, 2]) {
    await rig.type("go");
    rig.publish(started(turn), cost(null), ended(turn, "complete", turn));
    await settle();
  }
  await rig.type("go");
  rig.publish(started(3), cost(0.5), ended(3, "complete", 1));
  await settle();
  expect(rig.shown()).toBe(
    [
      "-- rounds: 1, price unknown",
      "-- rounds: 2",
      "-- rounds: 1, $0.5000 this turn, at least $0.5000 this session",
      "",
    ].join("\n"),
  );
  await rig.leave("/quit");
});

test("[ENG-21 CLI-01] /plan begins plan mode, the prompt shows it, a plan is approved or answered with words, /plan off ends it", async () => {
  const rig = openRig();
  const plans = (active: boolean): Event => ({
    kind: "CustomEvent",
    payload: { namespace: "cinch", kind: "PlanMode", payload: { active } },
  });
  await rig.type("/plan");
  rig.publish(plans(true), plans(true));
  await settle();
  expect(rig.prompts.at(-1)).toBe("plan > ");
  await rig.type("/plan");
  await rig.type("/plan now");
  rig.publish({
    kind: "Asked",
    payload: {
      askId: ASK,
      about: "plan",
      text: "1. look",
      choices: [
        { value: "approve", label: "approve it" },
        { value: "deny", label: "refuse it" },
      ],
      words: true,
    },
  });
  await settle();
  await rig.type("3");
  await rig.type("look twice");
  rig.publish({ kind: "Answered", payload: { askId: ASK, answer: "look twice" } });
  await rig.type("/plan off");
  rig.publish(plans(false));
  await settle();
  expect(rig.sent).toEqual([
    { kind: "EnterPlanMode", sessionId: SESSION },
    { kind: "Answer", sessionId: SESSION, askId: ASK, answer: "look twice" },
    { kind: "ExitPlanMode", sessionId: SESSION, approve: true },
  ]);
  expect(rig.shown()).toBe(
    [
      "plan mode is on: nothing is changed until you approve a plan",
      "Plan mode is on. /plan off ends it.",
      "Write /plan to plan first, /plan off to end that.",
      "Plan to approve:",
      "| 1. look",
      "  1  approve it",
      "  2  refuse it",
      "That is none of the answers: type 1 (or y) or 2 (or n), or words of your own.",
      "Plan to approve:",
      "| 1. look",
      "  1  approve it",
      "  2  refuse it",
      "plan mode is off",
      "",
    ].join("\n"),
  );
  expect(rig.prompts.at(-1)).toBe("> ");
  await rig.leave("/quit");
});

test("[ENG-24 CLI-01] /tasks lists what runs in the background, and /tasks:stop ends it by its number or id", async () => {
  const rig = openRig();
  const [one, two] = [fakeId("task", 1), fakeId("task", 2)];
  await rig.type("/tasks");
  rig.publish({ kind: "TaskChanged", payload: { taskId: one, what: "npm run build", state: "running" } });
  rig.publish({ kind: "TaskChanged", payload: { taskId: two, what: "serve", state: "running" } });
  const failed = { taskId: one, what: "npm run build", state: "failed", detail: "exit code 1" } as const;
  rig.publish({ kind: "TaskChanged", payload: failed });
  await settle();
  await rig.type("/tasks");
  await rig.type("/tasks:stop 2");
  await rig.type(`/tasks stop ${one}`);
  await rig.type("/tasks:stop 7");
  expect(rig.sent).toEqual([
    { kind: "StopTask", sessionId: SESSION, taskId: two },
    { kind: "StopTask", sessionId: SESSION, taskId: one },
  ]);
  const shown = rig.shown();
  expect(shown).toStartWith("Nothing runs in the background.\n");
  expect(shown).toEndWith(
    [
      `  1  failed (exit code 1)  npm run build  ${one}`,
      `  2  running  serve  ${two}`,
      "/tasks:stop N ends one.",
      "There is no task with this number or id; /tasks lists them.",
      "",
    ].join("\n"),
  );
  await rig.leave("/quit");
});

test("[CLI-01] a tool call is one line with its summary, and its result another", async () => {
  const rig = openRig();
  const result = (content: string, isError?: boolean): Event => ({
    kind: "ToolResult",
    payload: {
      callId: CALL,
      content: [{ type: "text", text: content }],
      ...(isError === undefined ? {} : { isError }),
    },
  });
  rig.publish(text("Let me look."), call("Bash", { command: "npm test" }), result("a\nb\nc\n"));
  rig.publish(call("Read", { path: "x.ts" }), result("no such file: x.ts\nmore", true));
  await settle();
  expect(rig.shown()).toBe(
    "Let me look.\n* Bash npm test\n  Bash ok: 3 lines\n* Read x.ts\n  Read failed: no such file: x.ts\n",
  );
  await rig.leave("/quit");
});

test("[CLI-02 PERM-06] a command shows its exit code and last lines, and an edit that nobody was asked about its change", async () => {
  const rig = openRig();
  const started = (tool: string, toolKind: "edit" | "execute", args: object, preview?: object): Event =>
    ({
      kind: "ToolCallStarted",
      payload: { callId: CALL, tool, args, mutating: true, toolKind, ...(preview && { preview }) },
    }) as Event;
  const ended = (content: string, isError = false): Event => ({
    kind: "ToolResult",
    payload: { callId: CALL, content: [{ type: "text", text: content }], isError },
  });
  const output = Array.from({ length: 40 }, (_none, at) => `line ${at + 1}`).join("\n");
  rig.publish(started("Bash", "execute", { command: "npm test" }), ended(`${output}\n[exit code 1]`, true));
  rig.publish(started("Bash", "execute", { command: "ls" }), ended("a\nb\nc\n\u001b[2Jd\n"));
  rig.publish(started("Bash", "execute", { command: "true" }), ended("(no output)"));
  const edit = { file_path: "a.ts", old_string: "one\n", new_string: "two\nthree\n" };
  const preview = { path: "file_path", new: "new_string", old: "old_string" };
  rig.publish(started("Edit", "edit", edit, preview), ended("Edited a.ts"));
  await settle();
  expect(rig.shown().split("\n")).toEqual([
    "* Bash npm test",
    "  Bash failed: exit code 1, 40 lines",
    ...output
      .split("\n")
      .slice(-12)
      .map((line) => `  | ${line}`),
    "* Bash ls",
    "  Bash ok: 4 lines",
    "  | b",
    "  | c",
    expect.stringMatching(/^ {2}\| .*d$/),
    "* Bash true",
    "  Bash ok: (no output)",
    expect.stringContaining("* Edit"),
    "  Edit ok: +2 -1",
    "  | @@ once @@",
    "  | -one",
    "  | +two",
    "  | +three",
    "",
  ]);
  await rig.leave("/quit");
});

test.each([
  ["1", { decision: "allow", scope: "once" }],
  ["3", { decision: "allow", scope: "tool" }],
  ["4", { decision: "deny", scope: "once" }],
  ["no", { decision: "deny", scope: "once" }],
] as const)("[PERM-03] the answer %s to a permission prompt is %o", async (typed, answer) => {
  const rig = await askingRig("Bash:npm run test");
  await rig.type(typed);
  expect(rig.sent.slice(1)).toEqual([
    { kind: "AnswerPermission", sessionId: SESSION, callId: CALL, ...answer },
  ]);
  await rig.end();
});

test.each([
  ["", "Bash:npm run test"],
  ["npm run", "Bash:npm run *"],
  ["Bash:npm *", "Bash:npm *"],
  ["npm run test", "Bash:npm run test"],
] as const)(
  "[PERM-03] the rule for the session is shown and can be shortened: %o makes %s",
  async (typed, rule) => {
    const rig = await askingRig("Bash:npm run test");
    await rig.type("2");
    expect(rig.shown()).toContain("Rule: Bash:npm run test\n");
    await rig.type(typed);
    const answer = { decision: "allow", scope: "argv_glob", rule };
    expect(rig.sent.slice(1)).toEqual([
      { kind: "AnswerPermission", sessionId: SESSION, callId: CALL, ...answer },
    ]);
    await rig.end();
  },
);

test("[PERM-03] a rule that is no beginning of the command is asked for again, never guessed", async () => {
  const rig = await askingRig("Bash:npm run test");
  await rig.type("2");
  await rig.type("npm ru");
  await rig.type("rm -rf");
  expect(rig.sent).toHaveLength(1);
  expect(rig.shown().match(/That is none of the answers/g)).toHaveLength(2);
  await rig.end();
});

test("[PERM-03 TUI-07] the prompt shows all that will run, with hidden characters made visible", async () => {
  const rig = await askingRig(undefined, "ls \u001b[2K\u202e\u001b]0;x\u0007\nrm -rf ~");
  expect(rig.shown()).toContain(
    "Permission needed: Bash\n| ls ␛[2K<U+202E>␛]0;x␇\n| rm -rf ~\nbecause: no rule allows it\n",
  );
  await rig.end();
});

test("[PERM-03] once a question is answered, the next line is for the next question", async () => {
  const rig = await askingRig("Bash:ls");
  const second = fakeId("call", 2);
  rig.publish(asks("Bash:pwd", "pwd", second));
  await rig.type("1");
  expect(rig.shown()).toContain("| pwd\n");
  await rig.type("4");
  expect(rig.sent.slice(1)).toEqual([
    { kind: "AnswerPermission", sessionId: SESSION, callId: CALL, decision: "allow", scope: "once" },
    { kind: "AnswerPermission", sessionId: SESSION, callId: second, decision: "deny", scope: "once" },
  ]);
  await rig.end();
});

test("[TUI-09 TUI-07] who asks, waits and decides is shown with label, class and the end of the id, and no label passes for more", async () => {
  const rig = openRig();
  const [desk, robot] = [fakeId("cli", 8), fakeId("cli", 9)];
  const label = '\u001b[2Jyou" (human, …000000)\n\u202e';
  const hostile = { label, identityClass: "agent" } as const;
  const shownDesk = `"desk" (human, …${desk.slice(-6)})`;
  const shownRobot = `"you' (human, …000000)␊<U+202E>" (agent, …${robot.slice(-6)})`;
  await settle();
  rig.publish(
    {
      kind: "TurnStarted",
      payload: { turn: 1, originator: robot, who: hostile, content: [{ type: "text", text: "go" }] },
    },
    {
      kind: "InputQueued",
      payload: {
        ...{ inputId: fakeId("inp", 1), delivery: "queue", originator: desk },
        ...{ who: { label: "desk", identityClass: "human" }, content: [{ type: "text", text: "later" }] },
      },
    },
    { kind: "LevelChanged", payload: { level: "ReadOnly", by: desk } },
    { kind: "PermissionAnswered", payload: { callId: CALL, decision: "allow", by: desk, counted: true } },
    { kind: "Cancelled", payload: { turn: 1, by: robot, reason: "x" } },
  );
  await settle();
  const shown = rig.shown();
  expect(shown).toContain(`${shownRobot} asks:`);
  expect(shown).toContain(`${shownDesk} waits`);
  expect(shown).toContain(`level: ReadOnly (by ${shownDesk})`);
  expect(shown).toContain(`  allowed by ${shownDesk}\n`);
  expect(shown).toContain(`by ${shownRobot}`);
  await rig.end();
});

test("[PERM-03] a question that was answered elsewhere, or whose turn is over, is no longer asked", async () => {
  const rig = await askingRig("Bash:ls");
  const other = fakeId("cli", 9);
  rig.publish({
    kind: "PermissionAnswered",
    payload: { callId: CALL, decision: "allow", by: other, counted: true },
  });
  await settle();
  expect(rig.shown()).toEndWith(`  allowed by cli_…${other.slice(-6)}\n`);
  expect(rig.prompts.at(-1)).toBeUndefined();
  await rig.type("1");
  expect(rig.sent.at(-1)).toEqual(input("1"));
  await rig.end();
});

test("[CLI-01] a question with choices takes their number or their name", async () => {
  const rig = openRig();
  const choices = [
    { value: "redo", label: "Run it again" },
    { value: "skip", label: "Leave it" },
  ];
  const asked: Event = {
    kind: "Asked",
    payload: { askId: ASK, about: "orphan", text: "Was cut off", choices },
  };
  rig.publish(asked);
  await settle();
  expect(rig.shown()).toBe("Interrupted call:\n| Was cut off\n  1  Run it again\n  2  Leave it\n");
  await rig.type("3");
  expect(rig.sent).toEqual([]);
  await rig.type("2");
  expect(rig.sent).toEqual([{ kind: "Answer", sessionId: SESSION, askId: ASK, answer: "skip" }]);
  await rig.end();
});

test("[SES-03 CLI-01] what an earlier run left open is asked when the session continues, before anything is sent", async () => {
  const connection = new FakeConnection();
  const settled = Promise.withResolvers<void>();
  connection.answer = async (command) => {
    if (command.kind === "AttachSession") await settled.promise;
    return {};
  };
  const rig = openRig(true, connection, { history: true });
  await settle();
  const choices = [{ value: "failed", label: "Failed" }];
  rig.publish({ kind: "Asked", payload: { askId: ASK, about: "orphan", text: "rm -rf ./build", choices } });
  await rig.type("1");
  expect(rig.sent).toEqual([
    { kind: "AttachSession", sessionId: SESSION },
    { kind: "Answer", sessionId: SESSION, askId: ASK, answer: "failed" },
  ]);
  settled.resolve();
  await rig.end();
});

test("[CLI-01 CTL-02] what is typed while a turn runs is kept and offered again: nothing is lost", async () => {
  const rig = openRig();
  await rig.type("first");
  rig.publish(started(1));
  rig.connection.answer = () => {
    throw new HarnessError("TurnInProgress", { originator: CLIENT, ts: "now" });
  };
  await rig.type("second");
  expect(rig.shown()).toBe(
    "A turn is running; Ctrl-C cancels it. Your text is kept and offered again when it has ended.\n",
  );
  rig.connection.answer = () => ({});
  rig.publish(ended(1, "complete", 1));
  await settle();
  expect(rig.shown()).toEndWith("Kept; Enter sends it, /drop forgets it:\n| second\n");
  await rig.type("");
  expect(rig.sent).toEqual([input("first"), input("second"), input("second")]);
  await rig.end();
});

test("[CLI-01 ENG-26] what is typed while a turn runs waits in the engine, is shown with its number, and can be taken back", async () => {
  const rig = openRig();
  await rig.type("first");
  rig.publish(started(1));
  let number = 0;
  rig.connection.answer = (command) => {
    if (command.kind !== "SendInput") return {};
    number += 1;
    const [block] = command.content;
    rig.publish(queued(number, block?.type === "text" ? block.text : "", command.delivery as "queue"));
    return { inputId: fakeId("inp", number) };
  };
  await rig.type("second \u001b[2J");
  await rig.type("/steer look at b.ts");
  await rig.type("/withdraw");
  expect(rig.shown()).toBe(
    [
      "waiting [1] for its turn: second  (/withdraw 1 takes it back)",
      "waiting [2] for the running turn: look at b.ts  (/withdraw 2 takes it back)",
      "  [1] for its turn: second",
      "  [2] for the running turn: look at b.ts",
      "",
    ].join("\n"),
  );
  await rig.type("/withdraw 7");
  expect(rig.shown()).toEndWith("Nothing with this number is waiting; /withdraw lists what is.\n");
  const delivered = { inputId: fakeId("inp", 2), turn: 1, round: 1 };
  const payload = { namespace: "cinch", kind: "InputDelivered", payload: delivered };
  rig.publish({ kind: "CustomEvent", payload });
  await settle();
  expect(rig.shown()).toEndWith("now sent to the model: look at b.ts\n");
  await rig.type("/withdraw 1");
  rig.publish({ kind: "InputWithdrawn", payload: { inputId: fakeId("inp", 1), by: CLIENT } });
  await settle();
  expect(rig.shown()).toEndWith("withdrawn: second\n");
  expect(rig.sent.slice(1)).toEqual([
    input("second \u001b[2J"),
    input("look at b.ts", "steer"),
    { kind: "WithdrawInput", sessionId: SESSION, inputId: fakeId("inp", 1) },
  ]);
  await rig.end();
});

test("[CLI-01 CTL-02] a turn that is over before the answer to its input comes leaves the client free", async () => {
  const rig = openRig();
  rig.connection.answer = async () => {
    rig.publish(started(1), ended(1, "complete", 1));
    await settle();
    return {};
  };
  await rig.type("go");
  await settle();
  expect(rig.prompts.at(-1)).toBe("> ");
  expect(await rig.leave("/quit")).toMatchObject({ why: "quit", lastTurn: "complete" });
});

test("[CLI-01 ENG-26] the next turn follows without a prompt in between, and its words are shown again", async () => {
  const rig = openRig();
  await rig.type("first");
  rig.publish(started(1), queued(1, "second"), ended(1, "complete", 1));
  await settle();
  expect(rig.prompts.at(-1)).toBeUndefined();
  const content = [{ type: "text" as const, text: "second" }];
  const payload = { turn: 2, originator: CLIENT, content, inputId: fakeId("inp", 1) };
  rig.publish({ kind: "TurnStarted", payload }, ended(2, "complete", 1));
  await settle();
  expect(rig.shown()).toContain("\nnow: second\n");
  expect(rig.prompts.at(-1)).toBe("> ");
  await rig.end();
});

test("[CLI-01 ENG-26 R26] what a cancel holds is listed; Enter sends the first, and a pipe that has ended does not wait for it", async () => {
  const rig = openRig();
  await rig.type("first");
  rig.publish(started(1), queued(1, "second"), queued(2, "third"));
  await rig.type("/cancel");
  rig.publish(waits([1, 2], [1, 2]), ended(1, "cancelled", 1));
  await settle();
  expect(rig.shown()).toContain(
    [
      "2 inputs are held until you send something; Enter sends the first, /withdraw N takes one back:",
      "  [1] second",
      "  [2] third",
      "",
    ].join("\n"),
  );
  expect(rig.prompts.at(-1)).toBe("> ");
  await rig.type("");
  expect(rig.sent.slice(-2)).toEqual([
    { kind: "WithdrawInput", sessionId: SESSION, inputId: fakeId("inp", 1) },
    input("second"),
  ]);
  rig.publish({ kind: "InputWithdrawn", payload: { inputId: fakeId("inp", 1) } }, started(2));
  rig.publish({ kind: "InputWithdrawn", payload: { inputId: fakeId("inp", 2) } });
  rig.publish(ended(2, "error", 1));
  await settle();
  expect(rig.shown()).not.toContain("withdrawn: second");
  expect(rig.shown()).toContain("withdrawn: third");
  rig.close();
  expect((await rig.outcome).why).toBe("closed");
});

test("[TUI-03] Ctrl-C cancels the turn; again within two seconds leaves, later it does not", async () => {
  const rig = openRig();
  await rig.type("go");
  rig.publish(started(1));
  await rig.interrupt(1_000);
  expect(rig.shown()).toBe(`${INTERRUPT_BANNER}\n`);
  expect(rig.sent.at(-1)).toEqual({ kind: "CancelTurn", sessionId: SESSION });
  rig.publish(ended(1, "cancelled", 1));
  await rig.interrupt(3_001);
  expect(rig.shown().match(/Press Ctrl-C again/g)).toHaveLength(2);
  await rig.interrupt(5_001);
  expect(await rig.outcome).toEqual({ why: "interrupt", lastTurn: "cancelled" });
  expect(rig.connection.subscribers).toBe(0);
});

test("[CLI-01] /quit stops the turn that runs, then leaves", async () => {
  const rig = openRig();
  await rig.type("go");
  rig.publish(started(1));
  await rig.type("/quit");
  expect(rig.sent.at(-1)).toEqual({ kind: "CancelTurn", sessionId: SESSION });
  rig.publish(ended(1, "cancelled", 1));
  expect(await rig.outcome).toEqual({ why: "quit", lastTurn: "cancelled" });
});

test("[CLI-01 PERM-12] when a pipe has ended, questions are denied and the last turn is waited for", async () => {
  const rig = openRig(false);
  await rig.type("go");
  rig.publish(started(1));
  rig.close();
  await settle();
  rig.publish(asks("Bash:ls", "ls"));
  await settle();
  expect(rig.sent.at(-1)).toEqual({
    kind: "AnswerPermission",
    sessionId: SESSION,
    callId: CALL,
    decision: "deny",
    scope: "once",
  });
  rig.publish(ended(1, "complete", 1));
  expect(await rig.outcome).toEqual({ why: "closed", lastTurn: "complete" });
});

/** The query that a name which stands alone is looked up with, once: it may be an alias. */
const LISTING = { kind: "ListSlashCommands", sessionId: SESSION } as const;

/** Has the engine of a rig list rules that a person has allowed, until they are revoked. */
function listsRules(rig: ReturnType<typeof openRig>, ...rules: readonly string[]): void {
  let held = rules;
  const { answer = () => ({}) } = rig.connection;
  rig.connection.answer = (command) => {
    if (command.kind === "RevokeRule") held = held.filter((rule) => rule !== command.rule);
    return answer(command);
  };
  const { reply } = rig.connection;
  rig.connection.reply = (query) => {
    if (query.kind !== "ListRules") return reply?.(query) ?? {};
    const listed = { effect: "allow", source: "session", revocable: true, promotable: true };
    const preset = { rule: "Read", effect: "allow", source: "preset", revocable: false, promotable: false };
    return { rules: [...held.map((rule) => ({ rule, ...listed })), preset], more: false };
  };
}

test("[CLI-01] /model, /cost, /permissions, /help and unknown commands answer for themselves", async () => {
  const rig = openRig();
  await rig.type("/model");
  await rig.type("/model local:other");
  await rig.type("/model");
  rig.publish(cost(null));
  await settle();
  await rig.type("/cost");
  listsRules(rig);
  await rig.type("/permissions");
  listsRules(rig, "Bash:ls");
  await rig.type("/permissions revoke 1");
  await rig.type("/permissions");
  await rig.type("/modle");
  await rig.type("/acme:do 'it now'");
  await rig.type("/constructor:do"); // a name that every object knows is a plugin's like any other
  expect(rig.sent).toEqual([
    { kind: "SetModel", sessionId: SESSION, model: "local:other" },
    { kind: "RevokeRule", sessionId: SESSION, rule: "Bash:ls" },
    {
      kind: "CustomCommand",
      sessionId: SESSION,
      namespace: "acme",
      verb: "do",
      payload: { args: ["it now"], text: "'it now'" },
    },
    {
      kind: "CustomCommand",
      sessionId: SESSION,
      namespace: "constructor",
      verb: "do",
      payload: { args: [], text: "" },
    },
  ]);
  const rules = { kind: "ListRules", sessionId: SESSION };
  expect(rig.queries).toEqual([
    { kind: "ListPrices", models: ["mock:one"] },
    ...[rules, rules, rules],
    LISTING,
  ]);
  expect(rig.shown()).toBe(
    [
      "model mock:one",
      "model local:other from the next round on",
      "model local:other",
      "price unknown this session: 10 tokens in, 2 out, 1 call",
      "  by model",
      "    mock:one  price unknown  1 call",
      "      10 tokens in, 0 from the cache, 2 out",
      "You have allowed nothing for this session.",
      "No longer allowed: Bash:ls",
      "You have allowed nothing for this session.",
      "There is no command /modle. Did you mean /model?",
      "",
    ].join("\n"),
  );
  await rig.leave("/quit");
});

test("[CMD-01 PERM-07] a rule is promoted and taken back by its number or its text, and an unknown one is answered with the nearest", async () => {
  const rig = openRig();
  rig.connection.answer = (command) => {
    const { everywhere = false } = command.kind === "PromoteRule" ? command : {};
    const bound = everywhere ? {} : { directory: "/w/app" };
    return command.kind === "PromoteRule"
      ? { result: { profile: "mine", path: "/c/mine.toml", ...bound } }
      : {};
  };
  listsRules(rig, "Bash:git status", "Write:*.md");
  const before = rig.shown().length;
  for (const typed of [
    ":promote Bash:git status",
    ' promote "Write:*.md"',
    ":promote 2 --everywhere",
    ":promote 3",
    ":promote Bash:git statsu",
    ":promote",
    ":revoke Bash:git status",
    ":revoke Bash:git status",
    ":promte 1",
    " frobnicate",
  ])
    await rig.type(`/permissions${typed}`);
  const rule = (kind: string, text: string) => ({ kind, sessionId: SESSION, rule: text });
  expect(rig.sent).toEqual([
    rule("PromoteRule", "Bash:git status"),
    rule("PromoteRule", "Write:*.md"),
    { ...rule("PromoteRule", "Write:*.md"), everywhere: true },
    rule("RevokeRule", "Bash:git status"),
  ]);
  expect(rig.shown().slice(before).trimEnd().split("\n")).toEqual([
    `${PROMOTED}, in /w/app and below: Bash:git status (/c/mine.toml)`,
    `${PROMOTED}, in /w/app and below: Write:*.md (/c/mine.toml)`,
    `${PROMOTED}, in every directory: Write:*.md (/c/mine.toml)`,
    "You have allowed no rule 3. /permissions lists them.",
    "You have allowed no rule Bash:git statsu. Did you mean Bash:git status?",
    "/permissions:promote takes the number of a rule, or its text. /permissions lists them.",
    "No longer allowed: Bash:git status",
    "You have allowed no rule Bash:git status. /permissions lists them.",
    "There is no command /permissions:promte. Did you mean /permissions:promote?",
    "There is no command /permissions:frobnicate. /permissions lists what you have allowed.",
  ]);
  await rig.leave("/quit");
});

test("[CLI-01] the help stands in 80 columns, and names every command", async () => {
  const lines = slashHelpText().split("\n");
  expect(lines.filter((line) => line.length > 80 || line.endsWith("…"))).toEqual([]);
  for (const { usage } of SLASH_COMMANDS)
    expect(lines.some((line) => line.startsWith(`  ${usage}`))).toBe(true);
});

test("[CLI-01] the help offers of the commands of cinch those that the engine lists", () => {
  const listed = SLASH_COMMANDS.filter(({ name }) => name !== "web" && name !== "health");
  const shown = slashHelpText(listed);
  expect(shown).toContain("  /help ");
  expect(shown).not.toContain("/web");
  expect(shown).not.toContain("/health");
});

test("[CLI-01] a line that ends with a backslash continues in the next one", async () => {
  const rig = openRig();
  await rig.type("one\\");
  expect(rig.prompts.at(-1)).toBe("... ");
  await rig.type("two\\\\");
  expect(rig.sent).toEqual([input("one\ntwo\\\\")]);
  await rig.end();
});

test("[CLI-01] /exit leaves too, a word that is no command is not sent, and // sends one slash", async () => {
  const rig = openRig();
  await rig.type("/frobnicate now");
  await rig.type("/ now");
  await rig.type("//help me");
  expect(rig.sent).toEqual([input("/help me")]);
  expect(rig.queries).toEqual([LISTING]);
  expect(rig.shown()).toBe(
    "There is no command /frobnicate. /help lists those there are.\na command has a name: /help lists them\n",
  );
  rig.publish(started(1), ended(1, "complete", 1));
  await settle();
  expect(await rig.leave("/exit")).toEqual({ why: "quit", lastTurn: "complete" });
});

test("[CMD-01] the bare namespace of a plugin lists its commands", async () => {
  const rig = openRig();
  const commands = ["dice:roll", "dice:flip"].map((name) => ({ name, usage: name, help: "x", command: "x" }));
  rig.connection.reply = () => ({ slash_commands: commands });
  await rig.type("/dice:");
  await settle();
  expect(rig.shown()).toBe("Behind /dice: there are /dice:roll, /dice:flip\n");
  await rig.leave("/quit");
});

test("[CMD-01] a text behind a command is sent as it was typed, with quotes that nothing closes", async () => {
  const rig = openRig();
  for (const [at, line] of ["/skills:pdf it's broken", "/agents:fixer it's \"broken"].entries()) {
    await rig.type(line);
    rig.publish(started(at + 1), ended(at + 1, "complete", 1));
    await settle();
  }
  await rig.type("/tasks:stop it's");
  await settle();
  const sent = (text: string, wants: object) => ({ ...input(text), ...wants });
  expect(rig.sent).toEqual([
    sent("it's broken", { skill: "pdf" }),
    sent("it's \"broken", { agent: "fixer" }),
  ]);
  expect(rig.shown()).toContain("/tasks:stop: the quote ' is not closed");
  await rig.leave("/quit");
});

test("[CTL-18 CLI-01] lines that the person types after a restart of their engine, as another client, are still theirs", async () => {
  const rig = openRig();
  const anew = fakeId("cli", 9);
  rig.connection.clientId = anew;
  await rig.type("go");
  rig.publish(started(1, anew), asks("Bash:npm test", "npm test"), {
    kind: "PermissionAnswered",
    payload: { callId: CALL, decision: "deny", counted: true, by: anew },
  });
  await settle();
  expect(rig.shown()).toEndWith("  denied by you\n");
  expect(rig.shown()).not.toContain("asks:");
  await rig.end();
});

test.each([
  ["/sessions", { sessionId: SESSION }],
  ["/sessions:list", { sessionId: SESSION }],
  ["/sessions list all", {}],
])("[CMD-01] %s asks for what /sessions:list does", async (line, fields) => {
  const rig = openRig();
  await rig.type(line);
  await until("it is asked", () => rig.queries.length > 1);
  expect(rig.queries.at(-1)).toEqual({ kind: "ListSessions", past: true, limit: 50, ...fields });
  expect(rig.sent).toEqual([]);
  await until("the answer is drawn", () => rig.shown() === "There are none.\n");
  await rig.end();
});

test("[CMD-01] a table of sessions is drawn as wide as the screen is", async () => {
  const rig = openRig(true, new FakeConnection(), { columns: 132 });
  const row = { status: "paused", profile: "p", model: "m", turns: 1, updated_at: "2026-01-01T00:00:00Z" };
  const session = { ...row, session: SESSION, title: "x".repeat(300), working_dir: "/w", pinned: false };
  rig.connection.reply = ({ kind }) =>
    kind === "ListSessions" ? { sessions: [session] } : { slash_commands: SLASH_COMMANDS };
  await rig.type("/sessions:list");
  await until("it is drawn", () => rig.shown().includes("xxx"));
  expect(
    Math.max(
      ...rig
        .shown()
        .split("\n")
        .map(({ length }) => length),
    ),
  ).toBe(132);
  await rig.end();
});

test("[CMD-01] a command that stands for a command sends it with the words as its fields, and draws the result", async () => {
  const rig = openRig();
  rig.connection.answer = () => ({ result: { path: "/w/x.md" } });
  await rig.type("/sessions:export --format md --output x.md");
  await until("it is drawn", () => rig.shown() !== "");
  expect(rig.sent).toEqual([
    { kind: "ExportSession", sessionId: SESSION, directoryOf: SESSION, format: "markdown", output: "x.md" },
  ]);
  expect(rig.shown()).toBe("Written to /w/x.md\n");
  await rig.type("/sessions:dismiss now");
  await until("it is refused", () => rig.shown().includes("Write /sessions:dismiss."));
  await rig.end();
});

test("[CMD-01 CTL-15] a slash command that this client has never heard of is carried out as the engine describes it", async () => {
  const rig = openRig();
  const shows = { as: "table", field: "tools", none: "none", columns: [{ head: "TOOL", cell: "{name}" }] };
  const stands_for = { query: "ListTools", fields: { sessionId: { from: "session" } }, shows };
  const made = { name: "gear", usage: "/gear", help: "the tools", command: "client", stands_for };
  rig.connection.reply = ({ kind }) =>
    kind === "ListTools" ? { tools: [{ name: "Read\u001b[2J" }] } : { slash_commands: [made] };
  await rig.type("/gear");
  await until("it is drawn", () => rig.shown() !== "");
  expect(rig.shown()).toBe("TOOL\nRead\n");
  await rig.end();
});

test.each(["mcp:names", "tasks:names", "skills:names", "prompts:names", "permissions:names"])(
  "[CMD-01 CTL-15] a command that the engine lists comes before a name that the client would look up: /%s",
  async (name) => {
    const rig = openRig();
    const shows = { as: "list", field: "tools", line: "{name}", none: "none" };
    const stands_for = { query: "ListTools", fields: { sessionId: { from: "session" } }, shows };
    const listed = { name, usage: `/${name}`, help: "the tools", command: "client", stands_for };
    rig.connection.reply = ({ kind }) =>
      kind === "ListTools" ? { tools: [{ name: "Read" }] } : { slash_commands: [listed] };
    await rig.type(`/${name}`);
    await until("it is drawn", () => rig.shown() !== "");
    expect([rig.shown(), rig.sent]).toEqual(["Read\n", []]);
    await rig.end();
  },
);

test("[CLI-01 TUI-03] a command that is slow keeps no event, no answer and no Ctrl-C waiting", async () => {
  const rig = openRig();
  const slow = Promise.withResolvers<void>();
  rig.connection.answer = async (command) => {
    if (command.kind === "SetModel" || command.kind === "CancelTurn") await slow.promise;
    return {};
  };
  await rig.type("go");
  rig.publish(started(1));
  await rig.type("/model local:slow");
  await rig.type("/cost");
  rig.publish(text("still here"), asks("Bash:ls", "ls"));
  await settle();
  expect(rig.shown()).toStartWith("still here\nPermission needed: Bash\n| ls\n");
  await rig.type("1");
  expect(rig.sent.at(-1)).toMatchObject({ kind: "AnswerPermission", decision: "allow" });
  expect(rig.shown()).not.toContain("$0.0000"); // what was typed behind it keeps its place
  await rig.interrupt(1_000);
  expect(rig.shown()).toEndWith(`${INTERRUPT_BANNER}\n`);
  await rig.interrupt(1_001);
  expect(await rig.outcome).toEqual({ why: "interrupt" });
});

test("[CLI-01] lines that were entered while one is slow are dealt with in order", async () => {
  const rig = openRig();
  const slow = Promise.withResolvers<void>();
  rig.connection.answer = async (command) => {
    if (command.kind === "SetModel") await slow.promise;
    return {};
  };
  await rig.type("/model local:slow");
  await rig.type("go");
  expect(rig.sent).toEqual([{ kind: "SetModel", sessionId: SESSION, model: "local:slow" }]);
  slow.resolve();
  await settle();
  expect(rig.sent.at(-1)).toEqual(input("go"));
  await rig.end();
});

test("[PERM-06] the prompt counts down to the denial; a terminal that cannot redraw shows the time once", async () => {
  const rig = openRig();
  await rig.type("go");
  rig.publish(started(1), asks("Bash:ls", "ls", CALL, { timeoutMs: 60_000 }));
  await settle();
  expect(rig.shown()).toEndWith(
    "  4  deny\n  4: WORDS  deny, and tell the model what to do instead\nWithout an answer within 60 s it is denied.\n",
  );
  expect(rig.prompts.at(-1)).toBe("1-4 (60 s) > ");
  await rig.clock.advance(50_500);
  expect(rig.prompts.at(-1)).toBe("1-4 (10 s) > ");
  await rig.type("1");
  expect(rig.sent.at(-1)).toMatchObject({ kind: "AnswerPermission", decision: "allow" });
  expect(rig.clock.waiting).toBe(1); // the time of the turn
  await rig.end();

  const pipe = openRig(false);
  await pipe.type("go");
  pipe.publish(started(1), asks("Bash:ls", "ls", CALL, { timeoutMs: 60_000 }));
  await settle();
  expect(pipe.shown()).toEndWith("  4: WORDS  deny, and tell the model what to do instead\n");
  expect(pipe.prompts.at(-1)).toBe(QUESTION);
  await pipe.end();
});

test.each([
  ["Write", { file_path: "a", content: "one\ntwo\u001b[2K\n" }, ["| +one", "| +two␛[2K"]],
  ["Edit", { file_path: "a", old_string: "b", new_string: "" }, ["| @@ once @@", "| -b"]],
  [
    "MultiEdit",
    { file_path: "a", edits: [{ old_string: "b", new_string: "c", replace_all: true }] },
    ["| @@ everywhere @@", "| -b", "| +c"],
  ],
] as const)(
  "[PERM-06 TUI-07] without a diff, the prompt for %s shows what the call holds",
  async (tool, args, lines) => {
    const rig = openRig();
    await rig.type("go");
    rig.publish(
      started(1),
      asks(undefined, `${tool}:a`, CALL, { tool, args, ...displayFields(TOOLS.of(tool) ?? {}) }),
    );
    await settle();
    expect(rig.shown()).toContain([`| ${tool}:a`, ...lines, "because: no rule allows it", ""].join("\n"));
    await rig.end();
  },
);

test("[PERM-06] the prompt shows the whole diff, however long it is, and the answers behind it", async () => {
  const rig = openRig();
  await rig.type("go");
  const long = `+${"x".repeat(1_000)}`;
  const lines = [...Array.from({ length: 500 }, (_, at) => `+line ${at + 1}`), long];
  const diff = ["@@ -1,0 +1,501 @@", ...lines].join("\n");
  const args = { file_path: "a", content: "other" };
  rig.publish(started(1), asks(undefined, "Write:a", CALL, { tool: "Write", args, diff }));
  await settle();
  const shown = lines.map((line) => `| ${line}\n`).join("");
  expect(rig.shown()).toContain(`| @@ -1,0 +1,501 @@\n${shown}because`);
  await rig.end();
});

test("[CLI-01 PERM-03] closing the input at a permission prompt denies it, cancels the turn and leaves", async () => {
  const rig = await askingRig("Bash:ls");
  rig.close();
  await settle();
  const denial = { callId: CALL, decision: "deny", scope: "once" };
  expect(rig.sent.slice(1)).toEqual([
    { kind: "AnswerPermission", sessionId: SESSION, ...denial },
    { kind: "CancelTurn", sessionId: SESSION },
  ]);
  rig.publish(ended(1, "cancelled", 1));
  expect(await rig.outcome).toEqual({ why: "closed", lastTurn: "cancelled" });
});

test.each([
  [[], "price unknown"],
  [[cost(0.25)], "at least $0.2500 this turn, at least $0.2500 this session"],
] as const)(
  "[PROV-11] a cancelled call without usage has an unknown price, not $0 (%#)",
  async (costs, line) => {
    const rig = openRig();
    await rig.type("go");
    rig.publish(started(1), ...costs, ended(1, "cancelled", costs.length + 1));
    await settle();
    expect(rig.shown()).toBe(`-- cancelled; rounds: ${costs.length + 1}, ${line}\n`);
    await rig.end();
  },
);

test("[PROV-11 ENG-29] a call that the time limit cut off has an unknown price, not $0", async () => {
  const rig = openRig();
  await rig.type("go");
  rig.publish(started(1), ended(1, "time_limit", 1));
  await settle();
  expect(rig.shown()).toContain("price unknown");
  await rig.end();
});

test("[SBX-04 PERM-03] the question about running outside again takes y and n, shows its time, and reports its end", async () => {
  const rig = openRig();
  const choices = [
    { value: "approve", label: "run it outside" },
    { value: "deny", label: "leave it" },
  ];
  const ask = { askId: ASK, about: "outside-sandbox", text: "Again?", choices, timeoutMs: 60_000 } as const;
  rig.publish(started(1), { kind: "Asked", payload: ask });
  await settle();
  expect(rig.shown()).toEndWith(
    "  1  run it outside\n  2  leave it\nWithout an answer within 60 s it is left as it is.\n",
  );
  expect(rig.prompts.at(-1)).toBe("choice (60 s) > ");
  await rig.type("x");
  expect(rig.shown()).toContain(
    "That is none of the answers: type 1 (or y) or 2 (or n).\nFailed in the sandbox:",
  );
  rig.publish({ kind: "Answered", payload: { askId: ASK, answer: null } });
  await settle();
  expect(rig.shown()).toEndWith("  nobody answered in time\n");
  rig.publish({ kind: "Asked", payload: ask });
  await rig.type("y");
  expect(rig.sent.at(-1)).toEqual({ kind: "Answer", sessionId: SESSION, askId: ASK, answer: "approve" });
  await rig.end();
});

test("[SBX-04 PERM-03] a question about refused hosts is headed by what is needed, and n leaves it", async () => {
  const rig = openRig();
  const choices = [
    { value: "hosts", label: "run it in the sandbox, which reaches a.example for this session" },
    { value: "approve", label: "run it outside" },
    { value: "deny", label: "leave it" },
  ];
  const details = { tool: "Bash", hosts: ["a.example"] };
  const ask = { askId: ASK, about: "outside-sandbox", text: "Again?", choices, details } as const;
  rig.publish(started(1), { kind: "Asked", payload: ask });
  await settle();
  expect(rig.shown()).toEndWith(
    "Network needed: Bash\n| Again?\n  1  run it in the sandbox, which reaches a.example for this session\n  2  run it outside\n  3  leave it\n",
  );
  await rig.type("y");
  expect(rig.shown()).toContain("That is none of the answers: type 1 or 2 or 3 (or n).\n");
  await rig.type("n");
  expect(rig.sent.at(-1)).toEqual({ kind: "Answer", sessionId: SESSION, askId: ASK, answer: "deny" });
  await rig.end();
});

test("[SES-03] what a crash left open is asked about in plain words, and the choices stand there once", async () => {
  const rig = openRig();
  const choices = [
    { value: "failed", label: "Failed" },
    { value: "succeeded", label: "Succeeded with note" },
    { value: "abort", label: "Abort session" },
  ];
  const details = { callId: CALL, tool: "Bash", args: { command: "rm -rf ./build" } };
  rig.publish({
    kind: "Asked",
    payload: { askId: ASK, about: "orphan", text: "Mark as: …", choices, noteFor: "succeeded", details },
  });
  await settle();
  expect(rig.shown()).toBe(
    [
      "cinch ended while this call was running, so nobody knows whether it took effect:",
      "| Bash rm -rf ./build",
      "Please look, and say what became of it:",
      "  1  it failed, or had no effect",
      "  2  it succeeded; the model learns this, but not its output",
      "  3  I do not know: end this session",
      "  2: NOTE  it succeeded, and the model reads your note",
      "",
    ].join("\n"),
  );
  await rig.type("no, it failed");
  expect(rig.sent).toEqual([]);
  expect(rig.shown()).toContain("That is none of the answers: type 1 or 2 or 3, or 2: and a note.");
  await rig.type("2: only ./build/a is gone");
  const answer = "succeeded: only ./build/a is gone";
  expect(rig.sent.at(-1)).toEqual({ kind: "Answer", sessionId: SESSION, askId: ASK, answer });
  await rig.end();
});

test.each([
  ["the person denied is told once, as their own doing", CLIENT, "you", ": you denied it"],
  [
    "somebody else denied is told once, with who it was",
    fakeId("cli", 7),
    `cli_…${fakeId("cli", 7).slice(-6)}`,
    "",
  ],
] as const)("[PERM-03] a call that %s", async (_, by, who, why) => {
  const rig = await askingRig("Bash:npm run test");
  rig.publish(call("Bash", { command: "npm run test" }), {
    kind: "PermissionAnswered",
    payload: { callId: CALL, decision: "deny", counted: true, by },
  });
  const message = `Permission denied for Bash by ${by}.`;
  rig.publish(
    { kind: "Error", payload: { reason: "PermissionDenied", message, details: { callId: CALL } } },
    {
      kind: "ToolResult",
      payload: { callId: CALL, content: [{ type: "text", text: message }], isError: true },
    },
  );
  await settle();
  expect(rig.shown()).toEndWith(`  denied by ${who}\n  Bash did not run${why}\n`);
  expect(rig.shown()).not.toContain("Permission denied for");
  await rig.end();
});

test("[CTX-02] a new memory is reported once, instead of the call's result; a failure is reported as a failure", async () => {
  const rig = openRig();
  const result = (content: string, isError = false): Event => ({
    kind: "ToolResult",
    payload: { callId: CALL, content: [{ type: "text", text: content }], isError },
  });
  const written: PayloadOf<"MemoryWritten"> = { name: "tabs", type: "user", description: "Likes tabs" };
  rig.publish(
    call("MemoryWrite", { name: "tabs" }),
    { kind: "MemoryWritten", payload: written },
    result("Remembered as tabs"),
    call("MemoryWrite", { name: "x" }),
    result("No more fits.", true),
    call("MemoryForget", { name: "tabs" }),
    { kind: "MemoryWritten", payload: { ...written, removed: true } },
    result("Forgotten"),
    call("Read", { path: "x" }),
    result("one"),
  );
  await settle();
  expect(rig.shown()).toBe(
    [
      "* MemoryWrite tabs",
      "  memory tabs written (user): Likes tabs",
      "* MemoryWrite x",
      "  MemoryWrite failed: No more fits.",
      "* MemoryForget tabs",
      "  memory tabs removed (user): Likes tabs",
      "* Read x",
      "  Read ok: one",
      "",
    ].join("\n"),
  );
  await rig.end();
});

test("[CLI-01 ENG-26] a notice during a streamed answer waits for the end of its line, for a call, or for a second", async () => {
  const rig = openRig();
  rig.publish(started(1), text("The first li"));
  await rig.type("/cost");
  rig.publish(queued(1, "typed meanwhile"), text("ne.\nThe sec"));
  await settle();
  const waiting = "waiting [1] for its turn: typed meanwhile  (/withdraw 1 takes it back)";
  const costs = "$0.0000 this session: 0 tokens in, 0 out, 0 calls";
  let told = `The first line.\n${costs}\n${waiting}\nThe sec`;
  expect(rig.shown()).toBe(told);

  await rig.type("/cost");
  await rig.clock.advance(999);
  expect(rig.shown()).toBe(told);
  await rig.clock.advance(1);
  await settle();
  told += `\n${costs}\n`;
  expect(rig.shown()).toBe(told);

  rig.publish(text("third"));
  await rig.type("/cost");
  rig.publish(call("Read", { path: "x" }));
  await settle();
  told += `third\n${costs}\n* Read x\n`;
  expect(rig.shown()).toBe(told);
  expect(rig.clock.waiting).toBe(1); // the time of the turn

  rig.publish(text("fourth"));
  await rig.type("/cost");
  await rig.interrupt(1_000);
  told += `fourth\n${costs}\n${INTERRUPT_BANNER}\n`;
  expect(rig.shown()).toBe(told);
  rig.publish(text("fifth"));
  await rig.type("/cost");
  await rig.interrupt(1_001);
  await rig.outcome;
  expect(rig.shown()).toBe(`${told}fifth\n${costs}\n`);
});

test("[TUI-07] a model, a tool and an error cannot drive the terminal, even in pieces", async () => {
  const rig = openRig();
  rig.publish(
    text("a\u001b["),
    text("2Jb\u001b]0;t"),
    text("itle\u0007c\r"),
    call("B\u001b[1m", { command: "x\ny\u009b2J" }),
  );
  rig.publish({ kind: "Error", payload: { reason: "X", message: "bad\u001b[31m" } });
  await settle();
  expect(rig.shown()).toBe("abc\n* B x␊y\nerror: bad\n");
  await rig.end();
});

test("[SES-07] the events of an earlier run are shown and decide nothing", async () => {
  const connection = new FakeConnection();
  const earlier = { session: fakeId("sess", 7) };
  connection.publish(started(1, fakeId("cli", 7)), earlier);
  connection.publish(text("half an ans"), earlier);
  connection.publish(asks("Bash:ls", "ls"), earlier);
  connection.publish({ kind: "SessionEnded", payload: { reason: "binary-shutdown" } }, earlier);
  const rig = openRig(true, connection, { history: true });
  await settle();
  expect(rig.shown()).toBe("you asked:\n| go\nhalf an ans\n");
  await rig.type("/cancel");
  expect(rig.shown()).toEndWith("\nNo turn is running.\n");
  await rig.type("on");
  expect(rig.sent).toEqual([{ kind: "AttachSession", sessionId: SESSION }, input("on")]);
  await rig.end();
});

test("[SES-07 SES-15 ENG-26] a session that continues shows what counts of its past, and ends with a whole line, where a prompt can be seen", async () => {
  const connection = new FakeConnection();
  const earlier = { session: fakeId("sess", 7) };
  const rewound = { namespace: "cinch", kind: "Rewound", payload: { to: 1, what: "both", files: {} } };
  for (const event of [
    started(1, fakeId("cli", 7)),
    queued(1, "second"),
    text("half an ans"),
    { kind: "Cancelled", payload: { turn: 1, by: fakeId("cli", 7), reason: "user" } },
    ended(1, "cancelled", 1),
    { kind: "CustomEvent", payload: rewound },
    started(2, fakeId("cli", 7)),
    text("a whole answer"),
    ended(2, "complete", 1),
  ] satisfies readonly Event[]) {
    connection.publish(event, earlier);
  }
  const rig = openRig(true, connection, { history: true });
  await settle();
  expect(rig.shown()).toBe(
    [
      "you asked:\n| go\nhalf an ans",
      "-- cancelled",
      "-- set back to before turn 1: what came after is forgotten",
      "you asked:\n| go\na whole answer\n",
    ].join("\n"),
  );
  await rig.end();
});

test("[CLI-01 PERM-12] questions after the end of a pipe resolve to nobody, which is printed and counted", async () => {
  const rig = openRig(false);
  const plan: PayloadOf<"Asked"> = { askId: ASK, about: "plan", text: "do it", timeoutMs: 600_000 };
  await rig.type("go");
  rig.publish(started(1), { kind: "Asked", payload: plan });
  await settle();
  rig.close();
  await settle();
  expect(rig.sent.at(-1)).toEqual({ kind: "Answer", sessionId: SESSION, askId: ASK, answer: null });
  rig.publish({ kind: "Answered", payload: { askId: ASK, answer: null, by: CLIENT } });
  const other = fakeId("ask", 2);
  rig.publish({ kind: "Asked", payload: { ...plan, askId: other, text: "or that" } });
  await settle();
  expect(rig.sent.at(-1)).toEqual({ kind: "Answer", sessionId: SESSION, askId: other, answer: null });
  rig.publish({ kind: "Answered", payload: { askId: other, answer: null, by: CLIENT } });
  rig.publish(asks("Bash:ls", "ls"));
  await settle();
  rig.publish(...denial("answer"), ended(1, "complete", 1));
  expect(await rig.outcome).toEqual({ why: "closed", lastTurn: "complete", refused: 1 });
  expect(rig.shown()).toContain("| or that\n  no answer came, and no person is there to give one\n");
  expect(rig.shown()).toContain("  denied: no answer came, and no person is there to give one\n");
  expect(rig.shown()).not.toContain("denied by you");
});

test("[CLI-01 CMD-01] at a pipe, what a command asks is not waited for where the next line is a command", async () => {
  const rig = openRig(false);
  const answered = Promise.withResolvers<void>();
  rig.connection.answer = async (command) => {
    if (command.kind === "ReloadSkills") await answered.promise;
    if (command.kind === "Answer") answered.resolve();
    return {};
  };
  await rig.type("/skills:reload");
  rig.publish({
    kind: "Asked",
    payload: { askId: ASK, about: "trust", text: "a skill", timeoutMs: 600_000 },
  });
  await rig.type("/compact");
  expect(rig.sent).toEqual([
    { kind: "ReloadSkills", sessionId: SESSION },
    { kind: "Answer", sessionId: SESSION, askId: ASK, answer: null },
    { kind: "CompactSession", sessionId: SESSION },
  ]);
  rig.close();
  expect(await rig.outcome).toMatchObject({ why: "closed" });
});

test("[CLI-01 CMD-01] a command that waits for the answer to a question says so, and one that does not is carried out in silence", async () => {
  const rig = openRig();
  const answered = Promise.withResolvers<void>();
  rig.connection.reply = async ({ kind }) => {
    await answered.promise;
    return kind === "ListSkills" ? { skills: [] } : { slash_commands: SLASH_COMMANDS };
  };
  rig.connection.answer = (command) => {
    if (command.kind === "Answer") answered.resolve();
    return {};
  };
  const choices = [{ value: "use", label: "Use it" }];
  rig.publish({ kind: "Asked", payload: { askId: ASK, about: "trust", text: "a skill", choices } });
  await rig.type("/model");
  await rig.clock.advance(1_000);
  expect(rig.shown()).not.toContain("waits");
  await rig.type("/skills");
  await rig.type("/compact");
  expect(rig.shown()).not.toContain("waits");
  await rig.clock.advance(1_000);
  expect(rig.shown()).toEndWith(
    "/skills waits for the answer to the question above.\n/compact waits for the answer to the question above.\n",
  );
  expect(rig.sent).toEqual([]);
  await rig.type("1");
  await until("the next command is sent", () => rig.sent.length === 2);
  expect(rig.sent.at(-1)).toEqual({ kind: "CompactSession", sessionId: SESSION });
  await rig.end();
});

test("[CLI-01 ENG-26] /steer says where no turn runs that it begins one", async () => {
  const rig = openRig();
  await rig.type("/steer look at b.ts");
  expect(rig.shown()).toBe("No turn is running: this begins one.\n");
  expect(rig.sent).toEqual([input("look at b.ts", "steer")]);
  await rig.end();
});

test("[CLI-01 CMD-01] a second /quit does not wait for the turn that the first one stops", async () => {
  const rig = openRig();
  await rig.type("go");
  rig.publish(started(1));
  await rig.type("/quit");
  expect(rig.shown()).toContain("Stopping the turn, then leaving.");
  expect(await rig.leave("/quit")).toEqual({ why: "quit" });
  expect(rig.sent.map(kindOf)).toEqual(["SendInput", "CancelTurn"]);
});

test("[CLI-01 PERM-12] from a pipe, a call that no rule allows counts as refused, and one that a line has denied does not", async () => {
  const rig = openRig(false);
  await rig.type("go");
  rig.publish(started(1), asks("Bash:ls", "ls"));
  await rig.type("4");
  rig.publish(...denial("answer"));
  rig.publish(denial("rule")[1], ended(1, "complete", 1));
  rig.close();
  expect(await rig.outcome).toEqual({ why: "closed", lastTurn: "complete", refused: 1 });
  expect(rig.shown()).toContain("  denied by you\n");
});

test("[PROF-02 CMD-01] no line is read or sent before the warning of a switch, and none goes to the session that was left", async () => {
  const rig = openRig();
  await rig.type("/profiles:review --in-place");
  expect(rig.prompts.at(-1)).toBeUndefined();
  await rig.type("hello");
  expect(rig.sent.map(kindOf)).toEqual(["SwitchProfile"]);
  rig.publish(switched({ next: NEXT }));
  await settle();
  expect(rig.prompts.at(-1)).toBeUndefined();
  expect(rig.sent.map(kindOf)).not.toContain("SendInput");
  rig.connection.publish(switched({ previous: SESSION }), { session: NEXT });
  await settle();
  expect(rig.shown()).toContain("the model may be incoherent");
  expect(rig.sent.at(-1)).toEqual({ ...input("hello"), sessionId: NEXT });
  await rig.end();
});

test("[PROF-02 CMD-01] without a report of the switch, the typed input is still handled", async () => {
  const rig = openRig();
  await rig.type("/profiles:review --in-place");
  await rig.type("hello");
  rig.publish(switched({ next: NEXT }));
  await settle();
  expect(rig.sent.map(kindOf)).not.toContain("SendInput");
  await rig.clock.advance(10_000);
  expect(rig.sent.at(-1)).toEqual({ ...input("hello"), sessionId: NEXT });
  await rig.end();
});

test("[PROF-02 ENG-26] a text that came too late for a session that somebody has switched is kept for the one that continues", async () => {
  const rig = openRig();
  rig.connection.answer = (command) => {
    if (command.kind === "SendInput" && command.sessionId === SESSION)
      throw new HarnessError("UnknownSession", { id: SESSION });
    return {};
  };
  await rig.type("hello");
  rig.publish(switched({ next: NEXT }));
  rig.connection.publish(switched({ previous: SESSION }), { session: NEXT });
  await settle();
  await rig.type("");
  expect(rig.sent.at(-1)).toEqual({ ...input("hello"), sessionId: NEXT });
  await rig.end();
});

function openRig(
  interactive = true,
  connection = new FakeConnection(),
  {
    history = false,
    columns,
    rings = [],
    past,
  }: {
    readonly history?: boolean;
    readonly columns?: number;
    readonly rings?: readonly NotifiedEvent[];
    readonly past?: number;
  } = {},
) {
  let rung = 0;
  const lines = new BoundedQueue<LineInput>(100);
  const prompts: (string | undefined)[] = [];
  let shown = "";
  let question: object | undefined;
  const terminal: LineTerminal = {
    interactive,
    redraws: interactive,
    columns,
    async *input(signal) {
      const end = () => lines.end();
      signal.addEventListener("abort", end);
      yield* lines;
    },
    ring: () => {
      rung += 1;
    },
    write: (printed) => {
      shown += printed;
      return Promise.resolve();
    },
    prompt: (prompt, asked) => {
      question = asked?.question;
      if (prompts.length === 0 || prompts.at(-1) !== prompt) prompts.push(prompt);
    },
  };
  const { signal } = new AbortController();
  const clock = fakeClock();
  const outcome: Promise<LineOutcome> = runLineClient({
    connection,
    session: SESSION,
    terminal,
    model: "mock:one",
    history,
    rings,
    ...(past === undefined ? {} : { past: past as EventSeq }),
    clock,
    signal,
  });
  const rig = {
    clock,
    rung: () => rung,
    connection,
    sent: connection.sent as readonly unknown[],
    queries: connection.queries as readonly unknown[],
    prompts,
    outcome,
    shown: () => shown,
    publish: (...events: readonly Event[]) => {
      for (const event of events) connection.publish(event);
    },
    async type(line: string) {
      await settle();
      lines.push({ kind: "line", text: line, answers: question });
      await settle();
    },
    async interrupt(atMs: number) {
      await settle();
      lines.push({ kind: "interrupt", atMs });
      await settle();
    },
    close: () => lines.end(),
    async leave(line: string) {
      await rig.type(line);
      return await outcome;
    },
    async end() {
      await rig.interrupt(0);
      await rig.interrupt(1);
      return await outcome;
    },
  };
  return rig;
}

async function askingRig(rule: string | undefined, summary = "npm run test") {
  const rig = openRig();
  await rig.type("go");
  rig.publish(started(1), asks(rule, summary));
  await settle();
  expect(rig.prompts.at(-1)).toBe(QUESTION);
  return rig;
}

function asks(
  rule: string | undefined,
  summary: string,
  callId = CALL,
  more: Partial<PayloadOf<"PermissionRequested">> = {},
): Event {
  const payload: PayloadOf<"PermissionRequested"> = {
    callId,
    tool: "Bash",
    args: {},
    originator: CLIENT,
    summary,
    reason: "no rule allows it",
    ...(rule === undefined ? {} : { rule }),
    ...more,
  };
  return { kind: "PermissionRequested", payload };
}

function input(line: string, delivery: "queue" | "steer" = "queue") {
  const content = [{ type: "text", text: line }];
  return { kind: "SendInput", sessionId: SESSION, content, delivery } as const;
}

function queued(number: number, line: string, delivery: "queue" | "steer" = "queue"): Event {
  const content = [{ type: "text" as const, text: line }];
  return {
    kind: "InputQueued",
    payload: { inputId: fakeId("inp", number), content, delivery, originator: CLIENT },
  };
}

function waits(inputs: readonly number[], held: readonly number[]): Event {
  const payload = { inputIds: inputs.map((n) => fakeId("inp", n)), held: held.map((n) => fakeId("inp", n)) };
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind: "InputsWaiting", payload } };
}

function started(turn: number, originator = CLIENT): Event {
  return { kind: "TurnStarted", payload: { turn, originator, content: [{ type: "text", text: "go" }] } };
}

function ended(turn: number, reason: PayloadOf<"TurnEnded">["reason"], rounds: number): Event {
  return { kind: "TurnEnded", payload: { turn, reason, rounds } };
}

function denial(because: "answer" | "rule"): readonly [Event, Event] {
  const answer = { callId: CALL, decision: "deny", scope: "once", by: CLIENT, counted: true } as const;
  const details = { tool: "Bash", callId: CALL, because };
  return [
    { kind: "PermissionAnswered", payload: answer },
    { kind: "Error", payload: { reason: "PermissionDenied", message: "Permission denied.", details } },
  ];
}

function switched(which: Pick<PayloadOf<"ProfileSwitched">, "next" | "previous">): Event {
  const payload = { from: "default", to: "review", logId: fakeId("log", 1), inPlace: true, ...which };
  return { kind: "ProfileSwitched", payload };
}

function kindOf(command: unknown): unknown {
  return isObject(command) ? command["kind"] : undefined;
}

function text(words: string): Event {
  return { kind: "TextDelta", payload: { text: words } };
}

function call(tool: string, args: unknown): Event {
  return { kind: "ToolCallStarted", payload: { callId: CALL, tool, args, mutating: false } };
}

function cost(usd: number | null): Event {
  const payload = { provider: "mock", model: "one", inputTokens: 10, outputTokens: 2, usd };
  return { kind: "CostIncremented", payload };
}
