import type { ExitCode } from "../../../session/cli-command.ts";
import { EXIT } from "../../../session/cli-command.ts";
import type { Invocation } from "../../args/arguments.ts";
import type { Stop } from "../../processes/stop.ts";
import { surroundingsOf } from "../../surroundings.ts";

/** `cinch token`: a token for a client of the engine that runs, on standard output, alone and once (AUTH-03, AUTH-11). */
export async function runToken(
  { settings, token }: Extract<Invocation, { readonly kind: "token" }>,
  stop: Stop,
): Promise<ExitCode> {
  const at = surroundingsOf(settings, stop);
  const { makeToken } = await import("../../../server/auth/tokens/token-command.ts");
  const { askService } = await import("../../../app/serving/ask-service.ts");
  const text = await makeToken(token, (claims) => askService(at.paths, claims, stop.signal));
  await at.stdout.write(`${text}\n`);
  return EXIT.done;
}
