/** Argument syntax of a command that starts another. */
export interface Wrapper {
  /** Letters of flags without a value; they may be combined in one word. */
  readonly flags?: string;
  /** Letters of flags with a value, attached or as the next word. */
  readonly values?: string;
  /** Long flags without a value. With a value: `--name=value` or the next word. */
  readonly long?: readonly string[];
  readonly longValues?: readonly string[];
  /** Number of its own words before the command. */
  readonly own?: number;
  readonly assignments?: boolean;
  /** True if it starts the command unchanged (see `Wrapped.plain`), as long as all its flags are known. */
  readonly plain?: boolean;
}

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    "timeout",
    {
      flags: "v",
      values: "ks",
      long: ["foreground", "preserve-status", "verbose"],
      longValues: ["kill-after", "signal"],
      own: 1,
      plain: true,
    },
  ],
  ["nice", { flags: "0123456789", values: "n", longValues: ["adjustment"], plain: true }],
  ["ionice", { flags: "t", values: "cn", long: ["ignore"], longValues: ["class", "classdata"], plain: true }],
  ["nohup", { plain: true }],
  ["setsid", { flags: "cfw", long: ["ctty", "fork", "wait"], plain: true }],
  ["stdbuf", { values: "ioe", longValues: ["input", "output", "error"], plain: true }],
  ["command", { flags: "p", plain: true }],
  ["builtin", { plain: true }],
  ["time", { flags: "p", long: ["portability"], plain: true }],
  ["chrt", { flags: "abfiormv", own: 1 }],
  ["taskset", { flags: "ac", own: 1 }],
  ["exec", { flags: "cl", values: "a" }],
  [
    "env",
    {
      flags: "i0v",
      values: "uCSa",
      long: ["ignore-environment", "null", "debug"],
      longValues: ["unset", "chdir", "split-string", "argv0"],
      assignments: true,
    },
  ],
  [
    "sudo",
    {
      flags: "AbEeHiKklnPSsVv",
      values: "CDghpRrTtUu",
      longValues: ["user", "group", "host", "prompt", "chdir", "chroot"],
      assignments: true,
    },
  ],
  ["doas", { flags: "Lns", values: "aCu" }],
  ["busybox", {}],
  ["toybox", {}],
  [
    "xargs",
    {
      flags: "0orptx",
      values: "adEIiLlnPs",
      long: ["null", "no-run-if-empty", "open-tty", "interactive", "verbose", "exit", "show-limits"],
      longValues: [
        "arg-file",
        "delimiter",
        "max-args",
        "max-chars",
        "max-lines",
        "max-procs",
        "replace",
        "process-slot-var",
      ],
    },
  ],
  ["setarch", { own: 1 }],
  ["chroot", { own: 1, longValues: ["userspec", "groups"] }],
  ["unbuffer", { flags: "p" }],
  ["caffeinate", { flags: "disum", values: "tw" }],
  ["winpty", {}],
  ["strace", { flags: "fFqvyYtTxXzcCdihknrwD", values: "aeoOpsSuUbEIP" }],
  ["ltrace", { flags: "fSCLrtTci", values: "aeoOpsuFlnxX" }],
  ["valgrind", {}],
  ["catchsegv", {}],
  ["dbus-run-session", {}],
  ["systemd-run", { flags: "dGPqrStn", values: "pHMuE" }],
  ["fakeroot", {}],
  ["proxychains", { flags: "q", values: "f" }],
  ["torsocks", {}],
  ["rlwrap", {}],
  ["chpst", { values: "uUbemoOpfc/n" }],
  ["unshare", { flags: "munpiUCTrfc", values: "SGRw" }],
  ["nsenter", { flags: "aF", values: "tSGrw" }],
  ["setpriv", {}],
  ["prlimit", { values: "p" }],
]);

export const SHELLS = new Set(["bash", "sh", "dash", "ash", "zsh", "ksh", "mksh", "rbash"]);
/** Commands that pass their words, joined by blanks, to a shell. */
export const JOINING_COMMANDS = new Set(["watch", "eval"]);
/** Commands that run the text after `-c`. */
export const DASH_C_COMMANDS = new Set(["su", "runuser", "script", "flock", "sg", "newgrp"]);
