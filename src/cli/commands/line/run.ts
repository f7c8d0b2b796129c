import { defined } from "../../../base/defined.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import type { ConnectWords, LineContext } from "./flags.ts";
import { runLine } from "./line.ts";
import type { ScreenKind } from "./settings-file.ts";

/** Runs the line client. */
export async function run({ words: [prompt], flags, settings, at }: LineContext): Promise<ExitCode> {
  const connect = connectOf(flags);
  const plain = flags.plain;
  const screen = screenOf(flags);
  const line = { settings, raw: false, listen: !flags["no-listen"], ...defined({ prompt, plain, screen }) };
  return await runLine(connect === undefined ? line : { ...line, connect }, at);
}

function screenOf(flags: LineContext["flags"]): ScreenKind | undefined {
  if (flags["screen-reader"]) return "reader";
  if (flags.inline) return "inline";
  return flags["full-screen"] ? "full" : undefined;
}

function connectOf(flags: LineContext["flags"]): ConnectWords | undefined {
  const { connect: url, "auth-token-file": tokenFile, "tls-ca": ca } = flags;
  if (url === undefined) return undefined;
  return {
    url,
    ...defined({ tokenFile, ca }),
  };
}
