import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { testWorld } from "../../../../test/support/world.ts";
import { TOOLS } from "../../../app/plan/tool-list.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import type { Effect, Rule, RuleScope } from "../../../session/guard/rule.ts";
import { BASH_FACTS } from "../../../tools/bash/bash.ts";
import { READ_FACTS } from "../../../tools/files/read.ts";
import type { CallPlan, PathUse } from "../../../tools/tool.ts";
import { inspectCommand } from "../inspection/inspect-command.ts";
import { parseRule, printRule } from "../rules/rule.ts";
import { factsFromWords } from "./command-facts.ts";
import type { CommandView, Decision } from "./judge.ts";
import { judge } from "./judge.ts";

const place = { root: "/w/app", scratch: "/tmp/scratch" };
const WRITES = ["Write:**", "Edit:**", "MultiEdit:**"];
const DEFAULT: Policy = {
  ceiling: "WorkspaceWrite",
  firm: false,
  strict: false,
  quiet: true,
  bashInSandbox: "allow",
  rules: rules("allow", "profile", ...WRITES),
  ownDirectories: ["/home/user/.config/cinch"],
};

function rules(effect: Effect, scope: RuleScope, ...texts: readonly string[]): readonly Rule[] {
  return texts.map((text) => {
    const parsed = parseRule({ effect, text }, scope, TOOLS);
    if (parsed.kind === "problem") throw new Error(parsed.problem);
    return parsed.rule;
  });
}

function policy(...added: readonly (readonly Rule[])[]): Policy {
  return { ...DEFAULT, rules: [...DEFAULT.rules, ...added.flat()] };
}

function bash(command: string, cwd = place.root): CallPlan {
  return { summary: command, target: { kind: "command", command, cwd } };
}

function paths(tool: string, access: PathUse["access"], ...all: readonly string[]): CallPlan {
  return {
    summary: `${tool}:${all[0]}`,
    target: { kind: "paths", paths: all.map((path) => ({ path, access })) },
  };
}

function decide(tool: string, plan: CallPlan, by: Policy = DEFAULT): Decision {
  const { target } = plan;
  const view = target.kind === "command" ? { facts: factsFromWords(target) } : undefined;
  return judge(plan, TOOLS.of(tool) ?? { name: tool, level: "ReadOnly" }, by, place, view);
}

/** Judges a command like the gate: after an inspection of the disk, on which there is no /w/app. */
async function looked(
  command: string,
  by: Policy = DEFAULT,
  cwd = place.root,
  confined?: CommandView["confined"],
): Promise<Decision> {
  const plan = bash(command, cwd);
  const facts = await inspectCommand({ kind: "command", command, cwd }, place, {
    files: testWorld().files,
    ownDirectories: by.ownDirectories,
  });
  const view = { facts, ...(confined === undefined ? {} : { confined }) };
  return judge(plan, BASH_FACTS, by, place, view);
}

async function lookedKinds(by: Policy, commands: readonly string[]): Promise<readonly string[]> {
  const decisions = await Promise.all(commands.map((command) => looked(command, by)));
  return decisions.map(({ kind }) => kind);
}

function kinds(tool: string, by: Policy, plans: readonly CallPlan[]): readonly string[] {
  return plans.map((plan) => decide(tool, plan, by).kind);
}

test("[PERM-01] reads and edits in the workspace run, a command is asked for, in the default profile", () => {
  expect(decide("Read", paths("Read", "read", "/w/app/a.ts"))).toEqual({
    kind: "allow",
    why: "it only reads",
  });
  expect(decide("Edit", paths("Edit", "write", "/w/app/a.ts")).kind).toBe("allow");
  expect(decide("Bash", bash("npm test"))).toEqual({
    kind: "ask",
    why: "it needs the level DangerFullAccess, and the ceiling is WorkspaceWrite",
    cause: "level",
    personOnly: false,
    needs: "DangerFullAccess",
  });
});

test("[PERM-01] a deny rule is judged before everything else", () => {
  const by = {
    ...policy(rules("deny", "user", "Bash:git push *"), rules("allow", "user", "Bash")),
    strict: true,
  };
  expect(decide("Bash", bash("git push origin"), by)).toMatchObject({ kind: "deny", because: "rule" });
  expect(decide("Bash", bash("git log"), by)).toMatchObject({ kind: "deny", because: "level" });
});

