import { join } from "node:path";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import { hintFor } from "../../base/text/near.ts";
import { lookThroughConfig, NOTHING } from "../../config/config.ts";
import { DEFAULT_PROFILE } from "../../config/profile-files.ts";
import { isProfilePath, profileFromHere } from "../../config/profile-path.ts";
import { profileReference } from "../../config/run-profile.ts";
import { modelSection } from "../../config/sections/models.ts";
import { profileChoiceSection, profileContentSection } from "../../config/sections/profile-keys.ts";
import { saidOf } from "../../config/settings/read-section.ts";
import type { Table } from "../../config/table.ts";
import { assertRules, permissionRuleProblems, unknownPlugins } from "../../guard/permissions/policy.ts";
import type { CheckedFile, SettingsOfFile } from "../../session/commands/settings-check.ts";
import type { FilePosition, Mistake } from "../../session/config-section.ts";
import type { Feature, ProfileProblem } from "../../session/feature.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import { selectPacks } from "../../tools/select-packs.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { namedModelProblem } from "../models/model-problem.ts";
import type { FeatureSet } from "../plan/feature-set.ts";
import { lookThroughPlaced } from "../plan/profiles/project-profile.ts";
import { profilesOf } from "../plan/settings.ts";
import { reportOnProject } from "./check-project.ts";
import { looseKeyMistakes } from "./loose-keys.ts";

const NO_TOOLS = { name: "nobody", tools: () => [] } as const;

/**
 * Looks at what a profile names: rules, packs of tools and of skills. A session under it finds these wrong too, once
 * much else was opened.
 * @throws HarnessError ConfigInvalid, UnknownToolPack, UnknownSkillPack.
 */
export function checkProfile(
  profile: Profile,
  config: Config | undefined,
  { features, tools }: FeatureSet,
): void {
  const known = { tools, ...(config === undefined ? {} : unknownPlugins(config)) };
  assertRules([...(config?.permissions.rules ?? []), ...profile.permissions.rules], known);
  selectPacks(NO_TOOLS, profile.toolPacks);
  for (const { error } of problemsOf(profile, features)) throw error;
}

