import { expect, test } from "bun:test";
import { homePath } from "./home-path.ts";

test("[TUI-01] a folder below the home folder is shown with ~, and any other as it is", () => {
  expect(homePath("/home/user/app", "/home/user")).toBe("~/app");
  expect(homePath("/home/user", "/home/user/")).toBe("~");
  expect(homePath("/home/user-2/app", "/home/user")).toBe("/home/user-2/app");
  expect(homePath("/srv/app", undefined)).toBe("/srv/app");
  expect(homePath("/srv/app", "")).toBe("/srv/app");
});