test("[PERM-01] above the ceiling a profile's rule allows nothing, the person's own rule does, unless --level was given", () => {
  const low: Policy = { ...DEFAULT, ceiling: "ReadOnly" };
  const edit = paths("Edit", "write", "/w/app/src/a.ts");
  expect(decide("Edit", edit, low).kind).toBe("ask");
  const own = { ...low, rules: [...low.rules, ...rules("allow", "user", "Edit:src/**")] };
  expect(decide("Edit", edit, own).kind).toBe("allow");
  expect(decide("Edit", edit, { ...own, firm: true }).kind).toBe("ask");
  const answered = { ...own, firm: true, rules: rules("allow", "session", "Edit") };
  expect(decide("Edit", edit, answered).kind).toBe("allow");
  expect(decide("Edit", edit, { ...answered, strict: true }).kind).toBe("deny");
});

test("[PERM-01] a command that only reads counts as ReadOnly, even in a strict profile", async () => {
  const strict: Policy = { ...DEFAULT, ceiling: "ReadOnly", strict: true };
  expect(await lookedKinds(strict, ["pwd", "ls -la", "cat src/a.ts | head -3", "ls -la --colour"])).toEqual([
    "allow",
    "allow",
    "allow",
    "deny",
  ]);
  expect((await looked("pwd", { ...strict, quiet: false })).kind).toBe("deny");
});

test("[PERM-01] to write outside the workspace takes full access, whatever the tool declares", () => {
  const strict: Policy = { ...DEFAULT, strict: true };
  expect(decide("Write", paths("Write", "write", "/w/app-secret/x"), strict)).toMatchObject({
    because: "level",
  });
  expect(decide("Write", paths("Write", "write", "/w/app/x", "/etc/x"), DEFAULT).kind).toBe("ask");
});

test("[PERM-02] edits in src are allowed, in config and tests denied, by whatever tool", () => {
  const by = {
    ...DEFAULT,
    rules: [
      ...rules("allow", "user", "Edit:src/**", "Write:src/**"),
      ...rules("deny", "user", "Edit:config/", "Edit:tests"),
    ],
  };
  const at = (path: string) => paths("Edit", "write", path);
  const all = ["src/a.ts", "src/x/b.ts", "config/a", "tests/deep/b", "README.md", "Config/a", "srcs/a"].map(
    (path) => at(`/w/app/${path}`),
  );
  expect(kinds("Edit", by, all)).toEqual(["allow", "allow", "deny", "deny", "ask", "deny", "ask"]);
  expect(decide("Write", at("/w/app/config/a"), by).kind).toBe("deny");
});

test("[PERM-02 S21] a path is compared by components after `..` is resolved", () => {
  const by = { ...DEFAULT, rules: rules("allow", "user", "Write:/w/app/**") };
  const all = ["/w/app-secret", "/w/app/../x", "/w//app/x", "/w/app/./y", "/w/app/x/"].map((path) =>
    paths("Write", "write", path),
  );
  expect(kinds("Write", by, all)).toEqual(["ask", "ask", "allow", "allow", "allow"]);
});

test("[PERM-02 S22] of a link, both the place it stands at and the place it leads to are judged", () => {
  const link = (spelled: string, path: string, access: PathUse["access"]): CallPlan => ({
    summary: `Edit:${path}`,
    target: { kind: "paths", paths: [{ path: `/w/app/${path}`, spelled, access }] },
  });
  const by = {
    ...DEFAULT,
    rules: [...rules("allow", "user", "Edit:src/**"), ...rules("deny", "user", "Edit:config/**")],
  };
  const edits = [
    link("/w/app/src/link", "src/a", "write"),
    link("/w/app/docs/link", "src/a", "write"),
    link("/w/app/src/link", "docs/a", "write"),
    link("/w/app/config/link", "src/a", "write"),
    link("/w/app/src/link", "config/a", "write"),
    link("/somewhere/app/src/a", "src/a", "write"),
  ];
  expect(kinds("Edit", by, edits)).toEqual(["allow", "ask", "ask", "deny", "deny", "allow"]);
  expect(decide("Edit", link("/w/app/.git/x", "src/a", "write"), by)).toMatchObject({ personOnly: true });
  expect(decide("Read", link("/w/app/.env", "src/a", "read")).kind).toBe("ask");
  expect(decide("Read", link("/w/app/x", ".env", "read")).kind).toBe("ask");
  expect(decide("Read", link("/w/app/x", "src/a", "read")).kind).toBe("allow");
});

