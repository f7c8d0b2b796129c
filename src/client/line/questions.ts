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
    }
  | { readonly kind: "asked"; readonly ask: PayloadOf<"Asked"> };

/** The questions after one more event: new ones at the end, those answered or outlived by their turn taken out. */
export function questionsAfter(open: readonly OpenQuestion[], envelope: Envelope): readonly OpenQuestion[] {
  switch (envelope.kind) {
    case "PermissionRequested":
      return [...open, { kind: "permission", request: envelope.payload, stage: "choice" }];
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

export function questionPrompt(question: OpenQuestion): string {
  if (question.kind === "asked") return question.ask.choices === undefined ? "answer > " : "choice > ";
  return question.stage === "rule" ? "rule > " : "1-4 > ";
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
