import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import type { ProgramSpec } from "../server/server-spec.ts";
import { findServerProgram, hashProgram } from "./program.ts";

const { files } = testWorld();

function rig() {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory.path, name);
  return {
    at,
    write(name: string, text: string, mode = 0o700) {
      mkdirSync(join(at(name), ".."), { recursive: true });
      writeFileSync(at(name), text);
      chmodSync(at(name), mode);
    },
    spec: (cmd: string, args: readonly string[] = [], path = `rel:${at("a")}:${at("b")}`): ProgramSpec => ({
      name: "test",
      identity: "",
      declaration: "",
      eagerToolsMax: 20,
      callMsMax: 1,
      declaredIn: "/config.toml",
      transport: "stdio",
      cmd,
      args,
      cwd: directory.path,
      env: { PATH: path },
    }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("[MCP-04 S17] a program is looked for in the absolute folders of PATH, and what may not be run is passed over", async () => {
  await using place = rig();
  place.write("rel/server", "no");
  place.write("server", "no");
  place.write("a/server", "no", 0o600);
  place.write("b/server", "yes");
  expect(await findServerProgram(files, place.spec("server"))).toEqual({
    path: place.at("b/server"),
    files: [place.at("b/server")],
  });
  await expect(findServerProgram(files, place.spec("other"))).rejects.toThrow(
    "MCP server 'test' cannot be started: no folder of PATH has it: other (declared in /config.toml).",
  );
  await expect(findServerProgram(files, place.spec("/nowhere/server"))).rejects.toThrow(
    "there is no program there",
  );
});

test("[MCP-04 S37] the script of an interpreter counts with it, as cat and sha256sum see it, behind links too", async () => {
  await using place = rig();
  place.write("b/node", "the interpreter");
  place.write("server.js", "the script");
  symlinkSync(place.at("b/node"), place.at("b/nodejs"));
  for (const [cmd, args] of [
    ["node", ["--flag", "server.js"]],
    ["nodejs", [place.at("server.js")]],
  ] as const) {
    const program = await findServerProgram(files, place.spec(cmd, args));
    expect(program.path).toBe(place.at(`b/${cmd}`));
    expect(program.files).toEqual([place.at("b/node"), place.at("server.js")]);
    const told = Bun.spawnSync([
      "sh",
      "-c",
      'cat "$@" | sha256sum',
      "sh",
      ...program.files,
    ]).stdout.toString();
    expect(await hashProgram(files, program)).toBe(told.slice(0, 64));
  }
});

test("[MCP-01 MCP-04] words of an interpreter that no path can be are words: a script of many characters, a link to itself", async () => {
  await using place = rig();
  place.write("b/sh", "the interpreter");
  symlinkSync(place.at("loop"), place.at("loop"));
  const args = ["-c", `exec my-server ${"x".repeat(300)}`, place.at("loop"), "y".repeat(5_000)];
  expect((await findServerProgram(files, place.spec("sh", args))).files).toEqual([place.at("b/sh")]);
});

test("[MCP-04 S37] what is run by an option, as a module or out of a folder counts too, and a folder that is only named does not", async () => {
  await using place = rig();
  place.write("b/node", "the interpreter");
  place.write("b/python3", "the interpreter");
  for (const name of [
    "hook.js",
    "server.js",
    "app/index.js",
    "app/package.json",
    "own/tool.py",
    "own/__init__.py",
  ])
    place.write(name, name);
  const counted = async (cmd: string, ...args: string[]) =>
    (await findServerProgram(files, place.spec(cmd, args))).files
      .slice(1)
      .map((path) => relative(place.at("."), path));
  expect(await counted("node", "--require=./hook.js", "server.js")).toEqual(["hook.js", "server.js"]);
  expect(await counted("node", "-r./hook.js", place.at("server.js"))).toEqual(["hook.js", "server.js"]);
  expect(await counted("node", `--import=${place.at("hook.js")}`, "-e", "1")).toEqual(["hook.js"]);
  expect(await counted("node", "app")).toEqual(["app/index.js", "app/package.json"]);
  expect(await counted("python3", "-m", "own.tool")).toEqual(["own/tool.py"]);
  expect(await counted("python3", "-m", "own")).toEqual(["own/__init__.py"]);
  expect(await counted("node", "server.js", place.at("app"), "--port=80", "--x")).toEqual(["server.js"]);
});
