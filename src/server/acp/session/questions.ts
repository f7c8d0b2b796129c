import type {
  ElicitationSchema,
  PermissionOption,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk/unstable";
import type { SessionId } from "../../../base/ids.ts";
import { objectAt, stringAt } from "../../../base/json.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import { askAnswers } from "../../../view/questions/ask-answers.ts";
import type { PermissionAnswer } from "../../../view/questions/permission-answers.ts";
import { permissionAnswers } from "../../../view/questions/permission-answers.ts";
import { DENY_ALIKE_LABEL, leftOutText, questionWords } from "../../../view/questions/question-words.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { askedCall, textContent, verbatim } from "./shown-call.ts";

/** A question as the editor is asked it, and the command for each choice. */
export interface EditorQuestion {
  readonly question: Question;
  readonly request: Omit<RequestPermissionRequest, "sessionId">;
  /** Set for a question that takes a text: it is put as this form instead. */
  readonly form?: TextForm;
  /** Identifies calls of the same tool and content; undefined if it is about no call. */
  readonly likeness?: string;
  /** Returns the command for an option, or for none of them; undefined if the question is left to other clients. */
  answer(optionId: string | undefined): CommandOf<"AnswerPermission"> | CommandOf<"Answer"> | undefined;
}

/** Form with one text, as `elicitation/create` has it. */
interface TextForm {
  readonly mode: "form";
  readonly message: string;
  readonly requestedSchema: ElicitationSchema;
}

/** Facts of an editor that decide how a question is put to it. */
export interface AskingEditor {
  readonly workingDir: string;
  /** True if it can ask for a text. */
  readonly forms: boolean;
}

/** Option that denies a call now and, as long as the editor has the session open, each one like it. */
export const DENY_ALWAYS = "deny-always";

/** Returns a question as an editor is asked it; undefined if it has no choices. */
export function editorQuestion(
  question: Question,
  session: SessionId,
  { workingDir, forms }: AskingEditor,
): EditorQuestion | undefined {
  if (question.kind === "permission") return permission(question, session, workingDir);
  return choice(question, session) ?? (forms ? words(question, session) : undefined);
}

const DENIAL = { decision: "deny", scope: "once" } as const;

/** Asks for one of the answers of PERM-03, or a lasting denial; any other answer allows nothing. */
function permission(
  question: Extract<Question, { kind: "permission" }>,
  sessionId: SessionId,
  workingDir: string,
): EditorQuestion {
  const { request, leftOut } = question;
  const call = askedCall(request, workingDir);
  const answers = permissionAnswers(request);
  const { callId, tool, summary } = request;
  return {
    question,
    likeness: JSON.stringify([tool, summary]),
    request: {
      toolCall: leftOut === undefined ? call : { ...call, content: [...(call.content ?? []), note(leftOut)] },
      options: [
        ...answers.map(({ key, label }) => ({
          optionId: OPTION_IDS[key],
          name: capitalised(label),
          kind: KINDS[key],
        })),
        { optionId: DENY_ALWAYS, name: capitalised(DENY_ALIKE_LABEL), kind: "reject_always" },
      ],
    },
    answer(optionId) {
      const chosen = answers.find(({ key }) => OPTION_IDS[key] === optionId);
      const { decision, scope } = chosen ?? DENIAL;
      const hosts = chosen?.hosts === true ? { hosts: chosen.hosts } : {};
      return { kind: "AnswerPermission", sessionId, callId, decision, scope, ...hosts };
    },
  };
}

const OPTION_IDS: Readonly<Record<PermissionAnswer["key"], string>> = {
  once: "allow-once",
  hosts: "allow-hosts",
  rule: "allow-rule",
  tool: "allow-tool",
  deny: "deny",
};

const KINDS: Readonly<Record<PermissionAnswer["key"], PermissionOption["kind"]>> = {
  once: "allow_once",
  hosts: "allow_once",
  rule: "allow_always",
  tool: "allow_always",
  deny: "reject_once",
};

function note(leftOut: number) {
  return textContent(leftOutText(leftOut));
}

function capitalised(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/**
 * Asks a question with choices that is no permission: about a file of the project, or a call that a crash left open.
 * Undefined for a question without choices.
 */
function choice(
  question: Extract<Question, { kind: "asked" }>,
  sessionId: SessionId,
): EditorQuestion | undefined {
  const { askId, text } = question.ask;
  const answers = askAnswers(question.ask);
  if (answers.length === 0) return undefined;
  return {
    question,
    request: {
      toolCall: {
        toolCallId: askId,
        title: questionWords(question.ask).title,
        kind: "other",
        status: "pending",
        content: [textContent(verbatim(text))],
      },
      options: answers.map(({ value, label, denies }) => ({
        optionId: value,
        name: label,
        kind: denies ? "reject_once" : "allow_once",
      })),
    },
    answer(optionId) {
      const isOffered = answers.some(({ value }) => value === optionId);
      const answer = isOffered ? optionId : answers.find(({ value }) => value === "deny")?.value;
      return answer === undefined ? undefined : { kind: "Answer", sessionId, askId, answer };
    },
  };
}

const TEXT_FIELD = "answer";

/** Asks for a text. An editor whose person gives none closes the question without an answer. */
function words(question: Extract<Question, { kind: "asked" }>, sessionId: SessionId): EditorQuestion {
  const { askId, text } = question.ask;
  const { title } = questionWords(question.ask);
  return {
    question,
    request: { toolCall: { toolCallId: askId, title, kind: "other", status: "pending" }, options: [] },
    form: {
      mode: "form",
      message: text,
      requestedSchema: {
        type: "object",
        properties: { [TEXT_FIELD]: { type: "string", title } },
        required: [TEXT_FIELD],
      },
    },
    answer: (said) => ({ kind: "Answer", sessionId, askId, answer: said ?? null }),
  };
}

/** Returns the text of an answered form; undefined if the person gave none. */
export function wordsOf(response: unknown): string | undefined {
  if (stringAt(response, "action") !== "accept") return undefined;
  return stringAt(objectAt(response, "content"), TEXT_FIELD);
}
