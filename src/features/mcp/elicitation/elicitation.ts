import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { unreachable } from "../../../base/assert.ts";
import { defined } from "../../../base/defined.ts";
import type { ClientId } from "../../../base/ids.ts";
import { arrayAt, stringAt, textOfJson } from "../../../base/json.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { isSafeUrl } from "../../../safety/safe-url.ts";
import type { Ask, AskOutcome, NewQuestion } from "../../../session/questions.ts";
import type { FieldValue, FormField } from "./form.ts";
import { OMITTED_ANSWER, parseFieldAnswer, parseForm } from "./form.ts";

const MESSAGE_UNITS_MAX = 4_000;
const LABEL_UNITS_MAX = 200;
/** Pages that one failed call may ask a person to open. */
const PAGES_MAX = 5;
/** Attempts to answer one field. After that the form is cancelled. */
const ATTEMPTS_MAX = 3;

/**
 * Limits of forms and pages shown to a person during one call: in total, and at one time. Further ones are declined.
 */
export const ASKED_PER_CALL_MAX = 20;
export const ASKED_AT_ONCE_MAX = 4;

/** The people asked on behalf of a server: those subscribed to the session whose call it is working on. */
export interface ElicitationContext {
  readonly ask: Ask;
  /** Aborts when the call ends, so that no question outlives it. */
  readonly signal: AbortSignal;
  /** The client whose turn it is. An agent is never asked about its own turn (rule 11). */
  readonly originator?: ClientId;
}

type Answer = Pick<ElicitResult, "action" | "content">;

/**
 * Asks a person for what a server wants to know and returns their answer to the server (MCP-06).
 *
 * The first question is whether to answer at all, and names every field. Then each field is asked in turn and checked
 * against the server's schema. A URL is shown with its host; only the person opens it. If nobody can be asked, the
 * server gets `decline`; if nobody answers in time, `cancel`. It learns nothing more. From `ASKED_PER_CALL_MAX` on,
 * requests are declined without asking.
 */
export async function elicit(
  server: string,
  params: ElicitRequest["params"],
  elicitation: ElicitationContext | undefined,
): Promise<Answer> {
  if (elicitation === undefined) return { action: "decline" };
  const before = askedIn.get(elicitation) ?? { all: 0, open: 0 };
  if (before.all >= ASKED_PER_CALL_MAX || before.open >= ASKED_AT_ONCE_MAX) return { action: "decline" };
  askedIn.set(elicitation, { all: before.all + 1, open: before.open + 1 });
  try {
    return params.mode === "url"
      ? await elicitUrl(server, params, elicitation)
      : await elicitForm(server, params, elicitation);
  } finally {
    const { all, open } = askedIn.get(elicitation) ?? before;
    askedIn.set(elicitation, { all, open: open - 1 });
  }
}

/** For each running call: the number of requests so far, and of those open now. */
const askedIn = new WeakMap<ElicitationContext, { readonly all: number; readonly open: number }>();

/**
 * Shows the pages that a person must open before a failed call can succeed. Returns a sentence for the model about
 * the outcome; undefined for any other failure.
 */
