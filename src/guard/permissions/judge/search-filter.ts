import type { Policy } from "../../../session/guard/policy.ts";
import type { CallPlan, HiddenPart } from "../../../tools/tool.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import type { Decision, JudgedTool } from "./judge.ts";
import { judge } from "./judge.ts";
import { mayHoldCredentials } from "./sensitive.ts";

/** A call that the gate allowed, with the facts by which it was judged. */
export interface AllowedCall {
  readonly plan: CallPlan;
  readonly tool: JudgedTool;
  readonly policy: Policy;
  readonly workspace: WorkspacePaths;
  readonly decision: Decision;
  readonly autoApprove: boolean;
  /** Other names of keys below the directory, each with the path of its key. */
  readonly linked: ReadonlyMap<string, string>;
}

/**
 * Returns a predicate for the files that a search must leave out of the directory for which it was allowed (PERM-02).
 *
 * Permission to read a directory excludes files that a deny rule names, cinch's own files, and files that look like a
 * key. The latter would be asked about by their own path. A person's answer for the directory also holds for the
 * files below it.
 */
export function searchFilter(call: AllowedCall): (path: string, what: HiddenPart) => boolean {
  const { plan, tool, policy, workspace } = call;
  const { target } = plan;
  const named = target.kind === "paths" ? target.paths : [];
  const answered = call.decision.kind === "ask" ? call.decision : undefined;
  const namesCredentials = named.some((use) => mayHoldCredentials(use.path));

  return function withholds(path, what) {
    if (named.some((use) => use.path === path)) return false; // judged with the call itself
    const linked = call.linked.get(path);
    const use = { path, access: "read", ...(linked === undefined ? {} : { linked }) } as const;
    const file: CallPlan = { ...plan, target: { kind: "paths", paths: [use] } };
    const decision = judge(file, tool, policy, workspace);
    switch (decision.kind) {
      case "allow":
        return false;
      case "deny":
        return true;
      case "ask": {
        if (what === "name") return false;
        if (decision.personOnly) return answered?.personOnly !== true;
        if (call.autoApprove) return false;
        if (decision.rule !== undefined) return decision.rule !== answered?.rule;
        return (linked !== undefined || mayHoldCredentials(path)) && !namesCredentials;
      }
    }
  };
}
