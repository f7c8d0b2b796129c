import { expect } from "bun:test";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cinchHome, cinchPath, runCinch, startCinch } from "../support/cinch.ts";
import { blocksOf } from "../support/documents.ts";
import { contentOf, hookToml, written } from "../support/hook-rig.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { noneWith, signalIfRunning } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { readSource } from "../support/source.ts";

// Hooks through the command itself: the documented examples, and what a person sees of hooks that misbehave.

const PAGE = "docs/hooks.md";

function openRig(script: readonly Turn[]) {
  const mock = startMockProvider({ script });
  const home = cinchHome();
  const work = join(home.path, "work");
  const write = (path: string, text: string, mode = 0o600) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
  };
  Bun.spawnSync(["git", "init", "-q", "-b", "trunk", work]);
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  const args = ["--model", "mock:one"];
  return {
    mock,
    home,
    work,
    write,
    at: (name: string) => join(home.path, name),
    config: (text: string) => write(join(home.path, "config/cinch/config.toml"), `${text}\n${provider}`),
    run: (...more: readonly string[]) => runCinch([...more, ...args], { home, cwd: work }),
    say: (...more: readonly string[]) => runCinch([...more, ...args], { home, cwd: work, stdin: "go\n" }),
    start: (...more: readonly string[]) => startCinch([...more, ...args], { home, cwd: work }),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

requireProgram("git")("[HOOK-01 DOC-01] the hooks of docs/hooks.md do what the page says", async () => {
  const blocks = blocksOf(PAGE, readSource(PAGE));
  const [config = ""] = blocks.filter(({ text }) => text.startsWith("# config.toml")).map(({ text }) => text);
  const [script = ""] = blocks.filter(({ text }) => text.startsWith("#!/bin/sh")).map(({ text }) => text);
  await using rig = openRig([
    calls("Bash", { command: "cd . && git push --force" }),
    calls("Write", { file_path: "a.txt", content: "trailing \n" }),
    says("done"),
  ]);
  rig.config(config);
  rig.write(join(rig.home.path, "config/cinch/hooks/no-push.sh"), script, 0o700);
  const { stdout, stderr, code } = await rig.run("-p", "push it", "--auto-approve");
  expect([stdout, code]).toEqual(["done\n", 3]);
  expect(stderr).toContain("A PreToolUse hook has refused this call of Bash: pushing is left to people");
  const sent = JSON.stringify(rig.mock.requests.map(({ body }) => body));
  expect(sent).toContain("The current branch is trunk");
});

requireProgram("git")(
  "[HOOK-02 DOC-01] the repository's hooks of docs/hooks.md do not run unasked, and the run says why",
  async () => {
    const [config = ""] = blocksOf(PAGE, readSource(PAGE))
      .map(({ text }) => text)
      .filter((text) => text.startsWith("# .cinch/hooks.toml"));
    await using rig = openRig([says("done")]);
    rig.config("");
    rig.write(join(rig.work, ".cinch/hooks.toml"), config);
    rig.write(join(rig.work, ".cinch/hooks/check.sh"), `#!/bin/sh\ntouch ${rig.at("ran")}\n`, 0o755);
    const refused = await rig.run("-p", "hello", "--allow-project-hooks", "--auto-approve");
    expect([refused.code, rig.mock.requests.length]).toEqual([5, 0]);
    expect(refused.stderr).toContain("hook (.cinch/hooks.toml, .cinch/hooks/check.sh)");
    const without = await rig.run("-p", "hello");
    expect([without.code, without.stdout]).toEqual([0, "done\n"]);
    expect(without.stderr).toContain("They do not run; with --allow-project-hooks they do");
    expect(existsSync(rig.at("ran"))).toBe(false);
  },
);

requireProgram("git")(
  "[HOOK-01 TUI-07 REL-01] the output of hooks cannot drive the terminal, and each failed hook is reported on standard error",
  async () => {
    await using rig = openRig([says("fine")]);
    rig.config(
      [
        { event: "SessionStart", cmd: "/nowhere/hook" },
        { event: "UserPromptSubmit", cmd: "printf '\\033[2J\\000\\377evil\\n' >&2; exit 9" },
        { event: "Stop", cmd: "exec sleep 300", timeout_ms: 100 },
      ]
        .map(hookToml)
        .join(""),
    );
    const { code, stdout, stderr } = await rig.run("-p", "hello");
    expect([code, stdout]).toEqual([0, "fine\n"]);
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    const [start, submit, stop] = stderr.trimEnd().split("\n");
    expect(start).toStartWith(
      "cinch: hook 'SessionStart' command '/nowhere/hook' failed with exit code 127: ",
    );
    expect(submit).toContain("hook 'UserPromptSubmit'");
    expect(submit).toContain("failed with exit code 9: ");
    expect(stop).toBe("cinch: Hook 'Stop' command 'exec sleep 300' exceeded its 0.1s deadline. Killed.");
  },
);

requireProgram("git")(
  "[HOOK-01 TUI-07] the failure of a hook is reported once, and the call beside it as not run",
  async () => {
    const write = calls("Write", { file_path: "a.txt", content: "x" });
    await using rig = openRig([write, says("one"), write, says("two")]);
    rig.config(hookToml({ event: "PreToolUse", cmd: "echo it broke >&2; exit 7" }));
    const failed = "hook 'PreToolUse' command 'echo it broke >&2; exit 7' failed with exit code 7: it broke";
    const line = await rig.say("--plain", "--no-listen");
    expect(line.stdout).toContain(`* Write a.txt\n${failed}\n  Write did not run\none\n`);
    const { code, stderr } = await rig.run("-p", "go");
    expect([code, stderr]).toEqual([
      3,
      [
        `cinch: ${failed}`,
        "cinch: Write did not run: no call passes a PreToolUse hook that went wrong (PermissionDenied)",
        "cinch: calls refused for want of permission: 1",
        "",
      ].join("\n"),
    ]);
  },
);

requireProgram("git")(
  "[HOOK-01 REL-01 REL-03] Ctrl-C while a hook runs ends the run with 130, and the hook with it",
  async () => {
    const own = `300.${Math.floor(Math.random() * 1e12)}`;
    await using rig = openRig([says("never")]);
    rig.config(hookToml({ event: "UserPromptSubmit", cmd: `echo > ${rig.at("runs")}; sleep ${own}` }));
    await using child = rig.start("-p", "hello");
    child.closeStdin();
    await written(rig.at("runs"));
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    await noneWith(own);
    expect(rig.mock.requests).toEqual([]);
  },
);

requireProgram("git")(
  "[HOOK-01 R37] a hook that starts cinch itself gets a session of its own and no deadlock",
  async () => {
    await using rig = openRig([says("outer"), says("inner")]);
    const cmd = `${cinchPath()} -p inner --model mock:one >${rig.at("inner")} 2>&1 </dev/null`;
    const hook = hookToml({ event: "Stop", cmd, timeout_ms: 20_000 });
    rig.write(join(rig.home.path, "config/cinch/profiles/outer.toml"), `name = "outer"\n${hook}`);
    rig.config("");
    const { code, stdout } = await rig.run("-p", "outer", "--profile", "outer");
    expect([code, stdout, contentOf(rig.at("inner"))]).toEqual([0, "outer\n", "inner\n"]);
  },
);

requireProgram("git")(
  "[REL-03 HOOK-01] a hook ends with the engine that is killed, also what has left its group",
  async () => {
    const own = `600.${Math.floor(Math.random() * 1e9)}`;
    await using rig = openRig([says("never asked")]);
    const cmd = `setsid sleep ${own} & echo >${rig.at("began")}; sleep ${own}`;
    rig.config(hookToml({ event: "UserPromptSubmit", cmd, timeout_ms: 300_000 }));
    await using running = rig.start("-p", "hello");
    running.closeStdin();
    await written(rig.at("began"));
    signalIfRunning(running.pid, "SIGKILL");
    await noneWith(own);
  },
  240_000,
);
