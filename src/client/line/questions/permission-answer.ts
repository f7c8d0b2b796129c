import { defined } from "../../../base/defined.ts";
import type { PermissionScope } from "../../../protocol/commands/commands.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { spokenChange } from "../../../view/answers/spoken-change.ts";
import { permissionAnswers } from "../../../view/questions/permission-answers.ts";
import {
  INSTEAD_LABEL,
  partLines,
  permissionHeading,
  permissionReason,
  questionEndText,
  ruleQuestion,
} from "../../../view/questions/question-words.ts";
import { isPlainRule, isShortenable, ruleParts } from "../../../view/questions/rule-choices.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import { changeText } from "../output/change-text.ts";
import { quote } from "../output/quote.ts";

/** The user's choice at a permission question. */
export type Choice =
  | {
      readonly kind: "answer";
      readonly decision: "allow" | "deny";
      readonly scope: PermissionScope;
      readonly rule?: string;
      readonly hosts?: true;
      /** Words for the model: an instruction instead of the call. */
      readonly words?: string;
    }
  /** A rule for the session, which the user may shorten first. */
  | { readonly kind: "rule" }
  | { readonly kind: "unclear" };

/** Reads the answer to the first question: the number of an answer, or one of its words (PERM-03). */
export function parseChoice(text: string, request: PayloadOf<"PermissionRequested">): Choice {
  const typed = text.trim().toLowerCase();
  const answers = permissionAnswers(request);
  const chosen = answers.find(({ words }, at) => typed === `${at + 1}` || words.includes(typed));
  if (chosen === undefined) return parseInstead(text, answers.length);
  if (chosen.key === "rule" && isShortenable(request)) return { kind: "rule" };
  const { decision, scope, hosts } = chosen;
  return { kind: "answer", decision, scope, ...defined({ hosts }) };
}

/** Reads `4: WORDS`, `n: WORDS` and `no, WORDS`: a denial with what to do instead (PERM-14). */
function parseInstead(text: string, denyNumber: number): Choice {
  const [, head = "", words = ""] = /^\s*(\w+)\s*[:,]\s*(\S.*?)\s*$/s.exec(text) ?? [];
  const denies = [`${denyNumber}`, "n", "no", "deny"].includes(head.toLowerCase());
  return denies && words !== ""
    ? { kind: "answer", decision: "deny", scope: "once", words }
    : { kind: "unclear" };
}

/** Returns a permission question: everything that will run, the reason for the question, and the answers. */
export function permissionQuestionText(
  request: PayloadOf<"PermissionRequested">,
  { isSpoken = false }: { readonly isSpoken?: boolean } = {},
): string {
  const { summary, reason, why } = request;
  // The reason of a question about the network names its setting already.
  const end = why === undefined || why.cause === "network" ? undefined : questionEndText(why);
  const answers = permissionAnswers(request);
  return [
    permissionHeading(request),
    quote(summary.split("\n").map(reveal).join("\n")),
    ...(isSpoken ? spokenChange(changeText(request)) : changeText(request)),
    ...partLines(request),
    ...(reason === undefined ? [] : [permissionReason(reason)]),
    ...(end === undefined ? [] : [end]),
    ...answers.map(({ label }, at) => `  ${at + 1}  ${label}`),
    `  ${answers.length}: WORDS  ${INSTEAD_LABEL}`,
  ].join("\n");
}

/** Returns the question that lets the user keep or shorten a rule. */
export function ruleQuestionText({ rule = "", prefixes = [] }: RuleRequest): string {
  const [shown = example(rule)] = prefixes
    .slice(-2)
    .map((prefix) => ruleParts(prefix).words.slice(0, -1).join(" "));
  return ruleQuestion(rule, shown);
}

type RuleRequest = Pick<PayloadOf<"PermissionRequested">, "rule" | "prefixes">;

/**
 * Reads the answer to the rule question: an empty line keeps the rule, its first words make a prefix.
 *
 * A prefix matches whole words: `npm run` of `Bash:npm run test` becomes `Bash:npm run *`. Anything but the beginning
 * of the rule, or a prefix that the question offers, is unclear, never guessed.
 */
export function parseRuleAnswer(text: string, { rule = "", prefixes = [] }: RuleRequest): Choice {
  const { tool, words } = ruleParts(rule);
  const typed = text.trim().replace(new RegExp(`^${tool}:`), "");
  const picked = typed.split(/\s+/).filter((word) => word !== "" && word !== "*");
  const prefix = `${tool}:${picked.join(" ")} *`;
  if (picked.length > 0 && prefixes.includes(prefix)) return answer(prefix);
  if (text.trim() === "" || typed === words.join(" ")) return answer(rule);
  const isPrefix =
    picked.length > 0 && picked.length <= words.length && picked.every((word, at) => word === words[at]);
  return isPrefix && isPlainRule(rule) ? answer(prefix) : { kind: "unclear" };
}

function answer(rule: string): Choice {
  return { kind: "answer", decision: "allow", scope: "argv_glob", rule };
}

function example(rule: string): string {
  const { words } = ruleParts(rule);
  return words.slice(0, Math.max(1, words.length - 1)).join(" ");
}
