import { HarnessError } from "../../../base/errors.ts";
import { readClaimsRequest } from "./claims-request.ts";

/** Arguments of `cinch token`, unchecked. */
export interface TokenCommand {
  readonly identityClass: string;
  /** Each `--session`; none: all sessions, which only the owner can give. */
  readonly sessions: readonly string[];
  /** `--commands a,b`; absent: all commands. */
  readonly commands?: string;
  /** `--expires 24h`: a number and s, m, h or d. */
  readonly expires?: string;
  readonly canMint: boolean;
}

/**
 * Makes a token by asking the running engine (AUTH-03, AUTH-11), and resolves to it: the caller prints it on standard
 * output, alone and once. Wrong arguments are reported before the engine is asked.
 *
 * @param ask the exchange with the owner's engine, with claims in the form of `readClaimsRequest`.
 * @throws HarnessError UsageInvalid, ClaimsInvalid, OwnerRefused.
 */
export async function makeToken(
  command: TokenCommand,
  ask: (claims: Readonly<Record<string, unknown>>) => Promise<string>,
): Promise<string> {
  const { identityClass, sessions, commands, expires, canMint } = command;
  const claims = {
    identity_class: identityClass,
    ...(sessions.length === 0 ? {} : { sessions }),
    ...(commands === undefined ? {} : { commands: commands.split(",").map((each) => each.trim()) }),
    ...(expires === undefined ? {} : { expires_in: secondsOf(expires) }),
    can_mint: canMint,
  };
  readClaimsRequest(claims);
  return await ask(claims);
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function secondsOf(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(number) * (UNITS[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new HarnessError("UsageInvalid", {
    problem: `--expires ${JSON.stringify(text)} is not a time such as 30m, 24h or 7d.`,
  });
}
