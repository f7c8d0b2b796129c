import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandsOf } from "../shell/cases.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { scriptServer, serverToml } from "../support/mcp-servers.ts";
import { says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import { openServed } from "../support/served.ts";
import { until } from "../support/until.ts";
import { temporaryDirectory } from "../support/world.ts";

/** Safe ones that ask all the same: docs/threats/calls.md says why. */
const SAFE_ASKED = [
  "jq -r '.dependencies | keys[]' package.json",
  "sed 's/foo/bar/g' notes.txt",
  "awk -F: 'NR>1 && $3>5 {n++} END{print n}' data.txt",
  'find . -name "*.ts" | xargs wc -l',
  'cat data.json | jq ".items | length"',
  'grep -c foo <<< "foo bar"',
];

interface Verdict {
  readonly decision: string;
  readonly in_sandbox: string;
  readonly rule: string | null;
  readonly why: string;
  /** The sandbox of a command here; null without one. */
  readonly sandbox: string | null;
}

/** A small repository with the files that the commands of the corpus name. */
function makeRepository(root: string): void {
  const files = [
    "README.md",
    "CHANGELOG.md",
    "package.json",
    "notes.txt",
    "a.txt",
    "b.txt",
    "data.txt",
    "data.csv",
    "data.json",
    "image.png",
    "src/index.ts",
    "src/old/a.ts",
    "src/new/a.ts",
    "dist/app.bin",
    "dist/a.js",
    "test/a.test.ts",
  ];
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "{}\n");
  }
  Bun.spawnSync(["git", "init", "-q", "-b", "main"], { cwd: root });
}

async function verdicts(
  commands: readonly string[],
  flags: readonly string[] = [],
): Promise<readonly Verdict[]> {
  await using directory = temporaryDirectory();
  makeRepository(directory.path);
  const stdin = commands
    .map((command) => `${JSON.stringify({ tool: "Bash", input: { command } })}\n`)
    .join("");
  const { code, stdout, stderr } = await runCinch(["permissions", "explain", "--json", ...flags], {
    cwd: directory.path,
    stdin,
  });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Verdict);
}

requireProgram("git")(
  "[PERM-04] no trap runs unasked, and all but six of the 104 safe commands do",
  async () => {
    const traps = commandsOf("traps");
    const safe = commandsOf("safe");
    const all = await verdicts([...traps, ...safe]);
    expect(all).toHaveLength(traps.length + safe.length);
    expect(traps.filter((_, at) => all[at]?.decision === "allow")).toEqual([]);
    const loud = safe.filter((_, at) => all[traps.length + at]?.decision !== "allow");
    expect(loud).toEqual(SAFE_ASKED);
  },
);

requireProgram("bwrap")(
  "[PERM-06 SBX-01] explain tries the sandbox, and says which of the two answers holds here",
  async () => {
    using home = cinchHome();
    const cwd = join(home.path, "work");
    mkdirSync(cwd);
    const usable = await runCinch(["permissions", "explain", "touch a"], { home, cwd });
    expect(usable.stdout).toContain("\nhere: allow, since bubblewrap works\n");
    const unusable = await runCinch(["permissions", "explain", "touch a"], { home, cwd: "/tmp" });
    expect(unusable.stdout).toMatch(/\nhere: ask, since the workspace is \/tmp itself/);
  },
);

requireProgram("bwrap")(
  "[PERM-13] a profile names a preset file of the user, which can switch the known reads off",
  async () => {
    using home = cinchHome();
    const profiles = join(home.path, "config", "cinch", "profiles");
    mkdirSync(profiles, { recursive: true });
    writeFileSync(join(profiles, "careful.toml"), 'name = "careful"\npermissions = "loud.toml"\n');
    writeFileSync(
      join(profiles, "loud.toml"),
      'level = "DangerFullAccess"\nquiet = false\nbash_in_sandbox = "ask"\nallow = ["Bash:pwd"]\n',
    );
    const explain = async (command: string) =>
      (await runCinch(["permissions", "explain", command, "--profile", "careful"], { home })).stdout;
    expect(await explain("ls")).toMatch(/^ask: .*\nin the sandbox: ask: /);
    expect(await explain("pwd")).toMatch(/^allow: .*\nin the sandbox: allow: /);
  },
);

