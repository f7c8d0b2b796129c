import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AttackTargets, Attempt, Control } from "./attempt.ts";

const SAFE = "safe\n";

/**
 * Ways to change a file that exists (`$T`), to make one that does not (`$N`), or to put another folder in the place
 * of `$D`.
 */
const WAYS: readonly (readonly [mechanism: string, script: string])[] = [
  ["redirect", 'echo bad >"$T"'],
  ["append", 'echo bad >>"$T"'],
  ["new", 'echo bad >"$N"'],
  ["cp", 'echo bad >/tmp/bad; cp /tmp/bad "$T"'],
  ["mv-over", 'echo bad >/tmp/bad; mv -f /tmp/bad "$T"'],
  ["rm", 'rm -f "$T"'],
  ["chmod", 'chmod 0777 "$T"'],
  ["truncate", 'truncate -s 0 "$T"'],
  ["dd", 'echo bad | dd of="$T" conv=notrunc'],
  ["mkdir", 'mkdir -p "$N"'],
  ["symlink", 'ln -sf /tmp/bad "$N"'],
  ["through-symlink", 'ln -sfn "$D" ./link-$I; echo bad >"./link-$I/${T##*/}"; rm -f ./link-$I'],
  ["hard-link", 'ln "$T" "./hard-$I" && echo bad >"./hard-$I"'],
  ["proc-self-root", 'echo bad >"/proc/self/root$T"'],
  ["proc-1-root", 'echo bad >"/proc/1/root$T"'],
  ["proc-self-cwd", 'cd "$D" && echo bad >"/proc/self/cwd/${T##*/}"'],
  ["proc-self-fd", 'exec 7<"$D" && echo bad >"/proc/self/fd/7/${T##*/}"'],
  ["rename-file", 'mv "$T" "$N"'],
  ["rename-folder", 'mv "$D" "$D-moved"'],
  ["remount", 'mount -o remount,rw "$D"; mount -o remount,rw /; echo bad >"$T"'],
  ["mount-over", 'mkdir -p /tmp/over; mount --bind /tmp/over "$D" && echo bad >"$T"'],
  ["unmount", 'umount -l "$D"; umount -l /; echo bad >"$T"'],
  ["namespace", 'unshare -Urm sh -c "mount -o remount,rw,bind $D; echo bad >$T"'],
];

interface Target {
  readonly name: string;
  /** The folder that holds the files. */
  readonly folder: string;
  readonly stopped: Control;
  readonly leaveOut?: readonly string[];
}

/** Every way at every place that must not change: the canaries are on the real disk, and looked at from there. */
export function writeAttempts({ root, outside, home }: AttackTargets): readonly Attempt[] {
  const targets: readonly Target[] = [
    { name: "outside", folder: outside, stopped: "read-only root" },
    { name: "home", folder: home, stopped: "read-only root", leaveOut: ["rename-folder"] },
    { name: "host-bin", folder: join(home, ".local", "bin"), stopped: "read-only root" },
    { name: "git-hooks", folder: join(root, ".git", "hooks"), stopped: "protected places" },
    {
      name: "git-modules",
      folder: join(root, ".git", "modules", "sub", "hooks"),
      stopped: "protected places",
    },
    { name: "nested-hooks", folder: join(root, "nested", ".git", "hooks"), stopped: "protected places" },
    {
      name: "deep-hooks",
      folder: join(root, "packages", "deep", ".git", "hooks"),
      stopped: "protected places",
    },
    { name: "cinch", folder: join(root, ".cinch"), stopped: "protected places" },
    { name: "own-config", folder: join(home, ".config", "cinch"), stopped: "hidden places" },
    { name: "ssh", folder: join(home, ".ssh"), stopped: "hidden places" },
  ];
  return targets.flatMap((target) =>
    WAYS.filter(([mechanism]) => target.leaveOut?.includes(mechanism) !== true).map(([mechanism, script]) =>
      writeAttempt(target, mechanism, script),
    ),
  );
}

