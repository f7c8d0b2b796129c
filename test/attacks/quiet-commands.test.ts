import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Policy } from "../../src/session/guard/policy.ts";
import { POLICY, verdictOn, withRules } from "../shell/judge-line.ts";
import { requireProgram } from "../support/requires.ts";
import { temporaryDirectory, testWorld } from "../support/world.ts";

// Lines that look as if they only read, and run, write or show something else. Each ran its effect unasked before the
// closed grammar of src/shell/syntax/structure.ts and the whole forms of src/guard/permissions/commands/programs.ts.

/** By class. Every line asks, under every level and beside rules that allow something else. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  "sed, awk and jq: programs that are taken apart": [
    "echo 'touch PWNED #A' | sed 's/[/A/;/]/s/e;/x/p'",
    "sed -n 's/[/A/;/]/p;/w src/p' notes.txt",
    "sed -n '1p;w src/p' notes.txt",
    "sed -n '1,5p\ne touch PWNED' notes.txt",
    "sed -n '/a/w src/p' notes.txt",
    "sed -n '1e touch PWNED' notes.txt",
    "sed -n --expression='1p' -e 'w x' notes.txt",
    "sed -n -i 1p notes.txt",
    "awk '{print $1}{system(\"x\")}' notes.txt",
    "awk '{print $1 > \"x\"}' notes.txt",
    "awk '{print $1}' OFS=x notes.txt",
    "awk -v x=1 '{print $1}' notes.txt",
    "jq '.a | $ENV' notes.txt",
    "jq -n 'input_filename'",
    "jq -f notes.txt .a",
  ],
  "expansions outside of arguments": [
    "echo '$(touch PWNED)'; case ${_@P} in *) ;; esac",
    "echo '$(touch PWNED)'; case x in ${_@P}) ;; esac",
    "echo '$(touch PWNED)'; for x in ${_@P}; do ls; done",
    "echo '$(touch PWNED)'; select x in ${_@P}; do ls; done",
    "echo '$(touch PWNED)'; cat <<X\n${_@P}\nX",
    "echo '$(touch PWNED)'; cat <<< ${_@P}",
    "echo '$(touch PWNED)'; ls > ${_@P}",
    "echo '$(touch PWNED)'; echo ${_@P}",
    "for ((PATH=0; 0; )); do :; done; ls",
    "nice -n $((PATH=0)) ls",
    "timeout $((PATH=0)) ls",
    "nice -n 5 ls",
    "timeout 5 ls",
    "stdbuf -oL ls",
    "command ls",
    "time ls",
    "echo $((PATH=0)); ls",
    "echo $[PATH=0]; ls",
    "echo ${PATH:=0}; ls",
  ],
  "arithmetic in conditions": [
    "[[ PATH=0 -eq 0 ]]; ls",
    "[[ -v a[PATH=0] ]]; ls",
    "((PATH=0)); ls",
    "let PATH=0; ls",
    "[ -v 'a[$(touch PWNED)]' ]",
    "test -v 'a[$(touch PWNED)]'",
    "[ -R 'a[$(touch PWNED)]' ]",
    "[ $PWD = b ]",
  ],
  "variables that something sets": [
    "for PATH in .; do ls; done",
    "for GLOBIGNORE in zz; do cat *; done",
    "for BASH_ENV in x; do ls; done",
    "select PATH in .; do ls; done < notes.txt",
    "coproc PATH { :; }; ls",
    "coproc ls",
    "printf %n PATH; ls",
    "printf 'a%n' PATH; ls",
    "printf '%*n' 1 PATH; ls",
    "printf %ln PATH; ls",
    "printf -v PATH 0; ls",
    "printf '%(%s)T' 1",
    "read PATH < notes.txt; ls",
    "mapfile PATH < notes.txt; ls",
    "readarray GIT_PAGER < notes.txt; git log",
    "getopts a PATH; ls",
    "unset PATH; ls",
    "export PATH; ls",
    "declare -n x=PATH; ls",
    "wait -p PATH; ls",
    "{ls}<notes.txt ls",
    "exec 3<notes.txt; ls",
  ],
  "response files": [
    "strings @.env",
    "strings '@.env'",
    'strings "@"notes.txt',
    "strings \\@notes.txt",
    "strings -n 5 @notes.txt",
    "strings -- @notes.txt",
    "strings @note[s].txt",
  ],
  "values compared as raw text": [
    "git log --format='%''G?'",
    "git log --format=%''G?",
    'git log --pretty="%"G?',
    "git log --format=%\\G?",
    "git for-each-ref --format='%(sig''nature)'",
    "git for-each-ref --sort=signature",
    "node '--version' x",
  ],
  "patterns that match nothing, or another file": [
    "sort --outpu[t]=x notes.txt",
    "sort --output=* notes.txt",
    "sort -o[M]ADE notes.txt",
    "sort -- --output=* -o x notes.txt",
    "cat x[y]",
    "cat x[y]*",
    "strings *notes.txt",
    "find -del[e]te",
  ],
  "words that a variable may turn into a flag": [
    'grep "-f$HOME/.ssh/id_rsa" notes.txt',
    'grep "$LANG-f.env" notes.txt',
    'head "-n$?" notes.txt',
    "echo $PWD",
  ],
  "flags that reach a file, a time or a name server": [
    "xxd -ps src/a.ts notes.txt",
    "xxd -r notes.txt x",
    "od -w ../outside.txt",
    "od -w .env",
    "tail -cf notes.txt",
    "od -vw ../outside.txt",
    "git ls-files -X ../outside.txt",
    "git blame -S notes.txt notes.txt",
    "id root",
    "whereis ls",
    "date -d 'TZ=\"/etc/shadow\" now'",
    "file -p notes.txt",
    "hostname -f",
    "hostname -i",
    "cat notes.txt | tac",
    "cat notes.txt | file -",
    "npm --version",
    "fd -l a",
    "fdfind --list-details",
  ],
  "searches that open what they find": [
    "find . | xargs grep -l x",
    "find . -exec grep -l x {} \\;",
    "find odd -type f | xargs grep -l x",
    "find links | xargs grep -l x",
    "find src -type f | xargs grep -h x",
    "find src -type f | xargs grep -l x notes.txt",
    "find src -type f | xargs -I{} grep -l x {}",
    "find src -type f | sort | xargs grep -l x",
    "find src -type f -print0 | xargs grep -l x",
    "find src -type f -exec grep -lr x {} \\;",
    "find src -type f -exec grep -l -f {} \\;",
    "find src -type f -exec grep -l x {} \\; -delete",
    "find -D exec src",
    "diff -r links src",
    "diff . src",
  ],
  "searches whose names come from elsewhere, or open more than they print": [
    "find src -type f | xargs grep -l x < notes.txt",
    "find src -type f | xargs grep -l x 0<notes.txt",
    "find src -type f | xargs grep -l x 0>&2",
    "find 'a ../outside.txt b' -name '*.md' 2>&1 | xargs grep -l x",
    "find 'a ../outside.txt b' -name '*.md' 1>/dev/null 2>&1 | xargs grep -l x",
    "find 'odd/a -f/x' -type f | xargs grep -l x",
    "find . -mindepth 1 -type f -name '*.ts' -print -o -prune -exec grep -l x {} \\;",
    "find links -print -type f -name '*.ts' | xargs grep -l x",
    "find links -mindepth 1 -type f -name '*.ts' -path -print -o -prune -name '*' | xargs grep -l x",
  ],
  "flags behind an operand, which the program takes for files": [
    "xxd notes.txt -a",
    "xxd notes.txt -l5",
    "xxd notes.txt --",
    "uniq notes.txt -c",
    "awk '{print $1}' -F x",
    "awk '{print $1}' -Fx",
    "awk '{print $1}' -- notes.txt",
  ],
  "values that the program does not take where they are attached": [
    "tree -Po '*' src/p",
    "tree -Io '*' src/p",
    "tree -L2o src/p",
    "tree -aPo '*' src/p",
  ],
  "questions whether something is there, outside the workspace": [
    "[ -f ~/.ssh/id_rsa ]",
    "test -r /home/user/.aws/credentials && echo yes",
    "[ ! -e ../outside.txt ]",
    "[ -d /home/user/work -a -s notes.txt ]",
    "[ notes.txt -nt ~/.ssh/id_rsa ]",
    "test ~/.ssh/id_rsa -ef notes.txt",
    "cd /etc && [ -f passwd ]",
  ],
  "redirections that are no copy among 0 to 2": [
    "ls > /dev/stdout",
    "ls >& x",
    "ls 3>&1",
    "ls 2>&-",
    "ls <> notes.txt",
    "ls < /dev/tcp/localhost/80",
    "ls <<< x",
    "cat <<'X'\nx\nX",
  ],
  "other constructs": [
    "(ls)",
    "{ ls; }",
    "if true; then ls; fi",
    "while false; do ls; done",
    "case x in x) ls ;; esac",
    "f() { ls; }",
    "ls &",
    "ls |& cat",
    "A=1 ls",
    "eval ls",
    "bash -c ls",
    "echo {a,b}",
  ],
};

/** Twins of those that only read: the classes are told apart, and not refused as a whole. */
const READING = [
  "sed -n '1,5p;$p' notes.txt",
  "sed -n /foo/p notes.txt | head -3",
  "awk -F: '{print $2}' notes.txt",
  "awk 'NR>=2 && NR <= 3' notes.txt",
  "jq '.a.b[0].c[]' notes.txt",
  "printf '%s\\n' a b",
  "strings notes.txt",
  "od -w16 notes.txt",
  "od -w notes.txt",
  "tail -n +2 notes.txt",
  "[ -f notes.txt ] && [ -e .env ] || test -d nowhere",
  "test -x /usr/bin/git && [ -f /etc/os-release ] && [ -f /.dockerenv ]",
  '[ "$?" = 0 ]',
  "[ -n text ] && [ a = b ] && [ 1 -lt 2 ] && [ -t 1 ]",
  "head -c1K notes.txt",
  "find src -type f | xargs grep -l x",
  "find src -type f 2>/dev/null | xargs grep -l x 2>/dev/null",
  "find src -name links -prune -o -type f -name '*.ts' -print | xargs grep -l x",
  "xxd -l 5 notes.txt",
  "xxd -- notes.txt",
  "uniq -c notes.txt",
  "tree -aL 2 -I node_modules",
  "tree -L2 src",
  "find . -name '*.ts' -type f -exec grep -l x {} \\; 2>/dev/null | head -5",
  'cd src && ls | wc -l; ! grep -q x a.ts || echo "$? $PWD" # a comment',
  "cat < notes.txt 2>&1",
  "cat n?tes.t*",
  "diff notes.txt src/a.ts",
  "[ -f notes.txt ] && [ $? -eq 0 ]",
  "date -d '2 days ago' +%F",
];