test("[PERM-02] a call with several paths is allowed only where every path is, and denied where one is", () => {
  const by = policy(rules("deny", "user", "Write:dist/**"));
  expect(decide("Write", paths("Write", "write", "/w/app/a", "/etc/passwd"), by).kind).toBe("ask");
  expect(decide("Write", paths("Write", "write", "/w/app/a", "/w/app/dist/b"), by).kind).toBe("deny");
  expect(decide("Write", paths("Write", "write"), by).kind).toBe("ask");
});

test("[PERM-02] an ask rule beats an allow rule and the quiet preset, and an answer of this run beats it", () => {
  const by = policy(
    rules("ask", "user", "Read:secrets/**", "Bash:npm publish *"),
    rules("allow", "user", "Bash:npm *"),
  );
  expect(decide("Read", paths("Read", "read", "/w/app/secrets/a"), by).kind).toBe("ask");
  expect(decide("Bash", bash("npm publish --dry-run"), by).kind).toBe("ask");
  expect(decide("Bash", bash("npm test"), by).kind).toBe("allow");
  const answered = {
    ...by,
    rules: [...by.rules, ...rules("allow", "session", "Bash:npm publish --dry-run")],
  };
  expect(decide("Bash", bash("npm publish --dry-run"), answered).kind).toBe("allow");
});

test("[PERM-02 PROF-03] a repository's rule can restrict, never allow", () => {
  expect(parseRule({ effect: "allow", text: "Bash" }, "project", TOOLS)).toMatchObject({ kind: "problem" });
  const smuggled: Rule = {
    effect: "allow",
    scope: "project",
    tool: "Bash",
    about: "runs-commands",
    match: { kind: "any" },
  };
  const full: Policy = { ...policy([smuggled]), ceiling: "DangerFullAccess" };
  expect(decide("Bash", bash("id"), full).kind).toBe("ask");
  expect(
    decide("Read", paths("Read", "read", "/w/app/x"), policy(rules("deny", "project", "Read:x"))).kind,
  ).toBe("deny");
});

test("[PERM-04] the todo list and a session's own background runs need no question, a stranger's tool does", () => {
  const plan = (name: string): CallPlan => ({ summary: name, target: { kind: "none" } });
  expect(["TodoWrite", "BashTask", "mcp_thing"].map((name) => decide(name, plan(name)).kind)).toEqual([
    "allow",
    "allow",
    "ask",
  ]);
});

test("[PERM-04] the quiet preset covers reads below the workspace and in the tools' scratch, nothing that holds keys", () => {
  const read = (path: string) => paths("Read", "read", path);
  const quiet = [
    "/w/app",
    "/w/app/a",
    "/w/app/.github/x.yml",
    "/tmp/scratch/out.txt",
    "/w/app/.env.example",
  ].map(read);
  expect(kinds("Read", DEFAULT, quiet)).toEqual(quiet.map(() => "allow"));
  const asked = [
    ...[
      "/etc/passwd",
      "/w/app/.env",
      "/w/app/.env.local",
      "/w/app/.ENV",
      "/w/app/a/.ssh/config",
      "/w/app/key.pem",
    ],
    ...[
      "/w/app/.npmrc",
      "/w/app/.netrc",
      "/w/app/.aws/config",
      "/w/app/.env::$DATA",
      "/w/app/.env. ",
      "/w/app/id_rsa",
    ],
  ].map(read);
  expect(kinds("Read", DEFAULT, asked)).toEqual(asked.map(() => "ask"));
  expect(kinds("Read", { ...DEFAULT, quiet: false }, quiet)).toEqual(quiet.map(() => "ask"));
  expect(decide("Write", paths("Write", "write", "/w/app/.env")).kind).toBe("ask");
  expect(decide("Read", paths("Read", "write", "/w/app/a")).kind).toBe("ask");
  expect(decide("Stranger", paths("Stranger", "read", "/w/app/a")).kind).toBe("ask");
});

