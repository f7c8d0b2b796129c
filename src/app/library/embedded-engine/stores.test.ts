import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { reasonOf } from "../../../../test/support/store-rig.ts";
import { sqliteStore } from "./stores.ts";

test("[LIB-10 SES-04] a path that is not absolute is refused before a key is made", async () => {
  const before = readdirSync(".");
  for (const path of ["", "sessions.db", "./a/sessions.db"])
    expect(await reasonOf(sqliteStore({ path }))).toBe("UsageInvalid");
  expect(readdirSync(".")).toEqual(before);
});
