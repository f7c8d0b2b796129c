import { join } from "node:path";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { LogId } from "../../../base/ids.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";

const DISMISSED_BYTES_MAX = 4_194_304;
const PRIVATE_MODE = 0o600;

/** Parts that the file of dismissed warnings is read and written with. */
export interface DismissedOptions {
  readonly world: Pick<World, "files">;
  readonly paths: Pick<HarnessPaths, "state">;
}

/** Writes down the logs whose warnings are dismissed instead of the earlier ones. */
export async function writeDismissed(
  { world, paths }: DismissedOptions,
  logs: readonly unknown[],
): Promise<void> {
  await world.files.makeDirectory(paths.state);
  await world.files.writeAtomic(
    pathOf(paths.state),
    `${JSON.stringify({ dismissed: logs })}\n`,
    PRIVATE_MODE,
  );
}

/** Forgets that the warning about a log was dismissed. */
export async function forgetDismissed(at: DismissedOptions, log: LogId): Promise<void> {
  const dismissed = await dismissedLogs(at);
  if (!dismissed.has(log)) return;
  await writeDismissed(
    at,
    [...dismissed].filter((each) => each !== log),
  );
}

/** A missing or malformed file dismisses nothing: the warning comes once too often rather than never. */
export async function dismissedLogs({ world, paths }: DismissedOptions): Promise<ReadonlySet<unknown>> {
  const path = pathOf(paths.state);
  if ((await world.files.stat(path))?.kind !== "file") return new Set();
  const parsed = parseJson(decode(await world.files.read(path, DISMISSED_BYTES_MAX)))?.value;
  const dismissed = isObject(parsed) ? parsed["dismissed"] : undefined;
  return new Set(Array.isArray(dismissed) ? dismissed : []);
}

function pathOf(state: string): string {
  return join(state, "expiring-dismissed.json");
}
