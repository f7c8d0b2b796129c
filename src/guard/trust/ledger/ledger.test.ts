import { expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { until } from "../../../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { HarnessError } from "../../../base/errors.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { encode } from "../../../base/text/text.ts";
import { hostWorld } from "../../../platform/host.ts";
import type { TrustItem, TrustKind, TrustScope } from "../../../session/guard/trust.ts";
import { TRUST_KINDS } from "../../../session/guard/trust.ts";
import { trustFile } from "./item.ts";
import { judgeItem } from "./judge-item.ts";
import { TrustLedger } from "./ledger.ts";
import type { Approvals } from "./lock-file.ts";
import { parseLockFile, renderLockFile } from "./lock-file.ts";

const world = testWorld();

interface ItemParts {
  readonly kind?: TrustKind;
  readonly path?: string;
  readonly scope?: TrustScope;
  readonly mode?: number;
}

function item(text: string, parts: ItemParts = {}): TrustItem {
  const { kind = "context-file", path = "/repo/AGENTS.md", scope = "project", mode = 0o644 } = parts;
  return { kind, path, scope, files: [trustFile("", encode(text), mode)] };
}

function place() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "cinch", "approved.lock");
  return {
    path,
    texts: join(directory.path, "cinch", "approved"),
    root: directory.path,
    open: () => TrustLedger.open(world, path),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof HarnessError) return `${thrown.reason}: ${thrown.message}`;
    throw thrown;
  }
  return "no error";
}

test("[TOFU-01] what was never seen is new; what was acknowledged is trusted as it was, and nothing else", async () => {
  await using at = place();
  const ledger = await at.open();
  expect(await ledger.judge(item("a"))).toEqual({ kind: "new" });
  await ledger.approve([item("a")]);
  const later = await at.open();
  expect(await later.judge(item("a"))).toEqual({ kind: "trusted" });
  expect(await later.judge(item("b"))).toEqual({
    kind: "changed",
    class: "prose",
    changes: [
      {
        path: "",
        before: { bytes: encode("a"), executable: false },
        after: { bytes: encode("b"), executable: false },
      },
    ],
  });
  expect((await later.judge(item("a", { mode: 0o755 }))).kind).toBe("changed");
});

test("[TOFU-01 S37 S41] an approval is for this content at this place for this use: not for a name, a folder or a copy", async () => {
  await using at = place();
  const ledger = await at.open();
  await ledger.approve([item("a"), item("x", { kind: "hook", path: "/repo/.cinch/hooks/x" })]);
  for (const parts of [
    { path: "/repo/nested/AGENTS.md" },
    { path: "/other/AGENTS.md" },
    { kind: "hook" },
    { kind: "prompt-template" },
    { scope: "user" },
  ] as const) {
    expect(await ledger.judge(item("a", parts))).toEqual({ kind: "new" });
  }
  expect((await ledger.judge(item("y", { kind: "hook", path: "/repo/.cinch/hooks/x" }))).kind).toBe(
    "changed",
  );
});

test("[TOFU-01 S42] a skill is all its files: one that changed, came or went is a change of the skill", async () => {
  await using at = place();
  const skill = (...files: readonly (readonly [string, string])[]): TrustItem => ({
    kind: "skill",
    path: "/repo/.cinch/skills/s",
    scope: "project",
    files: files.map(([path, text]) => trustFile(path, encode(text), 0o644)),
  });
  const whole = skill(["SKILL.md", "s"], ["references/a.md", "a"], ["scripts/run.sh", "echo"]);
  const ledger = await at.open();
  await ledger.approve([whole]);
  expect((await ledger.judge(whole)).kind).toBe("trusted");
  const changed = [
    skill(["SKILL.md", "s"], ["references/a.md", "a2"], ["scripts/run.sh", "echo"]),
    skill(["SKILL.md", "s"], ["references/a.md", "a"], ["scripts/run.sh", "evil"]),
    skill(["SKILL.md", "s"], ["references/a.md", "a"], ["scripts/run.sh", "echo"], ["assets/x", "x"]),
    skill(["SKILL.md", "s"], ["scripts/run.sh", "echo"]),
  ];
  const classes = [];
  for (const each of changed) {
    const verdict = await ledger.judge(each);
    classes.push(verdict.kind === "changed" ? verdict.class : verdict.kind);
  }
  expect(classes).toEqual(["prose", "executable", "code-adjacent", "code-adjacent"]);
});