requireProgram("bwrap")(
  "[PERM-13] the preset that asks for everything asks in the sandbox too, but for known reads",
  async () => {
    using home = cinchHome();
    const profiles = join(home.path, "config", "cinch", "profiles");
    mkdirSync(profiles, { recursive: true });
    writeFileSync(join(profiles, "careful.toml"), 'permissions = "preset/ask.toml"\n');
    const explain = async (command: string) =>
      (await runCinch(["permissions", "explain", command, "--profile", "careful"], { home })).stdout;
    expect(await explain("npm test")).toMatch(/^ask: .*\nin the sandbox: ask: /);
    expect(await explain("pwd")).toMatch(/^allow: .*\nin the sandbox: allow: /);
  },
);

requireProgram("bwrap")(
  "[PERM-12 SBX-04] an install that a rule allows is explained as it runs: let through, where a command that names a host is asked for",
  async () => {
    using home = cinchHome();
    mkdirSync(join(home.path, "config/cinch"), { recursive: true });
    const rules = '[permissions]\nallow = ["Bash:npm *", "Bash:curl *"]\n';
    writeFileSync(join(home.path, "config/cinch/config.toml"), rules);
    const explain = async (command: string) =>
      (await runCinch(["permissions", "explain", command], { home })).stdout;
    expect(await explain("npm ci")).not.toContain("ask: ");
    expect(await explain("curl https://example.com")).toContain("in the sandbox: ask: ");
  },
);

test("[PERM-04] --strict-permissions asks for every call that no rule of the user's own allows, an edit too", async () => {
  using home = cinchHome();
  const work = join(home.path, "work");
  const config = join(home.path, "config", "cinch");
  for (const folder of [work, config]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(work, "a.ts"), "x\n");
  const input = JSON.stringify({ file_path: "a.ts", old_string: "x", new_string: "y" });
  const explain = async (...flags: readonly string[]) => {
    const words = ["permissions", "explain", "--tool", "Edit", "--input", input, ...flags];
    return (await runCinch(words, { home, cwd: work })).stdout;
  };
  expect(await explain()).toStartWith("allow: ");
  expect(await explain("--strict-permissions")).toStartWith("ask: ");
  const listed = await runCinch(["permissions", "list", "--strict-permissions"], { home, cwd: work });
  expect(listed.stdout).not.toContain("allow ");
  expect(listed.stdout).toContain("deny  Bash:security *  (embedded:preset/default.toml)\n");
  writeFileSync(join(config, "config.toml"), '[permissions]\nallow = ["Edit:*.ts"]\n');
  expect(await explain("--strict-permissions")).toStartWith("allow: ");
});

requireProgram("git")(
  "[PERM-04] --strict-permissions asks for the safe ones too, in the sandbox as well",
  async () => {
    const [strict] = await verdicts(["ls"], ["--strict-permissions"]);
    expect(strict).toMatchObject({
      decision: "ask",
      in_sandbox: "ask",
      rule: null,
      why: "it needs the level DangerFullAccess, and the ceiling is WorkspaceWrite",
    });
  },
);

