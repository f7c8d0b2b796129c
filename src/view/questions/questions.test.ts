import { expect, test } from "bun:test";
import { fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import type { AskId, CallId, ClientId } from "../../base/ids.ts";
import { parseChoice } from "../../client/line/questions/permission-answer.ts";
import { openQuestionsAfter as lineQuestionsAfter } from "../../client/line/questions/questions.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event, PayloadOf } from "../../protocol/events/events.ts";
import { editorQuestion } from "../../server/acp/questions.ts";
import { NEW_SESSION, runOf, sessionAfter } from "../session/session-view.ts";
import { permissionAnswers } from "./permission-answers.ts";
import type { Question } from "./questions.ts";
import { questionId, questionsAfter } from "./questions.ts";

const CALL = fakeId("call", 1) as CallId;
const ASK = fakeId("ask", 1) as AskId;
const CHOICES = [
  { value: "approve", label: "use it" },
  { value: "deny", label: "leave it out" },
];
const REQUEST: PayloadOf<"PermissionRequested"> = {
  callId: CALL,
  tool: "Bash",
  args: {},
  originator: fakeId("cli", 1) as ClientId,
  summary: "npm test",
};
const requested: Event = { kind: "PermissionRequested", payload: REQUEST };
const asked = (about: PayloadOf<"Asked">["about"], timeoutMs?: number): Event => ({
  kind: "Asked",
  payload: {
    askId: ASK,
    about,
    text: "?",
    choices: CHOICES,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  },
});
const ended: Event = { kind: "TurnEnded", payload: { turn: 1, reason: "complete" } };

const CASES: readonly (readonly [string, readonly Event[], number])[] = [
  ["an open permission question", [requested], 1],
  [
    "one that was answered",
    [requested, { kind: "PermissionAnswered", payload: { callId: CALL, decision: "deny", counted: true } }],
    0,
  ],
  [
    "one whose call has its result",
    [requested, { kind: "ToolResult", payload: { callId: CALL, content: [] } }],
    0,
  ],
  ["one whose turn has ended", [requested, ended], 0],
  ["a plan that was asked about in a turn that has ended", [asked("plan"), ended], 0],
  ["a file of the project that is asked about beyond a turn", [asked("trust"), ended], 1],
  ["a question that is asked again with another limit", [asked("orphan", 1), asked("orphan", 2)], 1],
  [
    "a question that was answered",
    [asked("orphan"), { kind: "Answered", payload: { askId: ASK, answer: "x" } }],
    0,
  ],
  [
    "all of a session that has ended",
    [requested, asked("trust"), { kind: "SessionEnded", payload: { reason: "user" } }],
    0,
  ],
];

test.each(CASES)(
  "[PERM-03 PERM-08 CTL-16] every client knows what closes a question: %s",
  (_, events, open) => {
    const envelopes = events.map(
      (event, at) => ({ id: at + 1, session: SESSION, ts: "2026-01-01T00:00:00Z", ...event }) as Envelope,
    );
    const seen = envelopes.reduce(questionsAfter, [] as readonly Question[]);
    const line = envelopes.reduce(
      (all, event) => lineQuestionsAfter(all, event, 0),
      [] as readonly never[] as Parameters<typeof lineQuestionsAfter>[0],
    );
    const view = runOf(envelopes.reduce(sessionAfter, NEW_SESSION), SESSION);
    expect(seen).toHaveLength(open);
    expect(line.flatMap((each) => (each.kind === "own" ? [] : [questionId(each)]))).toEqual(
      seen.map(questionId),
    );
    expect(view.questions).toEqual(seen);
  },
);

const REQUESTS: readonly Partial<PayloadOf<"PermissionRequested">>[] = [
  {},
  { rule: "Bash:npm test" },
  { rule: "Bash" },
  { onceOnly: true },
  { hosts: [] },
  { hosts: ["example.com", "evil\u001b[2J"] },
];

test.each(REQUESTS)("[PERM-03 SBX-04 CTL-16] every client offers the same answers to %j", (more) => {
  const request = { ...REQUEST, ...more };
  const answers = permissionAnswers(request);
  const editor = editorQuestion({ kind: "permission", request }, SESSION, "/");
  const offered = editor?.request.options.slice(0, -1) ?? []; // an editor can deny for good, too
  expect(offered.map(({ name }) => name.toLowerCase())).toEqual(
    answers.map(({ label }) => label.toLowerCase()),
  );
  expect(JSON.stringify(offered)).not.toContain("\\u001b");
  for (const [at, { decision, scope, hosts, words }] of answers.entries()) {
    const sent = {
      kind: "AnswerPermission",
      sessionId: SESSION,
      callId: CALL,
      decision,
      scope,
      ...(hosts === undefined ? {} : { hosts }),
    };
    expect(editor?.answer(offered[at]?.optionId) as object).toEqual(sent);
    for (const typed of [`${at + 1}`, ...words]) {
      const choice = parseChoice(typed, request);
      if (choice.kind === "rule") expect(scope).toBe("argv_glob");
      else expect(choice).toMatchObject({ kind: "answer", decision, scope });
    }
  }
  expect(answers.at(-1)?.decision).toBe("deny");
});