test("[TOFU-01] approvals are one sorted file of the user alone, and the texts beside it are kept while they are needed", async () => {
  await using at = place();
  const ledger = await at.open();
  await ledger.approve([item("b", { path: "/z" }), item("a", { path: "/a" })]);
  await ledger.approve([item("a2", { path: "/a" })]);
  expect(JSON.parse(readFileSync(at.path, "utf8"))).toEqual({
    version: 1,
    approved: [
      {
        kind: "context-file",
        path: "/a",
        scope: "project",
        at: "2025-06-15T15:06:40.000Z",
        files: [lock("a2")],
      },
      {
        kind: "context-file",
        path: "/z",
        scope: "project",
        at: "2025-06-15T15:06:40.000Z",
        files: [lock("b")],
      },
    ],
    directories: [],
  });
  expect(statSync(at.path).mode & 0o777).toBe(0o600);
  expect(readdirSync(at.texts).sort()).toEqual([lock("a2").sha256, lock("b").sha256].sort());
  for (const name of readdirSync(at.texts)) expect(statSync(join(at.texts, name)).mode & 0o777).toBe(0o600);

  function lock(text: string) {
    const { sha256, executable } = trustFile("", encode(text), 0o644);
    return { path: "", sha256, executable };
  }
});

test("[TOFU-02] a folder of the user's own is trusted with the files it had, and a project's never is", async () => {
  await using at = place();
  const own = (name: string, text: string) =>
    item(text, { kind: "alias-file", path: `/home/u/.config/cinch/${name}`, scope: "user" });
  const ledger = await at.open();
  await ledger.approveDirectory("/home/u/.config/cinch", [own("aliases.toml", "a"), own("b.toml", "b")]);
  const later = await at.open();
  expect((await later.judge(own("aliases.toml", "a"))).kind).toBe("trusted");
  expect((await later.judge(own("b.toml", "changed"))).kind).toBe("new");
  expect((await later.judge(own("later.toml", "c"))).kind).toBe("new");
  const project = item("a", { kind: "alias-file", path: "/home/u/.config/cinch/aliases.toml" });
  expect((await later.judge(project)).kind).toBe("new");
});