function writeAttempt({ name, folder, stopped }: Target, mechanism: string, script: string): Attempt {
  const id = `${mechanism}:${name}`;
  const canary = join(folder, `canary-${mechanism}`);
  const fresh = join(folder, `fresh-${mechanism}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(canary, SAFE, { mode: 0o644 });
  return {
    name: id,
    stopped,
    script: `T='${canary}' N='${fresh}' D='${folder}' I='${mechanism}-${name}'; ${script}`,
    harmed: () =>
      !existsSync(canary) ||
      readFileSync(canary, "utf8") !== SAFE ||
      (lstatSync(canary).mode & 0o777) !== 0o644 ||
      lstatSync(fresh, { throwIfNoEntry: false }) !== undefined ||
      existsSync(`${folder}-moved`),
  };
}

/** Attempts on single files that decide, and on ones that do not exist yet (S26). */
export function repositoryAttempts({ root, outside }: AttackTargets): readonly Attempt[] {
  const config = join(root, ".git", "config");
  const before = readFileSync(config, "utf8");
  const changed = () => !existsSync(config) || readFileSync(config, "utf8") !== before;
  const is = (path: string) => () => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const git = join(root, ".git");
  const gone = () => !existsSync(join(git, "hooks")) || !existsSync(join(git, "HEAD"));
  const list: readonly (readonly [name: string, stopped: Control, script: string, harmed: () => boolean])[] =
    [
      ["config:redirect", "protected places", `echo '[core] fsmonitor=x' >>${config}`, changed],
      ["config:git", "protected places", "git config core.fsmonitor /tmp/evil", changed],
      ["config:git-alias", "protected places", "git config alias.st '!evil'", changed],
      ["config:git-include", "protected places", "git config include.path ../evil", changed],
      ["config:mv-over", "protected places", `echo x >/tmp/c; mv /tmp/c ${config}`, changed],
      ["config:sed", "protected places", `sed -i 's/core/evil/' ${config}`, changed],
      ["config:lock", "protected places", `echo x >${config}.lock && mv ${config}.lock ${config}`, changed],
      ["config:rm", "protected places", `rm -f ${config}; echo x >${config}`, changed],
      [
        "git:rename",
        "mount points",
        "mv .git .git-old; mkdir -p .git/hooks; echo evil >.git/hooks/pre-commit",
        gone,
      ],
      ["git:remove", "mount points", "rm -rf .git/hooks .git/config; rmdir .git", gone],
      ["git:exchange", "mount points", "mkdir other; mv -T --exchange other .git", gone],
      ["commondir:new", "sweep", "mkdir -p evil; echo ../evil >.git/commondir", is(join(git, "commondir"))],
      ["commondir:symlink", "sweep", "ln -s ../evil .git/commondir", is(join(git, "commondir"))],
      ["commondir:mv", "sweep", "echo ../evil >c; mv c .git/commondir", is(join(git, "commondir"))],
      [
        "hooks-path:write",
        "protected places",
        "echo evil >.githooks/pre-push",
        is(join(root, ".githooks", "pre-push")),
      ],
      ["hooks-path:rename", "protected places", "mv .githooks .x", is(join(root, ".x"))],
      ["tmp:leave", "own /tmp", "echo evil >/tmp/cinch-canary-x", is("/tmp/cinch-canary-x")],
      ["tmp:var", "own /tmp", "echo evil >/var/tmp/cinch-canary-x", is("/var/tmp/cinch-canary-x")],
      ["shm:leave", "own /dev", "echo evil >/dev/shm/cinch-canary-x", is("/dev/shm/cinch-canary-x")],
      ["etc:new", "read-only root", "echo evil >/etc/cinch-canary-x", is("/etc/cinch-canary-x")],
      ["root:new", "read-only root", "echo evil >/cinch-canary-x", is("/cinch-canary-x")],
      [
        "late-link:write",
        "read-only root",
        `ln -s ${outside} later; echo bad >later/late-1`,
        is(join(outside, "late-1")),
      ],
      [
        "late-link:dangling",
        "read-only root",
        `ln -s ${outside}/late-2 d; echo bad >d`,
        is(join(outside, "late-2")),
      ],
      [
        "late-link:chain",
        "read-only root",
        `ln -s ${outside} l1; ln -s l1 l2; echo bad >l2/late-3`,
        is(join(outside, "late-3")),
      ],
      ["dotdot:write", "read-only root", "echo bad >../outside/late-4", is(join(outside, "late-4"))],
      [
        "chroot:write",
        "capabilities",
        `chroot / sh -c 'echo bad >${outside}/late-5'`,
        is(join(outside, "late-5")),
      ],
    ];
  return list.map(([name, stopped, script, harmed]) => ({ name, stopped, script, harmed }));
}

const READS: readonly (readonly [mechanism: string, script: string])[] = [
  ["cat", 'cat "$T"'],
  ["cp", 'cp "$T" ./copied-$I; cat ./copied-$I'],
  ["symlink", 'ln -s "$T" ./read-$I; cat ./read-$I'],
  ["hard-link", 'ln "$T" ./readh-$I; cat ./readh-$I'],
  ["proc-root", 'cat "/proc/self/root$T" "/proc/1/root$T"'],
  ["tar", 'tar cf - "$T"'],
  ["find", 'find "${T%/*}" -maxdepth 1 -type f -exec cat {} +'],
  ["unmount", 'umount -l "${T%/*}"; umount -l "$T"; cat "$T"'],
  ["namespace", 'unshare -Urm sh -c "umount -l ${T%/*}; cat $T"'],
];

/** Every way to read at every place that holds a credential. */
export function readAttempts({ home, secret }: AttackTargets): readonly Attempt[] {
  const files = [
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".gnupg/private-keys-v1.d/key",
    ".config/gh/hosts.yml",
    ".netrc",
    ".npmrc",
    ".docker/config.json",
    ".kube/config",
    ".git-credentials",
    ".local/share/keyrings/login.keyring",
    ".mozilla/firefox/logins.json",
    ".bash_history",
    ".config/cinch/creds.enc",
    ".local/share/cinch/sessions.db",
    ".local/state/cinch/owner.token",
  ].map((path) => join(home, path));
  return [...files, join(home, "kept", "secret.txt")].flatMap((path) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${secret}\n`);
    const short = path.split("/").slice(-2).join("/");
    return READS.map(([mechanism, script]) => ({
      name: `read-${mechanism}:${short}`,
      stopped: "hidden places" as const,
      script: `T='${path}' I='${mechanism}-${short.replaceAll("/", "-")}'; ${script}`,
    }));
  });
}
