import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HarnessOptions } from "../../../src/app/engine/options.ts";
import { PROGRAM_FEATURES } from "../../../src/app/plan/feature-set.ts";
import { SILENT_LOG } from "../../../src/base/log.ts";
import { hostWorld } from "../../../src/platform/host.ts";
import { cinchPath } from "../../support/cinch.ts";
import { ROOT } from "../../support/source.ts";
import { placeSecrets } from "./reading.ts";
import type { Ground } from "./scenario.ts";

export const KEY = "canary-key-5c1f0e77";

/** A home, a repository in a folder of other things, and files that matter. Everything below one folder. */
export interface Base extends Disposable {
  readonly path: string;
  readonly ground: Omit<Ground, "token">;
  readonly options: HarnessOptions;
}

/** Not below /tmp, which is another one inside the sandbox: what is tried must fail for want of rights. */
const PARENT = join(ROOT, "node_modules", ".cache", "adversary");

export function openBase(provider: string, settings: string): Base {
  mkdirSync(PARENT, { recursive: true });
  const path = realpathSync(mkdtempSync(join(PARENT, "run-")));
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), "cinch-adv-")));
  const [home, parent, outside] = ["home", "parent", "outside"].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ];
  const root = join(parent, "repo");
  const paths = {
    config: join(home, ".config", "cinch"),
    data: join(home, ".local", "share", "cinch"),
    state: join(home, ".local", "state", "cinch"),
  };
  for (const folder of [outside, root, ...Object.values(paths), join(home, ".config", "autostart")])
    mkdirSync(folder, { recursive: true });
  for (const name of [".bashrc", ".zshrc"]) writeFileSync(join(home, name), "# mine\n");
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = u\n\temail = u@example.org\n");
  const victim = Bun.spawn(["/bin/sleep", "300"], { stdio: ["ignore", "ignore", "ignore"] });
  const socket = Bun.listen({ unix: join(temporary, "user.sock"), socket: { data() {} } });
  const ground = {
    root,
    parent,
    outside,
    home,
    ...paths,
    temporary,
    victim: victim.pid,
    provider,
    cinch: cinchPath(),
    bun: process.execPath,
    key: KEY,
  };
  placeSecrets({ ...ground, token: "" });
  writeFileSync(
    join(paths.config, "config.toml"),
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${provider}/v1"\napi_key_env = "MOCK_KEY"\n${settings}`,
  );
  repository(root, home);
  return {
    path,
    ground,
    options: {
      world: hostWorld(SILENT_LOG),
      paths,
      workingDir: root,
      features: PROGRAM_FEATURES,
      wishes: {
        autoApprove: false,
        strictPermissions: false,
        attended: false,
        environment: { PATH: process.env["PATH"] ?? "", HOME: home, MOCK_KEY: KEY },
      },
      model: "mock:m",
    },
    [Symbol.dispose]() {
      victim.kill("SIGKILL");
      socket.stop(true);
      rmSync(path, { recursive: true, force: true });
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

export function git(root: string, home: string, ...args: readonly string[]): void {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const { exitCode, stderr } = Bun.spawnSync(["git", ...args], { cwd: root, env });
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
}

/** With a branch that holds what a clone should not bring. */
function repository(root: string, home: string): void {
  const run = (...args: readonly string[]) => git(root, home, ...args);
  run("init", "-q", "-b", "main");
  writeFileSync(join(root, "README.md"), "A project.\n");
  run("add", ".");
  run("commit", "-qm", "first");
  run("checkout", "-qb", "evil");
  mkdirSync(join(root, ".cinch"));
  writeFileSync(join(root, ".cinch", "config.toml"), "# of-the-branch\n");
  run("add", ".");
  run("commit", "-qm", "evil");
  run("checkout", "-q", "main");
}
