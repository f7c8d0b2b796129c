import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import type { AskedLine } from "../input/terminal.ts";
import { quote } from "../output/quote.ts";
import { answerCount, permissionText, ruleText } from "./permission-answer.ts";

/** A question that waits for the person. A permission request has a second stage, where its rule is shortened. */
export type OpenQuestion =
  | {
      readonly kind: "permission";
      readonly request: PayloadOf<"PermissionRequested">;
      readonly stage: "choice" | "rule";
      /** When it denies itself, by the client's monotonic clock; absent where nobody said. */
      readonly untilMs?: number;
    }
  /** `untilMs`: when it closes without an answer. */
  | { readonly kind: "asked"; readonly ask: PayloadOf<"Asked">; readonly untilMs?: number }
  | OwnQuestion;

/** A question of this client alone, yes or no: no other client sees it, and the engine does not wait for it. */
export interface OwnQuestion {
  readonly kind: "own";
  readonly text: string;
  readonly untilMs?: undefined;
  readonly settle: (answer: boolean | undefined) => void;
}

/**
 * The questions after one more event: new ones at the end, those answered or outlived by their turn taken out.
 * @param askedMs when a question of this event was asked, by the client's monotonic clock.
 */
export function questionsAfter(
  open: readonly OpenQuestion[],
  envelope: Envelope,
  askedMs: number,
): readonly OpenQuestion[] {
  switch (envelope.kind) {
    case "PermissionRequested": {
      const until = untilMs(envelope.payload, askedMs);
      return [...open, { kind: "permission", request: envelope.payload, stage: "choice", ...until }];
    }
    case "Asked": {
      const ask = envelope.payload;
      const asked = { kind: "asked", ask, ...untilMs(ask, askedMs) } as const;
      const at = open.findIndex((each) => each.kind === "asked" && each.ask.askId === ask.askId);
      return at < 0 ? [...open, asked] : open.with(at, asked); // again: it has another time limit
    }
    case "PermissionAnswered":
    case "ToolResult": {
      const { callId } = envelope.payload;
      const rest = open.filter(
        (question) => question.kind !== "permission" || question.request.callId !== callId,
      );
      return rest.length === open.length ? open : rest;
    }
    case "Answered": {
      const { askId } = envelope.payload;
      const rest = open.filter((question) => question.kind !== "asked" || question.ask.askId !== askId);
      return rest.length === open.length ? open : rest;
    }
    case "TurnEnded":
    case "SessionEnded": {
      if (envelope.parentCall !== undefined) return open;
      const rest = open.filter(
        (question) =>
          question.kind === "own" || (question.kind === "asked" && question.ask.about === "trust"),
      );
      return rest.length === open.length ? open : rest;
    }
    default:
      return open;
  }
}

function untilMs({ timeoutMs }: { readonly timeoutMs?: number | undefined }, askedMs: number) {
  return timeoutMs === undefined ? {} : { untilMs: askedMs + timeoutMs };
}

export function questionText(question: OpenQuestion): string {
  if (question.kind === "own") return `${question.text} (y/n)`;
  if (question.kind === "asked") return askedText(question.ask);
  if (question.stage === "rule") return ruleText(question.request.rule ?? "");
  return permissionText(question.request);
}

/** Longer waits are not counted down, and not announced: nobody sits through them. */
const TOLD_MS_MAX = 3_600_000;

/** Returns what a terminal must know of the question that the next line answers. */
export function askedLine(question: OpenQuestion | undefined): AskedLine | undefined {
  if (question === undefined) return undefined;
  return { question, takesPaste: question.kind === "asked" && question.ask.choices === undefined };
}

/** What the answer is typed behind; with the seconds that are left where the screen can show them going by. */
export function questionPrompt(question: OpenQuestion, nowMs: number | undefined): string {
  const { untilMs } = question;
  const left =
    nowMs === undefined || untilMs === undefined || untilMs - nowMs > TOLD_MS_MAX
      ? ""
      : ` (${Math.max(0, Math.ceil((untilMs - nowMs) / 1_000))} s)`;
  if (question.kind === "asked") {
    const { choices, words, noteFor } = question.ask;
    const isText = choices === undefined || words === true || noteFor !== undefined;
    return `${isText ? "answer" : "choice"}${left} > `;
  }
  if (question.kind === "own") return "y/n > ";
  const { stage, request } = question;
  return `${stage === "rule" ? "rule" : `1-${answerCount(request)}`}${left} > `;
}

/** Says at a terminal, where a person may be slow, what silence means. */
export function timeLimitText(question: OpenQuestion): string | undefined {
  if (question.kind === "own" || question.untilMs === undefined) return undefined;
  if (question.kind === "asked") {
    const { about, timeoutMs = 0, details } = question.ask;
    if (timeoutMs > TOLD_MS_MAX) return undefined;
    const isServer = about === "trust" && details?.["server"] !== undefined;
    const then = isServer ? "nothing of the server is approved" : UNANSWERED[about];
    return `Without an answer within ${timeoutMs / 1_000} s ${then ?? "the question is closed"}.`;
  }
  if (question.stage === "rule") return undefined;
  return `Without an answer within ${(question.request.timeoutMs ?? 0) / 1_000} s it is denied.`;
}

