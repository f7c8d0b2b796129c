import { join } from "node:path";
import type { Profile } from "../../config/profile.ts";
import type { PermissionSettings } from "../../config/sections/permissions.ts";
import { trustSection } from "../../config/sections/trust.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { PluginRules, Policy } from "../../session/guard/policy.ts";
import type { SessionSandboxes } from "../../session/guard/session-sandbox.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { Questions } from "../../session/questions/questions.ts";
import type { SessionParts } from "../../session/turns/session-parts.ts";
import type { ToolCall, ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolContext, Workspace } from "../../tools/tool.ts";
import { confine } from "../sandbox/confinement/confine.ts";
import type { KeyFiles } from "../sandbox/policy/key-files.ts";
import { namedFiles, ownDirectories } from "../sandbox/policy/own-directories.ts";
import { withChange } from "./change-preview.ts";
import { goesUnasked, mayLeave, onlyReads, permissionGate } from "./judge/gate.ts";
import { policyAt, policyNotices, rootNotices } from "./policy.ts";
import { tellRefusal } from "./refusal.ts";
import { printRule } from "./rules/rule.ts";
import { SessionRules } from "./rules/session-rules.ts";

/** What decides which calls of a session may run, each at its place. */
export interface Permitting {
  /** Returns the policy that counts now; what `restrict` and `extend` bring counts from then on. */
  policy(): Policy;
  /** What the project restricts, once a person has acknowledged it, which is before the first request. */
  restrict(project: readonly PermissionSettings[]): void;
  /** What plugins bring that a person has looked at since. */
  extend(plugins: PluginRules): void;
  gate(questions: Questions, sandbox: SessionSandboxes): ToolMiddleware;
  /** Whether the command of a call is known to only read. */
  onlyReads(call: ToolCall, context: ToolContext): Promise<boolean>;
  /** Whether a call that is no command would be let through, and nobody asked. */
  goesUnasked(call: ToolCall, context: ToolContext): Promise<boolean>;
  confine(questions: Questions, sandbox: SessionSandboxes): ToolMiddleware;
  revokeRule(rule: string): boolean;
  promoteRule: SessionParts["promoteRule"];
  /** Sentences for the person at the start. */
  notices(): readonly string[];
}

export interface PermittingSources {
  readonly profile: Profile;
  readonly workspace: Workspace;
  readonly defaults: RunDefaults;
  readonly secrets: Redactor;
  readonly keys: KeyFiles;
  /** Files that the session's hooks come from and run. Absolute. */
  readonly hookFiles: readonly string[];
  readonly pluginRules?: PluginRules;
}

/** Puts together who may do what: the policy out of everything that has a say, and what asks a person. */
export async function permitting(material: PermittingSources): Promise<Permitting> {
  const { workspace, defaults, secrets, keys } = material;
  const { world, paths, attended, autoApprove } = defaults;
  const configPath = join(paths.config, "config.toml");
  const sources = await policySources(material);
  let current = policyAt(workspace.root, sources);
  const policy = () => current;
  const session = new SessionRules();
  let plugins = material.pluginRules;
  let project: readonly PermissionSettings[] = [];
  const renew = () => {
    const given = { ...sources, project, ...(plugins === undefined ? {} : { plugins }) };
    current = policyAt(workspace.root, given);
  };
  return {
    policy,
    restrict(given) {
      project = given;
      renew();
    },
    extend(given) {
      plugins = given;
      renew();
    },
    gate: (questions, sandbox) =>
      permissionGate({
        policy,
        session,
        keys,
        ask: async (question, signal) => {
          const place = { cwd: workspace.cwd, files: world.files };
          const asked = attended ? await withChange(question, place) : question;
          return await questions.askPermission(asked, signal);
        },
        autoApprove,
        confinement: (plan, { workspace: at }) => sandbox.at(at.root).confinement(plan),
        grantHosts: (hosts, { workspace: at }) => sandbox.at(at.root).grant(hosts),
        configPath,
        isKept: (text) => secrets.text(text) === text,
        onRefused: tellRefusal,
      }),
    onlyReads: (call, context) => onlyReads({ policy, keys }, call, context),
    goesUnasked: (call, context) => goesUnasked({ policy, session, autoApprove, keys }, call, context),
    confine: (questions, sandbox) =>
      confine({
        sandbox: ({ workspace: at }) => sandbox.at(at.root),
        attended,
        ask: (question, signal) => questions.ask(question, signal),
        mayLeave: (call, context) => mayLeave({ policy, session, keys }, call, context),
      }),
    revokeRule: (rule) => session.revoke(rule),
    async promoteRule(rule, { everywhere }) {
      if (!session.list().some((held) => printRule(held) === rule)) return undefined;
      const { promote } = await import("./promote.ts");
      return await promote(rule, { ...material, everywhere });
    },
    notices: () => [...rootNotices(workspace.root), ...policyNotices(current, autoApprove)],
  };
}

async function policySources({ profile, defaults, hookFiles, pluginRules }: PermittingSources) {
  const { world, paths, config, level, strictPermissions, atMost } = defaults;
  const { lockfile } = settingsOf(trustSection, { wishes: defaults, config });
  return {
    profile: profile.permissions,
    user: config.permissions,
    tools: defaults.tools,
    ...(pluginRules === undefined ? {} : { plugins: pluginRules }),
    strictPermissions: strictPermissions || atMost?.strict === true,
    ...(atMost?.level === undefined ? {} : { levelMax: atMost.level }),
    ownDirectories: await ownDirectories(world.files, paths),
    steering: await namedFiles(world.files, [lockfile, ...profile.files, ...hookFiles]),
    ...(level === undefined ? {} : { level }),
  };
}