test("[PROF-03 PERM-12] a configuration that is no UTF-8 is refused with file and line, so that none of its rules is about nothing", async () => {
  using home = cinchHome();
  await using directory = temporaryDirectory();
  const own = join(home.path, "config", "cinch");
  const latin1 = Buffer.from('[permissions]\ndeny = ["Read:geh\u00e4im.txt"]\n', "latin1");
  const profile = join(own, "profiles", "latin.toml");
  const preset = join(own, "profiles", "own.toml");
  const config = join(own, "config.toml");
  mkdirSync(dirname(profile), { recursive: true });
  writeFileSync(profile, 'permissions = "own.toml"\n');
  writeFileSync(preset, latin1.subarray("[permissions]\n".length));
  const list = (args: readonly string[]) =>
    runCinch(["permissions", "list", ...args], { home, cwd: directory.path });
  const refused = (path: string, line: number) => ({
    code: 2,
    stdout: "",
    stderr: `cinch: ${path}:${line}: TOML: it is not UTF-8 text; save it as UTF-8 (ConfigInvalid)\n`,
  });
  expect(await list(["--profile", "latin"])).toMatchObject(refused(preset, 1));
  writeFileSync(profile, latin1);
  expect(await list(["--profile", "latin"])).toMatchObject(refused(profile, 2));
  writeFileSync(config, latin1);
  expect(await list([])).toMatchObject(refused(config, 2));
});

requireProgram("bwrap")(
  "[PERM-12] a person and a program get the verdict, the reason and the rule, and nothing is run",
  async () => {
    using home = cinchHome();
    await using directory = temporaryDirectory();
    const config = join(home.path, "config", "cinch", "config.toml");
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, '[permissions]\nallow = ["Bash:touch *"]\ndeny = ["Bash:curl *"]\n');
    const run = (args: readonly string[], stdin = "") =>
      runCinch(["permissions", ...args], { home, cwd: directory.path, stdin });

    expect((await run(["explain", "touch made.txt"])).stdout).toBe(
      'allow: the rule allow "Bash:touch *" covers it\nin the sandbox: allow: the rule allow "Bash:touch *" covers it\n',
    );
    expect(await Bun.file(join(directory.path, "made.txt")).exists()).toBe(false);
    expect((await run(["explain", "sudo curl x"])).stdout).toStartWith(
      'deny: the rule deny "Bash:curl *" forbids it\n',
    );
    expect(
      (await run(["explain", "--tool", "Read", "--input", '{"file_path": "/etc/hosts"}'])).stdout,
    ).toStartWith("ask: ");
    expect((await run(["list"])).stdout).toContain(`allow Bash:touch *  (${config}:2)\n`);

    const lines = [
      '{"tool":"Bash","input":{"command":"curl x"}}',
      "no json",
      '{"tool":"Bsah","input":{}}',
      '{"tool":"Bash"}',
      '{"tool":"Bash","input":{"command":"ls"}}',
      '{"tool":"Bash","input":{"command":""}}',
    ];
    const bad = await run(["explain", "--json"], lines.join("\n"));
    const answers = bad.stdout
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(bad.code).toBe(2);
    expect(answers).toMatchObject([
      { decision: "deny", in_sandbox: "deny", rule: "Bash:curl *" },
      { error: expect.stringMatching(/^line 2: /) },
      { error: "line 3: there is no tool Bsah; did you mean Bash?" },
      { error: expect.stringMatching(/^line 4: /) },
      { decision: "allow", in_sandbox: "allow", rule: null },
      { decision: "deny", why: "The command is empty." },
    ]);
    expect(bad.stderr).toContain("3 of 6 lines are no calls");

    for (const args of [
      [],
      ["explain"],
      ["explain", "a", "b"],
      ["expalin", "x"],
      ["list", "x"],
      ["explain", "--tool", "Bash"],
      ["explain", "--json", "x"],
      ["explain", "--tool", "Bash", "--input", "[]"],
      ["explain", "--tool", "Bsah", "--input", "{}"],
    ])
      expect([args, (await run(args)).code]).toEqual([args, 2]);
    writeFileSync(config, '[permissions]\nallow = ["Bsah:touch *"]\n');
    const unknown = await run(["explain", "ls"]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining(`${config}:2`)]);
  },
);

