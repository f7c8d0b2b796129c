import { expect, test } from "bun:test";
import { fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import type { AskId, CallId, ClientId } from "../../base/ids.ts";
import { parseChoice } from "../../client/line/questions/permission-answer.ts";
import {
  openQuestionsAfter as lineQuestionsAfter,
  questionText,
} from "../../client/line/questions/questions.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event, PayloadOf } from "../../protocol/events/events.ts";
import { editorQuestion } from "../../server/acp/session/questions.ts";
import { progressText } from "../../server/mcp/run-turn.ts";
import { MinimalProjection } from "../../server/minimal/projection.ts";
import { NEW_SESSION, runOf, sessionAfter } from "../session/session-view.ts";
import { permissionAnswers } from "./permission-answers.ts";
import { agentAsksText, permissionHeading, permissionSummary } from "./question-words.ts";
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

const gap: Event = { kind: "StreamGap", payload: { from: 2, to: 2, reason: "ttl" } };
const started: Event = { kind: "TurnStarted", payload: { turn: 2, originator: REQUEST.originator } };

const CASES: readonly (readonly [string, readonly Event[], number])[] = [
  ["one that a gap may have closed", [requested, gap], 1],
  ["one that a gap has closed, since the next turn has started", [requested, gap, started], 0],
  ["a file of the project that is asked about before a gap", [asked("trust"), gap, started], 1],
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
    const seen = envelopes.reduce<readonly Question[]>((all, each) => questionsAfter(all, each), []);
    const line = lineQuestions(envelopes);
    const view = runOf(envelopes.reduce(sessionAfter, NEW_SESSION), SESSION);
    expect(seen).toHaveLength(open);
    expect(line.flatMap((each) => (each.kind === "own" ? [] : [questionId(each)]))).toEqual(
      seen.map(questionId),
    );
    expect(view.questions).toEqual(seen);
  },
);

/** Returns the questions that a line client keeps, which are not closed by an answer of its own. */
function lineQuestions(envelopes: readonly Envelope[]): ReturnType<typeof lineQuestionsAfter> {
  let before: readonly Question[] = [];
  let line: ReturnType<typeof lineQuestionsAfter> = [];
  for (const each of envelopes) {
    const after = questionsAfter(before, each);
    line = lineQuestionsAfter(line, { before, after }, 0);
    before = after;
  }
  return line;
}

test("[CTL-14 PERF-03] no client keeps more open questions than the view, the newest", () => {
  const envelopes = Array.from({ length: 200 }, (_, at) => {
    const payload = { ...REQUEST, callId: fakeId("call", at + 1) };
    return { id: at + 1, session: SESSION, ts: "", kind: "PermissionRequested", payload } as Envelope;
  });
  const { questions } = runOf(envelopes.reduce(sessionAfter, NEW_SESSION), SESSION);
  expect(questions.length).toBeLessThan(100);
  expect(questions.at(-1)).toMatchObject({ request: { callId: fakeId("call", 200) } });
  const line = lineQuestions(envelopes).map((each) => (each.kind === "own" ? "" : questionId(each)));
  expect(line).toEqual(questions.map(questionId));
});

test("[CTL-14] an answer of a client's own closes its entry for good, whatever marks the question before its event comes", () => {
  const frame = { session: SESSION, ts: "" };
  const first = { ...frame, id: 1, ...requested } as Envelope;
  const after = questionsAfter([], first);
  const entries = lineQuestionsAfter([], { before: [], after }, 0);
  expect(entries).toHaveLength(1);
  const gap = { ...frame, id: 2, kind: "StreamGap", payload: { from: 2, to: 3, reason: "ttl" } } as Envelope;
  const marked = questionsAfter(after, gap);
  expect(marked).toMatchObject([{ isUncertain: true }]);
  expect(lineQuestionsAfter([], { before: after, after: marked }, 0)).toEqual([]);
  expect(lineQuestionsAfter(entries, { before: after, after: marked }, 0)).toEqual(entries);
});

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
  const editor = editorQuestion({ kind: "permission", request }, SESSION, { workingDir: "/", forms: false });
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
    expect(editor?.answer({ optionId: offered[at]?.optionId }) as object).toEqual(sent);
    for (const typed of [`${at + 1}`, ...words]) {
      const choice = parseChoice(typed, request);
      if (choice.kind === "rule") expect(scope).toBe("argv_glob");
      else expect(choice).toMatchObject({ kind: "answer", decision, scope });
    }
  }
  expect(answers.at(-1)?.decision).toBe("deny");
});

test.each([{}, { agent: "scout" }])(
  "[PERM-03 CTL-16] every client says in the same words which permission is needed: %j",
  (more) => {
    const request = { ...REQUEST, ...more };
    const heading = permissionHeading(request);
    const event: Event = { kind: "PermissionRequested", payload: request };
    const envelope = { id: 1, session: SESSION, ts: "2026-01-01T00:00:00Z", ...event } as Envelope;
    const [line] = lineQuestions([envelope]);
    expect(line === undefined ? "" : questionText(line)).toStartWith(`${heading}\n`);
    const editor = editorQuestion({ kind: "permission", request }, SESSION, { workingDir: "/", forms: false })
      ?.request.toolCall.content;
    expect(editor?.[0]).toEqual({ type: "content", content: { type: "text", text: heading } });
    expect(progressText(envelope)).toBe(heading);
    const minimal = new MinimalProjection({ deltas: false }).of(envelope);
    expect(minimal).toMatchObject([{ type: "status", state: "running tool", message: heading }]);
    expect(agentAsksText({ session: SESSION, agent: "outer", request })).toStartWith(
      `${heading}, in session `,
    );
  },
);

test("[CTL-16 PERM-03] an editor gets the length of a long question that is not shown", () => {
  const question = { kind: "permission", request: REQUEST } as const;
  expect(JSON.stringify(editorQuestion(question, SESSION, { workingDir: "/", forms: false }))).not.toContain(
    "left out",
  );
  const cut = editorQuestion({ ...question, leftOut: 1_200 }, SESSION, { workingDir: "/", forms: false });
  expect(JSON.stringify(cut?.request)).toContain("1,200 characters left out");
});

test("[TUI-04 PERM-06] the summary of a change is its path below the folder; a command and any other path stay whole", () => {
  const preview = { path: "path", new: "new" };
  const of = (summary: string, more: object = { preview }) =>
    permissionSummary({ tool: "Edit", summary, ...more }, "/home/user/app");
  expect(of("Edit:/home/user/app/src/a.ts")).toBe("src/a.ts");
  expect(of("Edit:/home/user/app-2/a.ts")).toBe("Edit:/home/user/app-2/a.ts");
  expect(of("Edit:/home/user/app/../b.ts")).toBe("Edit:/home/user/app/../b.ts");
  expect(of("Edit:/home/user/app/a.ts", {})).toBe("Edit:/home/user/app/a.ts");
  expect(of("rm -rf /home/user/app/a")).toBe("rm -rf /home/user/app/a");
});
