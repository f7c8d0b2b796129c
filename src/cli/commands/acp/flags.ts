import type { CliFlag } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";
import { NO_LISTEN } from "../../args/settings-flags.ts";

export const ACP_FLAGS = [NO_LISTEN] as const satisfies readonly CliFlag[];

export type AcpContext = CommandContext<typeof ACP_FLAGS>;
