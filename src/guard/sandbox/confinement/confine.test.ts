import { describe, expect } from "bun:test";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { noneWith, processesWith } from "../../../../test/support/processes.ts";
import { requireSandbox, sandboxParent } from "../../../../test/support/sandbox-place.ts";
import { openSandboxRig } from "../../../../test/support/sandbox-rig.ts";
import { until } from "../../../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import type { ClientId } from "../../../base/ids.ts";
import type { FileInfo, SpawnOptions } from "../../../base/world.ts";
import type { Sandbox } from "../../../session/guard/sandbox.ts";
import type { Ask } from "../../../session/questions.ts";
import { bubblewrap } from "../bubblewrap/bubblewrap.ts";

const test = requireSandbox();

describe("[SBX-01] Bash in the sandbox", () => {
  test("writes the workspace and /tmp and nothing else, and keeps its directory", async () => {
    await using rig = openSandboxRig();
    mkdirSync(join(rig.root, "src"));
    expect(await rig.bash("echo hi >a.txt && cd src && echo there >/tmp/b && pwd")).toBe(`${rig.root}/src`);
    expect(await rig.bash("pwd; cat /tmp/b ../a.txt")).toBe(`${rig.root}/src\nthere\nhi`);
    expect(readFileSync(join(rig.root, "a.txt"), "utf8")).toBe("hi\n");
    const refused = await rig.bash(`echo no >${rig.outside}/c.txt`);
    expect(refused).toContain("error: bash: line 1: ");
    expect(refused).toContain("[This ran in a sandbox, and that may be why it failed");
    expect(existsSync(join(rig.outside, "c.txt"))).toBe(false);
  });

  test("[TOOL-02] shows exit codes, signals of children and time limits as outside", async () => {
    await using rig = openSandboxRig();
    expect(await rig.bash("exit 7")).toBe("error: [exit code 7]");
    expect(await rig.bash("sh -c 'kill -9 $$'; echo $?")).toEndWith("137");
    expect(await rig.bash("echo out; echo err >&2; false")).toBe("error: out\nerr\n[exit code 1]");
  });

  test("[TOOL-02] lets a command open its outputs by their names", async () => {
    await using rig = openSandboxRig();
    expect(
      await rig.bash(
        "echo a >/dev/stderr; echo b | tee /dev/stderr; echo c >/dev/stdout; echo d >>/dev/fd/2",
      ),
    ).toBe("a\nb\nb\nc\nd");
  });

  test("[SBX-04] the user's programs and environment are there", async () => {
    await using rig = openSandboxRig({
      env: { HELLO: "there", HOME: "/home/user" },
    });
    expect(await rig.bash('echo "$HELLO $HOME $TMPDIR"; git --version | cut -d" " -f1')).toBe(
      "there /home/user /tmp\ngit",
    );
  });

  test("[S26] leaves nothing of its own in the workspace when the session has ended", async () => {
    const rig = openSandboxRig();
    {
      await using _rig = rig;
      writeFileSync(join(rig.root, "a"), "");
      expect(await rig.bash("ls -A; mkdir .cinch/x")).toContain("Read-only file system");
      await rig.end();
      expect(existsSync(join(rig.root, ".cinch"))).toBe(false);
      expect(existsSync(join(rig.root, ".git"))).toBe(false);
    }
  });

  test("[REL-03] a background run ends with its handle, or with the session", async () => {
    await using rig = openSandboxRig();
    const token = `cinch-background-${process.pid}`;
    const start = async () => {
      const said = await rig.bash(`setsid bash -c 'exec -a ${token} sleep 300' & wait`, { background: true });
      await until("the run", () => processesWith(token).length > 0);
      return /task_\w+/.exec(said)?.[0] ?? "";
    };
    const first = await start();
    expect(await rig.task(first, "stop")).toContain("stopped");
    await noneWith(token);
    await start();
    await rig.end();
    await noneWith(token);
  });

  test("[REL-03] nothing survives the death of cinch itself, whatever it was started as", async () => {
    await using rig = openSandboxRig();
    await using folder = temporaryDirectory();
    const token = `cinch-orphan-${process.pid}`;
    const program = join(import.meta.dir, "../../../../test/support/sandboxed-child.ts");
    const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
    const cinch = Bun.spawn([process.execPath, ...flags, program, rig.root, token, folder.path], {
      stdout: "ignore",
    });
    await until("its command", () => existsSync(join(rig.root, "ready")));
    cinch.kill("SIGKILL");
    await cinch.exited;
    await until("the end of its command", () => processesWith(token).length === 0);
  });
});

