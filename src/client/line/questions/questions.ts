import { textOfJson } from "../../../base/json.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { askAnswers, notedNumber } from "../../../view/questions/ask-answers.ts";
import { permissionAnswers } from "../../../view/questions/permission-answers.ts";
import {
  fateText,
  ORPHAN_WORDS,
  questionWords,
  unansweredText,
} from "../../../view/questions/question-words.ts";
import type { Question, QuestionStep } from "../../../view/questions/questions.ts";
import { questionEntriesAfter, questionId } from "../../../view/questions/questions.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import type { AskedLine } from "../input/terminal.ts";
import { quote } from "../output/quote.ts";
import { permissionQuestionText, ruleQuestionText } from "./permission-answer.ts";

/** An open question. A permission request has a second stage, in which its rule is shortened. */
export type OpenQuestion =
  | {
      readonly kind: "permission";
      readonly request: PayloadOf<"PermissionRequested">;
      readonly stage: "choice" | "rule";
      /** When it is denied without an answer, by the client's monotonic clock; absent without a limit. */
      readonly untilMs?: number;
    }
  /** `untilMs`: when it closes without an answer. */
  | { readonly kind: "asked"; readonly ask: PayloadOf<"Asked">; readonly untilMs?: number }
  | OwnQuestion;

/** A yes/no question of this client alone: no other client sees it, and the engine does not wait for it. */
export interface OwnQuestion {
  readonly kind: "own";
  readonly text: string;
  readonly untilMs?: undefined;
  readonly settle: (answer: boolean | undefined) => void;
}

/**
 * Returns the open questions after an event: new ones at the end, without those answered or whose turn ended.
 * @param askedMs when the event's question was asked, by the client's monotonic clock.
 */
export function openQuestionsAfter(
  open: readonly OpenQuestion[],
  step: QuestionStep,
  askedMs: number,
): readonly OpenQuestion[] {
  return questionEntriesAfter(open, step, {
    id: (each) => (each.kind === "own" ? undefined : questionId(each)),
    entry: (question) => openQuestion(question, askedMs),
  });
}

function openQuestion(question: Question, askedMs: number): OpenQuestion {
  if (question.kind === "asked") return { ...question, ...untilMs(question.ask, askedMs) };
  return { ...question, stage: "choice", ...untilMs(question.request, askedMs) };
}

/** A person who reads this is subscribed: a limit that counts only while nobody is does not count now. */
function untilMs(
  { timeoutMs, onlyUnattended }: Pick<PayloadOf<"PermissionRequested">, "timeoutMs" | "onlyUnattended">,
  askedMs: number,
) {
  return timeoutMs === undefined || onlyUnattended === true ? {} : { untilMs: askedMs + timeoutMs };
}

/** @param isSpoken true for a screen reader: a change has words in place of signs. Default: false. */
export function questionText(
  question: OpenQuestion,
  { isSpoken = false }: { readonly isSpoken?: boolean } = {},
): string {
  if (question.kind === "own") return `${question.text} (y/n)`;
  if (question.kind === "asked") return askedText(question.ask);
  if (question.stage === "rule") return ruleQuestionText(question.request);
  return permissionQuestionText(question.request, { isSpoken });
}

/** Longer time limits are neither counted down nor announced. */
const TOLD_MS_MAX = 3_600_000;

/** Returns the question that the next line answers, as the terminal needs it. */
export function askedLine(question: OpenQuestion | undefined): AskedLine | undefined {
  if (question === undefined) return undefined;
  return { question, takesPaste: question.kind === "asked" && question.ask.choices === undefined };
}

/** Returns the prompt for an answer; with the seconds left if `nowMs` is given. */
export function questionPrompt(question: OpenQuestion, nowMs: number | undefined): string {
  const { untilMs } = question;
  const remaining =
    nowMs === undefined || untilMs === undefined || untilMs - nowMs > TOLD_MS_MAX
      ? ""
      : ` (${Math.max(0, Math.ceil((untilMs - nowMs) / 1_000))} s)`;
  if (question.kind === "asked") {
    const { choices, words, noteFor } = question.ask;
    const isText = choices === undefined || words === true || noteFor !== undefined;
    return `${isText ? "answer" : "choice"}${remaining} > `;
  }
  if (question.kind === "own") return "y/n > ";
  const { stage, request } = question;
  return `${stage === "rule" ? "rule" : `1-${permissionAnswers(request).length}`}${remaining} > `;
}

/** Returns the prompt for an answer for a screen reader: what can be typed. */
export function spokenPrompt(question: OpenQuestion): string {
  if (question.kind === "own") return "Answer y or n > ";
  if (question.kind === "permission")
    return question.stage === "rule"
      ? "Rule > "
      : `Answer 1-${permissionAnswers(question.request).length} > `;
  const { choices, words, noteFor } = question.ask;
  const numbers = choices === undefined ? "" : choices.length === 1 ? "1" : `1-${choices.length}`;
  const isText = words === true || noteFor !== undefined;
  return numbers === "" ? "Answer in words > " : `Answer ${numbers}${isText ? " or words" : ""} > `;
}

