import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { writeIfChanged } from "../../scripts/write-if-changed.ts";
import { PROGRAM_FEATURES } from "../../src/app/plan/feature-set.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { acknowledgeAll } from "./acknowledge.ts";
import { cinchHome, runCinch } from "./cinch.ts";
import type { SettingsSetup } from "./settings-setups.ts";
import { SETTINGS_SETUPS } from "./settings-setups.ts";
import { ROOT } from "./source.ts";

/** Returns the recorded answers of `cinch profile` about a set-up, relative to the root of the clone. */
export function goldenPath(name: string): string {
  return `test/data/settings/${name}.txt`;
}

/**
 * Runs `cinch profile show` and `check` in a set-up, for programs and where wanted for people, and returns the output
 * byte by byte: JSON with one row a line, the folders of the run replaced by names.
 */
export async function observe(setup: SettingsSetup): Promise<string> {
  using home = cinchHome();
  const repo = join(home.path, "repo");
  const folder = join(home.path, "config/cinch");
  for (const [path, text] of Object.entries({ ".git/HEAD": "ref: x\n", ...setup.project }))
    write(join(repo, path), text);
  for (const [path, text] of Object.entries(setup.config ?? {})) write(join(folder, path), text);
  if (setup.acknowledged === true) {
    const paths = {
      config: folder,
      data: join(home.path, "data/cinch"),
      state: join(home.path, "state/cinch"),
    };
    const wishes = { autoApprove: false, strictPermissions: false, attended: false, environment: home.env };
    await acknowledgeAll({
      features: PROGRAM_FEATURES,
      wishes,
      world: hostWorld(SILENT_LOG),
      paths,
      workingDir: repo,
    });
  }
  const lines: string[] = [];
  const json = ["--output-format", "json"];
  const [profile] = setup.flags?.[0] === "--profile" ? setup.flags.slice(1) : [];
  const named = profile === undefined ? [] : [profile];
  const calls = [
    ["profile", "show", ...(setup.flags ?? []), ...json],
    ["profile", "check", ...named, ...json],
  ];
  if (setup.text === true)
    calls.push(["profile", "show", ...(setup.flags ?? [])], ["profile", "check", ...named]);
  for (const args of calls) {
    const env = setup.env === undefined ? {} : { env: setup.env };
    const { code, stdout, stderr } = await runCinch(args, { home, cwd: repo, ...env });
    lines.push(`$ cinch ${args.join(" ")}`, ...(args.at(-1) === "json" ? rows(stdout) : stdout.split("\n")));
    lines.push(...stderr.split("\n").map((line) => `! ${line}`), `= ${code}`, "");
  }
  return lines.join("\n").replaceAll(home.path, "~");
}

/** One line for each row of a list in a JSON object. The text must be that of `JSON.stringify`, so no byte is lost. */
function rows(text: string): readonly string[] {
  if (text === "") return [];
  const value: Readonly<Record<string, unknown>> = JSON.parse(text);
  if (`${JSON.stringify(value)}\n` !== text) throw new Error(`not as JSON.stringify writes it: ${text}`);
  return Object.entries(value).flatMap(([key, inner]) =>
    Array.isArray(inner)
      ? [`${key}:`, ...inner.map((each) => `  ${JSON.stringify(each)}`)]
      : [`${key}: ${JSON.stringify(inner)}`],
  );
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Records the answers of today in the named set-ups. Prints each file that has changed. */
async function record(setups: readonly SettingsSetup[]): Promise<void> {
  const queue = setups.values(); // shared by the workers
  const work = async () => {
    for (const setup of queue) {
      const path = goldenPath(setup.name);
      if (writeIfChanged(join(ROOT, path), await observe(setup))) console.log(path);
    }
  };
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, work));
}

// `sh scripts/bun.sh test/support/settings-golden.ts [NAME …]`, and without names part of `npm run generate`.
if (import.meta.main) {
  const names = process.argv.slice(2);
  const compiled = mkdtempSync(join(tmpdir(), "cinch-compiled-"));
  process.env["CINCH_TEST_COMPILED"] = compiled;
  try {
    await record(SETTINGS_SETUPS.filter(({ name }) => names.length === 0 || names.includes(name)));
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
}
