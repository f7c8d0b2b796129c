import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { openPlace, turn } from "../support/place.ts";
import { requireProgram } from "../support/requires.ts";

const AT_LOGIN = [
  ".bashrc",
  ".profile",
  ".zshenv",
  ".gitconfig",
  ".config/git/config",
  ".config/autostart/x.desktop",
  ".config/systemd/user/x.service",
  ".config/fish/config.fish",
  ".local/bin/ls",
  ".bash_aliases",
  ".zlogout",
  ".xsessionrc",
  ".xprofile",
  ".pam_environment",
  ".config/plasma-workspace/env/x.sh",
  ".config/user-tmpfiles.d/x.conf",
  ".local/share/systemd/user/x.service",
  ".kshrc",
  ".tcshrc",
  ".bash_completion",
  ".bashrc.d/x",
  ".cargo/env",
  ".config/zsh/.zshrc",
  ".config/direnv/direnvrc",
  ".config/sway/config",
  "bin/ls",
];
/** An empty one would end a login, so that a command is not kept from making them: it is told. */
const AT_LOGIN_OF_X = [".xsession", ".xinitrc"];

// Seen red without `startupPaths` in `guardedTarget`: all were written.
test.each([false, true])(
  "[PERM-02 S26 S39] in the home directory itself no tool writes what runs at the next login, with --auto-approve: %p",
  async (autoApprove) => {
    await using place = openPlace(
      ...AT_LOGIN.map((path) => calls("Write", { file_path: path, content: "canary" })),
      calls("Edit", { file_path: ".bash_profile", old_string: "mine", new_string: "canary" }),
      calls("Write", { file_path: "notes.txt", content: "fine" }),
      says("done"),
    );
    writeFileSync(join(place.root, ".bash_profile"), "# mine\n");
    await using harness = await place.open({ workingDir: place.root, wishes: { autoApprove } });
    const events = await turn(harness, "go");
    expect(AT_LOGIN.filter((path) => existsSync(join(place.root, path)))).toEqual([]);
    expect(await Bun.file(join(place.root, ".bash_profile")).text()).toBe("# mine\n");
    expect(existsSync(join(place.root, "notes.txt"))).toBe(true);
    expect(JSON.stringify(events)).toContain("decides what runs at your next login");
  },
);

// Seen red with `startupPaths` left out of the sandbox's policy.
requireProgram("bwrap")("[SBX-01 S26] nor does a command", async () => {
  const hidden = AT_LOGIN.map((path) => Buffer.from(path).toString("base64"));
  await using place = openPlace(
    ...hidden.map((path) =>
      calls("Bash", {
        command: `p="$(echo ${path} | base64 -d)"; mkdir -p "$(dirname "$p")"; echo canary >>"$p"`,
      }),
    ),
    calls("Bash", { command: "echo fine >notes.txt" }),
    says("done"),
  );
  await using harness = await place.open({ workingDir: place.root });
  await turn(harness, "go");
  const written = AT_LOGIN.filter((path) => {
    const at = join(place.root, path);
    return existsSync(at) && readFileSync(at, "utf8").includes("canary");
  });
  expect(written).toEqual([]);
  expect(existsSync(join(place.root, "notes.txt"))).toBe(true);
});

// Seen red without them among the places: both were written unasked.
requireProgram("bwrap")(
  "[PERM-02 SBX-01 S26] files that begin a session of X are changed by no tool, and a command that creates one is reported",
  async () => {
    await using place = openPlace(
      ...AT_LOGIN_OF_X.map((path) => calls("Write", { file_path: path, content: "canary" })),
      calls("Bash", { command: "p=.x; echo canary >>${p}session; echo canary >>${p}initrc" }),
      says("done"),
    );
    writeFileSync(join(place.root, ".xsession"), "mine");
    await using harness = await place.open({ workingDir: place.root });
    await turn(harness, "go");
    expect(readFileSync(join(place.root, ".xsession"), "utf8")).toBe("mine");
    expect(existsSync(join(place.root, ".xinitrc"))).toBe(true);
    expect(JSON.stringify(place.mock.requests.at(-1)?.body)).toMatch(/run or obeyed by .{0,40}\.xinitrc/);
  },
);

