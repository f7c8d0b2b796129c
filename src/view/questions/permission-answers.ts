import type { PermissionScope } from "../../protocol/commands/commands.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import { neutraliseLine, reveal } from "../terminal/terminal-text.ts";

/** One answer that a permission question offers (PERM-03). */
export interface PermissionAnswer {
  readonly key: "once" | "hosts" | "rule" | "tool" | "deny";
  /** For people, in lower case; nothing in it can drive a terminal. */
  readonly label: string;
  /** Words that a person may type instead of the answer's number. */
  readonly words: readonly string[];
  readonly decision: "allow" | "deny";
  readonly scope: PermissionScope;
  readonly hosts?: true;
}

const ONCE = { key: "once", decision: "allow", scope: "once", words: ["once", "y", "yes"] } as const;
const DENY = {
  key: "deny",
  label: "deny",
  decision: "deny",
  scope: "once",
  words: ["deny", "n", "no"],
} as const;
const RULE_WORDS = ["rule", "command", "prefix"];

/** Returns the answers to a permission question in the order in which they are shown. The last one denies. */
export function permissionAnswers({
  tool,
  rule,
  onceOnly,
  hosts,
}: Pick<
  PayloadOf<"PermissionRequested">,
  "tool" | "rule" | "onceOnly" | "hosts"
>): readonly PermissionAnswer[] {
  if (hosts !== undefined) {
    const reach = hosts.map(neutraliseLine).join(", ");
    const label =
      hosts.length === 0
        ? "allow in the sandbox, and ask for each host that it needs"
        : `allow in the sandbox, which reaches ${reach} for this session`;
    return [
      { ...ONCE, label: "allow once, outside of the sandbox" },
      { key: "hosts", label, decision: "allow", scope: "once", hosts: true, words: ["hosts"] },
      DENY,
    ];
  }
  const once: PermissionAnswer = { ...ONCE, label: "allow once" };
  if (onceOnly === true) return [once, DENY];
  // If every call of the tool begins alike, that is offered once.
  const isWholeTool = rule === tool;
  const all: PermissionAnswer = {
    key: "tool",
    label: `allow every ${neutraliseLine(tool)} call for this session`,
    decision: "allow",
    scope: "tool",
    words: ["tool", ...(isWholeTool ? RULE_WORDS : [])],
  };
  if (isWholeTool) return [once, all, DENY];
  const alike = rule === undefined ? "exactly this" : reveal(rule);
  return [
    once,
    {
      key: "rule",
      label: `allow for this session: ${alike}`,
      decision: "allow",
      scope: "argv_glob",
      words: RULE_WORDS,
    },
    all,
    DENY,
  ];
}