test("[TOFU-01 R14 S65] a lock file that is damaged, newer, odd or open to others approves nothing, and says why", async () => {
  await using at = place();
  const ledger = await at.open();
  await ledger.approve([item("a")]);
  const good = readFileSync(at.path, "utf8");
  const entry = JSON.stringify(JSON.parse(good).approved[0]);
  const wrong: readonly (readonly [string, string])[] = [
    ["", "it is not JSON"],
    [good.slice(0, 40), "it is not JSON"],
    ["[]", "it is not a JSON object"],
    [good.replace('"version": 1', '"version": 2'), "its version is 2, and this cinch knows 1"],
    [good.replace('"version": 1', '"version": "1"'), "its version is unknown"],
    [good.replace('"version": 1,', '"version": 1, "version": 1,'), "a key stands twice"],
    [
      good.replace('"scope": "project"', '"scope": "project", "__proto__": {}'),
      '"__proto__" is an unknown key',
    ],
    [good.replace('"scope": "project"', '"scope": "everywhere"'), '"everywhere" is neither project nor user'],
    [good.replace('"context-file"', '"anything"'), '"anything" is not a known kind of file'],
    [good.replace("/repo/AGENTS.md", "/repo/../AGENTS.md"), "is not an absolute path"],
    [good.replace("/repo/AGENTS.md", "AGENTS.md"), "is not an absolute path"],
    [good.replace(/"sha256": "../, '"sha256": "XX'), "is not a SHA-256 digest"],
    [`{"version":1,"approved":[${entry},${entry}],"directories":[]}`, "it has two entries for"],
    [`{"version":1,"approved":[${entry}]}`, '"directories" is not a list'],
    [`${"[".repeat(100)}${"]".repeat(100)}`, "it is not JSON"],
  ];
  for (const [text, problem] of wrong) {
    writeFileSync(at.path, text);
    const reason = await reasonOf(at.open());
    expect(reason).toStartWith(`TrustLedgerInvalid: The approvals in ${at.path} cannot be trusted: `);
    expect(reason).toContain(problem);
    expect(await reasonOf(ledger.approve([item("b")]))).toStartWith("TrustLedgerInvalid");
  }
  writeFileSync(at.path, good);
  chmodSync(at.path, 0o666);
  expect(await reasonOf(at.open())).toContain("others may write to it (mode 666)");
  chmodSync(at.path, 0o600);
  expect((await (await at.open()).judge(item("a"))).kind).toBe("trusted");
});

test("[TOFU-01 R22] a folder, a device or a link into nowhere in its place is an error, never an approval", async () => {
  await using at = place();
  mkdirSync(join(at.root, "cinch"));
  mkdirSync(at.path);
  expect(await reasonOf(at.open())).toContain("it is not a regular file");
  const other = join(at.root, "link.lock");
  symlinkSync("/dev/zero", other);
  expect(await reasonOf(TrustLedger.open(world, other))).toContain("it is not a regular file");
});

test("[TOFU-01] an approval that cannot be written does not count", async () => {
  await using at = place();
  writeFileSync(join(at.root, "cinch"), "a file where the folder should be");
  const ledger = await at.open();
  expect(await reasonOf(ledger.approve([item("a")]))).toStartWith("TrustLedgerUnwritable: ");
  expect((await ledger.judge(item("a"))).kind).toBe("new");
});

test("[TOFU-01] a kept text that was tampered with is not shown as what was approved: the change counts as the highest", async () => {
  await using at = place();
  const ledger = await at.open();
  await ledger.approve([item("Be kind.")]);
  const [name = ""] = readdirSync(at.texts);
  writeFileSync(join(at.texts, name), "Be brave.");
  expect(await ledger.judge(item("Be brave."))).toMatchObject({
    kind: "changed",
    class: "executable",
    changes: [{ before: { executable: false }, after: { executable: false } }],
  });
});

test("[TOFU-01 R37] sessions and processes that approve at once lose nothing of each other", async () => {
  await using at = place();
  const program = join(at.root, "approve.ts");
  const from = (path: string) => JSON.stringify(join(import.meta.dir, path));
  writeFileSync(
    program,
    `import { SILENT_LOG } from ${from("../../../base/log.ts")};
    import { hostWorld } from ${from("../../../platform/host.ts")};
    import { trustFile } from ${from("item.ts")};
    import { TrustLedger } from ${from("ledger.ts")};
    const [path, go, ...names] = process.argv.slice(2);
    const world = hostWorld(SILENT_LOG);
    process.stdout.write("ready");
    while ((await world.files.stat(go)) === undefined);
    for (const name of names) {
      const files = [trustFile("", new TextEncoder().encode("a"), 0o644)];
      const ledger = await TrustLedger.open(world, path);
      await ledger.approve([{ kind: "context-file", path: name, scope: "project", files }]);
    }`,
  );
  const go = join(at.root, "go");
  const others = [1, 2, 3].map((each) => [1, 2, 3, 4].map((name) => `/repo/other-${each}-${name}`));
  const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
  const children = others.map((names) =>
    Bun.spawn([process.execPath, ...flags, program, at.path, go, ...names], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  for (const { stdout } of children) await stdout.getReader().read();
  writeFileSync(go, "");
  const real = hostWorld(SILENT_LOG);
  const paths = Array.from({ length: 8 }, (_, index) => `/repo/${index}`);
  await Promise.all(
    paths.map(async (path) => await (await TrustLedger.open(real, at.path)).approve([item("a", { path })])),
  );
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0]);
  const approvals = parseLockFile(readFileSync(at.path, "utf8"), { path: at.path });
  expect(approvals.approved.map(({ path }) => path).sort()).toEqual([...paths, ...others.flat()].sort());
}, 60_000);

test("[TOFU-01 R31] approvals that another process locks are waited for, not for ever", async () => {
  await using at = place();
  const ledger = await at.open();
  await ledger.approve([item("a")]);
  const lock = join(at.root, "cinch", ".approve.lock");
  using _held = await world.lock(lock, new AbortController().signal);
  const refused = reasonOf(ledger.approve([item("b")]));
  await until("it waits", () => world.clock.waiting > 0);
  await world.clock.advance(5_000);
  expect(await refused).toStartWith(
    `TrustLedgerUnwritable: The approval cannot be stored in ${at.path}: another process has held ${lock} for 5 s.`,
  );
  expect((await (await at.open()).judge(item("a"))).kind).toBe("trusted");
});

test("[TOFU-01 REL-03] a lock that an earlier version left, whoever it names, blocks nothing and stays unchanged", async () => {
  await using at = place();
  mkdirSync(join(at.root, "cinch"), { recursive: true });
  const { pid, processStart } = world.machine;
  const ledger = await at.open();
  for (const text of [
    "",
    JSON.stringify({ pid: 2 ** 22 - 3, start: "x" }),
    JSON.stringify({ pid, start: processStart }),
  ]) {
    writeFileSync(`${at.path}.held`, text);
    await ledger.approve([item(text)]);
    expect((await ledger.judge(item(text))).kind).toBe("trusted");
    expect(readFileSync(`${at.path}.held`, "utf8")).toBe(text);
  }
});

test("[TOFU-05] a lock file for CI names files below the project, for any checkout, and approves nothing of the user's", async () => {
  const items = [item("a"), item("x", { kind: "config", path: "/repo/.cinch/config.toml" })];
  const text = renderLockFile({ approved: items, directories: [] }, "/repo");
  expect(JSON.parse(text).approved.map((entry: { path: string }) => entry.path)).toEqual([
    ".cinch/config.toml",
    "AGENTS.md",
  ]);
  const approvals = parseLockFile(text, { path: "ci.lock", root: "/elsewhere" });
  expect(judgeItem(item("a", { path: "/elsewhere/AGENTS.md" }), approvals)).toEqual({ kind: "trusted" });
  expect(judgeItem(item("b", { path: "/elsewhere/AGENTS.md" }), approvals).kind).toBe("changed");
  expect(judgeItem(item("a"), approvals)).toEqual({ kind: "new" });
  for (const [from, to] of [
    ['"AGENTS.md"', '"../AGENTS.md"'],
    ['"AGENTS.md"', '"/repo/AGENTS.md"'],
    ['"project"', '"user"'],
    ['"directories": []', '"directories": [{"path":"/x","at":"","files":[]}]'],
  ] as const) {
    expect(() => parseLockFile(text.replace(from, to), { path: "ci.lock", root: "/repo" })).toThrow(
      "ci.lock",
    );
  }
});

test("[TOFU-01] property: a lock file is read back as it was written, and any other text is refused or means the same", async () => {
  const hash = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((bytes) => Buffer.from(bytes).toString("hex"));
  const name = fc.stringMatching(/^[a-zA-Z0-9 é"\\-]{1,8}$/);
  const file = fc.record({ path: name, sha256: hash, executable: fc.boolean() });
  const approval = fc.record({
    kind: fc.constantFrom(...TRUST_KINDS),
    path: fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join("/")}`),
    scope: fc.constantFrom<TrustScope>("project", "user"),
    at: fc.constant("2026-01-02T03:04:05.000Z"),
    files: fc.uniqueArray(file, { maxLength: 3, selector: (each) => each.path }),
  });
  const approvals = fc.uniqueArray(approval, {
    maxLength: 4,
    selector: ({ kind, path }) => `${kind} ${path}`,
  });
  await fc.assert(
    fc.property(approvals, (approved) => {
      const text = renderLockFile({ approved, directories: [] });
      const read = parseLockFile(text, { path: "x" });
      expect(renderLockFile(read)).toBe(text);
      expect(read.approved.length).toBe(approved.length);
    }),
  );
  await fc.assert(
    fc.property(approvals, fc.nat(), fc.string({ maxLength: 3 }), (approved, at, noise) => {
      const text = renderLockFile({ approved, directories: [] });
      const place = at % text.length;
      const read = readOrRefuse(`${text.slice(0, place)}${noise}${text.slice(place)}`);
      return read === undefined || renderLockFile(read).length > 0;
    }),
  );

  function readOrRefuse(text: string): Approvals | undefined {
    try {
      return parseLockFile(text, { path: "x" });
    } catch (thrown) {
      if (thrown instanceof HarnessError && thrown.reason === "TrustLedgerInvalid") return undefined;
      throw thrown;
    }
  }
});
