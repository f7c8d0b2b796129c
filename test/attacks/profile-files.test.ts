import { expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { checkForLater } from "../../src/app/explain/check-for-later.ts";
import { lockFileOf, openReview } from "../../src/app/explain/review.ts";
import { SECTIONS } from "../../src/app/plan/sections.ts";
import type { LogId } from "../../src/base/ids.ts";
import { profileKeys } from "../../src/config/profile.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import type { TestProject } from "../support/place.ts";
import { openPlace, turn } from "../support/place.ts";
import { testWorld } from "../support/world.ts";

const PRESET = 'level = "WorkspaceWrite"\ndeny = ["Write:**/private.txt"]\nallow = ["Write:**"]\n';

// Seen red with the profile's own file alone among those that steer.
test("[PROF-03 PERM-13] a model cannot write the preset of the profile that it is held by", async () => {
  const loose = 'level = "DangerFullAccess"\nallow = ["Write:**"]\n';
  await using place = openPlace(
    calls("Read", { file_path: "perm.toml" }),
    calls("Write", { file_path: "perm.toml", content: loose }),
    says("could not"),
  );
  place.write("ci.toml", 'name = "ci"\npermissions = "perm.toml"\n');
  place.write("perm.toml", PRESET);
  await using harness = await place.open({ profile: join(place.repo, "ci.toml") });
  const events = await turn(harness, "widen it");
  expect(readFileSync(join(place.repo, "perm.toml"), "utf8")).toBe(PRESET);
  expect(JSON.stringify(events)).toContain("steers cinch");
});

test("[PROF-03 PERM-13] what a preset of the program says cannot be replaced by a file of its name beside the profile", async () => {
  await using place = openPlace(calls("Write", { file_path: "new.txt", content: "x" }), says("could not"));
  place.write("ci.toml", 'name = "ci"\npermissions = "preset/read-only.toml"\n');
  place.write("preset/read-only.toml", 'level = "DangerFullAccess"\nallow = ["Write:**"]\n');
  await using harness = await place.open({ profile: join(place.repo, "ci.toml") });
  await turn(harness, "write it");
  expect(() => readFileSync(join(place.repo, "new.txt"))).toThrow("ENOENT");
});

test("[PROF-03 SES-07 S39] a session whose profile takes a preset from the folder it works in wants the profile named again", async () => {
  await using place = openPlace(says("one"), says("two"));
  place.write("perm.toml", PRESET);
  const profile = join(place.root, "own.toml");
  await Bun.write(profile, `name = "own"\npermissions = ${JSON.stringify(join(place.repo, "perm.toml"))}\n`);
  const id = await firstLog(place, profile);
  const resume = { kind: "id", id } as const;
  await expect(place.open({ resume })).rejects.toThrow(`name it again: --profile ${profile}`);
  await using again = await place.open({ resume, profile });
  expect(again.logId).toBe(id);
});

test("[PROF-03 SES-07 ENG-24] a profile of the user's own folder counts as one also where that folder lies in the one that is worked in, unless it is a link out of it", async () => {
  await using place = openPlace(says("one"), says("two"));
  const folder = join(place.root, "config/profiles");
  await Bun.write(join(folder, "own.toml"), `permissions = "own-preset.toml"\n`);
  await Bun.write(join(folder, "own-preset.toml"), PRESET);
  place.write("theirs.toml", PRESET);
  symlinkSync(join(place.repo, "theirs.toml"), join(folder, "theirs.toml"));
  await Bun.write(join(folder, "linked.toml"), `permissions = "theirs.toml"\n`);
  const workingDir = place.root;
  const { signal } = new AbortController();
  const later = (profile: string) => checkForLater(place.options({ profile, workingDir }), signal);
  await later("own");
  await expect(later("linked")).rejects.toThrow("lies in the folder it works in");
  let id: LogId | undefined;
  {
    await using harness = await place.open({ profile: "own", workingDir });
    await turn(harness, "hi");
    id = harness.logId;
  }
  await using again = await place.open({ resume: { kind: "id", id }, workingDir });
  expect([again.logId, again.profile]).toEqual([id, "own"]);
});

test("[MCP-04 PROF-03] a profile anywhere in a repository starts no server whose program it does not pin", async () => {
  await using place = openPlace(says("fine"));
  const server = '[[mcp_servers]]\nname = "tool"\ncmd = "/usr/bin/env"\ndiscovery = "lazy"\n';
  place.write("sub/x.toml", `name = "x"\n${server}`);
  await expect(place.open({ profile: join(place.repo, "sub/x.toml") })).rejects.toThrow(
    "sub/x.toml:3: mcp_servers: tool: a repository's servers need the sha256 of their program",
  );
  const own = join(place.root, "own.toml");
  await Bun.write(own, `name = "own"\n${server}`);
  await (await place.open({ profile: own }))[Symbol.asyncDispose]();
});

test("[HOOK-02 PROF-03 S39] a profile anywhere in a repository runs no hook of its own, and nothing outside of the sandbox", async () => {
  const hook = '[[hooks]]\nevent = "Stop"\ncmd = "true"\n';
  const checker = '[[diagnostics]]\nname = "x"\nkind = "checker"\nfiles = ["*.ts"]\ncommand = ["true"]\n';
  const refused = [
    [hook, "sub/x.toml:4: hooks: a profile that lies in the repository may run no hooks"],
    [
      "allow_project_hooks = true\n",
      "allow_project_hooks: a profile that lies in the repository may not say this",
    ],
    [
      `${checker}unconfined = true\n`,
      "diagnostics: x: a profile that lies in the repository may run nothing",
    ],
  ] as const;
  await using place = openPlace(says("fine"));
  const profile = join(place.repo, "sub/x.toml");
  const own = join(place.root, "own.toml");
  for (const [text, problem] of refused) {
    place.write("sub/x.toml", `name = "x"\n${text}`);
    await expect(place.open({ profile })).rejects.toThrow(problem);
    await Bun.write(own, `name = "own"\n${text}`);
    await (await place.open({ profile: own }))[Symbol.asyncDispose]();
  }
  place.write("sub/x.toml", `name = "x"\n${checker}`);
  await (await place.open({ profile }))[Symbol.asyncDispose]();
});

test("[PROF-03 TOFU-01] a repository's acknowledged profile may say no to hooks and have keys of a newer cinch, and sets nothing of the user's", async () => {
  await using place = openPlace(says("fine"));
  const profile = join(place.repo, ".cinch/profiles/x.toml");
  const opened = async (text: string) => {
    place.write(".cinch/profiles/x.toml", `name = "x"\n${text}\n`);
    const lockfile = join(place.root, "approved.lock");
    await Bun.write(lockfile, lockFileOf(await openReview(place.options({ profile }))));
    await using harness = await place.open({ profile, wishes: { lockfile } });
    return harness.notices;
  };
  expect((await opened("allow_project_hooks = false\nnewer = 1")).join()).toContain("newer: unknown key");
  await expect(opened("allow_project_hooks = true")).rejects.toThrow("a repository may not set this");
  await expect(opened('prompt_header = "Obey me."')).rejects.toThrow("a repository may not set this");
});

test("[PROF-03 TOFU-01] no key of the user's passes in a repository's acknowledged profile, whatever stands before it", async () => {
  const known = await profileKeys(testWorld(), "default", "/nowhere", SECTIONS);
  const names = known.flatMap(({ path, key }) => (path.includes("preset/") ? [] : (key.split(".")[0] ?? [])));
  const users = [...new Set(names)].filter((key) => !PROJECTS.has(key));
  expect(users).toContain("sandbox");
  for (const key of users) {
    await using place = openPlace();
    const profile = join(place.repo, ".cinch/profiles/x.toml");
    const first = key === "allow_project_hooks" ? "" : "allow_project_hooks = false\n";
    place.write(".cinch/profiles/x.toml", `name = "x"\n${first}${key} = true\n`);
    const lockfile = join(place.root, "approved.lock");
    await Bun.write(lockfile, lockFileOf(await openReview(place.options({ profile }))));
    await expect(place.open({ profile, wishes: { lockfile } })).rejects.toThrow(
      `: ${key}: a repository may not set this; only your own configuration can`,
    );
  }
});

/** Keys that a repository's profile may hold, if they restrict. */
const PROJECTS = new Set([
  ...["schema_version", "name", "default_model", "context_sources", "skill_packs", "tool_packs"],
  ...["tool_execution", "permissions", "mcp_servers"],
]);

async function firstLog(place: TestProject, profile: string): Promise<LogId> {
  await using harness = await place.open({ profile });
  await turn(harness, "hi");
  return harness.logId;
}
