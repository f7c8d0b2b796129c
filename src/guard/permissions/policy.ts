import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import { isWithin } from "../../base/files/below.ts";
import { nearestWords } from "../../base/text/near.ts";
import { EMBEDDED } from "../../config/profile-files.ts";
import { permissionsSection } from "../../config/sections/permissions.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { FilePosition } from "../../session/config-section.ts";
import type { PluginRules, Policy } from "../../session/guard/policy.ts";
import type { Rule, RuleOrigin, RuleScope, RuleSource } from "../../session/guard/rule.ts";
import type { ConfiguredRule, PermissionSettings } from "../../session/settings/permission-settings.ts";
import type { Config, SectionValues } from "../../session/settings/settings.ts";
import { isServerTool } from "../../tools/server-tool-names.ts";
import type { Level, ToolTable } from "../../tools/tool-facts.ts";
import { LEVELS } from "../../tools/tool-facts.ts";
import { anchoredRules } from "./rules/anchored-rules.ts";
import { parseRule } from "./rules/rule.ts";

/** Flag of the rules for one session. */
export const ALLOW_FLAG = "--allow";

export interface PolicySources {
  /** Working directory of the session, resolved. Default: rules for one directory do not count. */
  readonly root?: string;
  readonly profile: PermissionSettings;
  /** The user's configuration, which precedes the profile. */
  readonly user: PermissionSettings;
  /** Settings of the repository, once a person has acknowledged them. They can only restrict (PROF-03). */
  readonly project?: readonly PermissionSettings[];
  /** Tools that rules may name, in addition to those of servers and plugins. */
  readonly tools: ToolTable;
  /** Rules and tools of the session's plugins. */
  readonly plugins?: PluginRules;
  /** `--level`. */
  readonly level?: Level;
  /** Maximum level, which nothing can raise. */
  readonly levelMax?: Level;
  /** `--strict-permissions`: neither the preset for read-only calls nor a built-in allow rule counts. */
  readonly strictPermissions: boolean;
  /** Rules of `--allow`. */
  readonly allowed?: readonly string[];
  readonly ownDirectories: readonly string[];
  /** See `Policy`. */
  readonly steering?: readonly string[];
}

/** Returns pending plugins if some are named but not loaded: their tools are not known. */
export function unknownPlugins({ plugins }: Pick<Config, "plugins">): Pick<PolicySources, "plugins"> {
  return plugins.length === 0 ? {} : { plugins: { rules: [], tools: [], isPending: true } };
}

/**
 * Builds the policy of the permission gate from all its sources.
 * @throws HarnessError ConfigInvalid for an invalid rule, with its file and line; UsageInvalid for one of `allowed`.
 */
export function policyFrom(sources: PolicySources): Policy {
  const { profile, user, project = [], level, levelMax, ownDirectories, steering, plugins, tools } = sources;
  const { allowed = [] } = sources;
  const known = { tools, ...defined({ plugins }) };
  const applicable = (rules: readonly ConfiguredRule[]) =>
    rules.filter((rule) => appliesToSession(rule, sources));
  const said = settingsOf(permissionsSection, {
    wishes: sources,
    config: filed(user),
    profile: { ...filed(profile), path: "" },
    project: project.map(filed),
  });
  return {
    ceiling: LEVELS.find((each) => each === said.level || each === levelMax) ?? said.level,
    firm: (level ?? levelMax) !== undefined,
    strict: said.strict,
    quiet: said.quiet,
    bashInSandbox: said.bashInSandbox,
    rules: [
      ...allowed.map((text) => ({ ...allowedRule(text, known), origin: { source: "flag" } as const })),
      ...rulesFrom(user.rules, "user", known),
      ...(plugins?.rules ?? []).flatMap((rule) => pluginRule(rule, tools)),
      ...rulesFrom(applicable(profile.rules), "profile", known),
      ...project.flatMap((said) => rulesFrom(said.rules, "project", known)),
    ],
    ownDirectories,
    ...defined({ steering }),
  };
}

/**
 * Builds the policy of a session in a workspace: the rules, and those anchored to its root.
 * @throws HarnessError ConfigInvalid for an invalid rule, with its file and line; UsageInvalid for one of `allowed`.
 */
export function policyAt(root: string, sources: PolicySources): Policy {
  const policy = policyFrom({ ...sources, root });
  return { ...policy, rules: [...policy.rules, ...anchoredRules(policy.rules, root)] };
}

/** Explains what does not apply if the workspace is the root of the file system. */
export function rootNotices(root: string): readonly string[] {
  if (root !== "/") return [];
  return [
    "The workspace is the root of the file system: each change of a file is asked for, and commands have no sandbox. Start cinch in a folder of your project.",
  ];
}

/** Explains settings of a run that together have an unexpected effect. */
export function policyNotices(policy: Policy, autoApprove: boolean): readonly string[] {
  const { firm, strict, ceiling } = policy;
  if (!autoApprove || !firm || strict || ceiling === "DangerFullAccess") return [];
  return [
    `--auto-approve says yes to what is above --level ${ceiling} too, so this level holds nothing back. To have it refused, set strict = true under [permissions] in config.toml.`,
  ];
}

