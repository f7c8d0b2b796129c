import type { Profile } from "../../config/profile.ts";
import { trustSection } from "../../config/sections/trust.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { COMPILED_PLUGINS } from "../../features/plugins/compiled-plugins.ts";
import type { SessionPlugins } from "../../features/plugins/session-plugins.ts";
import { openSessionPlugins } from "../../features/plugins/session-plugins.ts";
import { readProjectFiles } from "../../guard/trust/project-files.ts";
import { ProjectTrust } from "../../guard/trust/project-trust.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import { SECTIONS } from "./sections.ts";

/** What a session would load of its project, judged, and what the user's own files name. */
export interface OpenedProject {
  readonly trust: ProjectTrust;
  /** Those that the user's own files name. */
  readonly plugins: readonly TrustItem[];
  readonly notices: readonly string[];
}

/**
 * Reads what the session would load of its project, and judges it. Where there is nothing, no approvals are read.
 * @throws HarnessError NonInteractiveAckRefused where a file was never acknowledged and nobody can be asked. A file of the
 *   user's own that only adds, and a skill that would be left out anyway, end no start.
 */
export async function openProject(
  workingDir: string,
  profile: Profile,
  defaults: RunDefaults,
): Promise<OpenedProject> {
  const found = await readProjectFiles(defaults, workingDir, profile);
  const plugins = await pluginsOf(defaults, profile);
  const project = { ...found, extensions: [...found.extensions, ...plugins.items] };
  const { context, settings, hooks, extensions } = project;
  const items = [...context.files.map(({ item }) => item), ...settings, ...hooks, ...extensions];
  const told = [...project.problems, ...plugins.notices];
  if (items.length === 0) return { trust: new ProjectTrust(project, SECTIONS), plugins: [], notices: told };
  const { judgeItems, nobodyAcknowledged } = await import("../../guard/trust/trust-gate.ts");
  const sources = { wishes: defaults, config: defaults.config, profile };
  const { lockfile, promoteProse } = settingsOf(trustSection, sources);
  const judged = await judgeItems({ ...defaults, ...(lockfile === undefined ? {} : { lockfile }) }, items, {
    root: project.context.root,
    promoteProse,
  });
  const asks = defaults.asksTrust ?? defaults.attended;
  const notices = [...told, ...judged.notices];
  if (judged.pending.length === 0 || asks)
    return { trust: new ProjectTrust(project, SECTIONS, judged), plugins: plugins.items, notices };
  const { leftOut } = await import("../../guard/trust/left-out.ts");
  const own = leftOut(judged.pending);
  const others = judged.pending.filter(({ item }) => !own.items.has(item));
  // A list of approvals that was named tells of any difference.
  if (lockfile !== undefined && others.length > 0) throw nobodyAcknowledged(others);
  const { unusableSkills } = await import("../../features/skills/unusable-skills.ts");
  const unusable = await unusableSkills(others);
  const unseen = others.filter(({ item }) => !unusable.items.has(item));
  if (unseen.length > 0) throw nobodyAcknowledged(unseen);
  const isLeft = (item: TrustItem) => own.items.has(item) || unusable.items.has(item);
  const usable = { ...project, extensions: extensions.filter((item) => !isLeft(item)) };
  return {
    trust: new ProjectTrust(usable, SECTIONS, { ...judged, pending: [] }),
    plugins: plugins.items,
    notices: [...notices, ...own.notices, ...unusable.notices],
  };
}

/** What the user's own files name as plugins, read once. */
async function pluginsOf({ world, config, paths }: RunDefaults, profile: Profile) {
  if (config.plugins.length === 0 && profile.plugins.length === 0) return { items: [], notices: [] };
  const { namedPlugins, pluginNotices, readPlugins } = await import("../../features/plugins/plugin-files.ts");
  const names = { config, profile, paths };
  return { items: await readPlugins(world, namedPlugins(names)), notices: pluginNotices(names) };
}

/** The plugins of the session; undefined where there are none, and then nothing of them is loaded. */
export async function openPlugins(
  reading: Promise<OpenedProject>,
  { plugins: given = [], pluginHost }: RunDefaults,
): Promise<SessionPlugins | undefined> {
  const { plugins, trust } = await reading;
  if (plugins.length === 0 && given.length === 0 && COMPILED_PLUGINS.length === 0) return undefined;
  return await openSessionPlugins(await pluginHost(), plugins, trust);
}