async function workspace() {
  const directory = temporaryDirectory();
  const root = join(directory.path, "app");
  for (const folder of ["0", "src", "odd/a -f", "links"]) mkdirSync(join(root, folder), { recursive: true });
  for (const program of ["ls", "0/ls", "0/nice"]) {
    writeFileSync(join(root, program), "#!/bin/sh\ntouch PWNED\n");
    chmodSync(join(root, program), 0o755);
  }
  writeFileSync(join(root, ".env"), "KEY=1\n");
  for (const file of ["notes.txt", "@notes.txt", "src/a.ts", "odd/a -f/x"])
    writeFileSync(join(root, file), "a\nb:c\n");
  writeFileSync(join(directory.path, "outside.txt"), "");
  symlinkSync("../outside.txt", join(root, "x[y]"));
  symlinkSync("../../outside.txt", join(root, "links/notes.txt"));
  return { root, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

const POLICIES: Readonly<Record<string, Policy>> = {
  "the default": POLICY,
  "--level ReadOnly": { ...POLICY, ceiling: "ReadOnly", firm: true },
  "another deny rule": withRules(["deny", "Bash:rm *"]),
  // A rule for one command says nothing of the construct around it.
  "an allow rule": withRules(["allow", "Bash:make *"]),
};

describe("commands that seem to only read", () => {
  for (const [name, lines] of Object.entries(CLASSES)) {
    test(`[PERM-04 PERM-01] ${name}: each asks`, async () => {
      await using place = await workspace();
      for (const [by, policy] of Object.entries(POLICIES)) {
        for (const line of lines) {
          const { kind } = await verdictOn(line, policy, { root: place.root });
          expect([by, line, kind]).toEqual([by, line, "ask"]);
        }
      }
      const strict = { ...POLICY, strict: true };
      for (const line of lines)
        expect([line, (await verdictOn(line, strict, { root: place.root })).kind]).toEqual([line, "deny"]);
    });
  }

  test("[PERM-04 PERM-01] their harmless twins go unasked, under ReadOnly and strict too", async () => {
    await using place = await workspace();
    for (const policy of [POLICY, { ...POLICY, ceiling: "ReadOnly", firm: true, strict: true } as const])
      for (const line of READING)
        expect([line, (await verdictOn(line, policy, { root: place.root })).kind]).toEqual([line, "allow"]);
  });

  test("[PERM-11] a rule for a command does not cover a construct that changes what its name means", async () => {
    await using place = await workspace();
    const policy = withRules(["allow", "Bash:make *"], ["allow", "Bash:make"]);
    for (const line of [
      "for PATH in .; do make; done",
      "[[ PATH=0 -eq 0 ]]; make",
      "coproc PATH { :; }; make",
      "nice -n $((PATH=0)) make",
      "printf %n PATH; make",
      "case ${_@P} in *) make ;; esac",
    ])
      expect([line, (await verdictOn(line, policy, { root: place.root })).kind]).toEqual([line, "ask"]);
    for (const line of ["make", "nice -n 5 make x", "(make a && make b) | tail -3"])
      expect([line, (await verdictOn(line, policy, { root: place.root })).kind]).toEqual([line, "allow"]);
  });

  test("[PERM-04] a name that PATH may lead into the workspace asks", async () => {
    await using place = await workspace();
    const { root } = place;
    const kinds = async (path: string, lines: readonly string[]) =>
      await Promise.all(
        lines.map(async (line) => (await verdictOn(line, POLICY, { root, env: { PATH: path } })).kind),
      );
    const lines = ["ls", "cat notes.txt", "/bin/ls", "cd src && ls"];
    expect(await kinds("/usr/bin:/bin", lines)).toEqual(["allow", "allow", "allow", "allow"]);
    expect(await kinds(`${root}:/usr/bin:/bin`, lines)).toEqual(["ask", "allow", "allow", "ask"]);
    expect(await kinds(".:/usr/bin:/bin", lines)).toEqual(["ask", "allow", "allow", "allow"]);
    expect(await kinds("/usr/bin::/bin", lines)).toEqual(["ask", "allow", "allow", "allow"]);
    expect(await kinds("0:/usr/bin:/bin", lines)).toEqual(["ask", "allow", "allow", "allow"]);
    // A folder that comes to be between two looks counts.
    const { files } = testWorld();
    const env = { PATH: `${root}/later/bin:/usr/bin:/bin` };
    expect((await verdictOn("cat notes.txt", POLICY, { root, env, files })).kind).toBe("allow");
    mkdirSync(join(root, "later/bin"), { recursive: true });
    writeFileSync(join(root, "later/bin/cat"), "");
    expect((await verdictOn("cat notes.txt", POLICY, { root, env, files })).kind).toBe("ask");
  });

  // Seen red before the programs that PATH yields were looked at: `pip --version` ran the bash of the workspace.
  test("[PERM-04 PERM-01] with a folder of the workspace on PATH, a script that PATH yields asks, and a program does not", async () => {
    await using place = await workspace();
    await using elsewhere = temporaryDirectory();
    const { root } = place;
    const at = (name: string) => join(elsewhere.path, name);
    const scripts: Readonly<Record<string, string>> = {
      pip: "#!/usr/bin/env bash\necho pip\n",
      jq: "#! /bin/sh\nexec true\n",
      rg: "echo a text that bash runs by itself\n",
      egrep: '#!/bin/sh\nexec grep -E "$@"\n',
      which: "#!/bin/sh\nexec true\n",
    };
    for (const [name, text] of Object.entries(scripts)) writeFileSync(at(name), text, { mode: 0o755 });
    // A shim of a version manager stands in the home, and is a program of another name.
    mkdirSync(at("shims"));
    copyFileSync("/bin/cat", at("manager"));
    symlinkSync(at("manager"), at("shims/node"));
    const verdicts = async (path: string, lines: readonly string[]) =>
      await Promise.all(
        lines.map(
          async (line) =>
            (await verdictOn(line, POLICY, { root, env: { PATH: path }, home: elsewhere.path })).kind,
        ),
      );
    const scripted = ["pip --version", "jq .a notes.txt", "rg x src/a.ts", "egrep x notes.txt", "which ls"];
    const asks = scripted.map(() => "ask" as const);
    const outside = `${elsewhere.path}:/usr/bin:/bin`;
    // PATH outside of the workspace is the person's, as long as no script can come back into the workspace through it.
    expect(await verdicts(outside, scripted)).toEqual(["allow", "allow", "allow", "allow", "allow"]);
    for (const path of [`${root}/.venv/bin:${outside}`, `${outside}:./node_modules/.bin`, `${outside}:`])
      expect([path, await verdicts(path, scripted)]).toEqual([path, asks]);
    const venv = `${root}/.venv/bin`;
    expect(await verdicts(`${venv}:${at("shims")}:/usr/bin:/bin`, ["node --version"])).toEqual(["ask"]);
    expect(await verdicts(`${at("shims")}:/usr/bin:/bin`, ["node --version"])).toEqual(["allow"]);
    const programs = ["cat notes.txt", "grep x notes.txt", "which ls", "no-such-program-here", "/bin/ls"];
    expect(await verdicts(`${venv}:/usr/bin:/bin`, programs)).toEqual([
      "allow",
      "allow",
      "allow",
      "ask",
      "allow",
    ]);
  });

  test("[PERM-04 PERM-01] with a folder of the workspace on PATH, a script of the system that is named by its path asks", async () => {
    await using place = await workspace();
    const { root } = place;
    const isScript = readFileSync("/usr/bin/egrep").subarray(0, 2).toString() === "#!";
    const on = async (path: string) =>
      (await verdictOn("/usr/bin/egrep x notes.txt", POLICY, { root, env: { PATH: path } })).kind;
    expect(await on("/usr/bin:/bin")).toBe("allow");
    expect(await on(`${root}/bin:/usr/bin:/bin`)).toBe(isScript ? "ask" : "allow");
  });
});

const GIT_ENV = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
};

function git(cwd: string, ...args: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["git", ...args], { cwd, env: GIT_ENV });
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
}