describe("[SBX-04] a command that needs more", () => {
  const yes: Ask = () => Promise.resolve({ kind: "answered", answer: "approve", by: "cli_x" as ClientId });

  test("runs on the host where it was asked for so", async () => {
    await using rig = openSandboxRig();
    await rig.bash(`echo yes >${rig.outside}/a`, { outside_sandbox: true });
    expect(readFileSync(join(rig.outside, "a"), "utf8")).toBe("yes\n");
  });

  test("gets the hidden path that it named, and read nothing there", async () => {
    await using rig = openSandboxRig();
    const { home } = rig;
    Object.assign(rig.workspace, { env: { ...rig.workspace.env, HOME: home } });
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, ".ssh/id_rsa"), "key");
    writeFileSync(join(home, ".netrc"), "key");
    const why = `that may be why it failed: ${home}/.ssh is hidden in the sandbox. If it needs that`;
    expect(await rig.bash("cat ~/.ssh/id_rsa")).toContain(why);
    expect(await rig.bash(`p=.ss; cat "$HOME/\${p}h/id_rsa"`)).toContain(why);
    expect(await rig.bash("cat ~/.netrc")).toEndWith(
      `[This ran in a sandbox: ${home}/.netrc is hidden in the sandbox]`,
    );
    expect(await rig.bash("cat ~/.netrcs")).not.toContain("hidden in the sandbox");
  });

  test("runs again outside when a person agrees, and the question gives the reason", async () => {
    const asked: string[] = [];
    const ask: Ask = (question, signal) => {
      asked.push(question.text);
      return yes(question, signal);
    };
    await using rig = openSandboxRig({ attended: true, ask });
    expect(await rig.bash(`echo yes >${rig.outside}/a && echo done`)).toBe("done");
    expect(existsSync(join(rig.outside, "a"))).toBe(true);
    expect(asked).toEqual([
      `Bash failed in the sandbox (only the workspace and /tmp can be written). Run it again outside, with your own rights?\necho yes >${rig.outside}/a && echo done`,
    ]);
  });

  const NETWORK =
    "[This ran in a sandbox, and that may be why it failed: there is no network. A person can list hosts under [sandbox] network in config.toml; else call Bash again with outside_sandbox: true, which asks a person.]";

  test("for the network, as the kernel counts, gets the hint that a person can list hosts, or be asked", async () => {
    await using rig = openSandboxRig();
    // Of the shell itself, so that nothing need be installed: by address, and by a name.
    for (const command of ["exec 3<>/dev/tcp/192.0.2.1/80", "getent hosts example.com || exit 6"])
      expect([command, await rig.bash(command)]).toEqual([command, expect.stringContaining(NETWORK)]);
    expect(await rig.bash("{ : <>/dev/tcp/192.0.2.1/80; } 2>/dev/null; exit 3")).toContain(NETWORK);
    expect(await rig.bash("echo 'no more of it'; exit 1")).toBe("error: no more of it\n[exit code 1]");
    expect(await rig.bash(": <>/dev/tcp/127.0.0.1/9 || exit 4")).not.toContain("sandbox");
  });

  test("cannot bring the count about: nothing of it can be written inside, and no process of it runs there", async () => {
    await using rig = openSandboxRig();
    const table = "Ip: OutNoRoutes\\nIp: 0\\n\\nIp: OutNoRoutes\\nIp: 9\\n";
    const forge = `tr '\\0' '\\n' </proc/$PPID/cmdline | while read -r path; do [ -f "$path" ] && printf '${table}' >"$path"; done`;
    const said = await rig.bash(`{ ${forge}; kill -9 $PPID; } 2>/dev/null; ls /proc/self/fd; exit 3`);
    expect(said).not.toContain("no network");
    expect(await rig.bash("echo $PPID $$")).toBe("1 2");
  });

  test("is let begin also if the kernel's count is unavailable", async () => {
    await using rig = openSandboxRig();
    const { openResolved } = rig.world.files;
    let tries = 0;
    Object.assign(rig.world.files, {
      openResolved(path: string) {
        if (!path.startsWith("/proc/")) return openResolved(path);
        tries += 1;
        return Promise.reject(Object.assign(new Error("EACCES"), { code: "EACCES" }));
      },
    });
    expect(await rig.bash("exec 3<>/dev/tcp/192.0.2.1/80")).not.toContain("no network");
    expect(tries).toBe(2);
  });

  test("by itself gets no word about the sandbox, whatever it prints", async () => {
    await using rig = openSandboxRig();
    const lines = [
      "ModuleNotFoundError: No module named 'nopkg'",
      "java.io.FileNotFoundException: a",
      "Error: ENOTFOUND, Could not resolve host: x, getaddrinfo EAI_AGAIN, Failed to connect to x",
      "test_x: Permission denied",
      "bash: ./run.sh: Permission denied",
      "open a.txt: Read-only file system",
      "EBUSY: resource busy: a.txt",
      "a.txt: Operation not permitted",
      "Bad system call",
      "[exit code 159]\nand more",
    ];
    for (const line of lines) {
      const said = await rig.bash(`printf '%s\\n' "${line}"; exit 1`);
      expect([line, said]).toEqual([line, `error: ${line}\n[exit code 1]`]);
    }
    const python = Bun.which("python3");
    if (python !== null)
      expect(await rig.bash("python3 -c 'import nopkg'")).not.toContain("This ran in a sandbox");
  });

  test("for a path that it closes gets that path", async () => {
    await using rig = openSandboxRig();
    mkdirSync(join(rig.root, ".cinch"));
    writeFileSync(join(rig.root, ".cinch/config.toml"), "");
    const closed = `why it failed: ${rig.root}/.cinch cannot be changed in the sandbox`;
    expect(await rig.bash("echo x >.cinch/new")).toContain(closed);
    expect(await rig.bash("cp /dev/null ./.cinch/config.toml")).toContain(closed);
    expect(await rig.bash("touch ../outside/x")).toContain("only the workspace and /tmp can be written");
    expect(await rig.bash("cp /bin/true x && chmod u+s x")).toContain("setuid and setgid bits are closed");
  });

  test("leaves output, exit code and signals of a command as they are", async () => {
    await using rig = openSandboxRig();
    expect(await rig.bash("echo out; echo err >&2; exit 7")).toBe("error: out\nerr\n[exit code 7]");
    expect(await rig.bash("kill -9 $$")).toStartWith("error: [exit code 137]");
    expect(await rig.bash("cat; echo $#; cd /tmp")).toContain("0");
  });

  test("stays inside where nobody is there, where a person says no, and where a rule denies it outside", async () => {
    const no: Ask = () => Promise.resolve({ kind: "answered", answer: "deny", by: "cli_x" as ClientId });
    for (const parts of [{}, { attended: true, ask: no }, { attended: true, ask: yes, mayLeave: false }]) {
      await using rig = openSandboxRig(parts);
      expect(await rig.bash(`echo yes >${rig.outside}/a`)).toContain("outside_sandbox: true");
      expect(existsSync(join(rig.outside, "a"))).toBe(false);
    }
  });
});

