import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { unreachable } from "../../../base/assert.ts";
import type { ClientId } from "../../../base/ids.ts";
import { arrayAt, stringAt } from "../../../base/json.ts";
import { visible } from "../../../safety/hidden.ts";
import { isSafeUrl } from "../../../safety/safe-url.ts";
import type { Ask, AskAnswer, Question } from "../../../session/questions.ts";
import type { FieldValue, FormField } from "./form.ts";
import { LEFT_OUT, parseForm, readAnswer } from "./form.ts";

const MESSAGE_UNITS_MAX = 4_000;
const LABEL_UNITS_MAX = 200;
/** Pages that one call may have a person open. */
const PAGES_MAX = 5;
/** An answer that does not fit is asked for so often before the form is given up. */
const ATTEMPTS_MAX = 3;

/** Forms and pages that one call may put to a person, and how many of them at a time. What is more is declined. */
export const ASKED_PER_CALL_MAX = 20;
export const ASKED_AT_ONCE_MAX = 4;

/** Who is asked on behalf of a server: whoever follows the session whose call it is working on. */
export interface Asking {
  readonly ask: Ask;
  /** Ends with the call, so that no question outlives it. */
  readonly signal: AbortSignal;
  /** Whose turn it is; never asked about by itself: an agent does not answer (rule 11). */
  readonly originator?: ClientId;
}

type Answer = Pick<ElicitResult, "action" | "content">;

/**
 * Puts what a server wants to know to a person, and gives the server what the person said (MCP-06).
 *
 * First whether to answer at all, with every field named; then each field in turn, held to what the server asked for. A
 * URL is shown, with its host, and opened by nobody but the person. Where nobody can be asked the server is told that it
 * was declined; where nobody answers in time, that it was cancelled. The server never learns more than that. One that
 * asks without end is declined from `ASKED_PER_CALL_MAX` on, and nobody hears of it.
 */
export async function elicit(
  server: string,
  params: ElicitRequest["params"],
  asking: Asking | undefined,
): Promise<Answer> {
  if (asking === undefined) return { action: "decline" };
  const before = askedIn.get(asking) ?? { all: 0, open: 0 };
  if (before.all >= ASKED_PER_CALL_MAX || before.open >= ASKED_AT_ONCE_MAX) return { action: "decline" };
  askedIn.set(asking, { all: before.all + 1, open: before.open + 1 });
  try {
    return params.mode === "url"
      ? await elicitUrl(server, params, asking)
      : await elicitForm(server, params, asking);
  } finally {
    const { all, open } = askedIn.get(asking) ?? before;
    askedIn.set(asking, { all, open: open - 1 });
  }
}

/** Of each call that goes on, how much a person was asked for it. */
const askedIn = new WeakMap<Asking, { readonly all: number; readonly open: number }>();

/**
 * Where a call failed since a person has to open pages first: shows them, and says in words for the model what came of it.
 * Undefined for any other failure.
 */
export async function elicitPages(
  server: string,
  thrown: unknown,
  asking: Asking | undefined,
): Promise<string | undefined> {
  const pages = pagesIn(thrown);
  if (pages.length === 0) return undefined;
  for (const { url, message } of pages.slice(0, PAGES_MAX)) {
    const { action } = await elicit(server, { mode: "url", url, message, elicitationId: "" }, asking);
    if (action !== "accept")
      return `${server} wants a person to open a page first, and nobody has: ask them before you call again.`;
  }
  return `${server} wanted a person to open a page first. They say that they have: call again.`;
}

function pagesIn(thrown: unknown): readonly { readonly url: string; readonly message: string }[] {
  return arrayAt(thrown instanceof Error ? thrown : undefined, "elicitations").flatMap((each) => {
    const url = stringAt(each, "url");
    return url === undefined ? [] : [{ url, message: stringAt(each, "message") ?? "" }];
  });
}

async function elicitForm(
  server: string,
  { message, requestedSchema }: Extract<ElicitRequest["params"], { readonly requestedSchema: unknown }>,
  asking: Asking,
): Promise<Answer> {
  const form = parseForm(requestedSchema);
  if (form.kind === "unusable") return { action: "decline" };
  const consent = await put(asking, {
    text: consentText(server, message, form.fields),
    choices: [
      { value: "answer", label: form.fields.length === 0 ? "agree" : "answer it" },
      { value: "deny", label: "decline" },
    ],
    details: { server, mode: "form", fields: form.fields.map(({ name }) => name) },
  });
  if (consent !== "answer") return notAnswered(consent);
  const content = new Map<string, string | number | boolean | string[]>();
  for (const field of form.fields) {
    const told = await askField(server, field, asking);
    if (told.kind === "none") return notAnswered(told.why);
    if (told.kind === "value") content.set(field.name, wireValue(told.value));
  }
  return { action: "accept", content: Object.fromEntries(content) };
}

async function elicitUrl(
  server: string,
  { message, url }: Extract<ElicitRequest["params"], { readonly mode: "url" }>,
  asking: Asking,
): Promise<Answer> {
  const target = URL.parse(url);
  if (target === null || !isSafeUrl(target)) return { action: "decline" };
  const said = await put(asking, {
    text: [
      `The MCP server ${server} asks you to open a page of ${target.host}:`,
      target.href,
      cut(message),
      "cinch does not open it. Open it yourself only if you trust both.",
    ].join("\n"),
    choices: [
      { value: "answer", label: "I have opened it" },
      { value: "deny", label: "decline" },
    ],
    details: { server, mode: "url", url: target.href },
  });
  return said === "answer" ? { action: "accept" } : notAnswered(said);
}

