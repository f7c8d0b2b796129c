import type { Envelope } from "../../protocol/envelope.ts";
import type { PayloadOf } from "../../protocol/events.ts";
import { neutralise, neutraliseLine } from "../kit/terminal-text.ts";
import { quote } from "./event-printer.ts";
import { permissionText, ruleText } from "./permission-answer.ts";

/** A question that waits for the person. A permission request has a second stage, where its rule is shortened. */
export type OpenQuestion =
  | {
      readonly kind: "permission";
      readonly request: PayloadOf<"PermissionRequested">;
      readonly stage: "choice" | "rule";
      /** When it denies itself, by the client's monotonic clock; absent where nobody said. */
      readonly untilMs?: number;
    }
  | { readonly kind: "asked"; readonly ask: PayloadOf<"Asked"> };

/** The questions after one more event: new ones at the end, those answered or outlived by their turn taken out. */
export function questionsAfter(
  open: readonly OpenQuestion[],
  envelope: Envelope,
  nowMs: number,
): readonly OpenQuestion[] {
  switch (envelope.kind) {
    case "PermissionRequested": {
      const { timeoutMs } = envelope.payload;
      const until = timeoutMs === undefined ? {} : { untilMs: nowMs + timeoutMs };
      return [...open, { kind: "permission", request: envelope.payload, stage: "choice", ...until }];
    }
    case "Asked":
      return [...open, { kind: "asked", ask: envelope.payload }];
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
      const rest = open.filter((question) => question.kind === "asked" && question.ask.about === "trust");
      return rest.length === open.length ? open : rest;
    }
    default:
      return open;
  }
}

export function questionText(question: OpenQuestion): string {
  if (question.kind === "asked") return askedText(question.ask);
  if (question.stage === "rule") return ruleText(question.request.rule ?? "");
  return permissionText(question.request);
}

/** What the answer is typed behind; with the seconds that are left where the screen can show them going by. */
export function questionPrompt(question: OpenQuestion, nowMs: number | undefined): string {
  if (question.kind === "asked") return question.ask.choices === undefined ? "answer > " : "choice > ";
  const { stage, untilMs, request } = question;
  const left =
    nowMs === undefined || untilMs === undefined
      ? ""
      : ` (${Math.max(0, Math.ceil((untilMs - nowMs) / 1_000))} s)`;
  const answers = request.onceOnly === true ? "1-2" : "1-4";
  return `${stage === "rule" ? "rule" : answers}${left} > `;
}

/** Says at a terminal, where a person may be slow, what silence means. */
export function timeLimitText(question: OpenQuestion): string | undefined {
  if (question.kind === "asked" || question.stage === "rule" || question.untilMs === undefined)
    return undefined;
  return `Without an answer within ${(question.request.timeoutMs ?? 0) / 1_000} s it is denied.`;
}

/** The answer that a line gives to a question with choices: its number, value or label. */
export function parseAnswer(text: string, ask: PayloadOf<"Asked">): { readonly answer: string } | undefined {
  const { choices } = ask;
  const typed = text.trim();
  if (choices === undefined) return typed === "" ? undefined : { answer: text };
  const wanted = typed.toLowerCase();
  const chosen =
    choices.find(
      (choice) => choice.value.toLowerCase() === wanted || choice.label.toLowerCase() === wanted,
    ) ?? (/^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined);
  return chosen === undefined ? undefined : { answer: chosen.value };
}

function askedText({ about, text, choices }: PayloadOf<"Asked">): string {
  const lines = (choices ?? []).map((choice, at) => `  ${at + 1}  ${neutraliseLine(choice.label)}`);
  return [`Question (${about}):`, quote(neutralise(text)), ...lines].join("\n");
}