describe("[SBX-01] where there is no sandbox", () => {
  const why = "the kernel refuses";
  const broken: Sandbox = {
    name: "broken",
    prepare: () => Promise.resolve({ kind: "unavailable", why, remedy: "lift that" }),
  };

  test("one notice gives the remedy, and each command is asked for", async () => {
    await using rig = openSandboxRig({ backend: broken });
    for (const _ of [1, 2]) {
      expect(await rig.confinement()).toEqual({
        kind: "none",
        why: `${why}; lift that`,
        policy: "ask",
      });
      expect(await rig.bash("echo ran")).toBe("ran");
    }
    expect(rig.told).toEqual([
      "There is no sandbox for commands: the kernel refuses. Each command is asked for. Remedy: lift that.",
    ]);
  });

  test("no command runs where the policy is to refuse, nor where nobody judged it as one that runs without", async () => {
    await using rig = openSandboxRig({ backend: broken, settings: { unavailable: "refuse" } });
    expect((await rig.confinement()).kind).toBe("none");
    expect(await rig.bash("echo ran")).toBe("error: SandboxUnavailable: the kernel refuses. lift that");
    await using unjudged = openSandboxRig({ backend: broken, unjudged: true });
    expect(await unjudged.bash("echo ran")).toStartWith("error: SandboxUnavailable");
  });

  test("one that fails in the middle of a session fails the call", async () => {
    const real = bubblewrap({ world: testWorld() });
    const failing: Sandbox = {
      name: "failing",
      async prepare(policy) {
        const state = await real.prepare(policy);
        if (state.kind !== "working") return state;
        const { confine } = state;
        const wrap: typeof confine.wrap = (options) => {
          const { argv, ...rest } = confine.wrap(options);
          return { ...rest, argv: [argv[0], "--bind", "/nowhere", "/nowhere", ...argv.slice(1)] };
        };
        return { ...state, confine: { ...confine, wrap } };
      },
    };
    await using rig = openSandboxRig({ backend: failing });
    expect(await rig.bash("echo ran")).toBe(
      "error: the sandbox could not be set up, so nothing was run: Can't find source path /nowhere: No such file or directory",
    );
  });

  test("a missing program is reported as missing, and not as a failure of the sandbox", async () => {
    const real = bubblewrap({ world: testWorld() });
    const missing: Sandbox = {
      name: "missing",
      async prepare(policy) {
        const state = await real.prepare(policy);
        if (state.kind !== "working") return state;
        const { confine } = state;
        const wrap: typeof confine.wrap = (options) =>
          confine.wrap({ ...options, argv: ["/nowhere/program", "-c", "x"] });
        return { ...state, confine: { ...confine, wrap } };
      },
    };
    await using rig = openSandboxRig({ backend: missing });
    expect(await rig.bash("echo ran")).toBe(
      "error: /nowhere/program cannot be started in the sandbox: No such file or directory",
    );
  });

  test("a machine without bwrap, and one that cannot make namespaces, gets the remedy", async () => {
    const real = testWorld();
    const gone = {
      ...real.files,
      stat: (path: string) => (path.endsWith("bwrap") ? Promise.resolve(undefined) : real.files.stat(path)),
    };
    await using rig = openSandboxRig({ backend: bubblewrap({ world: { ...real, files: gone } }) });
    await rig.confinement();
    expect(rig.told[0]).toContain(
      "bubblewrap (bwrap) is not installed: neither at /usr/bin/bwrap, /usr/local/bin/bwrap, /bin/bwrap, /run/current-system/sw/bin/bwrap nor on PATH. ",
    );
    const dead = {
      ...real,
      spawn: (options: SpawnOptions) => real.spawn({ ...options, argv: ["/bin/false"] }),
    };
    await using other = openSandboxRig({ backend: bubblewrap({ world: dead }) });
    await other.confinement();
    expect(other.told[0]).toContain("bubblewrap does not work here: the probe said nothing");
  });
});

