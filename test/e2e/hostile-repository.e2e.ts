import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { compileThresholds } from "../../scripts/compile-later.ts";
import { runCinch } from "../support/cinch.ts";
import { ROOT } from "../support/source.ts";

// A repository that tries to run code as soon as cinch is started in it. Whatever runs writes a canary.

let scratch = "";
let repository = "";
let canaries = "";
let binary = "";

beforeAll(async () => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "cinch-hostile-")));
  repository = join(scratch, "repository");
  canaries = join(scratch, "canaries");
  mkdirSync(canaries);
  binary = join(scratch, "binary");
  writeHostileRepository();
  await buildSample();
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function writeHostileRepository(): void {
  const evil = (name: string) =>
    `process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(join(canaries, name))}, "");`;
  write(
    "bunfig.toml",
    `preload = ["./preload.js"]\n[run]\nbun = true\nshell = "bun"\n[test]\npreload = ["./preload.js"]\n`,
  );
  write("preload.js", evil("bunfig-preload"));
  write("node-require.cjs", evil("node-options"));
  write("bun-options.cjs", evil("bun-options"));
  write("inspect-preload.cjs", evil("inspect-preload"));
  for (const name of [".env", ".env.local", ".env.development", ".env.production"])
    write(name, hostileSettings());
  const package_ = {
    name: "hostile",
    imports: { "#*": "./alias.js" },
    scripts: { preinstall: "touch ran", test: "touch ran" },
  };
  write("package.json", JSON.stringify(package_));
  write(
    "tsconfig.json",
    JSON.stringify({
      compilerOptions: { baseUrl: ".", paths: { "*": ["./alias.js"], "node:fs": ["./alias.js"] } },
    }),
  );
  write("alias.js", evil("tsconfig-paths"));
  for (const name of ["zod", "bun", "diff", "yaml", "smol-toml", "ignore", "picomatch", "@vscode/ripgrep"]) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
    write(`node_modules/${name}/index.js`, evil(`package-${name.replace("/", "-")}`));
  }
  write(".npmrc", "node-options=--require ./node-require.cjs\nignore-scripts=false\nscript-shell=./sh\n");
  write(".yarnrc.yml", "yarnPath: ./preload.js\n");
  write(".tool-versions", "bun 0.0.1\n");
  write(
    ".git/config",
    `[core]\n\tfsmonitor = touch ${join(canaries, "git-fsmonitor")}\n\tpager = touch ${join(canaries, "git-pager")}\n`,
  );
  write(".git/HEAD", "ref: refs/heads/main\n");
  for (const name of [
    "cksum",
    "dirname",
    "readlink",
    "ln",
    "rm",
    "sleep",
    "npm",
    "node",
    "bun",
    "git",
    "rg",
    "sh",
    "env",
    "uname",
    "ps",
  ]) {
    write(name, `#!/bin/sh\n: > ${join(canaries, `path-${name}`)}\n`);
    chmodSync(join(repository, name), 0o755);
  }
}

function hostileSettings(): string {
  const inside = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
  return [
    ...inside.map((name) => `${name}=${join(canaries, name)}`),
    ...[`BUN_OPTIONS=--preload ${join(repository, "bun-options.cjs")}`, "BUN_BE_BUN=1"],
    `NODE_OPTIONS=--require ${join(repository, "node-require.cjs")}`,
    ...[
      "ANTHROPIC_API_KEY=sk-stolen",
      "OPENROUTER_API_KEY=sk-stolen",
      "CINCH_TOKEN=stolen",
      "CINCH_PASSPHRASE=known",
    ],
    ...["HTTPS_PROXY=http://127.0.0.1:9", "NODE_EXTRA_CA_CERTS=./evil.pem", "NODE_TLS_REJECT_UNAUTHORIZED=0"],
  ].join("\n");
}

/** Bun's own variables as a hostile environment would set them. */
function hostileEnvironment(): Readonly<Record<string, string>> {
  return {
    BUN_OPTIONS: `--preload ${join(repository, "bun-options.cjs")}`,
    BUN_BE_BUN: "1",
    BUN_INSPECT_PRELOAD: join(repository, "inspect-preload.cjs"),
    NODE_OPTIONS: `--require ${join(repository, "node-require.cjs")}`,
    NODE_PATH: join(repository, "node_modules"),
  };
}

