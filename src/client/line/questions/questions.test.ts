import { expect, test } from "bun:test";
import type { AskId, CallId, ClientId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { questionsAfter } from "../../../view/questions/questions.ts";
import type { OpenQuestion } from "./questions.ts";
import {
  answersText,
  openQuestionsAfter,
  parseAnswer,
  questionPrompt,
  spokenPrompt,
  timeLimitText,
} from "./questions.ts";

const CHOICES = [
  { value: "approve", label: "use it" },
  { value: "deny", label: "leave it out" },
];
const REQUEST = {
  callId: "call_00000000000000000000000001" as CallId,
  tool: "Bash",
  args: {},
  originator: "cli_00000000000000000000000001" as ClientId,
  summary: "npm test",
  timeoutMs: 60_000,
};
const PERMISSION = { kind: "permission", request: REQUEST, stage: "choice", untilMs: 60_000 } as const;

test.each([
  ["trust", 600, "the file is left out of this session"],
  ["outside-sandbox", 60, "it is left as it is"],
  ["rewind", 60, "nothing is set back"],
  ["orphan", 60, "the session goes no further; your next input asks again"],
  ["elicitation", 60, "the question is closed"],
] as const)("[PERM-06 TOFU-04] a question about %s says what silence means", (about, seconds, then) => {
  const ask = { askId: "ask_00000000000000000000000001" as AskId, about, text: "?", choices: CHOICES };
  const timeoutMs = seconds * 1_000;
  const question: OpenQuestion = { kind: "asked", ask: { ...ask, timeoutMs }, untilMs: timeoutMs };
  expect(timeLimitText(question)).toBe(`Without an answer within ${seconds} s ${then}.`);
  expect(answersText(question)).toBe("type 1 (or y) or 2 (or n)");
});

test("[PERM-06 PERM-14] a question whose time counts only while nobody is there counts nothing down", () => {
  const request = { ...REQUEST, onlyUnattended: true } as const;
  const after: readonly Question[] = [{ kind: "permission", request }];
  const [open] = openQuestionsAfter([], { before: [], after }, 0);
  expect(open).toEqual({ kind: "permission", request, stage: "choice" });
  if (open === undefined) throw new Error("a question is open");
  expect([timeLimitText(open), questionPrompt(open, 1_000)]).toEqual([undefined, "1-4 > "]);
});

test("[SES-03] a question that waits for a day counts nothing down", () => {
  const timeoutMs = 86_400_000;
  const ask = {
    askId: "ask_00000000000000000000000001" as AskId,
    about: "orphan",
    text: "?",
    timeoutMs,
  } as const;
  const question: OpenQuestion = { kind: "asked", ask, untilMs: timeoutMs };
  expect([timeLimitText(question), questionPrompt(question, 0)]).toEqual([undefined, "answer > "]);
});

test("[SES-03] a question that is emitted again with another limit is asked once, with that limit", () => {
  const asked = (timeoutMs: number) =>
    ({
      kind: "Asked",
      payload: { askId: "ask_00000000000000000000000001", about: "orphan", text: "?", timeoutMs },
    }) as Envelope;
  const permission: readonly Question[] = [{ kind: "permission", request: REQUEST }];
  const first = questionsAfter(permission, asked(60_000));
  const second = questionsAfter(first, asked(86_400_000));
  const once = openQuestionsAfter([PERMISSION], { before: permission, after: first }, 0);
  const open = openQuestionsAfter(once, { before: first, after: second }, 30_000);
  expect(open).toMatchObject([
    { kind: "permission" },
    { ask: { timeoutMs: 86_400_000 }, untilMs: 86_430_000 },
  ]);
});

test.each([
  ["2: only a is gone", "succeeded: only a is gone"],
  ["done=only a is gone", "succeeded: only a is gone"],
  ["Succeeded: 3 of 5", "succeeded: 3 of 5"],
  ["2", "succeeded"],
  ["1: only a is gone", undefined],
  ["failed: half", undefined],
  ["no, it failed", undefined],
  ["done:", undefined],
])("[SES-03] a note is read after the choice that takes one: %j", (text, answer) => {
  const choices = ["failed", "succeeded", "abort"].map((value) => ({ value, label: value }));
  const ask = {
    askId: "ask_00000000000000000000000001" as AskId,
    about: "orphan",
    text: "?",
    choices,
  } as const;
  expect(parseAnswer(text, { ...ask, noteFor: "succeeded" })?.answer).toBe(answer as string);
});

test("[MCP-04 TOFU-04] silence about a server that has changed leaves it as it is", () => {
  const ask = { askId: "ask_00000000000000000000000001" as AskId, text: "?", timeoutMs: 600_000 } as const;
  const details = { server: "files" };
  const question: OpenQuestion = {
    kind: "asked",
    ask: { ...ask, about: "trust", choices: CHOICES, details },
    untilMs: 600_000,
  };
  expect(timeLimitText(question)).toBe("Without an answer within 600 s nothing of the server is approved.");
});

test("[PERM-03 PERM-06] an invalid answer to a permission prompt is answered with the valid ones", () => {
  expect(timeLimitText(PERMISSION)).toBe("Without an answer within 60 s it is denied.");
  expect([
    answersText(PERMISSION),
    answersText({ ...PERMISSION, request: { ...REQUEST, onceOnly: true } }),
    answersText({ ...PERMISSION, stage: "rule" }),
  ]).toEqual([
    "type 1 (or y), 2, 3 or 4 (or n), or 4: and what to do instead",
    "type 1 (or y) or 2 (or n), or 2: and what to do instead",
    "press Enter, or type the first words of the rule",
  ]);
});

test("[SBX-04 PERM-03] the prompt and the hint of a question count the answers that it shows, and the last denies", () => {
  const asked = (
    request: Partial<typeof REQUEST> & { rule?: string; onceOnly?: boolean; hosts?: string[] },
  ) => {
    const question: OpenQuestion = { ...PERMISSION, request: { ...REQUEST, ...request } };
    return [questionPrompt(question, undefined), answersText(question)];
  };
  const three = ["1-3 > ", "type 1 (or y), 2 or 3 (or n), or 3: and what to do instead"];
  expect(asked({ onceOnly: true, hosts: ["example.com"] })).toEqual(three);
  expect(asked({ rule: "Bash" })).toEqual(three);
  expect(asked({ onceOnly: true })).toEqual([
    "1-2 > ",
    "type 1 (or y) or 2 (or n), or 2: and what to do instead",
  ]);
  expect(asked({ rule: "Bash:npm test" })).toEqual([
    "1-4 > ",
    "type 1 (or y), 2, 3 or 4 (or n), or 4: and what to do instead",
  ]);
});

test("[TUI-11 complaint 22] the prompt for a screen reader says what can be typed", () => {
  const asked = (more: object) =>
    spokenPrompt({ kind: "asked", ask: { askId: "ask_1", about: "plan", text: "?", ...more } as never });
  const choices = [
    { value: "a", label: "A" },
    { value: "b", label: "B" },
  ];
  expect(asked({ choices })).toBe("Answer 1-2 > ");
  expect(asked({ choices, words: true })).toBe("Answer 1-2 or words > ");
  expect(asked({})).toBe("Answer in words > ");
  expect(spokenPrompt({ kind: "own", text: "Leave?", settle: () => undefined })).toBe("Answer y or n > ");
});