/** Returns the problems that features find in a profile. */
function problemsOf(
  profile: Omit<Profile, "warnings">,
  features: readonly Feature[],
): readonly ProfileProblem[] {
  return features.flatMap((feature) => feature.check?.profile?.(profile) ?? []);
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
 * All that is wrong in config.toml, in the user's hooks and aliases, in the project's own settings and in profiles,
 * as far as files tell it, be they acknowledged or not. Nothing is started.
 * @param named a profile by its name or by the path of its file; absent: every one that can be named, and
 * the project's.
 */
export async function checkFiles(
  {
    world,
    paths,
    workingDir,
    features: set,
  }: Pick<HarnessOptions, "world" | "paths" | "workingDir" | "features">,
  named: string | undefined,
): Promise<Checked> {
  const { features, sections, tools } = set;
  const known = (await profilesOf({ world, paths })).map(({ name }) => name);
  const {
    value: config = NOTHING,
    mistakes,
    where,
  } = await lookThroughConfig(world, join(paths.config, "config.toml"), sections);
  const wrong = [...mistakes, ...ruleMistakes(config, config, tools), ...(await ofFeatures(config))];
  if (where !== undefined) wrong.push(...defaultProfileMistakes(config, known, where));
  if (where !== undefined) wrong.push(...(await modelMistakes(config, config, { where, sections })));
  const project = await reportOnProject(world.files, workingDir, set);
  const at = { world, paths, root: project.root, tools };
  const beside = (await Promise.all(features.map((feature) => feature.check?.files?.(at) ?? []))).flat();
  const ofScope = (scope: CheckedFile["scope"]) => beside.filter((each) => each.scope === scope);
  for (const { mistakes: found } of ofScope("user")) wrong.push(...found);
  for (const file of project.files) wrong.push(...file.mistakes, ...ruleMistakes(file, config, tools));
  for (const { mistakes: found } of ofScope("project")) wrong.push(...found);
  const others = [...ofScope("user"), ...project.files, ...ofScope("project")];
  const unread = project.problems.map((text) => ({ weight: "error" as const, text }));
  const findings: Finding[] = [...unread, ...inOrder(wrong)];
  const profiles = named === undefined ? [...known, ...project.profiles] : [named];
  for (const name of profiles) findings.push(...(await ofProfile(name, config)));
  if (!findings.some(({ weight }) => weight === "error")) {
    const asked = named === undefined ? undefined : profileFromHere(named);
    const user = {
      world,
      folder: paths.config,
      sections,
      profile: profileReference({ config, workingDir, named: asked }),
    };
    const keys = project.files.flatMap((file) => file.keys);
    findings.push(...inOrder(await looseKeyMistakes(keys, user)));
  }
  return { profiles, files: others.map(({ path }) => path), findings };

  /** Returns the mistakes that features find. */
  async function ofFeatures(said: SettingsOfFile, own?: Config): Promise<readonly Mistake[]> {
    const settings = { said, world, paths, tools, ...defined({ config: own }) };
    const found = await Promise.all(features.map((feature) => feature.check?.settings?.(settings) ?? []));
    return found.flat();
  }

  async function ofProfile(name: string, own: Config): Promise<readonly Finding[]> {
    try {
      const reference = profileFromHere(name);
      const look = await lookThroughPlaced(reference, workingDir, { world, paths, sections });
      const { value: profile, mistakes: found, where } = look;
      if (profile === undefined || where === undefined) return inOrder(found);
      const packs = [
        ...profile.toolPacks
          .flatMap((pack) => refusalOf(() => selectPacks(NO_TOOLS, [pack])))
          .map((problem) => error(where(profileContentSection.keys.toolPacks.key), problem)),
        ...problemsOf(profile, features).map(({ key, error: { message } }) => error(where(key), message)),
      ];
      const models = await modelMistakes(profile, own, { where, sections });
      return inOrder(
        [
          ...found,
          ...packs,
          ...models,
          ...(await ofFeatures(profile, own)),
          ...ruleMistakes(profile, own, tools),
        ],
        profile.path,
      );
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      return [{ weight: "error", text: thrown.message }];
    }
  }
}

/** Returns a mistake if the default profile is named by a name that no profile has. */
function defaultProfileMistakes(
  { defaultProfile: used = DEFAULT_PROFILE }: Config,
  known: readonly string[],
  where: Table["where"],
): readonly Mistake[] {
  if (isProfilePath(used) || known.includes(used)) return [];
  const at = where(profileChoiceSection.keys.defaultProfile.key);
  return [error(at, `there is no profile "${used}". ${hintFor(used, known)}`)];
}

/** Returns the rules of a valid file that match nothing. */
function ruleMistakes(
  { permissions }: Pick<Profile, "permissions">,
  config: Config,
  tools: ToolTable,
): readonly Mistake[] {
  const known = { tools, ...unknownPlugins(config) };
  return permissionRuleProblems(permissions.rules, known).map(({ problem, ...where }) =>
    error(where, problem),
  );
}

/** Returns the model names that cannot be used. A default is an error, any other a warning until it is used. */
async function modelMistakes(
  said: Pick<Config, "defaultModel" | "plugins" | "sections"> & Partial<Pick<Config, "routes">>,
  own: Config,
  { where, sections: declared }: Pick<Table, "where"> & Pick<FeatureSet, "sections">,
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
    ...modelsIn(sections, declared).map(({ section, key, model }) => wrong(model, "warning", [section, key])),
    ...routes.flatMap(({ name, model, fallback, rules }) => [
      wrong(model, "warning", ["routing", name, "model"]),
      ...fallback.map((each) => wrong(each, "warning", ["routing", name, "fallback"])),
      ...rules.map((rule, at) => wrong(rule.model, "warning", ["routing", name, "rules", at, "model"])),
    ]),
  ]);
  return found.flat();
}

/** Returns the models that keys of tables name. */
function modelsIn(values: Config["sections"], declared: FeatureSet["sections"]) {
  return declared.flatMap((section) => {
    if (section.shape !== "table") return [];
    const said: Readonly<Record<string, unknown>> = saidOf(values, section) ?? {};
    return Object.entries(section.keys).flatMap(([property, { key, namesModel }]) => {
      const model = namesModel === true ? said[property] : undefined;
      return typeof model === "string" ? [{ section: section.name, key, model }] : [];
    });
  });
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