// Seen red with the home taken as the environment spells it.
requireProgram("bwrap")(
  "[PERM-02 SBX-01 S26 S39] nor does either where the home is a link to the folder that is worked in",
  async () => {
    const parent = mkdtempSync("/var/tmp/cinch-link-");
    try {
      await using place = openPlace(
        ...AT_LOGIN.map((path) => calls("Write", { file_path: path, content: "canary" })),
        calls("Bash", {
          command: `for p in ${AT_LOGIN.join(" ")}; do mkdir -p $(dirname $p); echo canary >>$p; done`,
        }),
        calls("Bash", { command: "cat .ssh/id_ed25519; echo fine >notes.txt" }),
        says("done"),
      );
      mkdirSync(join(place.root, ".ssh"));
      writeFileSync(join(place.root, ".ssh", "id_ed25519"), "a key of mine");
      const home = join(parent, "home");
      symlinkSync(place.root, home);
      await using harness = await place.open({
        workingDir: place.root,
        wishes: {
          autoApprove: true,
          environment: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home },
        },
      });
      const events = await turn(harness, "go");
      // Empty files may stand there while the sandbox does.
      const written = AT_LOGIN.filter((path) => {
        const at = join(place.root, path);
        return existsSync(at) && readFileSync(at, "utf8") !== "";
      });
      expect(written).toEqual([]);
      expect(JSON.stringify(events)).not.toContain("a key of mine");
      expect(existsSync(join(place.root, "notes.txt"))).toBe(true);
    } finally {
      rmSync(parent, { recursive: true });
    }
  },
);

// Seen red with the comparison by `startsWith(root + "/")` and the folder taken as it was spelled: all were written.
test.each(["/", "HOME/", "HOME/.", "HOME//", "HOME/sub/..", "HOME/.config/systemd", "HOME/.local/bin/"])(
  "[PERM-02 CTL-06 S26 S39] an agent that chooses the workspace %s writes nothing unasked that runs at the next login",
  async (spelled) => {
    let root = "";
    const inHome = (path: string) => ({
      get file_path() {
        return join(root, path);
      },
      content: "canary",
    });
    await using place = openPlace(...AT_LOGIN.map((path) => calls("Write", inHome(path))), says("done"));
    ({ root } = place);
    for (const folder of ["sub", ".config/systemd", ".local/bin"])
      mkdirSync(join(root, folder), { recursive: true });
    await using harness = await place.open();
    await using agent = await harness.attach({ identityClass: "agent", label: "test" });
    await agent.handshake(PROTOCOL_VERSION);
    const workingDir = spelled.replace("HOME", root);
    const { sessionId } = await agent.send({ kind: "CreateSession", workingDir });
    if (sessionId === undefined) throw new Error("there is no session");
    const events = agent.subscribe(sessionId, { signal: AbortSignal.timeout(60_000) });
    await agent.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
    for await (const { kind } of events) if (kind === "TurnEnded") break;
    expect(AT_LOGIN.filter((path) => existsSync(join(root, path)))).toEqual([]);
    expect(place.mock.requests).toHaveLength(AT_LOGIN.length + 1);
    expect(JSON.stringify(place.mock.requests.at(-1)?.body)).toContain(
      "decides what runs at your next login",
    );
  },
);

// Seen red with the root of the file system as a workspace like any other: the file was written.
test("[PERM-02 CTL-06] with the root of the file system as workspace every change of a file is asked for, with a notice", async () => {
  for (const [workingDir, isWritten] of [
    ["/", false],
    ["HOME", true],
  ] as const) {
    const input = { file_path: "", content: "canary" };
    await using place = openPlace(calls("Write", input), says("done"));
    input.file_path = join(place.root, "notes.txt");
    await using harness = await place.open({ workingDir: workingDir.replace("HOME", place.root) });
    const events = await turn(harness, "go");
    expect(existsSync(input.file_path)).toBe(isWritten);
    expect(JSON.stringify(events).includes("the workspace is the root of the file system")).toBe(!isWritten);
    expect(harness.notices.join().includes("each change of a file is asked for")).toBe(!isWritten);
  }
});

requireProgram("bwrap")(
  "[SBX-01 S26] nor does a command where the workspace is a folder of what runs at the next login",
  async () => {
    await using place = openPlace(
      calls("Bash", { command: "echo canary >x.service; mkdir -p user; echo canary >user/x.service" }),
      calls("Bash", { command: "git init -q ." }),
      says("done"),
    );
    const workingDir = join(place.root, ".config", "systemd");
    mkdirSync(workingDir, { recursive: true });
    await using harness = await place.open({ workingDir });
    await turn(harness, "go");
    expect(readdirSync(workingDir)).toEqual([]);
    expect(JSON.stringify(place.mock.requests.at(-1)?.body)).toContain("Read-only file system");
  },
);
