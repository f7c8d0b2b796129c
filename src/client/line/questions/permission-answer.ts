import type { PermissionScope } from "../../../protocol/commands/commands.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { permissionAnswers } from "../../../view/questions/permission-answers.ts";
import { permissionHeading, permissionReason } from "../../../view/questions/question-words.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import { changeText } from "../output/change-text.ts";
import { quote } from "../output/quote.ts";

/** What a person chose at a permission question, or that they must be asked again. */
export type Choice =
  | {
      readonly kind: "answer";
      readonly decision: "allow" | "deny";
      readonly scope: PermissionScope;
      readonly rule?: string;
      readonly hosts?: true;
    }
  /** They want a rule for the session: show it and let them shorten it. */
  | { readonly kind: "rule" }
  | { readonly kind: "unclear" };

/** Denies whichever answers are offered: a person has learnt the number. */
const DENY_NUMBER = "4";

/** Reads the answer to the first question: the number of an answer, or one of its words (PERM-03). */
export function parseChoice(text: string, request: PayloadOf<"PermissionRequested">): Choice {
  const typed = text.trim().toLowerCase();
  const answers = permissionAnswers(request);
  const chosen =
    answers.find(({ words }, at) => typed === `${at + 1}` || words.includes(typed)) ??
    (typed === DENY_NUMBER ? answers.at(-1) : undefined);
  if (chosen === undefined) return { kind: "unclear" };
  if (chosen.key === "rule" && shortenable(request)) return { kind: "rule" };
  const { decision, scope, hosts } = chosen;
  return { kind: "answer", decision, scope, ...(hosts === undefined ? {} : { hosts }) };
}

/** Prints a permission question: the whole of what will run, why it is asked, and the answers. */
export function permissionText(request: PayloadOf<"PermissionRequested">): string {
  const { summary, reason } = request;
  return [
    permissionHeading(request),
    quote(summary.split("\n").map(reveal).join("\n")),
    ...changeText(request),
    ...(reason === undefined ? [] : [permissionReason(reason)]),
    ...permissionAnswers(request).map(({ label }, at) => `  ${at + 1}  ${label}`),
  ].join("\n");
}

/** How the rule is shown again, to be kept or shortened. */
export function ruleText(rule: string): string {
  return `Rule: ${reveal(rule)}\nEnter keeps it. To allow all that begins alike, type the first words of it, such as: ${example(rule)}`;
}

/**
 * Reads what the person made of the rule: nothing keeps it, its first words make a prefix.
 *
 * A prefix is matched on whole words: `npm run` of `Bash:npm run test` becomes `Bash:npm run *`. Anything that is
 * not the beginning of the rule is unclear, never guessed.
 */
export function parseRule(text: string, rule: string): Choice {
  const { tool, words } = partsOf(rule);
  const typed = text.trim().replace(new RegExp(`^${tool}:`), "");
  const picked = typed.split(/\s+/).filter((word) => word !== "" && word !== "*");
  if (text.trim() === "" || typed === words.join(" ")) return answer(rule);
  const isPrefix =
    picked.length > 0 && picked.length <= words.length && picked.every((word, at) => word === words[at]);
  return isPrefix ? answer(`${tool}:${picked.join(" ")} *`) : { kind: "unclear" };
}

function answer(rule: string): Choice {
  return { kind: "answer", decision: "allow", scope: "argv_glob", rule };
}

/** Only a command of plain words can be shortened; a path or a quoted command is allowed as it is or not at all. */
function shortenable(request: PayloadOf<"PermissionRequested">): boolean {
  const { rule } = request;
  if (rule === undefined || !rule.startsWith("Bash:") || rule.startsWith("Bash:=")) return false;
  const { words } = partsOf(rule);
  return words.length > 1 && words.every((word) => /^[\w@%+=:,./-]+$/.test(word));
}

function example(rule: string): string {
  const { words } = partsOf(rule);
  return words.slice(0, Math.max(1, words.length - 1)).join(" ");
}

function partsOf(rule: string): { readonly tool: string; readonly words: readonly string[] } {
  const colon = rule.indexOf(":");
  return {
    tool: rule.slice(0, colon),
    words: rule
      .slice(colon + 1)
      .split(/\s+/)
      .filter((word) => word !== ""),
  };
}
