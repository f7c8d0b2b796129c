import type { PayloadOf } from "../../../protocol/events/events.ts";

type Request = Pick<PayloadOf<"PermissionRequested">, "why" | "toolKind" | "hosts" | "hunks">;

/** Returns what a call can do at worst, in a few words, by its question; undefined if that does not tell. */
export function riskOf({ why, toolKind, hosts, hunks = [] }: Request): string | undefined {
  if (why?.cause === "outside-sandbox" || hosts !== undefined) return "outside the sandbox";
  if (why?.cause === "network" || toolKind === "fetch") return "network";
  if (why?.cause === "protected") return "protected";
  if (hunks.length > 0 && hunks.every(({ new_lines }) => new_lines === 0)) return "deletes";
  return toolKind === undefined ? undefined : KINDS[toolKind];
}

const KINDS: Readonly<Partial<Record<NonNullable<Request["toolKind"]>, string>>> = {
  read: "reads",
  search: "reads",
  edit: "changes",
  execute: "executes",
};
