import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { requireProgram } from "../../../../test/support/requires.ts";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { TOOLS } from "../../../app/plan/tool-list.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { hostWorld } from "../../../platform/host.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import type { Rule, RuleSource } from "../../../session/guard/rule.ts";
import { BASH_FACTS } from "../../../tools/bash/bash.ts";
import type { Decision } from "../judge/judge.ts";
import { judge } from "../judge/judge.ts";
import { readRules } from "../rules/read-rules.ts";
import { parseRule } from "../rules/rule.ts";
import { inspectCommand } from "./inspect-command.ts";

const gitTest = requireProgram("git");

interface Verdicts {
  readonly without: Decision["kind"];
  readonly within: Decision["kind"];
}

function rules(...texts: readonly string[]): readonly Rule[] {
  return texts.flatMap((text) => {
    const [, effect = "", rest = ""] = /^(\w+) (.*)$/.exec(text) ?? [];
    const parsed = parseRule({ effect: effect as RuleSource["effect"], text: rest }, "user", TOOLS);
    return parsed.kind === "rule" ? [parsed.rule] : [];
  });
}

/** Judges commands in a repository with a denied folder, without a sandbox and in one. */
async function judging(
  listed: readonly Rule[],
  check: (judged: (command: string) => Promise<Verdicts>) => Promise<void>,
) {
  await using folder = temporaryDirectory();
  const root = folder.path;
  Bun.spawnSync(["git", "init", "-q", "-b", "main"], { cwd: root });
  for (const file of [
    "secrets/deep/plan.txt",
    "secrets/x",
    "src/a.ts",
    "src/old/b.ts",
    "README.md",
    "keys/a.pem",
  ])
    await Bun.write(join(root, file), "x\n");
  mkdirSync(join(root, "docs"));
  const place = { root, scratch: join(root, "../scratch") };
  const policy: Policy = {
    ceiling: "DangerFullAccess",
    firm: false,
    strict: false,
    quiet: true,
    bashInSandbox: "allow",
    rules: listed,
    ownDirectories: [],
  };
  const world = hostWorld(SILENT_LOG);
  const { files } = world;
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder.path };
  const reading = readRules(listed, place);
  const tool = BASH_FACTS;
  await check(async (command) => {
    const target = { kind: "command", command, cwd: root } as const;
    const facts = await inspectCommand(target, place, { files, world, env, ownDirectories: [], reading });
    const plan = { summary: command, target };
    return {
      without: judge(plan, tool, policy, place, { facts }).kind,
      within: judge(plan, tool, policy, place, { facts, confined: { hosts: [] } }).kind,
    };
  });
}

const NAMED = [
  "git show HEAD:secrets/x",
  "git show HEAD:secrets",
  "git show HEAD:./secrets/x",
  "git show :secrets/x",
  "git show :0:secrets/x",
  "git show 'HEAD@{2020-01-01 10:00}:secrets/x'",
  "git show 'HEAD^{/fix: it}:secrets/x'",
  "git show stash@{0}:secrets/x",
  "git --no-pager show HEAD:SECRETS/x",
  "git -C src show HEAD:secrets/x",
  "cd src && git show HEAD:../secrets/x",
  "git cat-file -p HEAD:secrets/x",
  "git cat-file blob HEAD:secrets/deep/plan.txt",
  "git rev-parse HEAD:secrets/x",
  "git ls-tree HEAD:secrets",
  "git grep foo -- secrets",
  "git grep foo HEAD -- secrets/x",
  "git diff -- secrets",
  "git diff secrets/x",
  "git diff HEAD~1 HEAD -- ':/secrets'",
  "cd src && git diff -- ':(top)secrets/x'",
  "git diff -- ':(glob)secrets/**'",
  "git diff -- 'sec*'",
  "git diff -- 'se?rets/deep'",
  "git log -p -- secrets",
  "git log -L1,5:secrets/x",
  "git log --oneline -- secrets/x",
  "git blame secrets/x",
  "git blame HEAD -- secrets/x",
  "git archive HEAD secrets",
  "git archive HEAD:secrets",
  "git read-tree --prefix=copy/ HEAD:secrets",
  "git diff --no-index secrets/x /dev/null",
  "bash -c 'git show HEAD:secrets/x'",
  "env -i git show HEAD:secrets/x",
  "/usr/bin/git show HEAD:secrets/x",
  "/usr/lib/git-core/git-show HEAD:secrets/x",
  'echo "$(git show HEAD:secrets/x)"',
  "find src -name a.ts -exec git show HEAD:secrets/x \\;",
  "true; git -c color.ui=never show HEAD:secrets/x | head",
];

