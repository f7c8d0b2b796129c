import { resolve } from "node:path";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../../view/wire-json.ts";
import type { PluginRow } from "../plugin-report.ts";
import type { PluginsContext } from "./flags.ts";

/** Lists the plugins that the user's files name, or runs one to report what it adds (PLUG-01). */
export async function run(context: PluginsContext): Promise<ExitCode> {
  const { verb, words, flags, workingDir, stdout, stderr } = context;
  const { world, paths, environment } = context;
  const place = { world, paths, workingDir, environment };
  const { checkPlugin, listPlugins } = await import("../plugin-report.ts");
  if (verb === "check") {
    const { name, adds } = await checkPlugin(
      await context.engineHandles(),
      resolve(workingDir, words[0] ?? ""),
    );
    const lines = [`plugin ${name}`, ...adds.map((each) => `  ${neutraliseLine(each)}`)];
    await stdout.write(flags.json ? jsonLine({ name, adds }) : `${lines.join("\n")}\n`);
    return EXIT.done;
  }
  const rows = await listPlugins(place, await context.readSettings());
  if (flags.json) await stdout.write(rows.map(jsonLine).join(""));
  else if (rows.length === 0) await stderr.write("cinch: your configuration names no plugins\n");
  else await stdout.write(rows.map(lineOf).join(""));
  return rows.some(({ state }) => state === "unusable") ? EXIT.usage : EXIT.done;
}

function lineOf({ path, state, problem }: PluginRow): string {
  return `${state.padEnd(12)} ${neutraliseLine(problem ?? path)}\n`;
}
