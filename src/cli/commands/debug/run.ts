import type { ExitCode } from "../../../session/commands/cli-command.ts";
import type { DebugContext } from "./flags.ts";

/** Prints a dump, or runs a prompt or the line client with a dump of the provider traffic. */
export async function run(context: DebugContext): Promise<ExitCode> {
  const { flags, settings, at } = context;
  if (flags.show !== undefined) {
    const { printDump } = await import("./show-dump.ts");
    return await printDump(context, flags.show);
  }
  if (flags.print !== undefined) {
    const prompt = await import("../prompt/run.ts");
    return await prompt.run(context);
  }
  const { runLine } = await import("../line/line.ts");
  return await runLine({ settings, raw: true, listen: !flags["no-listen"] }, at);
}
