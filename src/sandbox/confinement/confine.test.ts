import { describe, expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireProgram } from "../../../test/support/requires.ts";
import { openSandboxRig } from "../../../test/support/sandbox-rig.ts";

const test = requireProgram("bwrap");

describe("[SBX-01] Bash in the sandbox", () => {
  test("writes the workspace and /tmp and nothing else, and keeps its directory", async () => {
    await using rig = openSandboxRig();
    mkdirSync(join(rig.root, "src"));
    expect(await rig.bash("echo hi >a.txt && cd src && echo there >/tmp/b && pwd")).toBe(`${rig.root}/src`);
    expect(await rig.bash("pwd; cat /tmp/b ../a.txt")).toBe(`${rig.root}/src\nthere\nhi`);
    expect(readFileSync(join(rig.root, "a.txt"), "utf8")).toBe("hi\n");
    const refused = await rig.bash(`echo no >${rig.outside}/c.txt`);
    expect(refused).toContain("error: bash: line 1: ");
    expect(refused).toContain("[This ran in a sandbox, and that may be why it failed");
    expect(existsSync(join(rig.outside, "c.txt"))).toBe(false);
  });

  test("[TOOL-02] tells exit codes, signals of children and time limits as outside", async () => {
    await using rig = openSandboxRig();
    expect(await rig.bash("exit 7")).toBe("error: [exit code 7]");
    expect(await rig.bash("sh -c 'kill -9 $$'; echo $?")).toEndWith("137");
    expect(await rig.bash("echo out; echo err >&2; false")).toBe("error: out\nerr\n[exit code 1]");
  });

  test("[SBX-04] the user's programs and environment are there", async () => {
    await using rig = openSandboxRig({
      env: { HELLO: "there", HOME: "/root" },
    });
    expect(await rig.bash('echo "$HELLO $HOME $TMPDIR"; git --version | cut -d" " -f1')).toBe(
      "there /root /tmp\ngit",
    );
  });

  test("[S26] leaves nothing of its own in the workspace when the session has ended", async () => {
    const rig = openSandboxRig();
    {
      await using _rig = rig;
      writeFileSync(join(rig.root, "a"), "");
      expect(await rig.bash("ls -A; mkdir .cinch/x")).toContain("Read-only file system");
      await rig.end();
      expect(existsSync(join(rig.root, ".cinch"))).toBe(false);
      expect(existsSync(join(rig.root, ".git"))).toBe(false);
    }
  });
});
