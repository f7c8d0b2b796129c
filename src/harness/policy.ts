import { HarnessError } from "../base/errors.ts";
import { near } from "../base/near.ts";
import type { Policy } from "../permission/judge.ts";
import type { Rule, RuleScope } from "../permission/rule.ts";
import { parseRule } from "../permission/rule.ts";
import type { ConfiguredRule, PermissionSettings } from "../profile/permissions.ts";
import { PACKED_TOOLS } from "../tool/pack.ts";
import type { Level } from "../tool/tool.ts";
import { LEVELS } from "../tool/tool.ts";

const LEVEL_DEFAULT: Level = "WorkspaceWrite";

export interface PolicySources {
  readonly profile: PermissionSettings;
  /** The user's own configuration, which goes before the profile. */
  readonly user: PermissionSettings;
  /** What the repository says, once a person has acknowledged it. It can only restrict (PROF-03). */
  readonly project?: readonly PermissionSettings[];
  /** `--level`. */
  readonly level?: Level;
  /** `--strict-permissions`. */
  readonly strictPermissions: boolean;
  readonly ownDirectories: readonly string[];
  /** See `Policy`. */
  readonly steering?: readonly string[];
}

/**
 * What the permission gate judges by, out of everything that has a say.
 * @throws HarnessError ConfigInvalid for a rule that is none, with its file and line.
 */
export function policyFrom(sources: PolicySources): Policy {
  const { profile, user, project = [], level, strictPermissions, ownDirectories, steering } = sources;
  const own = level ?? user.level ?? profile.level ?? LEVEL_DEFAULT;
  return {
    ceiling: lowest([own, ...project.flatMap((said) => said.level ?? [])]),
    firm: level !== undefined,
    strict: [profile, user, ...project].some((said) => said.strict === true),
    quiet:
      !strictPermissions &&
      (user.quiet ?? profile.quiet ?? true) &&
      project.every((said) => said.quiet !== false),
    // Who wants every call gated wants those in the sandbox gated too.
    bashInSandbox:
      strictPermissions || project.some((said) => said.bashInSandbox === "ask")
        ? "ask"
        : (user.bashInSandbox ?? profile.bashInSandbox ?? "allow"),
    rules: [
      ...rulesFrom(user.rules, "user"),
      ...rulesFrom(profile.rules, "profile"),
      ...project.flatMap((said) => rulesFrom(said.rules, "project")),
    ],
    ownDirectories,
    ...(steering === undefined ? {} : { steering }),
  };
}

/** What the settings of a run mean together, where that is not what one would think. */
export function policyNotices(policy: Policy, autoApprove: boolean): readonly string[] {
  const { firm, strict, ceiling } = policy;
  if (!autoApprove || !firm || strict || ceiling === "DangerFullAccess") return [];
  return [
    `--auto-approve says yes to what is above --level ${ceiling} too, so this level holds nothing back. To have it refused, set strict = true under [permissions] in config.toml.`,
  ];
}

function lowest(levels: readonly Level[]): Level {
  return LEVELS[Math.min(...levels.map((level) => LEVELS.indexOf(level)))] ?? LEVEL_DEFAULT;
}

function rulesFrom(rules: readonly ConfiguredRule[], scope: RuleScope): readonly Rule[] {
  return rules.map(({ effect, text, where }) => {
    const parsed = parseRule({ effect, text }, scope);
    const problem = parsed.kind === "problem" ? parsed.problem : unknownTool(parsed.rule.tool);
    if (parsed.kind === "rule" && problem === undefined) return parsed.rule;
    const { path, line, key } = where;
    throw new HarnessError("ConfigInvalid", { path, line: String(line), key, problem: problem ?? "" });
  });
}

/** A rule for a tool that does not exist protects nothing, so its writer is told. */
function unknownTool(name: string): string | undefined {
  if (PACKED_TOOLS.includes(name)) return undefined;
  const [meant] = near(name, PACKED_TOOLS);
  const hint = meant === undefined ? `there are ${PACKED_TOOLS.join(", ")}` : `did you mean "${meant}"?`;
  return `there is no tool "${name}"; ${hint}`;
}
