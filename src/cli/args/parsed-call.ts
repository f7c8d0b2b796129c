import type {
  CliAction,
  CliCommand,
  CliContext,
  CliFlag,
  FlagValue,
} from "../../session/commands/cli-command.ts";
import type { ProcessContext } from "../process-context.ts";
import type { Stop } from "../processes/stop.ts";
import type { Settings } from "../settings.ts";

/** Handles for commands of `cli/`, which may use more than those of a feature. */
export interface CommandContext<
  Flags extends readonly CliFlag[] = readonly CliFlag[],
  Verb extends string = string,
> extends CliContext<Flags, Verb> {
  readonly settings: Settings;
  readonly stop: Stop;
  /** Opened at its first use: some commands work without a home. */
  readonly at: ProcessContext;
}

/** A subcommand of the command line itself or of a feature. */
export type AnyCommand = CliCommand<CommandContext>;

/** A parsed command line: the command to run, and its values. */
export interface ParsedCall {
  readonly kind: "command";
  readonly command: AnyCommand;
  /** The verb, else the command itself. */
  readonly action: CliAction;
  readonly verb: string;
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly settings: Settings;
}
