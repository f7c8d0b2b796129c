import { expect, test } from "bun:test";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hostFiles } from "../../../platform/files/files.ts";
import type { TerminalHostOptions } from "./terminal-host.ts";
import { terminalHost } from "./terminal-host.ts";

function openHost() {
  const folder = mkdtempSync(join(tmpdir(), "cinch-host-"));
  const options = {
    isElsewhere: true,
    environment: { PATH: "/usr/bin:/bin" },
    paths: { config: join(folder, "config") },
    workingDir: folder,
    stop: { interrupts: () => undefined },
    world: { files: hostFiles },
  } as unknown as TerminalHostOptions;
  return { folder, host: terminalHost(options) };
}

test("[TUI-08 TUI-07] each private file is a new one, for this person alone, and goes with its folder", async () => {
  const { host } = openHost();
  const [one, other] = [
    await host.writePrivate("copied.txt", "one"),
    await host.writePrivate("copied.txt", "two"),
  ];
  expect([readFileSync(one, "utf8"), readFileSync(other, "utf8")]).toEqual(["one", "two"]);
  expect(statSync(one).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(one)).mode & 0o777).toBe(0o700);
  await host.removePrivate(one);
  expect(() => statSync(dirname(one))).toThrow("ENOENT");
  expect(readFileSync(other, "utf8")).toBe("two");
  await host.removePrivate(other);
});

test("[TUI-11] the file of settings is absent, then written, and through a link of the person", async () => {
  const { folder, host } = openHost();
  expect(await host.readSettings()).toBeUndefined();
  await host.writeSettings("a = 1\n");
  expect(await host.readSettings()).toBe("a = 1\n");
  const linked = openHost();
  const target = join(folder, "dotfiles.toml");
  writeFileSync(target, "b = 1\n");
  mkdirSync(dirname(linked.host.settingsPath), { recursive: true });
  symlinkSync(target, linked.host.settingsPath);
  await linked.host.writeSettings("b = 2\n");
  expect(readFileSync(target, "utf8")).toBe("b = 2\n");
  expect(lstatSync(linked.host.settingsPath).isSymbolicLink()).toBe(true);
});

test("[TUI-08] a file is read if it is a regular one that is not too long", async () => {
  const { folder, host } = openHost();
  const path = join(folder, "picture");
  writeFileSync(path, "12345");
  expect(await host.read(path, 5)).toHaveLength(5);
  await expect(host.read(path, 4)).rejects.toThrow("has 5 bytes");
  await expect(host.read(folder, 100_000)).rejects.toThrow("is not a regular file");
});
