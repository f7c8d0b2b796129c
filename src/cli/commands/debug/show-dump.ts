import { resolve } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import type { CommandContext } from "../../args/parsed-call.ts";
import { harnessOptions } from "../../process-context.ts";

/** Prints a raw dump, one JSON object a line, unchanged but for control characters on a terminal. */
export async function printDump({ settings, at }: CommandContext, path: string): Promise<ExitCode> {
  const { showDump } = await import("../../../app/harness.ts");
  const file = resolve(path);
  const found = await at.world.files.stat(file);
  if (found === undefined) throw new HarnessError("PathMissing", { what: "The dump", path: file });
  if (found.kind !== "file") throw new HarnessError("UsageInvalid", { problem: `${file} is not a dump` });
  const decoder = new TextDecoder();
  for await (const bytes of showDump(await harnessOptions(settings, at, { attended: false }), file)) {
    const text = decoder.decode(bytes, { stream: true });
    await at.stdout.write(at.stdout.isTerminal ? neutralise(text) : text);
  }
  return EXIT.done;
}