const SERVER_CHILD = join(import.meta.dirname, "../support/mcp-server-child.ts");

/** A tool of a server, as it lists it. */
function listedTool(name: string, description = "Does it.") {
  return { name, description, inputSchema: { type: "object", properties: { text: { type: "string" } } } };
}

test("[PERM-12 MCP-07] a tool of an MCP server is explained by what the live session has, else by the record, whose time is named", async () => {
  await using directory = temporaryDirectory();
  const list = join(directory.path, "tools.json");
  const write = (...tools: readonly object[]) => writeFileSync(list, JSON.stringify(tools));
  write(listedTool("get-sum"));
  await using served = await openServed({
    script: [says("done")],
    config: `[permissions]\nallow = ["mcp__odd__*"]\n${serverToml("odd", scriptServer(SERVER_CHILD, join(directory.path, "journal"), `tools=${list}`))}`,
  });
  const explain = (tool: string, ...flags: readonly string[]) => {
    const words = ["permissions", "explain", "--tool", tool, "--input", "{}", ...flags];
    return runCinch(words, { home: served.home, cwd: served.work });
  };
  const token = await served.token();
  const begun = await served.ask("/v1/sessions", token, { workingDir: served.work });
  const { sessionId: session } = (await begun.json()) as { readonly sessionId: string };
  const isListed = async (name: string) =>
    (await (await served.ask(`/v1/sessions/${session}/tools`, token)).text()).includes(`"mcp__odd__${name}"`);
  const first = await served.ask(`/v1/sessions/${session}/input?wait=turn`, token, {
    content: [{ type: "text", text: "go" }],
  });
  expect(first.status).toBe(200);
  await until("the server has listed its tools", () => isListed("get_sum"));
  expect((await explain("mcp__odd__get-sum")).stdout).toBe(
    `allow: the rule allow "mcp__odd__*" covers it\nthe tool: as the live session ${session} has it\n`,
  );

  write(listedTool("get-sum", "Does something else."), listedTool("wipe-all"));
  const restart = { kind: "ManageMcp", server: "odd", action: "restart" };
  expect((await served.ask(`/v1/sessions/${session}/command`, token, restart)).status).toBe(200);
  await until("the server has listed them again", () => isListed("wipe_all"));
  for (const tool of ["mcp__odd__wipe_all", "mcp__odd__wipe-all", "mcp__odd__get_sum"]) {
    const { code, stdout } = await explain(tool);
    expect([tool, code, stdout]).toEqual([
      tool,
      0,
      expect.stringMatching(/^ask: odd (?:has added this tool|describes this tool differently)/),
    ]);
    expect(stdout).toContain(`\nthe tool: as the live session ${session} has it\n`);
  }

  await served.end("SIGTERM");
  const recorded = await explain("mcp__odd__get_sum");
  expect(recorded.stdout).toMatch(
    /^allow: the rule allow "mcp__odd__\*" covers it\nthe tool: as recorded on \d{4}-\d\d-\d\dT[\d:.]+Z, .*\n$/,
  );
  expect((await explain("mcp__odd__wipe_all")).code).toBe(2);
  const call = { tool: "mcp__odd__get_sum", input: {} };
  const json = await runCinch(["permissions", "explain", "--json"], {
    home: served.home,
    cwd: served.work,
    stdin: JSON.stringify(call),
  });
  expect(JSON.parse(json.stdout)).toMatchObject({
    decision: "allow",
    tool_facts: expect.stringMatching(/^as recorded on /),
  });
}, 120_000);

