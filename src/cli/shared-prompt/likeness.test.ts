import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keysPrint, likenessOf } from "./likeness.ts";

/** Returns true if two processes whose variable differs differ under this config.toml. */
function tellsApart(config: string, variable: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "likeness-"));
  try {
    mkdirSync(join(folder, "config"));
    writeFileSync(join(folder, "config/config.toml"), config);
    const paths = { config: join(folder, "config"), data: folder, state: folder };
    const passed = (value: string) =>
      likenessOf({ [variable]: value }, paths, { salt: "salt", keys: "" }).passed;
    return passed("one") !== passed("two");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each([
  ['pass_env = ["A_TOKEN", "B_TOKEN"]'],
  ["pass_env = [\n  'A_TOKEN',\n  'B_TOKEN',\n]"],
  ['pass_env = ["A_TOKEN", # see [the wiki]\n "B_TOKEN"]'],
  ['pass_env = ["A_TOKEN", # "it\n "B_TOKEN"]'],
  ['"pass\\u005fenv" = ["B_TOKEN"]'],
  ['[bash]\npass_env = ["A_TOKEN"]\n[other]\n"pass_env" = ["B_TOKEN"]'],
  ['[notify]\ntoken_env = "B_TOKEN"'],
  ["[notify]\ntoken_env='B_TOKEN' # mine"],
  ['notify = { "token_env" = "B_TOKEN" }'],
  ['[notify]\ntoken_env = """B_TOKEN"""'],
])("[CRED-03] a variable that pass_env or token_env names counts, however it is written: %s", (config) => {
  expect(tellsApart(config, "B_TOKEN")).toBe(true);
});

test("[CRED-03] a variable that a plain pass_env does not name does not count", () => {
  expect(tellsApart('pass_env = ["A_TOKEN"]', "B_TOKEN")).toBe(false);
  expect(tellsApart('[notify]\ntoken_env = "A_TOKEN"', "B_TOKEN")).toBe(false);
});

test("[CRED-03] no hash holds a passphrase; one that is set differs from none", () => {
  const print = (variables: Record<string, string>) => keysPrint("salt", variables, undefined);
  expect(print({ CINCH_PASSPHRASE: "one" })).toBe(print({ CINCH_PASSPHRASE: "two" }));
  expect(print({ CINCH_PASSPHRASE: "one" })).not.toBe(print({}));
  expect(print({ CINCH_MACHINE_KEY: "1" })).not.toBe(print({ CINCH_MACHINE_KEY: "2" }));
});
