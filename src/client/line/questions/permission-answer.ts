import type { PermissionScope } from "../../../protocol/commands/commands.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { neutraliseLine, reveal } from "../../../view/terminal/terminal-text.ts";
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

const ONCE = new Set(["1", "once", "y", "yes"]);
const RULE = new Set(["2", "rule", "command", "prefix"]);
const TOOL = new Set(["3", "tool"]);
const DENY = new Set(["4", "deny", "n", "no"]);

/** Reads the answer to the first question: the four answers of PERM-03. */
export function parseChoice(text: string, request: PayloadOf<"PermissionRequested">): Choice {
  const word = text.trim().toLowerCase();
  if (ONCE.has(word)) return { kind: "answer", decision: "allow", scope: "once" };
  if (DENY.has(word)) return { kind: "answer", decision: "deny", scope: "once" };
  if (request.hosts !== undefined) {
    if (word === "2" || word === "hosts")
      return { kind: "answer", decision: "allow", scope: "once", hosts: true };
    return word === "3" ? { kind: "answer", decision: "deny", scope: "once" } : { kind: "unclear" };
  }
  if (request.onceOnly === true) {
    return word === "2" ? { kind: "answer", decision: "deny", scope: "once" } : { kind: "unclear" };
  }
  if (isOfWholeTool(request)) {
    if (RULE.has(word) || word === "tool") return { kind: "answer", decision: "allow", scope: "tool" };
    return word === "3" ? { kind: "answer", decision: "deny", scope: "once" } : { kind: "unclear" };
  }
  if (RULE.has(word))
    return shortenable(request)
      ? { kind: "rule" }
      : { kind: "answer", decision: "allow", scope: "argv_glob" };
  if (TOOL.has(word)) return { kind: "answer", decision: "allow", scope: "tool" };
  return { kind: "unclear" };
}

/** The question as it is shown: the whole of what will run, why it is asked, and the answers there are. */
export function permissionText(request: PayloadOf<"PermissionRequested">): string {
  const { tool, summary, reason, agent } = request;
  const name = neutraliseLine(tool);
  return [
    `Permission needed: ${name}${agent === undefined ? "" : ` (for the sub-agent ${neutraliseLine(agent)})`}`,
    quote(summary.split("\n").map(reveal).join("\n")),
    ...changeText(request),
    ...(reason === undefined ? [] : [`because: ${neutraliseLine(reason)}`]),
    ...answersTo(request).map((answer, at) => `  ${at + 1}  ${answer}`),
  ].join("\n");
}

/** Number of answers that a question offers; the last one denies. */
export function answerCount(request: PayloadOf<"PermissionRequested">): number {
  return answersTo(request).length;
}

/** The four answers, of which some are one where there is less to choose. */
function answersTo(request: PayloadOf<"PermissionRequested">): readonly string[] {
  const { tool, rule, onceOnly, hosts } = request;
  if (hosts !== undefined) {
    const reach = hosts.map(neutraliseLine).join(", ");
    return [
      "allow once, outside of the sandbox",
      hosts.length === 0
        ? "allow in the sandbox, and ask for each host that it needs"
        : `allow in the sandbox, which reaches ${reach} for this session`,
      "deny",
    ];
  }
  if (onceOnly === true) return ["allow once", "deny"];
  const all = `allow every ${neutraliseLine(tool)} call for this session`;
  if (isOfWholeTool(request)) return ["allow once", all, "deny"];
  const rest = rule === undefined ? "exactly this" : reveal(rule);
  return ["allow once", `allow for this session: ${rest}`, all, "deny"];
}

/** Whether what begins alike is every call of the tool: then there is no answer in between. */
function isOfWholeTool({ tool, rule }: PayloadOf<"PermissionRequested">): boolean {
  return rule === tool;
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