test("[PERM-04] what goes to a descriptor that is open already, or nowhere, needs no question; the terminal and files do", async () => {
  const quiet = [">&2", "2>&1", "&> /dev/null", ">> /dev/null", "0< /dev/null", "< a"];
  const asked = [
    "> /dev/stderr",
    ">> /dev/stdout",
    "2> /dev/fd/1",
    ">& /dev/stderr",
    "3>&1",
    "2>&-",
    "<> a",
  ].concat([...["> /dev/tty", "> /dev/fd/3", "> /dev/stdout.txt", "> dev/stdout", "> /dev/pts/0", "> out"]]);
  expect(
    await lookedKinds(
      DEFAULT,
      [...quiet, ...asked].map((to) => `pwd ${to}`),
    ),
  ).toEqual([...quiet.map(() => "allow"), ...asked.map(() => "ask")]);
});

test("[PERM-04] without a look at the disk no command counts as a read: a path may be a link", () => {
  expect(decide("Bash", bash("ls")).kind).toBe("ask");
});

test("[PERM-01 S14 S39] .git, .cinch and cinch's own files always take a person, whatever rule stands", () => {
  const by = policy(rules("allow", "user", "Write", "Bash"), rules("allow", "session", "Write", "Bash"));
  const written = [
    "/w/app/.git/hooks/x",
    "/w/app/.GIT/config",
    "/w/app/.cinch/config.toml",
    "/w/app/a/.git",
    "/w/app/.git ./x",
  ];
  for (const path of [...written, "/home/user/.config/cinch/config.toml"]) {
    expect(decide("Write", paths("Write", "write", path), by)).toMatchObject({
      kind: "ask",
      personOnly: true,
    });
  }
  for (const command of [
    "cp x .git/hooks/y",
    "cat '.ci''nch/x'",
    "tee .CINCH/a",
    "rm -rf .git",
    "cat /home/user/.config/cinch/x",
    "cat ~/.config/cinch/x",
    'cd "$HOME"/.config/cinch',
  ]) {
    expect(decide("Bash", bash(command), by)).toMatchObject({ kind: "ask", personOnly: true });
  }
  // An earlier call has gone there: `cd .g*` is not seen in the words, but where the next one runs is.
  for (const cwd of ["/w/app/.git", "/w/app/.git/hooks", "/w/app/a/.cinch", "/home/user/.config/cinch"]) {
    expect(decide("Bash", bash("echo x > pre-commit", cwd), by)).toMatchObject({ personOnly: true });
  }
  expect(decide("Bash", bash("cat .gitignore"), by).kind).toBe("allow");
  expect(decide("Bash", bash("git clone https://example.com/a.git"), by).kind).toBe("allow");
  expect(decide("Read", paths("Read", "read", "/w/app/.git/HEAD"), by).kind).toBe("allow");
  const scratch = { root: "/w/app", scratch: "/home/user/.config/cinch/scratch" };
  const spilled = paths("Read", "read", "/home/user/.config/cinch/scratch/out");
  expect(judge(spilled, READ_FACTS, DEFAULT, scratch).kind).toBe("allow");
});

