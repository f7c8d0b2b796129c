import { askAcknowledged } from "../../../guard/trust/ask-acknowledged.ts";
import { readExtensions } from "../../../guard/trust/project-files.ts";
import type { TrustItem } from "../../../session/guard/trust.ts";
import type { SessionHost } from "../../../session/host.ts";
import type { SessionSkills } from "../session-skills.ts";
import { SKILL_FILES } from "../trust-files.ts";

/** The outcome of reloading all skills. */
export interface ReloadResult {
  /** The names of the active skills. */
  readonly skills: readonly string[];
  /** Folders that a person has to acknowledge first, as they know them. */
  readonly waiting: readonly string[];
  /** True if a person is being asked about those. */
  readonly asks: boolean;
  /** Resolves once every question is answered. Each acknowledged skill is active from its answer on. */
  readonly settled: Promise<void>;
}

/**
 * Reads every skill of the user and the project again. Acknowledged ones are active at once; the others are asked
 * about one after the other if a person is present (SKL-04, SKL-05).
 */
export async function reloadSkills(
  skills: SessionSkills,
  host: SessionHost,
  signal: AbortSignal,
): Promise<ReloadResult> {
  const { world, paths, trust } = host;
  const { wishes } = host.plan();
  const { items, problems } = await readExtensions({ world, paths, wishes }, trust.root, SKILL_FILES);
  const { record, pending, notices } = await host.judge(items, trust.root);
  const pendingItems = new Set<TrustItem>(pending.map(({ item }) => item));
  const counting = () => items.filter((item) => !pendingItems.has(item));
  const set = await skills.replace(counting(), [...problems, ...notices]);
  const asks = wishes.asksTrust ?? wishes.attended;

  async function ask(): Promise<void> {
    if (!asks) return;
    for (const each of pending) {
      if (signal.aborted) return;
      const { ask: put, publish } = host;
      if (!(await askAcknowledged(each, { ask: put, publish, record }, signal))) continue;
      pendingItems.delete(each.item);
      await skills.replace(counting(), [...problems, ...notices]);
    }
  }

  return { skills: set.names, waiting: pending.map(({ path }) => path), asks, settled: ask() };
}
