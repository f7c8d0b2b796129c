import { TOOLS } from "../../src/app/plan/tool-list.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import type { Files } from "../../src/base/world.ts";
import { inspectCommand } from "../../src/guard/permissions/inspection/inspect-command.ts";
import type { Decision } from "../../src/guard/permissions/judge/judge.ts";
import { judge } from "../../src/guard/permissions/judge/judge.ts";
import { parseRule } from "../../src/guard/permissions/rules/rule.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { Policy } from "../../src/session/guard/policy.ts";
import type { Effect, Rule } from "../../src/session/guard/rule.ts";
import { BASH_FACTS } from "../../src/tools/bash/bash.ts";

export const POLICY: Policy = {
  ceiling: "WorkspaceWrite",
  firm: false,
  strict: false,
  quiet: true,
  bashInSandbox: "allow",
  rules: [],
  ownDirectories: ["/home/user/.config/cinch"],
};

export function withRules(...rules: readonly (readonly [Effect, string])[]): Policy {
  const parsed = rules.map(([effect, text]): Rule => {
    const rule = parseRule({ effect, text }, "user", TOOLS);
    if (rule.kind === "problem") throw new Error(rule.problem);
    return rule.rule;
  });
  return { ...POLICY, rules: parsed };
}

export interface Where {
  readonly root: string;
  readonly cwd?: string;
  readonly home?: string;
  /** True if a working sandbox confines the command. */
  readonly confined?: boolean;
  readonly files?: Files;
  /** Variables of the user that reach the command. Absent: PATH alone. */
  readonly env?: Readonly<Record<string, string>>;
}

const PATH_ALONE = { PATH: process.env["PATH"] ?? "" };

/** The verdict on one command line, as the gate comes to it: the words are read, and the disk is looked at. */
export async function verdictOn(command: string, policy: Policy, where: Where): Promise<Decision> {
  const { root, cwd = root, home = "/home/user", confined = false, env = PATH_ALONE } = where;
  const world = hostWorld(SILENT_LOG);
  const { files = world.files } = where;
  const target = { kind: "command", command, cwd } as const;
  const place = { root, scratch: "/nowhere/scratch", home };
  const facts = await inspectCommand(target, place, {
    files,
    world: { ...world, files },
    env,
    ownDirectories: policy.ownDirectories,
  });
  return judge({ summary: command, target }, BASH_FACTS, policy, place, {
    facts,
    ...(confined ? { confined: { hosts: [] } } : {}),
  });
}
