import { expect, test } from "bun:test";
import { autoAttachLine, autoAttachNotice, autoAttachOutcome, programText } from "./auto-attach-text.ts";

const SESSION = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const payload = { session: SESSION, agent: "outer", text: "Always auto-attach? /opt/a" };

test("[CTL-12] a client without keys names the slash commands that answer; an answer is its sentence alone", () => {
  const asked = autoAttachNotice({ namespace: "cinch", kind: "AutoAttachAsked", payload });
  expect(asked).toMatchObject({ kind: "asked", session: SESSION, text: payload.text });
  expect(asked && autoAttachLine(asked)).toMatch(
    new RegExp(
      `^Always auto-attach\\? /opt/a Yes: .* /sessions:attach-always ${SESSION} answers yes, /sessions:attach-never ${SESSION} answers no\\.$`,
    ),
  );
  const answered = autoAttachNotice({ namespace: "cinch", kind: "AutoAttachAnswered", payload });
  expect(answered && autoAttachLine(answered)).toBe(payload.text);
});

test("[CTL-12 TUI-07] other events, and fields of another kind, are no such question; what it says drives no terminal", () => {
  for (const event of [
    { namespace: "plugin", kind: "AutoAttachAsked", payload },
    { namespace: "cinch", kind: "AgentAsks", payload },
    { namespace: "cinch", kind: "AutoAttachAsked", payload: { ...payload, session: "x\u001b[2J" } },
    { namespace: "cinch", kind: "AutoAttachAsked", payload: { session: SESSION } },
    { namespace: "cinch", kind: "AutoAttachAsked", payload: null },
  ])
    expect(autoAttachNotice(event)).toBeUndefined();
  const text = "a\u001b[2J\nb";
  const hostile = autoAttachNotice({
    namespace: "cinch",
    kind: "AutoAttachAsked",
    payload: { ...payload, text },
  });
  expect(hostile?.text).not.toMatch(/[\u001b\n]/);
  expect(programText({ binary: "/opt/\u001bx", script: "/a\nb" })).not.toMatch(/[\u001b\n]/);
});

test("[CTL-12] each end of the question has its sentence", () => {
  expect([true, false, undefined].map((always) => autoAttachOutcome("/opt/a", always))).toEqual([
    "Sessions from this parent are always auto-attached: /opt/a",
    "Sessions from this parent are not auto-attached: /opt/a",
    "Whether sessions are auto-attached is no longer asked: /opt/a",
  ]);
});
