import { messageOf } from "../../../base/errors.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import type { ProcessContext } from "../../process-context.ts";
import type { Stop } from "../../processes/stop.ts";
import type { TokenContext } from "./flags.ts";

/**
 * Runs `cinch token revoke ID…`: rejects tokens for good, with all that were minted from them (AUTH-05). Needs no
 * engine; a running one ends their streams at once.
 */
export async function revokeTokens({ words, at, stop }: TokenContext): Promise<ExitCode> {
  const { tokenIdsOf } = await import("../../../server/auth/tokens/token-ids.ts");
  const ids = await tokenIdsOf(words, () => Bun.stdin.text());
  const { openAuthority } = await import("../../../server/auth/open-authority.ts");
  {
    await using authority = await openAuthority({
      world: at.world,
      stateDirectory: at.paths.state,
      channels: () => [],
    });
    for (const id of ids) {
      await authority.revoke(id);
      await at.stdout.write(`revoked ${id}\n`);
    }
  }
  await notifyEngine(at, stop);
  return EXIT.done;
}

/** Connects to the running engine, which then reads the revocation and ends the streams. */
async function notifyEngine(at: ProcessContext, { signal }: Stop): Promise<void> {
  const { runningEngine } = await import("../../shared-engine/reach-engine.ts");
  try {
    await using _engine = await runningEngine({ at, signal });
  } catch (thrown) {
    signal.throwIfAborted();
    const problem = messageOf(thrown);
    await at.stderr.write(
      `cinch: revoked, but the running engine could not be notified: ${problem}. Open streams of the token end with the engine's next request.\n`,
    );
  }
}