test("[PERM-02 PERM-11 S06 S07] a pattern allows a command by its words, and nothing that stands around it", async () => {
  const by = policy(rules("allow", "user", "Bash:npm *", "Bash:grep -r * src", "Bash:make test-*"));
  const allowed = [
    ...[
      "npm",
      "npm test",
      "npm run a:b --x=1",
      "grep -r foo src",
      "make test-unit",
      "npm  test",
      " npm\ttest ",
    ],
    ...[
      "npm 'a b'",
      'npm "a;b"',
      "npm \\x",
      "npm test # a word",
      "npm a && npm b",
      "(npm a; npm b) | npm c",
      "npm !!",
    ],
    ...[
      "cd src && npm test 2>&1 | tail -5",
      "npm test | grep -c fail",
      "echo start; npm test",
      "npm test || true",
      "timeout 60 npm test",
    ],
  ];
  expect(await lookedKinds(by, allowed)).toEqual(allowed.map(() => "allow"));
  const not = [
    ...[
      "npm test; idx",
      "npm test && idx",
      "npm test & idx",
      "npm test | sh",
      "npm test\nidx",
      "npm test\r\nidx",
    ],
    ...[
      "npm $(idx)",
      "npm `idx`",
      "npm <(idx)",
      "npm > x",
      "npm $IFS",
      "npm ${x@P}",
      "npm {a,b}",
      "npm *",
      "npm ?",
      "npm ~",
    ],
    ...["npm\u2028id", "npm\u0000id", "X=1 npm test", "npmx", "make test", "make test-a b"],
    ...[
      "sudo npm test",
      "env A=1 npm test",
      "xargs npm",
      "npm test < /etc/passwd",
      "cd / && npm test",
      "npm() { idx; }; npm",
    ],
    ...[
      "bash -c 'npm test'",
      "npm test <<< $(idx)",
      "npm test <<X\n$(idx)\nX",
      "./npm test",
      "/tmp/npm test",
    ],
  ];
  expect(await lookedKinds(by, not)).toEqual(not.map(() => "ask"));
  expect((await looked("npm test", by, "/elsewhere")).kind).toBe("ask");
  const anything = policy(rules("allow", "user", "Bash:* --run"));
  expect(await lookedKinds(anything, ["node --run", "A=1 --run", "true --run"])).toEqual([
    "allow",
    "ask",
    "allow",
  ]);
});

test("[PERM-02] a rule without a pattern allows the very same command and no other", () => {
  const command = "npm test && echo *.ts > 'a b'";
  const by = policy(rules("allow", "user", `Bash:=${command}`, "Bash:npm run lint"));
  expect(decide("Bash", bash(command), by).kind).toBe("allow");
  expect(decide("Bash", bash("npm run lint"), by).kind).toBe("allow");
  for (const other of [`${command} `, command.replace("*", "x"), "npm run lint2", "npm run lint x"]) {
    expect(decide("Bash", bash(other), by).kind).toBe("ask");
  }
});

test("[PERM-02 S11] a denied command is denied however it is wrapped or quoted", () => {
  const by = policy(
    rules("allow", "session", "Bash"),
    rules("deny", "user", "Bash:rm -rf *", "Bash:curl", "Bash:git push"),
  );
  const denied = [
    ...[
      "rm -rf x",
      "sudo rm -rf /",
      "env A=1 rm -rf x",
      "/bin/rm -rf x",
      "r''m -rf x",
      'r"m" "-rf" x',
      "r\\m -rf x",
    ],
    ...[
      "true;rm -rf x",
      "true && (rm -rf x)",
      "$(rm -rf x)",
      "xargs rm -rf < list",
      "timeout 5 nice rm -rf x",
      "rm\t-rf x",
    ],
    ...[
      "a\nrm -rf x",
      "git -C /x push",
      "git${IFS}push",
      "$'\\x63url' x",
      "$'\\143url' x",
      "x|curl",
      "cu\\\nrl x",
      "busybox curl",
    ],
  ];
  expect(
    kinds(
      "Bash",
      by,
      denied.map((command) => bash(command)),
    ),
  ).toEqual(denied.map(() => "deny"));
  expect(decide("Bash", bash("git pull; rmdir x"), by).kind).toBe("allow");
});

test("[PERM-02 S09] a denied command is found behind thousands of others", () => {
  const by = policy(rules("allow", "user", "Bash"), rules("deny", "user", "Bash:curl *"));
  for (const parts of [1, 49, 50, 51, 500, 5_000, 200_000]) {
    expect(decide("Bash", bash(`${"true;".repeat(parts)}curl x`), by).kind).toBe("deny");
  }
});