describe("the repository that git uses", () => {
  const ask = async (root: string, line: string, env = {}) =>
    (await verdictOn(line, POLICY, { root, env: { PATH: GIT_ENV.PATH, HOME: root, ...env } })).kind;

  requireProgram("git")(
    "[PERM-04 S34] is the one that git says: behind a .git file with other line ends, above an empty .git, in a worktree",
    async () => {
      await using directory = temporaryDirectory();
      const at = (name: string) => join(directory.path, name);
      for (const name of ["pointed", "above", "plain"]) mkdirSync(at(name));
      git(at("pointed"), "init", "-q", "--bare", "evil");
      git(at("pointed"), "-C", "evil", "config", "core.bare", "false");
      writeFileSync(join(at("pointed"), ".git"), "gitdir: evil\r\n");
      git(at("above"), "init", "-q");
      mkdirSync(join(at("above"), "sub/.git"), { recursive: true });
      git(at("plain"), "init", "-q");
      expect([
        await ask(at("pointed"), "git log"),
        await ask(at("above"), "git -C sub status"),
        await ask(at("plain"), "git status"),
      ]).toEqual(["allow", "allow", "allow"]);
      git(at("pointed"), "-C", "evil", "config", "core.fsmonitor", "touch PWNED; false");
      git(at("above"), "config", "core.fsmonitor", "touch PWNED; false");
      expect([
        await ask(at("pointed"), "git status"),
        await ask(at("above"), "git -C sub status"),
        await ask(at("above"), "cd sub && git status"),
      ]).toEqual(["ask", "ask", "ask"]);

      git(
        at("plain"),
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
      );
      git(at("plain"), "worktree", "add", "-q", "tree");
      expect(await ask(join(at("plain"), "tree"), "git status")).toBe("allow");
      git(at("plain"), "config", "extensions.worktreeConfig", "true");
      git(join(at("plain"), "tree"), "config", "--worktree", "core.fsmonitor", "touch PWNED; false");
      expect(await ask(join(at("plain"), "tree"), "git status")).toBe("ask");
    },
  );

  requireProgram("git")(
    "[PERM-04 S34] is asked for without the user's variables for git, and with no repository's program run",
    async () => {
      await using directory = temporaryDirectory();
      const root = join(directory.path, "app");
      mkdirSync(root);
      git(root, "init", "-q");
      git(directory.path, "init", "-q", "evil");
      git(join(directory.path, "evil"), "config", "core.fsmonitor", `touch ${root}/PWNED; false`);
      const env = {
        GIT_DIR: join(directory.path, "evil/.git"),
        GIT_WORK_TREE: root,
        GIT_TRACE: `${root}/PWNED`,
      };
      expect(await ask(root, "git status", env)).toBe("allow");
      // Where git does not tell, it is not known to only read.
      expect(await ask(root, "git status", { PATH: "/nowhere" })).toBe("ask");
      expect(await ask(root, "git status", { PATH: `${root}:${GIT_ENV.PATH}` })).toBe("allow");
      writeFileSync(join(root, "git"), "#!/bin/sh\ntouch PWNED\n");
      chmodSync(join(root, "git"), 0o755);
      expect(await ask(root, "git status", { PATH: `${root}:${GIT_ENV.PATH}` })).toBe("ask");
      mkdirSync(join(root, ".git/objects/info"), { recursive: true });
      writeFileSync(join(root, ".git/objects/info/alternates"), "/elsewhere\n");
      expect(await ask(root, "git log")).toBe("ask");
      expect(existsSync(join(root, "PWNED"))).toBe(false);
    },
  );

  // Seen red without the look at the user's own configuration: the planted git-lfs ran.
  requireProgram("git")(
    "[PERM-04 S34] with a folder of the workspace on PATH, a program that the user's own configuration names is looked for there",
    async () => {
      await using directory = temporaryDirectory();
      const root = join(directory.path, "app");
      const home = join(directory.path, "home");
      for (const folder of [root, home, join(root, "bin")]) mkdirSync(folder);
      git(root, "init", "-q");
      const path = `${root}/bin:${GIT_ENV.PATH}`;
      const settings = (lines: string) => writeFileSync(join(home, ".gitconfig"), lines);
      const verdict = async (line = "git status", PATH = path) => await ask(root, line, { PATH, HOME: home });
      settings('[user]\n\tname = a\n[filter "lfs"]\n\tprocess = git-lfs-of-nobody filter-process\n');
      expect([await verdict(), await verdict("git diff"), await verdict("git --version")]).toEqual([
        "allow",
        "allow",
        "allow",
      ]);
      writeFileSync(join(root, "bin/git-lfs-of-nobody"), "#!/bin/sh\ntouch PWNED\n", { mode: 0o755 });
      expect([await verdict(), await verdict("git diff"), await verdict("git --version")]).toEqual([
        "ask",
        "ask",
        "allow",
      ]);
      expect(await verdict("git status", GIT_ENV.PATH)).toBe("allow");
      for (const value of ["sh -c 'x | y'", "$HOME/x", "./x", "/bin/egrep"]) {
        settings(`[diff "odd"]\n\ttextconv = ${JSON.stringify(value)}\n`);
        expect([value, await verdict("git diff")]).toEqual([value, "ask"]);
      }
      settings('[diff "plain"]\n\ttextconv = cat\n');
      expect(await verdict("git diff")).toBe("allow");
    },
  );
});
