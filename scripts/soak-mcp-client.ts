import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Too large to be installed by whoever works on cinch: fetched for this run alone. */
const PACKAGE = "@modelcontextprotocol/conformance@0.1.16";
const SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
const ROOT = join(import.meta.dirname, "..");
const CLIENT = `sh ${join(ROOT, "scripts/bun.sh")} ${join(ROOT, "test/support/mcp-conformance-child.ts")}`;
const SCENARIO_MS_MAX = 60_000;
/** Time limit of a scenario that hangs beyond its own limit. */
const HANG_MS_MAX = 90_000;

/**
 * Scenarios that cinch does not pass, each with the reason. One of them that passes is told too: it belongs here
 * no longer.
 */
const NOT_OURS: Readonly<Record<string, string>> = {
  "auth/2025-03-26-oauth-metadata-backcompat":
    "its authorization server is another than it says it is: RFC 8414 has a client refuse that, and so do we in every revision",
  "auth/client-credentials-jwt": "a machine's own grant: cinch logs people in",
  "auth/client-credentials-basic": "a machine's own grant: cinch logs people in",
  "auth/cross-app-access-complete-flow": "a token of an employer's directory: cinch logs people in",
};

/**
 * Has the official conformance suite of MCP start the client of cinch against every server that it has
 * (MCP-01, MCP-06).
 */
export async function soakMcpClient(): Promise<readonly string[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cinch-mcp-client-")));
  try {
    console.log(`installing ${PACKAGE}`);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
    const install = [
      "npm",
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      PACKAGE,
    ];
    const installed = await ran(install, folder);
    if (installed.code !== 0) return [`npm install failed: ${installed.output}`];
    const suite = [process.execPath, join(folder, SUITE)];
    const { output } = await ran([...suite, "list"], folder);
    const scenarios = scenariosIn(output);
    if (scenarios.length === 0) return [`the suite lists no scenarios: ${output}`];
    const failures: string[] = [];
    for (const scenario of scenarios) {
      const timeout = String(SCENARIO_MS_MAX);
      const flags = ["client", "--command", CLIENT, "--scenario", scenario, "--timeout", timeout];
      const walked = await ran([...suite, ...flags], folder);
      const counts = /Passed: \S+, \d+ failed, \d+ warnings/.exec(walked.output)?.[0] ?? "it told nothing";
      const isPassed = walked.code === 0 && /Passed: (\d+)\/\1, 0 failed/.test(walked.output);
      const why = NOT_OURS[scenario];
      console.log(
        `${isPassed ? "ok    " : why === undefined ? "FAILED" : "apart "} ${scenario}: ${counts}${why === undefined ? "" : `: ${why}`}`,
      );
      if (isPassed && why !== undefined) failures.push(`${scenario} passes: take it out of what is not ours`);
      if (!isPassed && why === undefined) failures.push(`${scenario}: ${walked.output.slice(-2_000)}`);
    }
    return failures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The names below "Client scenarios". */
function scenariosIn(listed: string): readonly string[] {
  const section = /Client scenarios[^\n]*\n([\s\S]*?)(?:\n\n|$)/.exec(listed)?.[1] ?? "";
  return [...section.matchAll(/^\s*- (\S+)/gm)].map(([, name = ""]) => name);
}

async function ran(
  argv: readonly string[],
  cwd: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: cwd, LANG: "C.UTF-8" };
  const child = Bun.spawn([...argv], {
    cwd,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: HANG_MS_MAX,
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: `${stdout}${stderr}` };
}