test("[PERM-09] a rule is written as the call is named, and reads back as itself", () => {
  const texts = [
    "Bash:npm test",
    "Bash:npm *",
    "Bash:=ls *.ts",
    "Read:src/**",
    "Write:/etc/hosts",
    "Edit",
    "Glob:a",
    "mcp_x",
  ];
  for (const text of texts) expect(rules("deny", "user", text).map(printRule)).toEqual([text]);
  expect(rules("deny", "user", "Bash:*", "Write:./src/", "Bash:=npm test").map(printRule)).toEqual([
    "Bash",
    "Write:src/**",
    "Bash:npm test",
  ]);
});

test("[PERM-09] property: any literal can be printed and read again", async () => {
  await fc.assert(
    fc.property(
      fc.constantFrom("Bash", "Read"),
      fc.string({ minLength: 1, unit: "binary" }),
      (tool, text) => {
        const about = TOOLS.of(tool)?.effect;
        const rule: Rule = { effect: "allow", scope: "user", tool, about, match: { kind: "literal", text } };
        expect(rules("allow", "user", printRule(rule))).toEqual([rule]);
      },
    ),
  );
});

test("[PERM-02] a text that is not a rule is refused with its mistake", () => {
  const wrong = [
    "",
    ":x",
    "Bash:",
    "Bash:=",
    "B ash",
    "Write:../x",
    "Write:!x",
    "Write:~/x",
    "Bash:a | *",
    "Bash:'*'",
  ];
  for (const text of wrong) expect(parseRule({ effect: "deny", text }, "user", TOOLS).kind).toBe("problem");
});

test("[PERM-02 MCP-07] a rule about a server's tool holds as cinch writes its name and as the server does, and allows no other tool by that", () => {
  const call = (name: string, spelled: string, effect: Effect, rule: string) => {
    const plan: CallPlan = { summary: `${name}:{"a":1}`, target: { kind: "none" } };
    return judge(plan, { name, spelled, level: "WorkspaceWrite" }, policy(rules(effect, "user", rule)), place)
      .kind;
  };
  const sum = ["mcp__git_hub__get_sum", "mcp__git_hub__get-sum"] as const;
  for (const rule of [
    "mcp__git_hub__get_sum",
    "mcp__git_hub__get-sum",
    "mcp__git-hub__get_sum",
    "mcp__git-hub__get-sum",
    "mcp__git-hub__*",
    "mcp__git_hub__*",
  ]) {
    expect([rule, call(...sum, "deny", rule)]).toEqual([rule, "deny"]);
    expect([rule, call(...sum, "deny", `${rule}:*A*`)]).toEqual([rule, "deny"]);
    expect([rule, call(...sum, "allow", rule)]).toEqual([rule, "allow"]);
  }
  // Whoever forbids means it, whatever the letters; to allow it takes the very name.
  for (const rule of ["mcp__Git-Hub__Get-Sum", "mcp__GIT_HUB__*", "mcp__git-hub__get.sum"]) {
    expect([rule, call(...sum, "deny", rule)]).toEqual([rule, "deny"]);
    expect([rule, call(...sum, "allow", rule)]).toEqual([rule, "ask"]);
  }
  // Of two tools that are told apart by a hash: the one that is meant.
  const hashed = ["mcp__s__a_b_0123abcd", "mcp__s__a.b"] as const;
  expect(["deny", "allow"].map((effect) => call(...hashed, effect as Effect, "mcp__s__a.b"))).toEqual([
    "deny",
    "allow",
  ]);
  expect(call("mcp__s__a_b", "mcp__s__a_b", "allow", "mcp__s__a.b")).toBe("ask");
  expect(call("mcp__s__ns_do", "mcp__s__ns:do", "deny", "mcp__s__ns:do")).toBe("deny");
  expect(call("mcp__s__ns_do", "mcp__s__ns:do", "deny", "mcp__s__ns:da")).toBe("ask");
  for (const rule of ["mcp__s__get-*", "mcp__s__a,mcp__s__b"])
    expect(parseRule({ effect: "deny", text: rule }, "user", TOOLS)).toEqual({
      kind: "problem",
      problem: `"${rule}" is not a rule: write mcp__SERVER__TOOL for one tool of a server, or mcp__SERVER__* for all of them`,
    });
});
