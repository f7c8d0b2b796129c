import { describe, expect } from "bun:test";
import { chmodSync, copyFileSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireSandbox } from "../support/sandbox-place.ts";
import type { SandboxRig } from "../support/sandbox-rig.ts";
import { openSandboxRig } from "../support/sandbox-rig.ts";
import { openRange } from "./sandbox/range.ts";

const test = requireSandbox();

const SETID = 0o6000;

/** Each leaves a file with one of the bits in the workspace where nothing stops it. `$S` has both on the host. */
const WAYS: Readonly<Record<string, string>> = {
  chmod: "cp /bin/true x && chmod 4755 x",
  "chmod, by letters": "cp /bin/true x && chmod u+s,g+s x",
  "chmod of the group": "cp /bin/true x && chmod 2755 x",
  "install -m": "install -m 4755 /bin/true x",
  "cp -p": 'cp -p "$S" x',
  "cp -a of a folder": 'cp -a "$(dirname "$S")" x',
  "cp over one": 'cp /bin/true x && cp --attributes-only --preserve=mode "$S" x',
  tar: "tar -xpf pack.tar",
  "tar with a umask of none": "umask 0; tar -xpf pack.tar",
  "chmod --reference": 'cp /bin/true x && chmod --reference="$S" x',
  "umask and a redirection": "umask 0; echo x >x; chmod +s x",
};

/** Fails without the mode in the filter: each of the ways leaves such a file. */
describe("[SBX-01 S22] no command leaves a setuid or setgid file in the workspace", () => {
  test(Object.keys(WAYS).join(", "), async () => {
    for (const [name, script] of Object.entries(WAYS)) {
      await using rig = openSandboxRig();
      pack(rig);
      await rig.bash(`S='${join(rig.outside, "set")}'; ${script}; true`);
      expect([name, setidIn(rig.root)]).toEqual([name, []]);
    }
  }, 300_000);

  test("by a system call that it makes itself, as a static binary does", async () => {
    await using range = await openRange();
    const { root } = range.places;
    const script = `mkdir own; "$BUN" $FLAGS "$CALLS" setid "$PWD/own"`;
    const { escaped, made } = await range.attack([{ name: "setid", stopped: "filter", script }]);
    expect([escaped, setidIn(root)]).toEqual([[], []]);
    expect(made).toBeGreaterThanOrEqual(16);
  }, 300_000);

  test("and modes without them work as before", async () => {
    await using rig = openSandboxRig();
    pack(rig);
    const said = await rig.bash(
      "install -m 755 /bin/true y && chmod 1777 . && cp -p /bin/true z && mkdir -m 700 d && stat -c %a y d .",
    );
    expect(said).toBe("755\n700\n1777");
  });
});

/** A file with both bits outside of the workspace, and an archive with one in it. */
function pack({ outside, root }: SandboxRig): void {
  const set = join(outside, "set");
  copyFileSync("/bin/true", set);
  chmodSync(set, 0o6755);
  writeFileSync(join(root, "plain"), "");
  const { exitCode } = Bun.spawnSync(["tar", "-C", outside, "-cf", join(root, "pack.tar"), "set"]);
  expect([exitCode, lstatSync(set).mode & SETID]).toEqual([0, SETID]);
}

function setidIn(root: string): readonly string[] {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names.filter((name) => (lstatSync(join(root, name)).mode & SETID) !== 0);
}
