import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import type { SpawnOptions } from "../../../base/world.ts";
import type { SandboxPolicy } from "../../../session/guard/sandbox.ts";
import { container } from "./container.ts";

async function prepared(answer: string, folder = "workspace", more: Partial<SandboxPolicy> = {}) {
  const directory = temporaryDirectory();
  const [root = "", temporary = ""] = [folder, "tmp"].map((name) => join(directory.path, name));
  mkdirSync(join(root, ".git", "hooks"), { recursive: true });
  mkdirSync(temporary);
  const started: SpawnOptions[] = [];
  const real = testWorld();
  const world = {
    ...real,
    files: {
      ...real.files,
      stat: (path: string) =>
        path === "/usr/bin/podman" ? real.files.stat("/bin/sh") : Promise.resolve(undefined),
    },
    spawn(options: SpawnOptions) {
      started.push(options);
      return real.spawn({ argv: ["/bin/sh", "-c", answer], cwd: "/", env: {} });
    },
  };
  const hooks = { path: join(root, ".git", "hooks"), kind: "directory" } as const;
  const state = await container({ world, image: "toolbox" }).prepare({
    root,
    writable: [],
    readOnly: [hooks, { path: join(root, ".cinch"), kind: "directory" }],
    visible: [],
    hidden: ["/home/user/.ssh", join(root, "secret")],
    temporary,
    workshop: directory.path,
    network: { kind: "off" },
    ...more,
  });
  return {
    state,
    started,
    root,
    temporary,
    hooks,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("[SBX-02] a command runs in a container without network, with the workspace and a /tmp and nothing else", async () => {
  await using at = await prepared("echo held");
  const { state, root, temporary, hooks } = at;
  if (state.kind !== "working") throw new Error(state.why);
  expect(state.made).toEqual([join(root, ".cinch")]);
  const { argv, env } = state.confine.wrap({
    argv: ["bash", "-c", "x"],
    cwd: root,
    env: { PATH: "/p", A: "secret" },
  });
  const line = argv.join(" ");
  expect(line).toStartWith(
    "/usr/bin/podman run --rm --init --pull never --network none --read-only --cap-drop ALL",
  );
  expect(argv.filter((word) => word.startsWith("type=bind"))).toEqual([
    `type=bind,src=${temporary},dst=/tmp`,
    `type=bind,src=${root},dst=${root}`,
    `type=bind,src=${hooks.path},dst=${hooks.path},readonly`,
  ]);
  expect(argv.filter((_, index) => argv[index - 1] === "--tmpfs")).toEqual([
    `${join(root, ".cinch")}:ro,size=4k`,
    `${join(root, "secret")}:ro,size=4k`,
  ]);
  expect(line).not.toContain("secret ");
  expect(env["A"]).toBe("secret"); // by name, so that no list of processes shows it
  expect(line).toEndWith(`--workdir ${root} toolbox bash -c x`);
});

test("[SBX-02] an engine that cannot run the image is no sandbox, and the remedy is named", async () => {
  await using at = await prepared("echo 'Error: no such image' >&2; exit 125");
  expect(at.state).toEqual({
    kind: "unavailable",
    why: "/usr/bin/podman cannot run the image toolbox: no such image",
    remedy: "/usr/bin/podman pull toolbox",
  });
  const says =
    "docker: Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?\n\nRun 'docker run --help'";
  await using down = await prepared(`echo "${says}" >&2; exit 125`);
  expect(down.state).toEqual({
    kind: "unavailable",
    why: "/usr/bin/podman cannot run the image toolbox: Cannot connect to the Docker daemon at unix:///x",
    remedy: "start /usr/bin/podman's service, or be let use it",
  });
});

// Seen red with the names as they are, and without the refusal.
test("[SBX-02 S22] the name of a folder adds no setting to a mount, and a path that cannot be hidden is reported before a command runs", async () => {
  await using at = await prepared("echo held", 'work,src=/etc,"x', { readOnly: [], hidden: [] });
  const { state, root } = at;
  if (state.kind !== "working") throw new Error(state.why);
  const { argv } = state.confine.wrap({ argv: ["true"], cwd: root, env: {} });
  const quoted = root.replaceAll('"', '""');
  expect(argv).toContain(`type=bind,"src=${quoted}","dst=${quoted}"`);

  await using other = await prepared("echo held", "work:exec");
  expect(other.state).toMatchObject({ kind: "unavailable", remedy: "rename it" });
});
