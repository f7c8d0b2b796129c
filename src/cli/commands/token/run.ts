import { defined } from "../../../base/defined.ts";
import type { TokenCommand } from "../../../server/auth/tokens/token-command.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import type { TokenContext } from "./flags.ts";

/**
 * Runs `cinch token`: prints a token for a client of the running engine on standard output, alone and once
 * (AUTH-03, AUTH-11).
 */
export async function run(context: TokenContext): Promise<ExitCode> {
  const { verb, flags, at, stop } = context;
  if (verb === "revoke") {
    const { revokeTokens } = await import("./revoke.ts");
    return await revokeTokens(context);
  }
  const { makeToken } = await import("../../../server/auth/tokens/token-command.ts");
  const { requestOwnerToken } = await import("../../../app/serving/ask-service.ts");
  const text = await makeToken(commandOf(flags), (claims) =>
    requestOwnerToken(at.paths, claims, stop.signal),
  );
  await at.stdout.write(`${text}\n`);
  return EXIT.done;
}

function commandOf(flags: TokenContext["flags"]): TokenCommand {
  const { "identity-class": identityClass = "", session, commands, expires } = flags;
  return {
    identityClass,
    sessions: session === undefined ? [] : session.split(",").map((each) => each.trim()),
    canMint: flags["can-mint"],
    ...defined({ commands, expires }),
  };
}
