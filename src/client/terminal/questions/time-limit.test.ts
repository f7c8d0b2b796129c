import { expect, test } from "bun:test";
import type { Question } from "../../../view/questions/questions.ts";
import { timeLeftMs, unansweredSentence } from "./time-limit.ts";

function question(limit: { readonly timeoutMs?: number; readonly onlyUnattended?: boolean }): Question {
  const request = { callId: "call_1", tool: "Bash", args: {}, ...limit };
  return { kind: "permission", request } as unknown as Question;
}

test("[TUI-04] a limit is counted down to zero, unless it is long or counts only while nobody is there", () => {
  expect(timeLeftMs(question({ timeoutMs: 60_000 }), 1_000)).toBe(59_000);
  expect(timeLeftMs(question({ timeoutMs: 60_000 }), 61_000)).toBe(0);
  expect(timeLeftMs(question({}), 0)).toBeUndefined();
  expect(timeLeftMs(question({ timeoutMs: 3_600_001 }), 0)).toBeUndefined();
  expect(timeLeftMs(question({ timeoutMs: 60_000, onlyUnattended: true }), 0)).toBeUndefined();
});

test("[TUI-04] the end of a limit is said, and for whom it counts", () => {
  const text = unansweredSentence(question({ timeoutMs: 60_000 })) ?? "";
  const lower = `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  expect(text).not.toBe("");
  expect(unansweredSentence(question({ timeoutMs: 60_000, onlyUnattended: true }))).toBe(
    `While nobody is here: ${lower}`,
  );
  expect([unansweredSentence(question({})), unansweredSentence(question({ timeoutMs: 3_600_001 }))]).toEqual([
    undefined,
    undefined,
  ]);
});
