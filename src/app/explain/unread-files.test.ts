import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "../../../test/support/place.ts";
import { openPlace } from "../../../test/support/place.ts";
import { requirement } from "../../../test/support/requires.ts";
import { checkFiles } from "./check-profile.ts";
import { effectiveKeys } from "./effective-keys.ts";
import { openReview } from "./review.ts";

/** Makes a project whose settings are not read, below its `.cinch`. */
const UNREAD: Readonly<Record<string, (place: TestProject, root: string) => void>> = {
  "a file that is too large": (place) => place.write(".cinch/config.toml", `# ${"x".repeat(3e7)}\n`),
  "a file that is a link to outside": (place, root) => {
    writeFileSync(join(place.root, "outside.toml"), "max_turns = 3\n");
    mkdirSync(join(root, ".cinch"));
    symlinkSync(join(place.root, "outside.toml"), join(root, ".cinch/config.toml"));
  },
  "a folder that is a link to outside": (place, root) => {
    mkdirSync(join(place.root, "outside"));
    writeFileSync(join(place.root, "outside/config.toml"), "max_turns = 3\n");
    symlinkSync(join(place.root, "outside"), join(root, ".cinch"));
  },
  "a FIFO": (_, root) => {
    mkdirSync(join(root, ".cinch"));
    Bun.spawnSync(["mkfifo", join(root, ".cinch/config.toml")]);
  },
  "a file that is a link to itself": (_, root) => {
    mkdirSync(join(root, ".cinch"));
    symlinkSync("config.toml", join(root, ".cinch/config.toml"));
  },
  "a folder instead of a file": (_, root) => {
    mkdirSync(join(root, ".cinch/permissions.toml"), { recursive: true });
  },
};

/** Files and folders below `.cinch` that this user may not read. */
const FORBIDDEN = ["config.toml", "permissions.toml", "profiles/w.toml", "profiles"] as const;

test.each(Object.entries(UNREAD))(
  "[PROF-01 PROF-03] profile check, profile show and ack report %s",
  async (_, make) => await expectReports(make),
);

const isRestricted = process.getuid?.() !== 0;
for (const name of FORBIDDEN)
  requirement(
    "a user other than root",
    isRestricted,
    false,
  )(`[PROF-01 PROF-03] profile check and ack report that .cinch/${name} may not be read`, async () => {
    await using place = openPlace();
    place.write(".git/HEAD", "ref: x\n");
    place.write(name === "profiles" ? ".cinch/profiles/w.toml" : `.cinch/${name}`, "");
    const path = join(place.repo, ".cinch", name);
    chmodSync(path, 0);
    try {
      const { model: _model, ...options } = place.options();
      const { notices } = await openReview(options);
      expect(notices[0]).toContain(`.cinch/${name} cannot be read: access is refused`);
      const { findings } = await checkFiles(options, undefined);
      expect(findings.map(({ text }) => text)).toEqual([...notices]);
    } finally {
      chmodSync(path, 0o700); // the place is removed with its files
    }
  });

async function expectReports(make: (typeof UNREAD)[string]): Promise<void> {
  await using place = openPlace();
  place.write(".git/HEAD", "ref: x\n");
  make(place, place.repo);
  const { model: _model, ...options } = place.options();
  const { notices: problems } = await openReview(options);
  expect(problems.length).toBeGreaterThan(0);
  const { findings } = await checkFiles(options, undefined);
  expect(findings.map(({ text }) => text).toSorted()).toEqual(problems.toSorted());
  const { notices } = await effectiveKeys(options);
  expect(notices.toSorted()).toEqual(problems.toSorted());
}

const NOT_UTF8 = Buffer.from([0x61, 0x20, 0x3d, 0x20, 0x22, 0xff, 0x22, 0x0a]);

test.each([".cinch/config.toml", ".cinch/permissions.toml", ".cinch/profiles/w.toml"])(
  "[PROF-01 PROF-03] profile check refuses a repository's %s that is not UTF-8, with its line",
  async (path) => {
    await using place = openPlace();
    place.write(".git/HEAD", "ref: x\n");
    place.write(path, "");
    writeFileSync(join(place.repo, path), Buffer.concat([Buffer.from("# one\n"), NOT_UTF8]));
    const { model: _model, ...options } = place.options();
    const { findings } = await checkFiles(options, undefined);
    expect(findings.map(({ weight, line }) => [weight, line])).toEqual([["error", 2]]);
    expect(findings[0]?.text).toContain(`${path}:2: `);
    expect(findings[0]?.text).toContain("it is not UTF-8 text; save it as UTF-8");
  },
);
