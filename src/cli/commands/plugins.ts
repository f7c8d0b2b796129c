import { resolve } from "node:path";
import type { PluginRow } from "../../features/plugins/plugin-report.ts";
import type { ExitCode } from "../../session/cli-command.ts";
import { EXIT } from "../../session/cli-command.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../view/wire-json.ts";
import type { Invocation } from "../args/arguments.ts";
import { misuse, verbOf } from "../args/misuse.ts";
import type { Stop } from "../processes/stop.ts";
import { surroundingsOf } from "../surroundings.ts";

type Plugins = Extract<Invocation, { readonly kind: "plugins" }>;

const VERBS = ["list", "check"] as const;

/**
 * `cinch plugins list`: what the user's own files name, and whether it may be run. `cinch plugins check PATH`: whether what
 * lies there is a plugin, and what it adds; for that it is run (PLUG-01).
 */
export async function runPlugins({ settings, words, json }: Plugins, stop: Stop): Promise<ExitCode> {
  const [word = "", path, ...more] = words;
  const verb = verbOf("plugins", word, { verbs: VERBS, usage: USAGE });
  if (more.length > 0 || (verb === "list") !== (path === undefined)) throw misuse(USAGE);
  const at = surroundingsOf(settings, stop);
  const { checkPlugin, listPlugins } = await import("../../features/plugins/plugin-report.ts");
  const { TOOLS } = await import("../../app/plan/tool-list.ts");
  if (path !== undefined) {
    const { name, adds } = await checkPlugin(at, resolve(at.workingDir, path), TOOLS);
    const lines = [`plugin ${name}`, ...adds.map((each) => `  ${neutraliseLine(each)}`)];
    await at.stdout.write(json ? jsonLine({ name, adds }) : `${lines.join("\n")}\n`);
    return EXIT.done;
  }
  const { profile } = settings;
  const rows = await listPlugins({ ...at, ...(profile === undefined ? {} : { profile }) });
  if (json) await at.stdout.write(rows.map(jsonLine).join(""));
  else if (rows.length === 0) await at.stderr.write("cinch: your configuration names no plugins\n");
  else await at.stdout.write(rows.map(lineOf).join(""));
  return rows.some(({ state }) => state === "unusable") ? EXIT.usage : EXIT.done;
}

const USAGE = "write cinch plugins list or cinch plugins check PATH";

function lineOf({ path, state, problem }: PluginRow): string {
  return `${state.padEnd(12)} ${neutraliseLine(problem ?? path)}\n`;
}
