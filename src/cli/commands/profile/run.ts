import { join } from "node:path";
import type { HarnessOptions } from "../../../app/engine/options.ts";
import type { EffectiveKey, Origin } from "../../../app/explain/effective-keys.ts";
import { count, shortened } from "../../../base/text/text.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { misuse } from "../../args/misuse.ts";
import type { ProcessContext } from "../../process-context.ts";
import { harnessOptions } from "../../process-context.ts";
import type { ProfileContext } from "./flags.ts";

const VALUE_CHARACTERS_MAX = 72;
const KEY_COLUMNS_MAX = 30;

/**
 * Runs `cinch profile list`, which lists the profiles; `show [NAME|PATH]`, which shows every setting of a session
 * here with its source; and `check [NAME|PATH]`, which reports every mistake in the files (PROF-01, PROF-03).
 * Changes nothing.
 */
export async function run({
  verb,
  words: [named],
  flags,
  settings,
  at,
  stop,
}: ProfileContext): Promise<ExitCode> {
  if (named !== undefined && settings.profile !== undefined)
    throw misuse("name the profile behind the command, or with --profile");
  const json = flags.json || flags["output-format"] === "json";
  const options = await harnessOptions(settings, at, { attended: false });
  if (verb === "list") return await list(options, at, json);
  // As it was typed: answers and messages show it so.
  const profile = named ?? settings.profile;
  const wanted = profile === undefined ? options : { ...options, profile };
  return verb === "show" ? await show(wanted, at, json) : await check(wanted, { at, json, stop });
}

async function list(options: HarnessOptions, at: ProcessContext, json: boolean): Promise<ExitCode> {
  const { profileHere, profilesOf } = await import("../../../app/plan/settings.ts");
  const used = await profileHere(options);
  const names = await profilesOf(options);
  const { paths } = options;
  const rows = names.map(({ name, isOwn }) => ({
    name,
    source: isOwn ? "user" : "embedded",
    path: isOwn ? join(paths.config, "profiles", `${name}.toml`) : `embedded:${name}`,
    used: name === used,
  }));
  if (json) {
    await at.stdout.write(`${JSON.stringify(rows)}\n`);
    return EXIT.done;
  }
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(
    (row) =>
      `${row.used ? "*" : " "} ${neutraliseLine(row.name).padEnd(width)}  ${neutraliseLine(row.path)}\n`,
  );
  await at.stdout.write(lines.join(""));
  return EXIT.done;
}

async function show(options: HarnessOptions, at: ProcessContext, json: boolean): Promise<ExitCode> {
  const { effectiveKeys } = await import("../../../app/explain/effective-keys.ts");
  const { profile, reference, keys, notices } = await effectiveKeys(options);
  if (json) {
    const { name, path } = profile;
    await at.stdout.write(`${JSON.stringify({ profile: name, reference, path, keys, notices })}\n`);
    return EXIT.done;
  }
  for (const notice of notices) await at.stderr.write(`cinch: ${neutraliseLine(notice)}\n`);
  const width = Math.min(KEY_COLUMNS_MAX, Math.max(...keys.map(({ key }) => key.length)));
  const rows = byTable(keys).map((row) => `${neutraliseLine(lineOf(row, width))}\n`);
  await at.stdout.write(rows.join(""));
  return EXIT.done;
}

/** Returns the keys of each table together, in the order in which the tables first appear. */
function byTable(keys: readonly EffectiveKey[]): readonly EffectiveKey[] {
  return [...Map.groupBy(keys, ({ key }) => key.replace(/\..*/, "")).values()].flat();
}

function lineOf({ key, value, from, instead }: EffectiveKey, width: number): string {
  if (value === null && from.kind === "default") return `${key.padEnd(width)}  (not set)`;
  const shown = shortened(JSON.stringify(value), VALUE_CHARACTERS_MAX);
  const over = instead.map((each) => placeText(each.from)).filter((text) => text !== "default");
  const before = over.length === 0 ? "" : `, before ${over.join(", ")}`;
  return `${key.padEnd(width)}  ${shown}  (${placeText(from)}${before})`;
}

function placeText(from: Origin): string {
  switch (from.kind) {
    case "flag":
      return from.name;
    case "environment":
      return `environment ${from.name}`;
    case "default":
      return "default";
    default: {
      const line = from.line === undefined ? "" : `:${from.line}`;
      const key = from.key === undefined ? "" : ` ${from.key}`;
      return `${from.path}${line}${key}`;
    }
  }
}

function otherFiles(files: readonly string[]): readonly string[] {
  return files.length === 0 ? [] : [count(files.length, "other file")];
}

interface CheckOutput extends Pick<ProfileContext, "at" | "stop"> {
  readonly json: boolean;
}

/**
 * Returns exit code 2 if a file would end the start of a session, and 0 for warnings alone. Without errors it tries the
 * sandbox, if a file hides paths from commands.
 */
async function check(options: HarnessOptions, { at, json, stop }: CheckOutput): Promise<ExitCode> {
  const { checkFiles } = await import("../../../app/explain/check-profile.ts");
  const { profiles, files, findings: inFiles } = await checkFiles(options, options.profile);
  const failed = inFiles.some(({ weight }) => weight === "error");
  const findings = failed ? inFiles : [...inFiles, ...(await tried(options, profiles, stop.signal))];
  if (json) await at.stdout.write(`${JSON.stringify({ ok: !failed, checked: profiles, files, findings })}\n`);
  else {
    for (const { weight, text } of findings) await at.stdout.write(`${weight}  ${neutraliseLine(text)}\n`);
    const found = findings.length === 0 ? "nothing wrong" : count(findings.length, "finding");
    const looked = [count(profiles.length, "profile"), "config.toml", ...otherFiles(files)];
    await at.stdout.write(`${looked.slice(0, -1).join(", ")} and ${looked.at(-1)}: ${found}\n`);
  }
  return failed ? EXIT.usage : EXIT.done;
}

/** Returns what a trial of the sandbox finds. */
async function tried(options: HarnessOptions, profiles: readonly string[], signal: AbortSignal) {
  const { hiddenPathWarnings } = await import("../../../app/explain/hidden-paths-check.ts");
  return await hiddenPathWarnings(options, profiles, signal);
}
