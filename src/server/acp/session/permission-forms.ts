import type { ElicitationSchema } from "@agentclientprotocol/sdk/unstable";
import { count, shortened } from "../../../base/text/text.ts";
import { ANSWER_WORDS_CHARACTERS_MAX } from "../../../protocol/commands/answer-limits.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { permissionHeading } from "../../../view/questions/question-words.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";

/** Option that asks which of the changes in a file are made. */
export const SOME_HUNKS = "allow-some";
/** Option that asks what the model is to do instead. */
export const DENY_WORDS = "deny-words";

/** Form as `elicitation/create` has it, without the session. */
export interface EditorForm {
  readonly mode: "form";
  readonly message: string;
  readonly requestedSchema: ElicitationSchema;
}

/** Content of a form that was accepted: whatever the editor sent. */
export type FormContent = Readonly<Record<string, unknown>>;

type Request = PayloadOf<"PermissionRequested">;
type Answer = Pick<CommandOf<"AnswerPermission">, "decision" | "scope" | "hunks" | "words">;

const HUNK_TITLE_CHARACTERS_MAX = 120;
const DENIAL: Answer = { decision: "deny", scope: "once" };

/** Asks for words to the model. */
export function modelWordsForm(message: string, title: string): EditorForm {
  const words = { type: "string", title, maxLength: ANSWER_WORDS_CHARACTERS_MAX } as const;
  return {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { words }, required: ["words"] },
  };
}

/** Returns the words of a form, within their limit; undefined for none. */
export function wordsIn(content: FormContent | undefined): string | undefined {
  const words = content?.["words"];
  if (typeof words !== "string" || words.trim() === "") return undefined;
  return words.trim().slice(0, ANSWER_WORDS_CHARACTERS_MAX);
}

/** Returns the form behind an option of a permission question; undefined if the option is the whole answer. */
export function permissionForm(optionId: string | undefined, request: Request): EditorForm | undefined {
  if (optionId === DENY_WORDS)
    return modelWordsForm(permissionHeading(request), "What the model is to do instead");
  if (optionId !== SOME_HUNKS) return undefined;
  const { hunks = [] } = request;
  const changes = {
    type: "array",
    title: "Changes to make",
    default: hunks.map(({ id }) => id),
    items: { anyOf: hunks.map((hunk) => ({ const: hunk.id, title: hunkTitle(hunk) })) },
  } as const;
  const words = {
    type: "string",
    title: "Words for the model about the others",
    maxLength: ANSWER_WORDS_CHARACTERS_MAX,
  } as const;
  const message = `${permissionHeading(request)}: ${count(hunks.length, "change")}`;
  return {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { changes, words }, required: ["changes"] },
  };
}

/** Returns the answer that a form gives. A form that was not accepted, or is invalid, denies the call. */
export function formAnswer(
  optionId: string,
  content: FormContent | undefined,
  { hunks = [] }: Request,
): Answer {
  const words = wordsIn(content);
  const said = words === undefined ? {} : { words };
  const chosen = optionId === SOME_HUNKS ? content?.["changes"] : undefined;
  const ids: readonly unknown[] = Array.isArray(chosen) ? chosen : [];
  const known = hunks.map(({ id }) => id);
  const accepted = known.filter((id) => ids.includes(id));
  if (accepted.length === 0 || accepted.length !== new Set(ids).size) return { ...DENIAL, ...said };
  return { decision: "allow", scope: "once", hunks: accepted, ...said };
}

/** Returns the place of a change, its size and its first line. */
function hunkTitle({ new_start: start, lines }: NonNullable<Request["hunks"]>[number]): string {
  const isChange = (line: string) => line.startsWith("+") || line.startsWith("-");
  const changed = lines.filter(isChange);
  const added = changed.filter((line) => line.startsWith("+")).length;
  const title = `line ${start + lines.findIndex(isChange)}, +${added} -${changed.length - added}: ${reveal(changed[0] ?? "")}`;
  return shortened(title, HUNK_TITLE_CHARACTERS_MAX);
}