test("[PERM-12 MCP-07] a call of a tool of an MCP server is explained too, by either of its names, before the server has ever run", async () => {
  using home = cinchHome();
  const config = join(home.path, "config", "cinch", "config.toml");
  mkdirSync(dirname(config), { recursive: true });
  const server = '[[mcp_servers]]\nname = "git-hub"\ncmd = "/bin/false"\n';
  const write = (rules: string) => writeFileSync(config, `[permissions]\n${rules}\n${server}`);
  const explain = (tool: string) =>
    runCinch(["permissions", "explain", "--tool", tool, "--input", "{}"], { home });
  write('allow = ["mcp__git-hub__*"]\ndeny = ["mcp__git-hub__get-sum"]');
  for (const tool of ["mcp__git-hub__get-sum", "mcp__git_hub__get_sum"])
    expect((await explain(tool)).stdout).toStartWith(
      'deny: the rule deny "mcp__git-hub__get-sum" forbids it\n',
    );
  expect((await explain("mcp__git_hub__set")).stdout).toBe(
    'allow: the rule allow "mcp__git-hub__*" covers it\nthe tool: unknown: git-hub has never listed its tools here, so any name and input is taken; start a session with it\n',
  );
  write("");
  expect((await explain("mcp__git_hub__set")).stdout).toContain(
    'ask: no rule allows it\nto let it through: a person says yes, or --auto-approve, or [permissions] allow = ["mcp__git_hub__set"]',
  );
  expect(await explain("mcp__gut__set")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no MCP server of that name is declared; there are git-hub"),
  });
  writeFileSync(config, "");
  expect(await explain("mcp__nope__x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there is no tool mcp__nope__x: no MCP server is declared"),
  });
});

requireProgram("git")(
  "[PERM-12 DOC-01] each verdict says what it is about and what would let the call through",
  async () => {
    using home = cinchHome();
    await using directory = temporaryDirectory();
    makeRepository(directory.path);
    mkdirSync(join(home.path, "config/cinch"), { recursive: true });
    const config = join(home.path, "config/cinch/config.toml");
    const sandbox = '[sandbox]\nbackend = "container"\nimage = "work"\n'; // the same on every machine
    writeFileSync(config, sandbox);
    const explain = async (command: string) =>
      (await runCinch(["permissions", "explain", command], { home, cwd: directory.path })).stdout
        .trimEnd()
        .split("\n");
    const level = "it needs the level DangerFullAccess, and the ceiling is WorkspaceWrite";
    const allow = (command: string) =>
      `to let it through: a person says yes, or --auto-approve, or [permissions] allow = ["Bash:${command}"] in config.toml`;
    const held = "in the sandbox: allow: it runs in the sandbox";
    const here = "here: allow if container works (it was not tried), else ask";
    expect({
      flag: await explain("sed -i s/a/b/ a.txt"),
      subcommand: await explain("git push"),
      network: await explain("curl -o x https://example.com/x"),
      late: await explain("$TOOL --all"),
      own: await explain("echo x > .git/hooks/pre-commit"),
      denied: await explain("security dump-keychain"),
      quiet: await explain("ls"),
    }).toEqual({
      flag: [
        `ask: sed: the flag -i is not known to only read; ${level}`,
        held,
        here,
        allow("sed -i s/a/b/ a.txt"),
      ],
      subcommand: [
        `ask: git push is not known to only read; ${level}`,
        "in the sandbox: ask: git needs the network, which the sandbox does not let through",
        allow("git push"),
        'to let it through in the sandbox: [sandbox] network = ["the host it needs"] in config.toml (for the host: git remote -v)',
      ],
      network: [
        `ask: curl is not known to only read; ${level}`,
        "in the sandbox: ask: curl needs the network (example.com), which the sandbox does not let through",
        allow("curl -o x https://example.com/x"),
        'to let it through in the sandbox: [sandbox] network = ["example.com"] in config.toml',
      ],
      late: [
        'ask: what $TOOL runs is only known when it runs, so it may be what the rule deny "Bash:security *" forbids',
        'in the sandbox: ask: what $TOOL runs is only known when it runs, so it may be what the rule deny "Bash:security *" forbids',
        allow("$TOOL --all"),
      ],
      own: [
        "ask: the command names a .git directory",
        "  allow: echo x (it only reads)",
        "  ask: > .git/hooks/pre-commit (the command names a .git directory)",
        "in the sandbox: ask: the command names a .git directory",
        "to let it through: a person says yes, for this call alone; no rule and no --auto-approve lifts it",
      ],
      denied: [
        'deny: the rule deny "Bash:security *" forbids it',
        'in the sandbox: deny: the rule deny "Bash:security *" forbids it',
        'to let it through: take that rule out where "cinch permissions list" says that it stands; nothing else lifts it',
      ],
      quiet: ["allow: it only reads", "in the sandbox: allow: it only reads"],
    });
    writeFileSync(config, `${sandbox}unavailable = "refuse"\n[permissions]\nask = ["Bash:make *"]\n`);
    expect([await explain("npm test"), await explain("make all")]).toEqual([
      [
        "deny: there is no sandbox for it: it is judged as if there were none",
        held,
        "here: allow if container works (it was not tried), else deny",
        'to let it through: make the sandbox work, or set unavailable = "ask" under [sandbox]',
      ],
      [
        "deny: there is no sandbox for it: it is judged as if there were none",
        'in the sandbox: ask: the rule ask "Bash:make *" names it',
        "here: ask if container works (it was not tried), else deny",
        'to let it through: make the sandbox work, or set unavailable = "ask" under [sandbox]',
        "to let it through in the sandbox: a person says yes, or --auto-approve; or take that rule out",
      ],
    ]);
  },
  300_000,
);