export async function elicitPages(
  server: string,
  thrown: unknown,
  elicitation: ElicitationContext | undefined,
): Promise<string | undefined> {
  const pages = pagesIn(thrown);
  if (pages.length === 0) return undefined;
  for (const { url, message } of pages.slice(0, PAGES_MAX)) {
    const { action } = await elicit(server, { mode: "url", url, message, elicitationId: "" }, elicitation);
    if (action !== "accept")
      return `${server} needs a person to open a page first, and nobody has: ask them before you call again.`;
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
  elicitation: ElicitationContext,
): Promise<Answer> {
  const form = parseForm(requestedSchema);
  if (form.kind === "unusable") return { action: "decline" };
  const consent = await askQuestion(elicitation, {
    text: consentText(server, message, form.fields),
    choices: [
      { value: "answer", label: form.fields.length === 0 ? "agree" : "answer it" },
      { value: "deny", label: "decline" },
    ],
    details: { server, mode: "form", fields: form.fields.map(({ name }) => name) },
  });
  if (consent !== "answer") return withoutAnswer(consent);
  const content = new Map<string, string | number | boolean | string[]>();
  for (const field of form.fields) {
    const fieldAnswer = await askField(server, field, elicitation);
    if (fieldAnswer.kind === "none") return withoutAnswer(fieldAnswer.why);
    if (fieldAnswer.kind === "value") content.set(field.name, protocolValue(fieldAnswer.value));
  }
  return { action: "accept", content: Object.fromEntries(content) };
}

async function elicitUrl(
  server: string,
  { message, url }: Extract<ElicitRequest["params"], { readonly mode: "url" }>,
  elicitation: ElicitationContext,
): Promise<Answer> {
  const target = URL.parse(url);
  if (target === null || !isSafeUrl(target)) return { action: "decline" };
  const said = await askQuestion(elicitation, {
    text: [
      `The MCP server ${server} asks you to open a page of ${target.host}:`,
      target.href,
      shortenVisible(message),
      "cinch does not open it. Open it yourself only if you trust both.",
    ].join("\n"),
    choices: [
      { value: "answer", label: "I have opened it" },
      { value: "deny", label: "decline" },
    ],
    details: { server, mode: "url", url: target.href },
  });
  return said === "answer" ? { action: "accept" } : withoutAnswer(said);
}

function consentText(server: string, message: string, fields: readonly FormField[]): string {
  const lines = fields.map(
    (field) => `- ${labelOf(field)} (${kindText(field)}${field.required ? "" : ", may be left out"})`,
  );
  return [
    `The MCP server ${server} asks:`,
    shortenVisible(message),
    ...(lines.length === 0 ? [] : ["It asks for:", ...lines]),
    "What you answer goes to that server. Give it no password and no key.",
  ].join("\n");
}

type FieldOutcome =
  | { readonly kind: "value"; readonly value: FieldValue }
  | { readonly kind: "left-out" }
  | { readonly kind: "none"; readonly why: NoAnswer };

async function askField(
  server: string,
  field: FormField,
  elicitation: ElicitationContext,
): Promise<FieldOutcome> {
  let problem = "";
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const said = await askQuestion(elicitation, fieldQuestion(server, field, problem));
    if (typeof said === "object") return { kind: "none", why: said };
    const read = parseFieldAnswer(field, said);
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
  return { kind: "none", why: { action: "cancel" } };
}

function fieldQuestion(
  server: string,
  field: FormField,
  problem: string,
): Pick<NewQuestion, "text" | "choices" | "details"> {
  const mayBeLeftOut = !field.required || field.preset !== undefined;
  const preset = field.preset === undefined ? "" : ` (it is then ${presetText(field.preset, field)})`;
  const choices = choicesOf(field);
  const hint =
    mayBeLeftOut && choices === undefined ? ` Answer ${OMITTED_ANSWER} to leave it out${preset}.` : "";
  const again = problem === "" ? "" : `That does not fit: ${problem}.\n`;
  const omit = { value: OMITTED_ANSWER, label: `leave it out${preset}` };
  return {
    text: `${again}${server} asks for ${labelOf(field)} (${kindText(field)}).${hint}`,
    ...(choices === undefined ? {} : { choices: mayBeLeftOut ? [...choices, omit] : choices }),
    details: { server, field: field.name },
  };
}

/** Renders a default value, by its labels where it has some. */
function presetText(preset: FieldValue, { kind }: FormField): string {
  const options = kind.kind === "one-of" || kind.kind === "some-of" ? kind.options : [];
  const labels = [preset]
    .flat()
    .map((each) => options.find(({ value }) => value === each)?.label ?? String(each));
  return shortenVisible(labels.join(", "), LABEL_UNITS_MAX);
}

function choicesOf({ kind }: FormField): NewQuestion["choices"] {
  if (kind.kind === "one-of") {
    // A value equal to our own word for leaving a field out is chosen by its number.
    return kind.options.map(({ value, label }, at) => ({
      value: value === OMITTED_ANSWER || value === "" ? String(at + 1) : value,
      label: shortenVisible(label, LABEL_UNITS_MAX),
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
  return shortenVisible(description === undefined ? shown : `${shown}: ${description}`, LABEL_UNITS_MAX);
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
      return `some of: ${shortenVisible(kind.options.map(({ label }) => label).join(", "), 400)}; separated by commas`;
    default:
      return unreachable(kind);
  }
}

/** The reason for a missing answer, as the server gets it. */
interface NoAnswer {
  readonly action: "decline" | "cancel";
}

/** Asks one question. Returns the text of the answer, or why there is none. */
async function askQuestion(
  { ask, signal, originator }: ElicitationContext,
  question: Pick<NewQuestion, "text" | "choices" | "details">,
): Promise<string | NoAnswer> {
  const asked = {
    about: "elicitation" as const,
    ...question,
    ...defined({ originator }),
  };
  return answerText(await ask(asked, signal));
}

function answerText(answer: AskOutcome): string | NoAnswer {
  switch (answer.kind) {
    case "answered":
      return textOfJson(answer.answer);
    case "timeout":
      return { action: "cancel" };
    case "nobody":
      return { action: "decline" };
    default:
      return unreachable(answer);
  }
}

function withoutAnswer(reply: string | NoAnswer): Answer {
  return { action: typeof reply === "object" ? reply.action : "decline" };
}

function protocolValue(value: FieldValue): string | number | boolean | string[] {
  return typeof value === "object" ? [...value] : value;
}

function shortenVisible(text: string, unitsMax = MESSAGE_UNITS_MAX): string {
  const shown = visibleLine(text);
  return shown.length <= unitsMax ? shown : `${shown.slice(0, unitsMax).toWellFormed()}…`;
}
