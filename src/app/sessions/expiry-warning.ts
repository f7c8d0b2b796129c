import { join } from "node:path";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { LogId } from "../../base/ids.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { decode } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import type { RetentionPlan } from "../../session/store/retention.ts";
import type { RetentionSources } from "./retention/expire.ts";
import { retentionOf } from "./retention/expire.ts";

const NAMED_MAX = 3;
const DISMISSED_BYTES_MAX = 4_194_304;
const PRIVATE_MODE = 0o600;

/** Parts that the file of dismissed warnings is read and written with. */
interface DismissedOptions {
  readonly world: Pick<World, "files">;
  readonly paths: Pick<HarnessPaths, "state">;
}

/**
 * Returns the warning about sessions that lose content within a week ([A] § Storage policy); undefined if there are
 * none, or each of them was dismissed.
 */
export async function expiryWarning(sources: RetentionSources): Promise<string | undefined> {
  // A session without input loses nothing.
  const soon = (await retentionOf(sources)).soon.filter(({ log }) => log.turns > 0);
  if (soon.length === 0) return undefined;
  const dismissed = await dismissedLogs(sources);
  if (soon.every(({ log }) => dismissed.has(log.logId))) return undefined;
  return warningText(soon);
}

/** Words of [A], except for one session and for more than a few. */
export function warningText(soon: RetentionPlan["soon"]): string {
  const ids = soon.slice(0, NAMED_MAX).map(({ log }) => log.session);
  const more = soon.length - ids.length;
  const named = `${ids.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
  const many = soon.length === 1 ? "1 session expires" : `${soon.length} sessions expire`;
  const them = soon.length === 1 ? "it" : "them";
  return `${many} this week: ${named} — /sessions:pin or /sessions:export to keep ${them}. (/sessions:dismiss)`;
}

/** Dismisses the warning about these sessions; one about another session is shown. */
export async function dismissExpiring(
  { world, paths }: DismissedOptions,
  { soon }: Pick<RetentionPlan, "soon">,
): Promise<void> {
  await world.files.makeDirectory(paths.state);
  const text = JSON.stringify({ dismissed: soon.map(({ log }) => log.logId) });
  await world.files.writeAtomic(pathOf(paths.state), `${text}\n`, PRIVATE_MODE);
}

/** Forgets that the warning about a log was dismissed. */
export async function forgetDismissed(at: DismissedOptions, log: LogId): Promise<void> {
  const dismissed = await dismissedLogs(at);
  if (!dismissed.has(log)) return;
  const text = JSON.stringify({ dismissed: [...dismissed].filter((each) => each !== log) });
  await at.world.files.writeAtomic(pathOf(at.paths.state), `${text}\n`, PRIVATE_MODE);
}

/** A missing or malformed file dismisses nothing: the warning comes once too often rather than never. */
async function dismissedLogs({ world, paths }: DismissedOptions): Promise<ReadonlySet<unknown>> {
  const path = pathOf(paths.state);
  if ((await world.files.stat(path))?.kind !== "file") return new Set();
  const parsed = parseJson(decode(await world.files.read(path, DISMISSED_BYTES_MAX)))?.value;
  const dismissed = isObject(parsed) ? parsed["dismissed"] : undefined;
  return new Set(Array.isArray(dismissed) ? dismissed : []);
}

function pathOf(state: string): string {
  return join(state, "expiring-dismissed.json");
}