describe("[SBX-01 SBX-04] bwrap in another folder of PATH", () => {
  /** The machine's own bwrap in a folder of its own, and nowhere else; all above it is as `owned` says. */
  async function elsewhere(owned: (info: FileInfo) => Partial<FileInfo>) {
    const real = testWorld();
    const directory = temporaryDirectory("cinch-path-", sandboxParent());
    const program = join(directory.path, "bwrap");
    copyFileSync(Bun.which("bwrap") ?? "bwrap", program);
    chmodSync(program, 0o755);
    const files = {
      ...real.files,
      async stat(path: string) {
        if (path.endsWith("/bwrap") && path !== program) return undefined;
        const info = await real.files.stat(path);
        return info === undefined ? undefined : { ...info, ...owned(info) };
      },
    };
    const path = `relative:${directory.path}:/usr/bin:/bin`;
    const backend = bubblewrap({ world: { ...real, files }, programs: { path, writable: { all: [] } } });
    return { directory, program, rig: openSandboxRig({ backend }) };
  }

  test("is used where only root can exchange it", async () => {
    const { directory, rig } = await elsewhere(() => ({ owner: 0, mode: 0o755 }));
    await using _ = directory;
    await using used = rig;
    expect(await used.bash("grep -c NoNewPrivs:.1 /proc/self/status")).toBe("1");
    expect(used.told).toEqual([]);
  });

  test("is named with the reason where another user can", async () => {
    for (const [owned, why] of [
      [{ owner: 1000, mode: 0o755 }, "bwrap does not belong to root"],
      [{ owner: 0, mode: 0o775 }, "bwrap can be written by other users than root"],
    ] as const) {
      const { directory, program, rig } = await elsewhere((info) =>
        info.kind === "file" ? owned : { owner: 0, mode: 0o755 },
      );
      await using _ = directory;
      await using refused = rig;
      await refused.confinement();
      expect(refused.told[0]).toContain(`not installed: ${program} is not used: ${dirname(program)}/${why}`);
    }
  });
});

describe("[SBX-01 S57] where hosts are listed and cannot be served", () => {
  test("one notice gives the remedy, and commands have no network", async () => {
    const real = bubblewrap({ world: testWorld() });
    const other: Sandbox = { name: "seatbelt", prepare: (policy) => real.prepare(policy) };
    await using rig = openSandboxRig({ backend: other, settings: { network: ["example.com"] } });
    for (const _ of [1, 2]) {
      expect(await rig.bash("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; echo $http_proxy")).toBe(
        "lo",
      );
      expect(await rig.confinement()).toEqual({ kind: "working", network: "off" });
    }
    expect(rig.told).toEqual([
      "Commands have no network, though [sandbox] lists hosts: the backend seatbelt serves no list. Remedy: take `network` out of [sandbox], and let a person approve commands that need more (outside_sandbox).",
    ]);
  });
});
