import type { OpenHarness } from "../../app/harness.ts";
import { neutralise } from "../../view/terminal/terminal-text.ts";
import type { ProcessContext } from "../process-context.ts";

/** Prints the notices of a start: a fallback model, a doubtful setting, a dump that holds secrets. */
export async function printStartNotices(
  { notices }: Pick<OpenHarness, "notices">,
  at: ProcessContext,
): Promise<void> {
  const { rawDump } = at;
  for (const notice of notices) await at.stderr.write(`cinch: ${neutralise(notice)}\n`);
  if (rawDump === undefined) return;
  await at.stderr.write(
    `cinch: RAW DUMP: all provider traffic, unredacted, goes to ${rawDump}, sealed. Read it with: cinch debug --show ${rawDump}. It is removed after a week.\n`,
  );
}
