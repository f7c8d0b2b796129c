import { resolve } from "node:path";
import { findDrift } from "../../../app/explain/review.ts";
import { HarnessError } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { CommandContext } from "../../args/parsed-call.ts";
import { optionsOf } from "../ack/run.ts";

/**
 * Checks that the project's files match a lock file or this user's acknowledgements; starts nothing ([A] § CI bootstrap
 * flow, TOFU-04). Exit code 5 with the paths that differ.
 */
export async function run({ settings, at }: CommandContext): Promise<ExitCode> {
  const { lockfile: named } = settings;
  const lockfile = named === undefined ? {} : { lockfile: resolve(named) };
  const options = await optionsOf({ settings }, at);
  const drift = await findDrift({ ...options, wishes: { ...options.wishes, ...lockfile } });
  if (drift.paths.length > 0) {
    const paths = drift.paths.map(neutraliseLine).join(", ");
    throw new HarnessError("TrustDrift", { paths, lockfile: drift.lockfile });
  }
  await at.stdout.write(`as acknowledged: ${count(drift.compared, "file")}\n`);
  return EXIT.done;
}
