import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { hasReason, messageOf } from "../../../base/errors.ts";
import type { Files } from "../../../base/world.ts";
import { hostFiles } from "../../../platform/files/files.ts";
import { sessionFolder } from "./session-folder.ts";

async function refusalOf(named: string): Promise<string> {
  try {
    return `taken: ${await sessionFolder(hostFiles, named)}`;
  } catch (thrown) {
    if (hasReason(thrown, "InvalidPath")) return thrown.message;
    return `not InvalidPath: ${messageOf(thrown)}`;
  }
}

test("[CTL-06 PERM-02] every spelling of a directory is one path, links resolved", async () => {
  await using directory = temporaryDirectory();
  const { path: root } = directory;
  mkdirSync(join(root, "a/b"), { recursive: true });
  symlinkSync(join(root, "a"), join(root, "link"));
  for (const spelled of ["a/", "a/.", "a//", "a/b/..", "link", "link/", "./a"])
    expect(await sessionFolder(hostFiles, `${root}/${spelled}`)).toBe(join(root, "a"));
  expect(await sessionFolder(hostFiles, "/")).toBe("/");
  expect(await sessionFolder(hostFiles, "//")).toBe("/");
});

test("[CTL-06] whatever is no directory that is there is refused with what is wrong, the value and the remedy", async () => {
  await using directory = temporaryDirectory();
  const { path: root } = directory;
  writeFileSync(join(root, "file"), "");
  symlinkSync(join(root, "loop"), join(root, "loop"));
  symlinkSync(join(root, "nowhere"), join(root, "dangling"));
  const cases: readonly (readonly [named: string, problem: string])[] = [
    ["", "is not absolute"],
    [".", "is not absolute"],
    ["rel", "is not absolute"],
    ["~", "is not absolute"],
    ["\0", "is not absolute"],
    [`${root}\0`, "holds a NUL character"],
    [`/${"x".repeat(5_000)}`, "has 5001 bytes, more than 4095"],
    [`/${"x".repeat(300)}`, "has a name that is too long for the file system"],
    [join(root, "none"), "does not exist"],
    [join(root, "dangling"), "does not exist"],
    [join(root, "loop"), "is a link that leads to itself"],
    [join(root, "file"), "is not a directory"],
    [join(root, "file/x"), "is not a directory, or a part of it is not"],
    ["/dev/null", "is not a directory"],
  ];
  for (const [named, problem] of cases) {
    const said = await refusalOf(named);
    expect(said).toStartWith("The address or path cannot be used: workingDir ");
    expect(said).toEndWith(`${problem}. Name an existing directory by its absolute path`);
    expect(said.length).toBeLessThan(400);
  }
});

test("[CTL-06] a directory that may not be entered is refused", async () => {
  const closed: Files = {
    ...hostFiles,
    async stat() {
      throw Object.assign(new Error("EACCES: permission denied, stat '/closed/.'"), { code: "EACCES" });
    },
  };
  await expect(sessionFolder(closed, "/")).rejects.toThrow("cannot be entered: permission denied");
});