function write(path: string, text: string): void {
  const file = join(repository, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A program that tells its environment, compiled exactly as cinch is. */
async function buildSample(): Promise<void> {
  const entry = join(scratch, "sample.ts");
  writeFileSync(
    entry,
    "const { HOME, ANTHROPIC_API_KEY } = process.env;\nconsole.log(JSON.stringify({ HOME, ANTHROPIC_API_KEY, args: process.argv.slice(2) }));\nexport {};\n",
  );
  const args = ["scripts/bun.sh", "scripts/build.ts", "--entry", entry, "--outfile", binary];
  const build = Bun.spawn(["/bin/sh", ...args], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  expect({ code: await build.exited, stderr: await new Response(build.stderr).text() }).toMatchObject({
    code: 0,
  });
}

function ran(): readonly string[] {
  return readdirSync(canaries);
}

const PATH_WITH_DOT = `.:${process.env["PATH"] ?? ""}`;

describe("what is compiled", () => {
  test("[S33 S35 P1] reads and runs nothing of the folder it is started in", () => {
    const env = { PATH: PATH_WITH_DOT, HOME: scratch };
    const { stdout, exitCode } = Bun.spawnSync([binary, "--version"], { cwd: repository, env });
    expect({ exitCode, ...JSON.parse(stdout.toString()) }).toEqual({
      exitCode: 0,
      HOME: scratch,
      args: ["--version"],
    });
    expect(ran()).toEqual([]);
  });

  test("[S33 P1] obeys none of Bun's variables", () => {
    const env = { PATH: PATH_WITH_DOT, HOME: scratch, ...hostileEnvironment() };
    const { stdout, exitCode } = Bun.spawnSync([binary, "--version"], { cwd: repository, env });
    expect({ exitCode, ...JSON.parse(stdout.toString()) }).toEqual({
      exitCode: 0,
      HOME: scratch,
      args: ["--version"],
    });
    expect(ran()).toEqual([]);
  });
});

test("[PERF-02] what is compiled has the later thresholds of the JavaScript engine", () => {
  const env = { PATH: PATH_WITH_DOT, HOME: scratch, BUN_JSC_dumpOptions: "2" };
  const { stdout, stderr } = Bun.spawnSync([binary, "--version"], { cwd: repository, env });
  for (const [option, count] of Object.entries(compileThresholds()))
    expect(`${stdout}${stderr}`).toContain(`${option}=${count}\n`);
});

describe("cinch", () => {
  for (const args of [["--version"], ["--help"]]) {
    test(`[S33 S35 P1] ${args.join(" ")} in a hostile repository runs nothing of it`, async () => {
      const env = { PATH: PATH_WITH_DOT, ...hostileEnvironment() };
      const result = await runCinch(args, { cwd: repository, env });
      expect(ran()).toEqual([]);
      expect(result).toMatchObject({ code: 0, stderr: "" });
    });
  }

  test("[S33 S35 P1 CLI-01] a prompt in a hostile repository takes no key, home or code from it", async () => {
    const env = { PATH: PATH_WITH_DOT, ...hostileEnvironment() };
    const result = await runCinch(["-p", "hello"], { cwd: repository, env });
    expect(ran()).toEqual([]);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toContain(
      "No model can be used: the default zai:glm-4.6 needs ZAI_API_KEY, and nothing replaces it.",
    );
    expect(existsSync(join(repository, "ran"))).toBe(false);
  });
});

test("the canaries of this test do sing where nothing is switched off", () => {
  const sample = join(scratch, "sample.ts");
  writeFileSync(sample, "export {};\n");
  const env = { PATH: PATH_WITH_DOT, HOME: scratch };
  Bun.spawnSync([process.execPath, sample], { cwd: repository, env });
  rmSync(join(repository, "tsconfig.json"));
  Bun.spawnSync([process.execPath, sample], { cwd: repository, env });
  expect([...ran()].sort()).toEqual(["bunfig-preload", "tsconfig-paths"]);
  Bun.spawnSync([process.execPath, "--config=/dev/null", sample], {
    cwd: scratch,
    env: { ...env, ...hostileEnvironment(), BUN_BE_BUN: "" },
  });
  Bun.spawnSync(["/bin/sh", "-c", "cksum; npm"], { cwd: repository, env });
  expect([...ran()].sort()).toEqual([
    "bun-options",
    "bunfig-preload",
    "inspect-preload",
    "path-cksum",
    "path-npm",
    "tsconfig-paths",
  ]);
});
