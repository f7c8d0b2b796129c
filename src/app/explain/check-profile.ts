import { join, resolve } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { hintFor } from "../../base/text/near.ts";
import { lookThroughConfig, NOTHING } from "../../config/config.ts";
import type { Mistake } from "../../config/mistakes.ts";
import { DEFAULT_PROFILE, isProfilePath, listProfiles } from "../../config/profile-files.ts";
import { modelSection } from "../../config/sections/models.ts";
import { profileChoiceSection, profileContentSection } from "../../config/sections/profile-keys.ts";
import { saidOf } from "../../config/settings/read-section.ts";
import type { Table } from "../../config/table.ts";
import { hooksSection } from "../../features/hooks/config.ts";
import { matcherProblems } from "../../features/hooks/open.ts";
import type { McpServer } from "../../features/mcp/config.ts";
import { mcpSection } from "../../features/mcp/config.ts";
import { isSameServer } from "../../features/mcp/mcp-rules.ts";
import { delegateSection } from "../../features/subagents/config.ts";
import { assertRules, permissionRuleProblems, unknownPlugins } from "../../guard/permissions/policy.ts";
import type { FilePosition } from "../../session/config-section.ts";
import type { ProfileProblem } from "../../session/feature.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import { selectPacks } from "../../tools/select-packs.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { FEATURES } from "../features.ts";
import { namedModelProblem } from "../models/model-problem.ts";
import { lookThroughPlaced } from "../plan/profiles/project-profile.ts";
import { SECTIONS } from "../plan/sections.ts";
import { TOOLS } from "../plan/tool-list.ts";
import type { Said } from "./check-project.ts";
import { lookThroughProject, lookThroughUsers } from "./check-project.ts";
import { looseKeyMistakes } from "./loose-keys.ts";

const NO_TOOLS = { name: "nobody", tools: () => [] } as const;

/**
 * Looks at what a profile names: rules, packs of tools and of skills. A session under it finds these wrong too, once much
 * else was opened.
 * @throws HarnessError ConfigInvalid, UnknownToolPack, UnknownSkillPack.
 */
export function checkProfile(profile: Profile, config: Config | undefined): void {
  const known = { tools: TOOLS, ...(config === undefined ? {} : unknownPlugins(config)) };
  assertRules([...(config?.permissions.rules ?? []), ...profile.permissions.rules], known);
  selectPacks(NO_TOOLS, profile.toolPacks);
  for (const { error } of problemsOf(profile)) throw error;
}

/** Returns the problems that features find in a profile. */
function problemsOf(profile: Omit<Profile, "warnings">): readonly ProfileProblem[] {
  return FEATURES.flatMap((feature) => feature.profileProblems?.(profile) ?? []);
}

/** A problem in a file, with a text that names its position. */
export interface Finding extends Partial<FilePosition> {
  readonly weight: Mistake["weight"];
  readonly text: string;
  /** The text without the place. */
  readonly problem?: string;
}

