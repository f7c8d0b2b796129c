import { join } from "node:path";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { QueryHandlers } from "../../session/commands/query-handlers.ts";
import type { SessionPermissions } from "../../session/guard/permissions.ts";
import type { SessionSandboxes } from "../../session/guard/session-sandbox.ts";
import type { SessionPlan } from "../../session/plan.ts";
import type { Questions } from "../../session/questions/questions.ts";
import type { SessionDependencies } from "../../session/turns/session-dependencies.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { Workspace } from "../../tools/tool.ts";
import { confine } from "../sandbox/confinement/confine.ts";
import type { KeyFiles } from "../sandbox/policy/key-files.ts";
import { changeOnDisk } from "./change-preview.ts";
import { isAllowedUnasked, mayRunOutside, onlyReads, permissionGate } from "./judge/gate.ts";
import { judgeCall } from "./judge/verdict.ts";
import { policyNotices, rootNotices } from "./policy.ts";
import { publishRefusal } from "./publish-refusal.ts";
import { printRule } from "./rules/rule.ts";
import { SessionRules } from "./rules/session-rules.ts";

/** Dependencies of a session's permission gate. */
export interface GateDependencies {
  readonly world: World;
  readonly paths: HarnessPaths;
  /** Returns the current plan. */
  readonly plan: () => SessionPlan;
  readonly workspace: Workspace;
  readonly redactor: Redactor;
  readonly keys: KeyFiles;
}

/** Permission gate of one session. */
export interface PermissionGate extends SessionPermissions {
  /** Returns the middleware for each of the gate's positions in the chain. */
  guard(
    questions: Questions,
    sandbox: SessionSandboxes,
  ): { readonly gate: ToolMiddleware; readonly confine: ToolMiddleware };
  revokeRule(rule: string): boolean;
  promoteRule: SessionDependencies["promoteRule"];
  readonly queries: Pick<QueryHandlers, "ListRules">;
  /** Returns sentences for the user at the start. */
  notices(): readonly string[];
}

/** Opens the permission gate of a session. Each call is judged by the plan of that moment. */
export function openPermissionGate(parts: GateDependencies): PermissionGate {
  const { world, paths, plan, workspace, redactor, keys } = parts;
  const { attended, autoApprove } = plan().wishes;
  const configPath = join(paths.config, "config.toml");
  const policy = () => plan().policy;
  const session = new SessionRules();
  const sources = { policy, session, keys };
  return {
    guard: (questions, sandbox) => ({
      gate: permissionGate({
        ...sources,
        ask: (question, signal) => questions.askPermission(question, signal),
        preview: async (question, plan) =>
          attended ? await changeOnDisk(question, plan, { files: world.files, redactor }) : undefined,
        autoApprove,
        confinement: (plan, { workspace: at }) => sandbox.at(at.root).confinement(plan),
        grantHosts: (hosts, { workspace: at }) => sandbox.at(at.root).grant(hosts),
        configPath,
        isStorable: (text) => redactor.text(text) === text,
        onRefused: publishRefusal,
      }),
      confine: confine({
        sandbox: ({ workspace: at }) => sandbox.at(at.root),
        attended,
        ask: (question, signal) => questions.ask(question, signal),
        mayLeave: (call, context) => mayRunOutside(sources, call, context),
      }),
    }),
    verdict: (call, context, confinement) =>
      judgeCall(sources, call, { context, confinement: async () => confinement }),
    onlyReads: (call, context) => onlyReads(sources, call, context),
    goesUnasked: (call, context) => isAllowedUnasked({ ...sources, autoApprove }, call, context),
    revokeRule: (rule) => session.revoke(rule),
    async promoteRule(rule, { everywhere }) {
      if (!session.list().some((each) => printRule(each) === rule)) return undefined;
      const { promoteSessionRule } = await import("./promote.ts");
      const { profile } = plan();
      return await promoteSessionRule(rule, { world, paths, profile, root: workspace.root, everywhere });
    },
    queries: {
      async ListRules() {
        const { listRules } = await import("./list-rules.ts");
        return await listRules({ world, paths, session, redactor, plan: plan(), root: workspace.root });
      },
    },
    notices: () => [...rootNotices(workspace.root), ...policyNotices(policy(), autoApprove)],
  };
}
