import { defined } from "../../../base/defined.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import type { ConnectWords, LineContext } from "./flags.ts";
import { runLine } from "./line.ts";

/** Runs the line client. */
export async function run({ words: [prompt], flags, settings, at }: LineContext): Promise<ExitCode> {
  const connect = connectOf(flags);
  const plain = flags.plain;
  const line = { settings, raw: false, listen: !flags["no-listen"], ...defined({ prompt, plain }) };
  return await runLine(connect === undefined ? line : { ...line, connect }, at);
}

function connectOf(flags: LineContext["flags"]): ConnectWords | undefined {
  const { connect: url, "auth-token-file": tokenFile, "tls-ca": ca } = flags;
  if (url === undefined) return undefined;
  return {
    url,
    ...defined({ tokenFile, ca }),
  };
}