/** Result of a check: the files, and the findings file by file in the order of their lines (PROF-01). */
export interface Checked {
  readonly profiles: readonly string[];
  /** Other files that steer a session: hooks and aliases of the user, and the project's own files. */
  readonly files: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * All that is wrong in config.toml, in the user's hooks and aliases, in the project's own settings and in profiles, as far as files tell it, be they
 * acknowledged or not. Nothing is started.
 * @param named a profile by its name or by the path of its file; absent: every one that can be named, and the project's.
 */
export async function checkFiles(
  { world, paths, workingDir }: Pick<HarnessOptions, "world" | "paths" | "workingDir">,
  named: string | undefined,
): Promise<Checked> {
  const folder = join(paths.config, "profiles");
  const known = (await listProfiles(world, folder)).map(({ name }) => name);
  const {
    value: config = NOTHING,
    mistakes,
    where,
  } = await lookThroughConfig(world, join(paths.config, "config.toml"), SECTIONS);
  const wrong = [...mistakes, ...wrongIn(saidBy(config), config)];
  const { defaultProfile: used = DEFAULT_PROFILE } = config;
  if (where !== undefined && !isProfilePath(used) && !known.includes(used))
    wrong.push(
      error(
        where(profileChoiceSection.keys.defaultProfile.key),
        `there is no profile "${used}". ${hintFor(used, known)}`,
      ),
    );
  if (where !== undefined) wrong.push(...(await modelMistakes(config, config, where)));
  wrong.push(...(await idleMistakes(config, serversOf(config))));
  const project = await lookThroughProject(world.files, workingDir);
  const others = [...(await lookThroughUsers(world.files, paths.config)), ...project.files];
  for (const { said, mistakes: found } of others) wrong.push(...found, ...wrongIn(said, config));
  const findings = [...inOrder(wrong)];
  const profiles = named === undefined ? [...known, ...project.profiles] : [named];
  for (const name of profiles) findings.push(...(await ofProfile(name, config)));
  if (!findings.some(({ weight }) => weight === "error")) {
    const profile = named ?? used;
    const user = {
      world,
      folder: paths.config,
      profile: isProfilePath(profile) ? resolve(profile) : profile,
    };
    const keys = project.files.flatMap((file) => file.keys);
    findings.push(...inOrder(await looseKeyMistakes(keys, user)));
  }
  return { profiles, files: others.map(({ path }) => path), findings };

  /** Rules that hold nothing back: a start passes over them, and tells of them once it knows the server. */
  async function idleMistakes(
    { permissions }: Pick<Profile, "permissions">,
    servers: readonly McpServer[],
  ): Promise<readonly Mistake[]> {
    const { idleRulesIn, readKnownServers } = await import("../../features/mcp/known-servers.ts");
    const idle = idleRulesIn([permissions], await readKnownServers(servers, { world, paths }));
    return idle.map(({ rule, problem }) => {
      return { weight: "warning", ...rule.where, problem: `"${rule.text}" has no effect: ${problem}` };
    });
  }

  async function ofProfile(name: string, own: Config): Promise<readonly Finding[]> {
    try {
      const reference = isProfilePath(name) ? resolve(name) : name;
      const look = await lookThroughPlaced(reference, workingDir, { world, paths });
      const { value: profile, mistakes: found, where } = look;
      if (profile === undefined || where === undefined) return inOrder(found);
      const packs = [
        ...profile.toolPacks
          .flatMap((pack) => refusalOf(() => selectPacks(NO_TOOLS, [pack])))
          .map((problem) => error(where(profileContentSection.keys.toolPacks.key), problem)),
        ...problemsOf(profile).map(({ key, error: { message } }) => error(where(key), message)),
      ];
      const servers = serversOf(profile).flatMap((server) => {
        const first = serversOf(own).find((each) => isSameName(each, server));
        if (first === undefined) return [];
        const { path, line } = first.where;
        return [
          error(server.where, `config.toml has a server of this name: "${first.name}" (${path}:${line})`),
        ];
      });
      const idle = await idleMistakes(profile, [...serversOf(own), ...serversOf(profile)]);
      const models = await modelMistakes(profile, own, where);
      return inOrder(
        [...found, ...packs, ...servers, ...models, ...idle, ...wrongIn(saidBy(profile), own)],
        profile.path,
      );
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      return [{ weight: "error", text: thrown.message }];
    }
  }
}

/** Returns the mistakes in valid files: rules and hooks that match nothing. */
function wrongIn({ permissions, hooks }: Said, config: Config): readonly Mistake[] {
  const known = { tools: TOOLS, ...unknownPlugins(config) };
  return [
    ...permissionRuleProblems(permissions.rules, known).map(({ problem, ...where }) => error(where, problem)),
    ...hooks.flatMap((hook) => {
      const { path, line } = hook.where;
      return matcherProblems(hook, TOOLS).map((problem) =>
        error({ path, line, key: "hooks.matcher" }, problem),
      );
    }),
  ];
}

/** Returns the model names that cannot be used. A default is an error, any other a warning until it is used. */
async function modelMistakes(
  said: Pick<Config, "defaultModel" | "plugins" | "sections"> & Partial<Pick<Config, "routes">>,
  own: Config,
  where: Table["where"],
): Promise<readonly Mistake[]> {
  const { defaultModel, sections, routes = [] } = said;
  const plugins = [...own.plugins, ...said.plugins];
  const wrong = async (
    model: string | undefined,
    weight: Mistake["weight"],
    at: Parameters<Table["where"]>,
  ) => {
    const problem = model === undefined ? undefined : await namedModelProblem(model, { ...own, plugins });
    return problem === undefined ? [] : [{ weight, ...where(...at), problem }];
  };
  const found = await Promise.all([
    wrong(defaultModel, "error", [modelSection.keys.defaultModel.key]),
    wrong(saidOf(sections, delegateSection)?.model, "warning", [delegateSection.name, "model"]),
    ...routes.flatMap(({ name, model, fallback, rules }) => [
      wrong(model, "warning", ["routing", name, "model"]),
      ...fallback.map((each) => wrong(each, "warning", ["routing", name, "fallback"])),
      ...rules.map((rule, at) => wrong(rule.model, "warning", ["routing", name, "rules", at, "model"])),
    ]),
  ]);
  return found.flat();
}

function saidBy({ permissions, sections }: Pick<Profile, "permissions" | "sections">): Said {
  return { permissions, hooks: saidOf(sections, hooksSection) ?? [] };
}

function serversOf({ sections }: Pick<Profile, "sections">): readonly McpServer[] {
  return saidOf(sections, mcpSection) ?? [];
}

function isSameName(one: McpServer, other: McpServer): boolean {
  return isSameServer(one.name, other.name);
}

function error(where: FilePosition, problem: string): Mistake {
  return { weight: "error", ...where, problem };
}

function refusalOf(look: () => unknown): readonly string[] {
  try {
    look();
    return [];
  } catch (thrown) {
    if (thrown instanceof HarnessError) return [thrown.message];
    throw thrown;
  }
}

/** Sorts mistakes by file and line, those of `first` before all others. */
function inOrder(mistakes: readonly Mistake[], first?: string): readonly Finding[] {
  const paths = [...new Set([...(first === undefined ? [] : [first]), ...mistakes.map(({ path }) => path)])];
  return paths
    .flatMap((path) => mistakes.filter((each) => each.path === path).sort((a, b) => a.line - b.line))
    .map((each) => ({ ...each, text: `${each.path}:${each.line}: ${each.key}: ${each.problem}` }));
}
