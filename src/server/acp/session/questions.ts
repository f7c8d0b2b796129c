import type { PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk/unstable";
import type { SessionId } from "../../../base/ids.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { askAnswers } from "../../../view/questions/ask-answers.ts";
import type { PermissionAnswer } from "../../../view/questions/permission-answers.ts";
import { permissionAnswers } from "../../../view/questions/permission-answers.ts";
import {
  DENY_ALIKE_LABEL,
  INSTEAD_LABEL,
  leftOutText,
  questionWords,
} from "../../../view/questions/question-words.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import type { EditorForm, FormContent } from "./permission-forms.ts";
import {
  DENY_WORDS,
  formAnswer,
  modelWordsForm,
  permissionForm,
  SOME_HUNKS,
  wordsIn,
} from "./permission-forms.ts";
import { askedCall, textContent, verbatim } from "./updates/shown-call.ts";

/** Rules by a prefix of words that a question offers beside its own: the narrowest. */
export const PREFIX_OPTIONS_MAX = 3;

/** Answer of an editor: an option, and the content of the form that the option has asked for. */
export interface EditorAnswer {
  readonly optionId?: string | undefined;
  readonly content?: FormContent | undefined;
}

/** A question as the editor is asked it, and the command for each choice. */
export interface EditorQuestion {
  readonly question: Question;
  readonly request: Omit<RequestPermissionRequest, "sessionId">;
  /** Returns the form that an option asks for, or the whole question without options; undefined for none. */
  form(optionId: string | undefined): EditorForm | undefined;
  /** Identifies calls of the same tool and content; undefined if it is about no call. */
  readonly likeness?: string;
  /** Returns the command for an answer; undefined if the question is left to other clients. */
  answer(given: EditorAnswer): CommandOf<"AnswerPermission"> | CommandOf<"Answer"> | undefined;
}

/** Facts of an editor that decide how a question is put to it. */
export interface AskingEditor {
  readonly workingDir: string;
  /** True if it can show a form. */
  readonly forms: boolean;
}

/** Option that denies a call now and, as long as the editor has the session open, each one like it. */
export const DENY_ALWAYS = "deny-always";

/** Returns a question as an editor is asked it; undefined if it has no choices. */
export function editorQuestion(
  question: Question,
  session: SessionId,
  editor: AskingEditor,
): EditorQuestion | undefined {
  if (question.kind === "permission") return permission(question, session, editor);
  return choice(question, session, editor) ?? (editor.forms ? words(question, session) : undefined);
}

const DENIAL = { decision: "deny", scope: "once" } as const;

/** Asks for one of the answers of PERM-03, or a lasting denial; any other answer allows nothing. */
function permission(
  question: Extract<Question, { kind: "permission" }>,
  sessionId: SessionId,
  { workingDir, forms }: AskingEditor,
): EditorQuestion {
  const { request, leftOut } = question;
  const call = askedCall(request, workingDir);
  const answers = permissionAnswers(request);
  const prefixes = offeredPrefixes(request, answers);
  const { callId, tool, summary } = request;
  return {
    question,
    likeness: JSON.stringify([tool, summary]),
    request: {
      toolCall: leftOut === undefined ? call : { ...call, content: [...(call.content ?? []), note(leftOut)] },
      options: [
        ...answers.flatMap((answer) => [
          option(OPTION_IDS[answer.key], answer.label, KINDS[answer.key]),
          ...(answer.key === "once" && forms ? someHunks(request) : []),
          ...(answer.key === "rule" ? prefixes.map(prefixOption) : []),
          ...(answer.key === "deny" && forms ? [option(DENY_WORDS, INSTEAD_LABEL, "reject_once")] : []),
        ]),
        option(DENY_ALWAYS, DENY_ALIKE_LABEL, "reject_always"),
      ],
    },
    form: (optionId) => (forms ? permissionForm(optionId, request) : undefined),
    answer({ optionId, content }) {
      const base = { kind: "AnswerPermission", sessionId, callId } as const;
      if (optionId === SOME_HUNKS || optionId === DENY_WORDS)
        return { ...base, ...formAnswer(optionId, content, request) };
      const rule = prefixes.find((_, at) => prefixId(at) === optionId);
      if (rule !== undefined) return { ...base, decision: "allow", scope: "argv_glob", rule };
      const chosen = answers.find(({ key }) => OPTION_IDS[key] === optionId);
      const { decision, scope } = chosen ?? DENIAL;
      return { ...base, decision, scope, ...(chosen?.hosts === true ? { hosts: chosen.hosts } : {}) };
    },
  };
}

/** Returns the rules of a question that its own rule does not name, the narrowest first. */
function offeredPrefixes(
  { rule, prefixes = [] }: PayloadOf<"PermissionRequested">,
  answers: readonly PermissionAnswer[],
): readonly string[] {
  if (!answers.some(({ key }) => key === "rule")) return [];
  return prefixes
    .filter((prefix) => prefix !== rule)
    .slice(-PREFIX_OPTIONS_MAX)
    .toReversed();
}

function prefixOption(rule: string, at: number): PermissionOption {
  return option(prefixId(at), `allow for this session: ${reveal(rule)}`, "allow_always");
}

function prefixId(at: number): string {
  return `allow-prefix-${at + 1}`;
}

function someHunks({ hunks = [] }: PayloadOf<"PermissionRequested">): readonly PermissionOption[] {
  return hunks.length < 2
    ? []
    : [option(SOME_HUNKS, `allow some of the ${hunks.length} changes`, "allow_once")];
}

function option(optionId: string, label: string, kind: PermissionOption["kind"]): PermissionOption {
  return { optionId, name: capitalised(label), kind };
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

/** Option of a question with choices that takes a text too. */
const WORDS_OPTION = "words";

/**
 * Asks a question with choices that is no permission: about a file of the project, or a call that a crash left open.
 * Undefined for a question without choices.
 */
function choice(
  question: Extract<Question, { kind: "asked" }>,
  sessionId: SessionId,
  { forms }: AskingEditor,
): EditorQuestion | undefined {
  const { askId, text, words: takesWords = false } = question.ask;
  const answers = askAnswers(question.ask);
  if (answers.length === 0) return undefined;
  const { title } = questionWords(question.ask);
  const hasWords = takesWords && forms;
  return {
    question,
    request: {
      toolCall: {
        ...{ toolCallId: askId, title, kind: "other", status: "pending" },
        content: [textContent(verbatim(text))],
      },
      options: [
        ...answers.map(({ value, label, denies }) => ({
          optionId: value,
          name: label,
          kind: denies ? ("reject_once" as const) : ("allow_once" as const),
        })),
        ...(hasWords ? [option(WORDS_OPTION, "answer with words", "reject_once")] : []),
      ],
    },
    form: (optionId) =>
      hasWords && optionId === WORDS_OPTION ? modelWordsForm(title, "Your words") : undefined,
    answer({ optionId, content }) {
      const said = hasWords && optionId === WORDS_OPTION ? wordsIn(content) : undefined;
      const isOffered = answers.some(({ value }) => value === optionId);
      const denial = answers.find(({ value }) => value === "deny")?.value;
      const answer = said ?? (isOffered ? optionId : denial);
      return answer === undefined ? undefined : { kind: "Answer", sessionId, askId, answer };
    },
  };
}

const TEXT_FIELD = "answer";

/** Asks for a text. An editor whose person gives none closes the question without an answer. */
function words(question: Extract<Question, { kind: "asked" }>, sessionId: SessionId): EditorQuestion {
  const { askId, text } = question.ask;
  const { title } = questionWords(question.ask);
  const form: EditorForm = {
    mode: "form",
    message: text,
    requestedSchema: {
      type: "object",
      properties: { [TEXT_FIELD]: { type: "string", title } },
      required: [TEXT_FIELD],
    },
  };
  return {
    question,
    request: { toolCall: { toolCallId: askId, title, kind: "other", status: "pending" }, options: [] },
    form: () => form,
    answer({ content }) {
      const said = content?.[TEXT_FIELD];
      return { kind: "Answer", sessionId, askId, answer: typeof said === "string" ? said : null };
    },
  };
}