const UNANSWERED: Partial<Record<PayloadOf<"Asked">["about"], string>> = {
  "outside-sandbox": "it is left as it is",
  rewind: "nothing is set back",
  plan: "plan mode goes on",
  trust: "the file is left out of this session",
  orphan: "the session goes no further; your next input asks again",
};

/** Which answers a question takes, for somebody who gave none of them. */
export function answersText(question: OpenQuestion): string {
  if (question.kind === "permission") {
    if (question.stage === "rule") return "press Enter, or type the first words of the rule";
    const count = answerCount(question.request);
    const between = Array.from({ length: count - 2 }, (_, at) => `, ${at + 2}`).join("");
    return `type 1 (or y)${between} or ${count} (or n)`;
  }
  if (question.kind === "own") return "type y or n";
  const { choices = [] } = question.ask;
  if (choices.length === 0) return "type an answer";
  const numbers = choices.map(({ value }, at) => {
    const letter = value === "deny" && canDeny(question.ask) ? "n" : isYesNo(question.ask) ? "y" : undefined;
    const short = letter === undefined ? "" : ` (or ${letter})`;
    return `${at + 1}${short}`;
  });
  const noted = notedNumber(question.ask);
  const more = noted === undefined ? "" : `, or ${noted}: and a note`;
  return `type ${numbers.join(" or ")}${question.ask.words === true ? ", or words of your own" : more}`;
}

/** A question that is approved or denied, and nothing else. */
function isYesNo({ choices = [] }: PayloadOf<"Asked">): boolean {
  const values = choices.map(({ value }) => value).sort();
  return values.join() === "approve,deny";
}

/** Returns true where `n` can only mean one choice: yes-or-no questions, and those of a failed call. */
function canDeny(ask: PayloadOf<"Asked">): boolean {
  const denies = (ask.choices ?? []).some(({ value }) => value === "deny");
  return isYesNo(ask) || (denies && ask.about === "outside-sandbox");
}

/** The answer that a line gives to a question with choices: its number, value or label; y or n where it is approved or denied. */
export function parseAnswer(text: string, ask: PayloadOf<"Asked">): { readonly answer: string } | undefined {
  const { choices } = ask;
  const typed = text.trim();
  if (choices === undefined) return typed === "" ? undefined : { answer: text };
  const wanted = typed.toLowerCase();
  if (isYesNo(ask) && /^y(?:es)?$/.test(wanted)) return { answer: "approve" };
  if (canDeny(ask) && /^no?$/.test(wanted)) return { answer: "deny" };
  const chosen =
    choices.find(
      (choice) => choice.value.toLowerCase() === wanted || choice.label.toLowerCase() === wanted,
    ) ?? (/^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined);
  if (chosen !== undefined) return { answer: chosen.value };
  const noted = notedAnswer(typed, ask);
  if (noted !== undefined) return { answer: noted };
  // A number that is none of the choices is a slip, not a word.
  return ask.words === true && typed !== "" && !/^\d+$/.test(typed) ? { answer: text } : undefined;
}

/** The number of the choice that may carry a note. */
function notedNumber({ choices = [], noteFor }: PayloadOf<"Asked">): number | undefined {
  const at = choices.findIndex(({ value }) => value === noteFor);
  return at < 0 ? undefined : at + 1;
}

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
  return [headingOf(ask), quote(neutralise(text)), ...lines].join("\n");
}

function headingOf({ about, details = {} }: PayloadOf<"Asked">): string {
  const tool = typeof details["tool"] === "string" ? ` ${neutraliseLine(details["tool"])}` : "";
  if (about === "outside-sandbox")
    return `${details["hosts"] === undefined ? "Failed in the sandbox:" : "Network needed:"}${tool}`;
  return HEADINGS[about];
}

const HEADINGS: Readonly<Record<Exclude<PayloadOf<"Asked">["about"], "outside-sandbox">, string>> = {
  trust: "Approval needed:",
  orphan: "Interrupted call:",
  plan: "Plan to approve:",
  elicitation: "A tool asks:",
  "token-code": "A program asks for a token:",
  rewind: "Files to set back:",
};

const FATES: Readonly<Record<string, string>> = {
  failed: "it failed, or had no effect",
  succeeded: "it succeeded; the model is told so, without its output",
  abort: "I do not know: end this session",
};

/** What a crash left open, in plain words: the text of the event is for every client, and repeats its choices. */
function orphanText(ask: PayloadOf<"Asked">): string {
  const { choices = [], details = {} } = ask;
  const noted = notedNumber(ask);
  const lines = choices.map(
    ({ value, label }, at) => `  ${at + 1}  ${FATES[value] ?? neutraliseLine(label)}`,
  );
  return [
    "cinch ended while this call was running, so nobody knows whether it took effect:",
    quote(callSummary(String(details["tool"]), details["args"])),
    ...["within", "living"].flatMap((name) => {
      const text = details[name];
      return typeof text === "string" ? [neutraliseLine(text.trim())] : [];
    }),
    "Please look, and say what became of it:",
    ...lines,
    ...(noted === undefined ? [] : [`  ${noted}: NOTE  it succeeded, and the model reads your note`]),
  ].join("\n");
}