const OPEN = [
  "git log -p",
  "git log -p main src/a.ts --follow",
  "git log -5 --patch",
  "git log -U3",
  "git log -p --full-diff -- src",
  "git log --pat",
  "git show",
  "git show HEAD",
  "git show main",
  "git show 3f2a9bc1",
  "git show --stat 3f2a9bc1",
  "git show 3f2a9bc1 -- src/a.ts",
  "git diff",
  "git diff HEAD~3",
  "git diff --cached",
  "git diff --stat -p",
  "git diff main..topic",
  "git diff 3f2a9bc1 README.md",
  "git diff -- .",
  "git diff -- '*.txt'",
  "git diff -- ':!docs'",
  "git grep foo",
  "git grep foo 3f2a9bc1 -- src",
  "git grep foo HEAD:src -- old/b.ts",
  "git cat-file -p 3f2a9bc1",
  "git cat-file --batch-all-objects --batch",
  "git stash show -p",
  "git archive HEAD",
  "git format-patch -1 --stdout",
  "git worktree add ../elsewhere",
  "git clone . ../elsewhere",
  "git bundle create all.bundle --all",
  "git fast-export --all",
  "git checkout-index -a --prefix=copy/",
  "git commit --dry-run -v",
  "git status -v",
  "git lg",
  "git -c alias.lg='log -p' lg",
  "git --git-dir=.git log -p -- src",
  "git rev-list --all | xargs git show",
  "git --work-tree=/tmp/x checkout HEAD -- .",
  "GIT_WORK_TREE=/tmp/x git checkout HEAD -- .",
  "env GIT_WORK_TREE=/tmp/x git reset --hard",
  "export GIT_DIR=/repository/store; cd /tmp/x && git restore .",
  "cd /tmp/x && git --git-dir=/repository/store checkout -f",
  "git -C /tmp/x pull /repository main",
  "git -C /tmp/x fetch ../repository",
  "git push /tmp/x HEAD",
  "git -C /tmp/x remote add o file:///repository",
];

const CLEAR = [
  "git status",
  "git status --short -uno",
  "git log --oneline -20",
  "git log --stat",
  "git log -p -- src",
  "git log -p main src/a.ts",
  "git show HEAD~1 -- src/a.ts README.md",
  "git show HEAD:src/a.ts",
  "git show --stat HEAD",
  "git diff --stat",
  "git diff --name-only main..topic",
  "git diff src/a.ts",
  "git diff HEAD -- src 'docs/*.md'",
  "git diff -- . ':!secrets'",
  "git diff -- ':(exclude,top)secrets/**'",
  "git grep foo -- src",
  "git grep foo src",
  "git blame src/a.ts",
  "git cat-file -t HEAD",
  "git branch -a",
  "git rev-parse HEAD",
  "git stash list",
  "git ls-files",
];

const WORK = [
  "git fetch origin",
  "git pull --rebase origin main",
  "git push",
  "git checkout HEAD -- src",
  "git remote add o https://example.com/x",
];

gitTest(
  "[PERM-02] what a deny rule forbids to read is not read out of git by its name either, however it is spelt",
  async () => {
    await judging(rules("deny Read:secrets/**"), async (judged) => {
      for (const command of [...NAMED, "git -C ../another show HEAD:secrets/x"])
        expect([command, await judged(command)]).toEqual([command, { without: "deny", within: "deny" }]);
    });
  },
);

