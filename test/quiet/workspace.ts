import { chmodSync, cpSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A workspace that is laid out to catch commands, and what lies around it. */
export interface HostileWorkspace {
  readonly root: string;
  readonly home: string;
  /** A folder beside the workspace: nothing of it may be read. */
  readonly outside: string;
}

const FILES: Readonly<Record<string, string>> = {
  "notes.txt": "a\nfoo b:c\n: > PWNED #A\n1 2 3\n",
  "data.json": '{"a":{"b":[1,{"c":"touch PWNED"}]}}\n',
  "names.txt": "notes.txt\n.env\n",
  "nul.txt": "notes.txt\0.env\0",
  "@notes.txt": "-n1\n",
  "--output=PWNED": "x\n",
  "-o": "x\n",
  ".env": "KEY=1\n",
  "server.pem": "KEY\n",
  "src/a.ts": "foo\n",
  "src/b.txt": "foo bar\n",
  "odd/a -f/notes.txt": "x\n",
  "keys/.env.local": "KEY=1\n",
  ".gitattributes": "*.txt diff=run filter=run\n",
  ".rgignore": "nothing\n",
};

/**
 * Makes the workspace in a folder that is there. Every program in it, and every setting of git that runs,
 * touches PWNED.
 */
export function makeWorkspace(folder: string): HostileWorkspace {
  const [root, home, outside] = [join(folder, "app"), join(folder, "home"), join(folder, "outside")];
  for (const [name, text] of Object.entries(FILES)) put(join(root, name), text);
  put(join(outside, "secret.txt"), "secret\n");
  // To xargs, two words: the second has grep read a file outside.
  put(join(root, `odd/a -f${outside}/secret.txt`), "x\n");
  put(join(home, ".ssh/id_rsa"), "KEY\n");
  put(join(home, ".gitconfig"), "[user]\n\tname = a\n\temail = a@b\n");
  const program = `#!/bin/sh\n: > ${join(root, "PWNED")}\n`;
  for (const name of ["ls", "git", "cat", "0/ls", "0/git", "0/nice", "src/grep"]) {
    put(join(root, name), program);
    chmodSync(join(root, name), 0o755);
  }
  mkdirSync(join(root, "links"), { recursive: true });
  symlinkSync("../../outside/secret.txt", join(root, "links/notes.txt"));
  symlinkSync("../outside/secret.txt", join(root, "x[y]"));
  symlinkSync("../outside", join(root, "up"));
  symlinkSync(".env", join(root, "harmless.txt"));
  makeRepositories(root, home);
  return { root, home, outside };
}

function makeRepositories(root: string, home: string): void {
  const git: Git = (cwd, ...args) => {
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home };
    const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd, env });
    if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout.toString();
  };
  git(root, "init", "-q", "-b", "main");
  git(root, "add", "notes.txt", "data.json", "src", ".gitattributes");
  git(root, "commit", "-q", "-m", "first");
  put(join(root, "src/a.ts"), "foo\nbar\n");
  git(root, "commit", "-q", "-am", "second");
  git(root, "tag", "v1");
  sign(root, git);
  // The index is out of date: git would write it anew.
  utimesSync(join(root, "notes.txt"), 1_000_000_000, 1_000_000_000);
  put(join(root, "src/a.ts"), "foo\nbaz\n");
  mkdirSync(join(root, "sub/.git"), { recursive: true });
  const evil = join(root, "evil");
  mkdirSync(evil);
  git(evil, "init", "-q", "-b", "main");
  put(join(evil, "notes.txt"), "a\n");
  git(evil, "add", ".");
  git(evil, "commit", "-q", "-m", "first");
  const run = `: > ${join(root, "PWNED")}; false`;
  for (const [key, value] of [
    ["core.fsmonitor", run],
    ["diff.external", run],
    ["filter.run.clean", run],
    ["diff.run.textconv", run],
    ["diff.run.command", run],
    ["gpg.program", join(root, "0/ls")],
    ["log.showSignature", "true"],
    ["core.pager", run],
  ] as const)
    git(evil, "config", key, value);
  put(join(evil, ".gitattributes"), "*.txt filter=run diff=run\n");
  utimesSync(join(evil, "notes.txt"), 1_000_000_000, 1_000_000_000);
  put(join(root, "pointed/.git"), "gitdir: ../evil/.git\r\n");
  put(join(root, "pointed/.gitattributes"), "*.txt filter=run diff=run\n");
  put(join(root, "pointed/notes.txt"), "b\n");
  cpSync(evil, join(root, "nest"), { recursive: true });
  mkdirSync(join(root, "nest/sub/.git"), { recursive: true });
}

type Git = (cwd: string, ...args: readonly string[]) => string;

/** A commit with a signature, which git looks at with gpg where a format asks for it. */
function sign(root: string, git: Git): void {
  const commit = git(root, "cat-file", "commit", "HEAD");
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n";
  const file = join(root, ".git/signed");
  writeFileSync(
    file,
    commit.replace(/^(committer .*\n)/m, (line) => line + signature),
  );
  git(root, "update-ref", "refs/heads/main", git(root, "hash-object", "-t", "commit", "-w", file).trim());
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
