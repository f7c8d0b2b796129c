import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { temporaryDirectory, testWorld } from "../../test/support/world.ts";
import { SECTIONS } from "../app/plan/sections.ts";
import { HarnessError } from "../base/errors.ts";
import { lineOf } from "../base/files/toml-lines.ts";
import { encode } from "../base/text/text.ts";
import { parseAcknowledgedHooks } from "../features/hooks/hook-files.ts";
import { parseAliases } from "../features/prompts/aliases.ts";
import { configKeys, loadConfig, lookThroughConfig } from "./config.ts";
import { loadProfile, lookThroughProfile, profileKeys } from "./profile.ts";
import type { AcknowledgedFile } from "./project.ts";
import { projectConfig, projectKeys, projectPermissions } from "./project.ts";
import { parseToml } from "./toml.ts";

const world = testWorld();
const RUNS = 150;

/** Lines that a configuration is made of, well or badly put together, and others. */
const LINE = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(keys(), values()).map(([key, value]) => `${key} = ${value}`) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "[permissions]",
      "[limits]",
      "[sandbox]",
      "[session]",
      "[trust]",
      "[aliases]",
      "[[hooks]]",
      "[[mcp_servers]]",
      "[providers.a]",
      '[prices."a:b"]',
      "[[permissions]]",
      "[__proto__]",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 24, unit: "binary" }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"""', "'''", "deny = [", "]", "\u0000", "\ufeff", "a.b.c = {x = 1}"),
  },
);
const TEXT = fc.array(LINE, { maxLength: 10 }).map((lines) => lines.join("\n"));

function keys() {
  return fc.constantFrom(
    ...["schema_version", "name", "default_model", "default_profile", "prompt_header", "context_sources"],
    ...["tool_packs", "skill_packs", "permissions", "level", "allow", "deny", "strict", "rounds", "cost"],
    ...["event", "cmd", "matcher", "timeout_ms", "idle_timeout", "ttl_days", "hidden", "review", "sha256"],
    ...["constructor", "__proto__", '"a b"', "x.y", "toString"],
  );
}

function values() {
  return fc.oneof(
    fc.constantFrom(
      "true",
      "1",
      "0",
      "-1",
      "1e400",
      "nan",
      '""',
      "[]",
      "{}",
      '["a"]',
      '[""]',
      "[1]",
      "2001-01-01",
    ),
    fc.constantFrom('"ReadOnly"', '"preset/ask.toml"', '"../x.toml"', '"/skills:x"', '"PreToolUse"', '"30m"'),
    fc.string({ maxLength: 12 }).map((text) => JSON.stringify(text)),
  );
}

/** Returns the result of reading a text: accepted, or refused with the file and a line of it, and nothing else. */
async function outcome(text: string, path: string, read: () => Promise<unknown>): Promise<string> {
  try {
    await read();
    return "accepted";
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    expect(thrown.reason).toBe("ConfigInvalid");
    const { line, path: where } = thrown.fields as { readonly line: string; readonly path: string };
    expect(where).toBe(path);
    expect(Number(line)).toBeGreaterThanOrEqual(1);
    expect(Number(line)).toBeLessThanOrEqual(Math.max(1, text.split("\n").length));
    return "refused";
  }
}

test("[REL-06 PROF-01 PROF-03] property: any config.toml and any profile is read or refused with its file and a line of it, and every key of a valid file can be shown", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "any.toml");
  mkdirSync(join(directory.path, "preset"));
  await holds(
    fc.asyncProperty(TEXT, async (text) => {
      writeFileSync(path, text);
      if ((await outcome(text, path, () => loadConfig(world, path, SECTIONS))) === "accepted") {
        const read = await configKeys(world, path, SECTIONS);
        expect(read.every(({ line }) => line >= 1 && line <= text.split("\n").length)).toBe(true);
      }
      const profile = await outcome(text, path, () => loadProfile(world, path, directory.path, SECTIONS));
      if (profile === "accepted")
        expect((await profileKeys(world, path, directory.path, SECTIONS)).length).toBeGreaterThan(20);
    }),
    RUNS,
  );
});

test("[REL-06 PROF-01] property: a look through a file ends, finds errors in those that are refused, the first one among them, and in no other", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "any.toml");
  mkdirSync(join(directory.path, "preset"));
  const told = async (read: () => Promise<unknown>) => {
    const refused = await read().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return refused instanceof HarnessError ? [refused.message] : [];
  };
  await holds(
    fc.asyncProperty(TEXT, async (text) => {
      writeFileSync(path, text);
      for (const [load, look] of [
        [
          (at: typeof world, file: string) => loadConfig(at, file, SECTIONS),
          (at: typeof world, file: string) => lookThroughConfig(at, file, SECTIONS),
        ],
        [
          (at: typeof world, file: string) => loadProfile(at, file, directory.path, SECTIONS),
          (at: typeof world, file: string) => lookThroughProfile(at, file, directory.path, SECTIONS),
        ],
      ] as const) {
        const { mistakes, value } = await look(world, path);
        const errors = mistakes.filter(({ weight }) => weight === "error");
        const [first] = await told(() => load(world, path));
        expect(errors.length === 0).toBe(first === undefined);
        if (errors.length === 0) expect(value).toBeDefined();
        if (first !== undefined)
          expect(errors.map((each) => `${each.path}:${each.line}: ${each.key}: ${each.problem}`)).toContain(
            first,
          );
        for (const { line } of mistakes)
          expect(line).toBeLessThanOrEqual(Math.max(1, text.split("\n").length));
      }
    }),
    RUNS,
  );
});

test("[REL-06 CMD-02 HOOK-02 PROF-03] property: any file of a project is read or refused with its file and a line of it, and never widens anything", async () => {
  const path = "/repo/.cinch/any.toml";
  await holds(
    fc.asyncProperty(TEXT, async (text) => {
      const file = { path, bytes: encode(text) };
      await outcome(text, path, () => parseAliases(file));
      await outcome(text, path, () => parseAcknowledgedHooks(file));
      for (const [kind, read] of [
        ["config", (given: AcknowledgedFile) => projectConfig(given, SECTIONS)],
        ["permission-preset", projectPermissions],
      ] as const) {
        if ((await outcome(text, path, () => read(file))) !== "accepted") continue;
        const { permissions } = await read(file);
        expect(permissions.level).not.toBe("DangerFullAccess");
        expect(permissions.rules.filter(({ effect }) => effect === "allow")).toEqual([]);
        await projectKeys(file, kind, SECTIONS);
      }
    }),
    RUNS,
  );
});

test("[REL-06 PROF-03] property: whatever bytes a file holds, it is read or refused with a line", async () => {
  await holds(
    fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
      const text = new TextDecoder().decode(bytes);
      await outcome(text, "any.toml", () => parseToml("any.toml", text));
      const line = lineOf(text, ["a", "b"]);
      expect(line).toBeGreaterThanOrEqual(1);
    }),
    RUNS,
  );
});
