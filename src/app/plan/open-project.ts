import { trustSection } from "../../config/sections/trust.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { ProjectFiles, ProjectFilesOptions } from "../../guard/trust/project-files.ts";
import { readProjectFiles } from "../../guard/trust/project-files.ts";
import { JudgedFiles } from "../../guard/trust/project-trust.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { SessionWishes } from "../../session/plan.ts";
import type { FeatureSet } from "./feature-set.ts";
import { judgeFilesBy } from "./judge-files.ts";

/** Session whose project is read. */
interface ProjectToRead extends Omit<ProjectFilesOptions, "readers" | "layouts"> {
  readonly features: FeatureSet;
}

/** Session whose project is opened. */
export interface ProjectToOpen extends ProjectToRead {
  readonly wishes: SessionWishes;
}

/** Files that a session would load, judged. */
export interface OpenedProject {
  readonly files: JudgedFiles;
  readonly notices: readonly string[];
}

/** Reads the files that a session would load: those of every feature, of the user and of the project. */
export async function readProject({ features: { features }, ...of }: ProjectToRead): Promise<ProjectFiles> {
  return await readProjectFiles({
    ...of,
    readers: features.flatMap(({ trust }) => trust?.items ?? []),
    layouts: features.flatMap(({ trust }) => trust?.layouts ?? []),
  });
}

/**
 * Reads the files that a session would load, and judges them. If there are none, no approvals are read.
 * @throws HarnessError NonInteractiveAckRefused for a file that nobody acknowledged, if nobody can be asked. A file of
 *   the user's own that only adds, and a skill that would be left out anyway, end no start.
 */
export async function openProject(of: ProjectToOpen): Promise<OpenedProject> {
  const { world, paths, config, profile, wishes } = of;
  const { features, sections } = of.features;
  const project = await readProject(of);
  const { all } = project;
  if (all.length === 0) return { files: new JudgedFiles(project, sections), notices: project.problems };
  const settings = { wishes, config, profile };
  const judged = await judgeFilesBy({ world, paths, records: true }, settings)(all, project.root);
  const asks = wishes.asksTrust ?? wishes.attended;
  const notices = [...project.problems, ...judged.notices];
  if (judged.pending.length === 0 || asks)
    return { files: new JudgedFiles(project, sections, judged), notices };
  const { skipUnacknowledged } = await import("../../guard/trust/skipped-items.ts");
  const skipped = skipUnacknowledged(judged.pending);
  const others = judged.pending.filter(({ item }) => !skipped.items.has(item));
  // A list of approvals that was named tells of any difference.
  const { unacknowledgedError } = await import("../../guard/trust/trust-gate.ts");
  const { lockfile } = settingsOf(trustSection, settings);
  if (lockfile !== undefined && others.length > 0) throw unacknowledgedError(others);
  const items = others.map(({ item }) => item);
  const unusable = await Promise.all(features.flatMap((feature) => feature.trust?.unusable?.(items) ?? []));
  const isUnusable = (item: TrustItem) => unusable.some((found) => found.items.has(item));
  const unseen = others.filter(({ item }) => !isUnusable(item));
  if (unseen.length > 0) throw unacknowledgedError(unseen);
  const isLeft = (item: TrustItem) => skipped.items.has(item) || isUnusable(item);
  const usable = { ...project, items: project.items.filter((item) => !isLeft(item)) };
  return {
    files: new JudgedFiles(usable, sections, { ...judged, pending: [] }),
    notices: [...notices, ...skipped.notices, ...unusable.flatMap((found) => found.notices)],
  };
}