/** Returns what happens without an answer within the time limit; undefined without such a limit. */
export function timeLimitText(question: OpenQuestion): string | undefined {
  if (question.kind === "own" || question.untilMs === undefined) return undefined;
  if (question.kind === "asked") {
    const { timeoutMs = 0 } = question.ask;
    if (timeoutMs > TOLD_MS_MAX) return undefined;
    return unansweredText(timeoutMs, questionWords(question.ask).unanswered);
  }
  if (question.stage === "rule") return undefined;
  return unansweredText(question.request.timeoutMs ?? 0);
}

/** Returns the answers that a question takes, for a user who gave none of them. */
export function answersText(question: OpenQuestion): string {
  if (question.kind === "permission") {
    if (question.stage === "rule") return "press Enter, or type the first words of the rule";
    const count = permissionAnswers(question.request).length;
    const between = Array.from({ length: count - 2 }, (_, at) => `, ${at + 2}`).join("");
    return `type 1 (or y)${between} or ${count} (or n), or ${count}: and what to do instead`;
  }
  if (question.kind === "own") return "type y or n";
  const answers = askAnswers(question.ask);
  if (answers.length === 0) return "type an answer";
  const numbers = answers.map(
    ({ letter }, at) => `${at + 1}${letter === undefined ? "" : ` (or ${letter})`}`,
  );
  const noted = notedNumber(question.ask);
  const more = noted === undefined ? "" : `, or ${noted}: and a note`;
  return `type ${numbers.join(" or ")}${question.ask.words === true ? ", or words of your own" : more}`;
}

/** Reads the answer that a line gives: the number, value or label of a choice, a letter, or a text. */
export function parseAnswer(text: string, ask: PayloadOf<"Asked">): { readonly answer: string } | undefined {
  const typed = text.trim();
  if (ask.choices === undefined) return typed === "" ? undefined : { answer: text };
  const wanted = typed.toLowerCase();
  const answers = askAnswers(ask);
  const chosen =
    answers.find(({ letter }) => letter !== undefined && LETTERS[letter].test(wanted)) ??
    answers.find(({ value, label }) => value.toLowerCase() === wanted || label.toLowerCase() === wanted) ??
    (/^\d+$/.test(typed) ? answers[Number(typed) - 1] : undefined);
  if (chosen !== undefined) return { answer: chosen.value };
  const noted = notedAnswer(typed, ask);
  if (noted !== undefined) return { answer: noted };
  // A number that is no choice is a slip, not a word.
  return ask.words === true && typed !== "" && !/^\d+$/.test(typed) ? { answer: text } : undefined;
}

const LETTERS = { y: /^y(?:es)?$/, n: /^no?$/ } as const;

/** Reads `2: NOTE`, `succeeded: NOTE` and `done=NOTE`, the last as `--orphans` has it. */
function notedAnswer(typed: string, ask: PayloadOf<"Asked">): string | undefined {
  const [, head = "", note = ""] = /^(\w+)\s*[:=]\s*(\S.*)$/s.exec(typed) ?? [];
  const { about, noteFor } = ask;
  if (noteFor === undefined || note === "") return undefined;
  const names = [noteFor.toLowerCase(), `${notedNumber(ask)}`, ...(about === "orphan" ? ["done"] : [])];
  return names.includes(head.toLowerCase()) ? `${noteFor}: ${note}` : undefined;
}

function askedText(ask: PayloadOf<"Asked">): string {
  if (ask.about === "orphan" && ask.details?.["tool"] !== undefined) return orphanText(ask);
  const { text, choices } = ask;
  const lines = (choices ?? []).map((choice, at) => `  ${at + 1}  ${neutraliseLine(choice.label)}`);
  return [questionWords(ask).heading, quote(neutralise(text)), ...lines].join("\n");
}

/** Returns the question about a call that a crash interrupted. The event's own text would repeat the choices. */
function orphanText(ask: PayloadOf<"Asked">): string {
  const { choices = [], details = {} } = ask;
  const noted = notedNumber(ask);
  const lines = choices.map(
    ({ value, label }, at) => `  ${at + 1}  ${fateText(value) ?? neutraliseLine(label)}`,
  );
  return [
    ORPHAN_WORDS.first,
    quote(callSummary(textOfJson(details["tool"]), details["args"])),
    ...["within", "living"].flatMap((name) => {
      const text = details[name];
      return typeof text === "string" ? [neutraliseLine(text.trim())] : [];
    }),
    ORPHAN_WORDS.last,
    ...lines,
    ...(noted === undefined ? [] : [`  ${noted}: NOTE  ${ORPHAN_WORDS.noted}`]),
  ].join("\n");
}
