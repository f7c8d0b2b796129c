/** One thing that source text may not hold, and what stands in its place. */
export interface Ban {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
  /** Path prefixes below the root where it is at home. */
  readonly except: readonly string[];
  /** Matches texts in which the name is declared locally. */
  readonly unless?: RegExp;
}

/** The module of the real machine. */
const MACHINE = ["src/platform/"];

/** Bans on the code of `src` outside its tests: everything outside the program is an argument, the World. */
export const SOURCE_BANS: readonly Ban[] = [
  ban("Date.now", /(?<![.\w$])Date\.now\b/, "world.clock.now()", MACHINE),
  ban("new Date()", /\bnew Date\(\s*\)/, "new Date(world.clock.now())"),
  ban("performance.now", /(?<![.\w$])performance\.now\b/, "world.clock.monotonic()", MACHINE),
  ban("Math.random", /\bMath\.random\b/, "world.random", MACHINE),
  ban(
    "crypto randomness",
    /\bcrypto\.(?:randomUUID|getRandomValues)\b|\bimport \{[^}]*\brandom(?:UUID|Bytes|Int|FillSync)\b/,
    "world.random or world.ids",
    MACHINE,
  ),
  ban(
    "setTimeout",
    /(?<![.\w$])(?:setTimeout|setInterval)\b/,
    "world.clock.timer, sleep or base/deadline",
    MACHINE,
  ),
  ban("AbortSignal.timeout", /\bAbortSignal\.timeout\b/, "base/deadline with the injected clock"),
  {
    name: "global fetch",
    pattern:
      /(?<![.\w$#])(?<!\bfunction\s+)(?<!\basync\s+)fetch\s*\((?![^()]*(?:\([^()]*\)[^()]*)*\)\s*[:{])|\bglobalThis\.fetch\b/,
    instead: "world.fetch",
    except: MACHINE,
    unless: /\bfetch\s*:\s*Fetch\b/,
  },
  ban("Bun.spawn", /\bBun\.(?:spawn|spawnSync|\$)|\$`/, "world.spawn", MACHINE),
  ban("Bun.sleep", /\bBun\.sleep(?:Sync)?\b/, "world.clock.sleep", MACHINE),
  ban(
    "an untyped join",
    /\bObject\.assign\(\s*\{\s*\}/,
    "a join with a declared result: a literal that spreads an any is any itself, and hides every wrong property",
    ["src/app/session/join-slots.ts"],
  ),
  ban("process.env", /\bprocess\.(?:env|argv)\b|\bBun\.(?:env|argv)\b/, "an argument that cli/ passes in", [
    "src/cli/",
  ]),
];

/** Imports that no file of `src` may have. */
export const MODULE_BANS: readonly Ban[] = [
  ban("child processes", /^(?:node:)?child_process$/, "world.spawn"),
  ban("timers", /^(?:node:)?timers(?:\/promises)?$/, "world.clock"),
];

/**
 * Bans on the code of `src` outside its tests: agents may write more than the root of one session, and a program that
 * they wrote must not run outside the sandbox (S33).
 */
export const PROGRAM_BANS: readonly Ban[] = [
  ban("Bun.which", /\bBun\.which\b/, "findTrustedProgram of guard/sandbox/policy/trusted-program.ts"),
  ban(
    "a search for an executable file of its own",
    /\b0o111\b/,
    "findTrustedProgram of guard/sandbox/policy/trusted-program.ts",
    [
      "src/guard/sandbox/policy/trusted-program.ts",
      "src/guard/permissions/inspection/machine-code.ts", // what bash would find, in the sandbox; nothing is run
      "src/guard/trust/ledger/item.ts", // a mark of a file that a person acknowledges
      "src/features/mcp/transport/program.ts", // a program that the user declares, pinned by its hash if they wish
    ],
  ),
  ban(
    "one root for all that agents may write",
    /\b(?:isInside|isWithin|relativeWithin)\((?:\w+\.)*root, (?:program|folder|await )/,
    "findTrustedProgram of guard/sandbox/policy/trusted-program.ts",
  ),
];

/** Bans on the source itself, with its texts: a bare name is looked up in `PATH`. */
export const BARE_NAME_BANS: readonly Ban[] = [
  ban(
    "a program by its bare name",
    /\bargv(?::| =) \[\s*["'`][^"'`/$]/,
    "its absolute path, or one of findTrustedProgram",
  ),
];

/**
 * Bans on the source itself, with its texts: a prefix of a path is no folder of it. `/w/app` begins `/w/app-secret`,
 * and `"/" + "/"` begins nothing.
 */
export const PATH_BANS: readonly Ban[] = [
  ban(
    "startsWith on a path",
    /\.startsWith\(\s*(?:`[^`]*\}\/`|[^()"'`]*\+\s*(?:sep\b|"\/")|(?:[\w#?]+\.)*#?(?:root|folder|directory|dir|home|base|cwd|parent|path|place|tree|workingDir)\s*[),]|"\.\.\/?")/,
    "below, isBelow or isWithin of base/files/below.ts",
    ["src/base/files/below.ts", "src/credentials/helper/is-url-below.ts"], // the second compares addresses of the web
  ),
  ban(
    "startsWith on a path, by a name",
    /\b(?:const|let) (\w+) = (?:`[^`\n]*\}\/`|\w+ \+ (?:sep\b|"\/"))[\s\S]*?\.startsWith\(\1\b/,
    "below, isBelow or isWithin of base/files/below.ts",
  ),
];

/**
 * Bans on the source itself: a wait that blocks the one thread stops every session, `/v1/health` and cancel with
 * it (CTL-11).
 */
export const BLOCKING_BANS: readonly Ban[] = [
  ban(
    "a call that blocks the thread",
    /\bAtomics\s*\.\s*wait\b|\b(?:spawn|exec|execFile)Sync\b|\bsleepSync\b/,
    "world.spawn, or world.clock.sleep",
  ),
  ban(
    "a loop that waits for the clock",
    /\bwhile\s*\([^;{}]*\b(?:monotonic|now)\(\)[^;{}]*\)\s*(?:;|\{\s*\})/,
    "world.clock.sleep",
  ),
  ban(
    "a lock of SQLite that is waited for in the thread",
    /\bbusy_timeout\b(?!\s*=\s*0\b)/,
    "busy_timeout = 0, and retryWhileBusy of base/async/retry-while-busy.ts",
    ["src/session/sqlite/connection.ts"], // takes the wait as an argument; the next line holds who passes one
  ),
  ban(
    "a blocking connection to the session store",
    /\bBLOCKING_MS_MAX\b|\bConnection\.open\w*\((?![^()]*, 0\))/,
    "Connection.open(path, 0), and whenFree",
    // The connection itself, and two commands that do nothing else while they wait.
    [
      "src/session/sqlite/connection.ts",
      "src/session/sqlite/check/inspect.ts",
      "src/session/sqlite/keys/rotate.ts",
    ],
  ),
];

/** Bans on tests: a condition is awaited, never time. `test/support` holds the one place that polls. */
export const TEST_BANS: readonly Ban[] = [
  ban(
    "setTimeout",
    /(?<![.\w$])(?:setTimeout|setInterval)\b/,
    "a condition: test/support/until.ts, or the fake clock",
    ["test/support/"],
  ),
  // The process may have ended meanwhile: a busy machine then fails the test.
  ban(
    "process.kill",
    /\bprocess\.kill\((?!process\.pid\b)(?![^;]*, 0\))/,
    "signalIfRunning of test/support/processes.ts",
    ["test/support/"],
  ),
  // A process that the kernel is just giving its program shows no command line, so one look may miss it.
  ban(
    "one look for a process that runs",
    /expect\(processesWith\([^)]*\)(?:\.length)?\)\.(?:not\b|toBe\((?!0\))|toBeGreater|toContain|toHaveLength\((?!0\)))/,
    "someWith of test/support/processes.ts",
  ),
  ban("Bun.sleep", /\bBun\.sleep(?:Sync)?\b/, "a condition: test/support/until.ts, or the fake clock", [
    "test/support/",
  ]),
];

// Written in two parts, so that this file does not hold what it forbids.
const OPEN_ENDS = new RegExp(`\\b(?:${["TO" + "DO", "FIX" + "ME", "X" + "XX"].join("|")})\\b`);
const MACHINE_PATHS = new RegExp(
  `(?<![\\w.~<-])/(?:${["wo" + "rk", "ro" + "ot"].join("|")})/|/home/(?!(?:user|u|me|ada|you|someone)\\b)[a-z]`,
);
const PACKAGE_HOSTS = new RegExp(
  [
    "registry\\.npm" + "js",
    "registry\\.yarn" + "pkg",
    "npm\\.pkg\\.git" + "hub",
    "deb\\.deb" + "ian",
    "security\\.deb" + "ian",
    "arti" + "factory",
    "nexus\\.",
    "veri" + "daccio",
  ].join("|"),
  "i",
);

/** Bans on every text of the repository. */
export const TEXT_BANS: readonly Ban[] = [
  ban("an open end", OPEN_ENDS, "the thing itself, or nothing"),
  ban("a path of some machine", MACHINE_PATHS, "a path below a temporary directory, or /home/user"),
  ban("the host of a package registry", PACKAGE_HOSTS, "nothing: npm and apt know theirs"),
];

function ban(name: string, pattern: RegExp, instead: string, except: readonly string[] = []): Ban {
  return { name, pattern, instead, except };
}

/** Returns the exceptions of bans that no file needs any more, as sentences. `files` is each file with its text. */
export function staleExceptions(
  files: readonly (readonly [file: string, text: string])[],
  bans: readonly Ban[],
): readonly string[] {
  return bans.flatMap(({ name, pattern, except }) =>
    except
      .filter((prefix) => !files.some(([file, text]) => file.startsWith(prefix) && pattern.test(text)))
      .map((prefix) => `${name}: nothing in ${prefix} needs its exception`),
  );
}

/** Returns the violations in a text, as sentences with the line. */
export function broken(file: string, text: string, bans: readonly Ban[]): readonly string[] {
  return bans
    .filter(({ unless }) => unless === undefined || !unless.test(text))
    .filter((each) => !each.except.some((prefix) => file.startsWith(prefix)))
    .flatMap(({ name, pattern, instead }) => {
      const match = pattern.exec(text);
      if (match === null) return [];
      const line = text.slice(0, match.index).split("\n").length;
      return [`${file}:${line}: ${name}; instead: ${instead}`];
    });
}
