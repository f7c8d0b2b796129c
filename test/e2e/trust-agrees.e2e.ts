import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { lockFileOf, openReview } from "../../src/app/explain/review.ts";
import { PROGRAM_FEATURES } from "../../src/app/plan/feature-set.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { acknowledgeAll } from "../support/acknowledge.ts";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import type { MockProvider } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";

const TIMEOUT_MS = 300_000;
const AGENT = "---\nname: reviewer\ndescription: reviews\n---\nReview the change.\n";
const DENIED = '[permissions]\ndeny = ["Bash:git push *"]\n';

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Makes a repository with a sub-agent and with settings that deny a command. */
function makeRepository(home: CinchHome): string {
  const repo = join(home.path, "repo");
  write(join(repo, ".git/HEAD"), "ref: x\n");
  write(join(repo, ".cinch/agents/reviewer.md"), AGENT);
  write(join(repo, ".cinch/config.toml"), DENIED);
  return realpathSync(repo);
}

function configure(home: CinchHome, mock: MockProvider, more = ""): void {
  const provider = `[providers.mock]\nkind = "anthropic"\nbase_url = "${mock.url}/v1"\n`;
  write(join(home.path, "config/cinch/config.toml"), `default_model = "mock:test-1"\n${provider}${more}`);
}

function optionsOf(home: CinchHome, workingDir: string) {
  const [config, data, state] = ["config", "data", "state"].map((name) => join(home.path, name, "cinch"));
  const paths = { config: config ?? "", data: data ?? "", state: state ?? "" };
  const wishes = { autoApprove: false, strictPermissions: false, attended: false, environment: home.env };
  return { features: PROGRAM_FEATURES, wishes, world: hostWorld(SILENT_LOG), paths, workingDir };
}

/** Returns what each command says of the repository's files, and how a session that nobody attends begins. */
async function answers(home: CinchHome, cwd: string) {
  const run = (...args: string[]) => runCinch(args, { home, cwd });
  const agents = await run("agents", "list", "--json");
  const shown = await run("profile", "show", "--json");
  const rules = await run("permissions", "list");
  const ack = await run("ack");
  const session = await run("-p", "hi");
  return {
    agent: /"name":"reviewer".*?"state":"(\w+)"/.exec(agents.stdout)?.[1] ?? agents.stderr,
    unseen: /"notices":(.*)\}/.exec(shown.stdout)?.[1] ?? shown.stderr,
    denies: rules.stdout.includes("Bash:git push *"),
    leftOut: rules.stderr,
    ack: ack.code,
    session: session.code,
  };
}

const ALL_COUNT = { agent: "active", unseen: "[]", denies: true, leftOut: "", ack: 0, session: 0 };

test(
  "[TOFU-03 PROF-01] promote_prose of a profile holds for every command as for a session",
  async () => {
    await using mock = startMockProvider({ script: [says("fine")] });
    using home = cinchHome();
    const repo = makeRepository(home);
    configure(home, mock);
    await acknowledgeAll(optionsOf(home, repo));
    write(join(home.path, "config/cinch/profiles/default.toml"), "[trust]\npromote_prose = true\n");
    write(join(repo, ".cinch/agents/reviewer.md"), AGENT.replace("change", "difference"));
    const { leftOut, ...others } = await answers(home, repo);
    const { leftOut: _none, ...all } = ALL_COUNT;
    expect(others).toEqual(all);
    expect(leftOut).not.toContain("not acknowledged");
  },
  TIMEOUT_MS,
);

test(
  "[TOFU-05 PROF-01] the lock file that config.toml names holds for every command as for a session",
  async () => {
    await using mock = startMockProvider({ script: [says("fine")] });
    using home = cinchHome();
    const repo = makeRepository(home);
    const lockfile = join(home.path, "approved.lock");
    write(lockfile, lockFileOf(await openReview(optionsOf(home, repo))));
    configure(home, mock, `[trust]\nlockfile = "${lockfile}"\n`);
    expect(await answers(home, repo)).toEqual(ALL_COUNT);
  },
  TIMEOUT_MS,
);
