import { whileAlive } from "../../base/async/deadline.ts";
import type { ProjectFiles } from "../../guard/trust/project-files.ts";
import { JudgedFiles } from "../../guard/trust/project-trust.ts";
import type { PluginRules } from "../../session/guard/policy.ts";
import type { AcknowledgedFiles, PendingItem } from "../../session/guard/trust.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { readProject } from "./open-project.ts";
import type { SessionPlans } from "./plan.ts";
import { openPlans } from "./plan.ts";
import type { OpenedSettings } from "./settings.ts";
import { openSettings } from "./settings.ts";

/** Settings and files of a session that would start here, judged. Nothing was started, asked or recorded. */
export interface SessionHere extends OpenedSettings {
  /** Working directory, resolved. */
  readonly root: string;
  /** Files that the session would load, without those in `pending`. */
  readonly files: JudgedFiles;
  /** Content of these files. */
  readonly project: AcknowledgedFiles;
  /** Files that a person would have to acknowledge first. They are left out. */
  readonly pending: readonly PendingItem[];
  /** Sentences for the person. */
  readonly notices: readonly string[];
  /**
   * Makes the plans of the session.
   * @param pluginRules rules and tools of its plugins. Absent: no plugin is known, so a rule may name no tool of one.
   * @throws HarnessError ConfigInvalid for an invalid rule, with its file and line.
   */
  openPlans(pluginRules: PluginRules | undefined): Promise<SessionPlans>;
}

/**
 * Reads settings and files of a session that would start here, by the same functions as one that starts.
 * @throws HarnessError as the start of a session does: ConfigInvalid, ProfileMissing, TrustRefused, PathMissing.
 */
export async function sessionHere(options: HarnessOptions, signal: AbortSignal): Promise<SessionHere> {
  const { world, paths, wishes, plugins: embedded = [], features } = options;
  const root = await world.files.realpath(options.workingDir);
  const settings = await openSettings({ ...options, workingDir: root });
  const { config, profile, reference } = settings;
  const found = await readProject({ ...options, features, config, profile, workingDir: root });
  const { pending, notices } = await judged(found, settings);
  const isKept = (item: PendingItem["item"]) => !pending.some((each) => each.item === item);
  const files = new JudgedFiles(
    { ...found, settings: found.settings.filter(isKept), items: found.items.filter(isKept) },
    features.sections,
  );
  signal.throwIfAborted();
  const project = await whileAlive(files.without(new Set()), signal);
  const home = wishes.environment["HOME"];
  return {
    ...settings,
    ...{ root, files, project, pending },
    notices: [
      ...profile.warnings,
      ...found.problems,
      ...notices,
      ...pending.map(({ path }) => `${path} was not acknowledged, and is left out (cinch ack)`),
    ],
    openPlans: (pluginRules) =>
      openPlans({
        ...{ world, paths, config, profile, reference, root, home },
        wishes,
        features,
        items: files.found.items,
        embedded,
        project: project.settings,
        ...(pluginRules === undefined ? {} : { pluginRules }),
      }),
  };
}

/** Judges files as a session does. Without any, no approvals are read. */
async function judged({ all, root }: ProjectFiles, { judge }: OpenedSettings) {
  return all.length === 0 ? { pending: [], notices: [] } : await judge(all, root);
}