/** Wraps the permissions of one file as its section. */
function filed(settings: PermissionSettings): { readonly sections: SectionValues } {
  return { sections: new Map([[permissionsSection.name, settings]]) };
}

/** Returns a rule of `--allow`. It counts like one in the user's configuration. @throws HarnessError UsageInvalid. */
function allowedRule(text: string, known: KnownTools): Rule {
  const read = readRule({ effect: "allow", text }, "user", known);
  if (typeof read !== "string") return read;
  throw new HarnessError("UsageInvalid", { problem: `${ALLOW_FLAG}: ${read}` });
}

/** A plugin's rule was parsed when it was registered. It may be about tools from elsewhere. */
function pluginRule(source: RuleSource, tools: ToolTable): readonly Rule[] {
  const parsed = parseRule(source, "user", tools);
  return parsed.kind === "rule" ? [{ ...parsed.rule, origin: { source: "plugin" } }] : [];
}

/**
 * Returns true if a rule of a profile applies to a session. A promoted one applies only in its directory. With
 * `--strict-permissions` no built-in allow rule applies, since the user has not written it.
 */
export function appliesToSession(
  { effect, where, promoted }: ConfiguredRule,
  { root, strictPermissions }: Pick<PolicySources, "root" | "strictPermissions">,
): boolean {
  if (strictPermissions && effect === "allow" && where.path.startsWith(EMBEDDED)) return false;
  const { directory } = promoted ?? {};
  return directory === undefined || (root !== undefined && isWithin(directory, root));
}

/** Tools that a rule can name. */
type KnownTools = Pick<PolicySources, "tools" | "plugins">;

function rulesFrom(rules: readonly ConfiguredRule[], scope: RuleScope, known: KnownTools): readonly Rule[] {
  return rules.flatMap((configured) => {
    if (isWithoutTool(configured, known)) return [];
    const read = readRule(configured, configured.promoted === undefined ? scope : "user", known);
    if (typeof read !== "string") return [{ ...read, origin: originOf(configured, scope) }];
    const { path, line, key } = configured.where;
    throw new HarnessError("ConfigInvalid", { path, line: String(line), key, problem: read });
  });
}

function originOf({ where, promoted }: ConfiguredRule, scope: RuleScope): RuleOrigin {
  if (promoted !== undefined) return { source: "promoted", ...defined({ directory: promoted.directory }) };
  if (where.path.startsWith(EMBEDDED)) return { source: "preset" };
  return { source: scope === "project" || scope === "profile" ? scope : "user" };
}

/**
 * Reads rules without using them.
 * @throws HarnessError ConfigInvalid for the first that is invalid, with its file and line.
 */
export function assertRules(rules: readonly ConfiguredRule[], known: KnownTools): void {
  rulesFrom(rules, "user", known);
}

/** Reads rules of `--allow` without using them. @throws HarnessError UsageInvalid for the first that is invalid. */
export function assertAllowed(texts: readonly string[], known: KnownTools): void {
  for (const text of texts) allowedRule(text, known);
}

/** Lists each unreadable rule, with its problem and position. */
export function permissionRuleProblems(
  rules: readonly ConfiguredRule[],
  known: KnownTools,
): readonly (FilePosition & { readonly problem: string })[] {
  return rules.flatMap((configured) => {
    if (isWithoutTool(configured, known)) return [];
    const read = readRule(configured, "user", known);
    return typeof read === "string" ? [{ ...configured.where, problem: read }] : [];
  });
}

/**
 * Returns true for an allow rule of a built-in profile about a tool of a feature that this program was built without.
 * It would allow nothing. A test holds every such rule to the existing tools.
 */
function isWithoutTool({ effect, text, where }: ConfiguredRule, known: KnownTools): boolean {
  if (effect !== "allow" || !where.path.startsWith(EMBEDDED)) return false;
  const parsed = parseRule({ effect, text }, "profile", known.tools);
  return parsed.kind === "rule" && unknownTool(parsed.rule.tool, known) !== undefined;
}

/** Parses a rule; a string is its problem. */
function readRule({ effect, text }: RuleSource, scope: RuleScope, known: KnownTools): Rule | string {
  const parsed = parseRule({ effect, text }, scope, known.tools);
  if (parsed.kind === "problem") return parsed.problem;
  return unknownTool(parsed.rule.tool, known) ?? parsed.rule;
}

/** Returns a problem for a tool that does not exist: such a rule would protect nothing. */
function unknownTool(name: string, { tools: { nameable }, plugins }: KnownTools): string | undefined {
  if (isServerTool(name) || nameable.includes(name) || plugins?.isPending || plugins?.tools.includes(name))
    return undefined;
  const [meant] = nearestWords(name, nameable);
  const hint = meant === undefined ? `there are ${nameable.join(", ")}` : `did you mean "${meant}"?`;
  return `there is no tool "${name}"; ${hint}`;
}