function consentText(server: string, message: string, fields: readonly FormField[]): string {
  const lines = fields.map(
    (field) => `- ${labelOf(field)} (${kindText(field)}${field.required ? "" : ", may be left out"})`,
  );
  return [
    `The MCP server ${server} asks:`,
    cut(message),
    ...(lines.length === 0 ? [] : ["It wants to be told:", ...lines]),
    "What you answer goes to that server. Give it no password and no key.",
  ].join("\n");
}

type Told =
  | { readonly kind: "value"; readonly value: FieldValue }
  | { readonly kind: "left-out" }
  | { readonly kind: "none"; readonly why: Silence };

async function askField(server: string, field: FormField, asking: Asking): Promise<Told> {
  let problem = "";
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const said = await put(asking, fieldQuestion(server, field, problem));
    if (typeof said === "object") return { kind: "none", why: said };
    const read = readAnswer(field, said);
    switch (read.kind) {
      case "value":
        return read;
      case "left-out":
        if (field.preset !== undefined) return { kind: "value", value: field.preset };
        if (!field.required) return { kind: "left-out" };
        problem = "it has to be answered";
        break;
      case "problem":
        problem = read.problem;
        break;
      default:
        unreachable(read);
    }
  }
  return { kind: "none", why: { silence: "cancel" } };
}

function fieldQuestion(
  server: string,
  field: FormField,
  problem: string,
): Pick<Question, "text" | "choices" | "details"> {
  const mayBeLeftOut = !field.required || field.preset !== undefined;
  const preset = field.preset === undefined ? "" : ` (it is then ${presetText(field.preset, field)})`;
  const choices = choicesOf(field);
  const hint = mayBeLeftOut && choices === undefined ? ` Answer ${LEFT_OUT} to leave it out${preset}.` : "";
  const again = problem === "" ? "" : `That does not fit: ${problem}.\n`;
  const left = { value: LEFT_OUT, label: `leave it out${preset}` };
  return {
    text: `${again}${server} asks for ${labelOf(field)} (${kindText(field)}).${hint}`,
    ...(choices === undefined ? {} : { choices: mayBeLeftOut ? [...choices, left] : choices }),
    details: { server, field: field.name },
  };
}

/** A default as the person knows it: by the labels, where there are some. */
function presetText(preset: FieldValue, { kind }: FormField): string {
  const options = kind.kind === "one-of" || kind.kind === "some-of" ? kind.options : [];
  const labels = [preset]
    .flat()
    .map((each) => options.find(({ value }) => value === each)?.label ?? String(each));
  return cut(labels.join(", "), LABEL_UNITS_MAX);
}

function choicesOf({ kind }: FormField): Question["choices"] {
  if (kind.kind === "one-of") {
    // A value that is our own word for leaving it out is chosen by its number.
    return kind.options.map(({ value, label }, at) => ({
      value: value === LEFT_OUT || value === "" ? String(at + 1) : value,
      label: cut(label, LABEL_UNITS_MAX),
    }));
  }
  if (kind.kind !== "yes-no") return undefined;
  return [
    { value: "yes", label: "yes" },
    { value: "no", label: "no" },
  ];
}

function labelOf({ title, name, description }: FormField): string {
  const shown = title === name ? name : `${title} [${name}]`;
  return cut(description === undefined ? shown : `${shown}: ${description}`, LABEL_UNITS_MAX);
}

function kindText({ kind }: FormField): string {
  switch (kind.kind) {
    case "text":
      return kind.format ?? "text";
    case "number":
      return [
        kind.whole ? "whole number" : "number",
        ...(kind.min === undefined ? [] : [`from ${kind.min}`]),
        ...(kind.max === undefined ? [] : [`up to ${kind.max}`]),
      ].join(" ");
    case "yes-no":
      return "yes or no";
    case "one-of":
      return "one of a list";
    case "some-of":
      return `some of: ${cut(kind.options.map(({ label }) => label).join(", "), 400)}; separated by commas`;
    default:
      return unreachable(kind);
  }
}

/** Why there is no answer: what the server is told. */
interface Silence {
  readonly silence: "decline" | "cancel";
}

/** The words of the answer, or why there are none. */
async function put(
  { ask, signal, originator }: Asking,
  question: Pick<Question, "text" | "choices" | "details">,
): Promise<string | Silence> {
  const asked = {
    about: "elicitation" as const,
    ...question,
    ...(originator === undefined ? {} : { originator }),
  };
  return wordsOf(await ask(asked, signal));
}

function wordsOf(answer: AskAnswer): string | Silence {
  switch (answer.kind) {
    case "answered":
      return typeof answer.answer === "string" ? answer.answer : String(answer.answer);
    case "timeout":
      return { silence: "cancel" };
    case "nobody":
      return { silence: "decline" };
    default:
      return unreachable(answer);
  }
}

function notAnswered(said: string | Silence): Answer {
  return { action: typeof said === "object" ? said.silence : "decline" };
}

function wireValue(value: FieldValue): string | number | boolean | string[] {
  return typeof value === "object" ? [...value] : value;
}

function cut(text: string, unitsMax = MESSAGE_UNITS_MAX): string {
  const shown = visible(text);
  return shown.length <= unitsMax ? shown : `${shown.slice(0, unitsMax).toWellFormed()}…`;
}
