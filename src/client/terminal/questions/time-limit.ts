import { questionWords, unansweredText } from "../../../view/questions/question-words.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { requestOf } from "../../../view/questions/questions.ts";

/** Longer time limits are not shown. */
const SHOWN_MS_MAX = 3_600_000;

/**
 * Returns the time that is left for a question; undefined if it is not counted down. A limit that counts only while
 * nobody is there does not count now.
 * @param shownMs the time since the question is shown.
 */
export function timeLeftMs(question: Question, shownMs: number): number | undefined {
  const { timeoutMs, onlyUnattended } = requestOf(question);
  if (timeoutMs === undefined || onlyUnattended === true || timeoutMs > SHOWN_MS_MAX) return undefined;
  return Math.max(0, timeoutMs - shownMs);
}

/** Returns the sentence about a missing answer; undefined if no limit is shown. */
export function unansweredSentence(question: Question): string | undefined {
  const { timeoutMs, onlyUnattended } = requestOf(question);
  if (timeoutMs === undefined || timeoutMs > SHOWN_MS_MAX) return undefined;
  const unanswered = question.kind === "asked" ? questionWords(question.ask).unanswered : undefined;
  const sentence = unansweredText(timeoutMs, unanswered);
  return onlyUnattended === true
    ? `While nobody is here: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
    : sentence;
}