test("[PERM-12 SBX-01] if no sandbox is wanted, the answer says so instead of a verdict that applies nowhere here", async () => {
  using home = cinchHome();
  await using directory = temporaryDirectory();
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  const run = async (text: string, args: readonly string[], stdin = "") => {
    writeFileSync(join(home.path, "config/cinch/config.toml"), text);
    return (await runCinch(["permissions", "explain", ...args], { home, cwd: directory.path, stdin })).stdout;
  };
  // It asks whatever `unavailable` says, as a session does.
  const none = '[sandbox]\nbackend = "none"\nunavailable = "refuse"\n';
  expect(await run(none, ["npm test"])).toBe(
    'ask: npm is not known to only read; it needs the level DangerFullAccess, and the ceiling is WorkspaceWrite\nhere: as above, since there is no sandbox: backend = "none" under [sandbox]\nto let it through: a person says yes, or --auto-approve, or [permissions] allow = ["Bash:npm test"] in config.toml\n',
  );
  const call = '{"tool":"Bash","input":{"command":"npm test"}}';
  expect(JSON.parse(await run(none, ["--json"], call))).toMatchObject({ decision: "ask", sandbox: null });
  const container = '[sandbox]\nbackend = "container"\nimage = "work"\n';
  expect(JSON.parse(await run(container, ["--json"], call))).toMatchObject({
    decision: "ask",
    in_sandbox: "allow",
    sandbox: "container",
  });
});

requireProgram("bwrap")(
  "[PERM-12 SBX-01] where the paths of a session keep the sandbox from working, the one remedy is to remove the cause",
  async () => {
    using home = cinchHome();
    await using directory = temporaryDirectory();
    mkdirSync(join(home.path, "config/cinch"), { recursive: true });
    const hidden = '[sandbox]\nhidden = ["/usr/bin/bash", "/bin/bash"]\nunavailable = "ask"\n';
    writeFileSync(join(home.path, "config/cinch/config.toml"), hidden);
    const explained = await runCinch(["permissions", "explain", "npm test"], { home, cwd: directory.path });
    const [, , here = "", ...rest] = explained.stdout.trimEnd().split("\n");
    expect(here).toStartWith("here: deny, since the sandbox works on this machine, but not with ");
    expect(rest).toEqual([
      "to let it through: take away what keeps the sandbox from working; nothing else lifts it",
    ]);
  },
  60_000,
);