gitTest(
  "[PERM-02] where git may print files that it does not name, and a rule denies some of them, a person is asked, in the sandbox too",
  async () => {
    await judging(rules("deny Read:secrets/**", "allow Bash:git *"), async (judged) => {
      const many = `git log --oneline ${Array.from({ length: 600 }, (_, at) => `r${at}`).join(" ")}`;
      const often = "git rev-parse HEAD; ".repeat(200);
      for (const command of [...OPEN, many, often])
        expect([command, await judged(command)]).toEqual([command, { without: "ask", within: "ask" }]);
    });
  },
);

gitTest(
  "[PERM-02] git brings the files of a repository to where they belong in the sandbox, whatever rule is about some",
  async () => {
    await judging(rules("deny Read:secrets/**"), async (judged) => {
      expect((await judged("git checkout HEAD -- src")).within).toBe("allow");
      for (const command of WORK)
        expect([command, (await judged(command)).without]).toEqual([command, "ask"]);
    });
  },
);

gitTest(
  "[PERM-02 PERM-04] git goes unasked where it prints no file, or only files that no rule is about",
  async () => {
    await judging(rules("deny Read:secrets/**"), async (judged) => {
      for (const command of CLEAR)
        expect([command, await judged(command)]).toEqual([command, { without: "allow", within: "allow" }]);
    });
  },
);

gitTest(
  "[PERM-02] a rule that asks about a file is put to a person where git or another reader reads it",
  async () => {
    await judging(rules("ask Read:secrets/**", "allow Bash:git *"), async (judged) => {
      for (const command of [...NAMED, ...OPEN, "cat secrets/x", "grep -r foo .", "cp -r . ../copy"])
        expect([command, await judged(command)]).toEqual([command, { without: "ask", within: "ask" }]);
    });
  },
);

gitTest("[PERM-04] without a rule about reading, git's reads go unasked as before", async () => {
  await judging([], async (judged) => {
    for (const command of [
      "git log -p",
      "git show HEAD:secrets/x",
      "git diff",
      "git grep foo",
      "cat secrets/x",
    ])
      expect([command, (await judged(command)).without]).toEqual([command, "allow"]);
  });
});

gitTest(
  "[PERM-02] what reads whole directories does not read quietly what a rule denies in them",
  async () => {
    const readers = [
      "tar c .",
      "cp -r . ../copy",
      "rsync -a ./ ../copy",
      "zip -r all.zip .",
      "python3 tool.py secrets/x",
    ];
    const quiet = ["grep -r foo .", "rg foo", "diff -r . docs", "find . -type f -print0 | xargs -0 cat"];
    const allowed = rules(
      "deny Read:secrets/**",
      ...["tar", "cp", "rsync", "zip", "python3", "grep", "rg", "diff", "find", "xargs", "cat"].map(
        (name) => `allow Bash:${name} *`,
      ),
    );
    await judging(allowed, async (judged) => {
      for (const command of [...readers, ...quiet])
        expect([command, await judged(command)]).toEqual([command, { without: "ask", within: "allow" }]);
      for (const command of [
        "cat *ecrets/x",
        "cat secrets/*",
        "grep foo secrets/x",
        "head -3 < secrets/x",
        "grep -r foo secrets",
      ])
        expect([command, (await judged(command)).without]).toEqual([command, "deny"]);
      expect(await judged("grep -r foo src")).toEqual({ without: "allow", within: "allow" });
    });
    // What no sandbox can hide is asked about inside one too.
    await judging(rules("deny Read:keys/*.pem"), async (judged) => {
      for (const command of ["grep -r foo .", "tar c .", "cp -r keys copy", "git diff"])
        expect([command, await judged(command)]).toEqual([command, { without: "ask", within: "ask" }]);
      expect((await judged("cat keys/*")).without).toBe("deny");
    });
  },
);
