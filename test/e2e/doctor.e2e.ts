import { afterEach, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome } from "../support/cinch.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { openServed } from "../support/served.ts";

const homes: CinchHome[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home[Symbol.dispose]();
});

test("[SES-16] cinch doctor finds nothing wrong with a sound installation, and makes nothing that was not there", async () => {
  const home = openHome();
  const fresh = await runCinch(["doctor"], { home });
  expect(fresh).toMatchObject({ code: 0, stderr: "" });
  expect(fresh.stdout).toContain("No damage found.");
});

test("[SES-16] cinch doctor has nothing to note about the store of a new engine, with a session that has had no prompt", async () => {
  await using served = await openServed({ script: [] });
  const { code, stdout } = await runCinch(["doctor"], { home: served.home, cwd: served.work });
  expect([code, stdout]).toEqual([0, "No damage found. cinch doctor --full opens every content too.\n"]);
}, 240_000);

test("[SES-16 PROF-01] a configuration that cannot be read is reported with file and line, and the sessions are still checked", async () => {
  const home = openHome();
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  writeFileSync(join(home.path, "config/cinch/config.toml"), "default_model = 7\n");
  writeStore(home, Buffer.from("this is no database ".repeat(60)));
  const { code, stdout } = await runCinch(["doctor", "--json", "--full"], { home });
  expect(code).toBe(1);
  const { ok, findings } = JSON.parse(stdout);
  expect(ok).toBe(false);
  expect(findings.map(({ area, weight }: Record<string, unknown>) => ({ area, weight }))).toEqual([
    { area: "configuration", weight: "damage" },
    { area: "sessions", weight: "damage" },
  ]);
  expect(findings[0].text).toContain("config.toml:1");
  expect(findings[1].remedy).toContain("move it away");
});

test("[SES-16 PROF-01] a rule that ends the start of a session is damage, though the file can be read", async () => {
  const home = openHome();
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  writeFileSync(join(home.path, "config/cinch/config.toml"), '[permissions]\ndeny = ["Raed"]\n');
  const { code, stdout } = await runCinch(["doctor", "--json"], { home });
  expect(code).toBe(1);
  expect(JSON.parse(stdout).findings).toEqual([
    {
      area: "configuration",
      weight: "damage",
      text: expect.stringContaining('config.toml:2: permissions.deny: there is no tool "Raed"'),
      remedy: "Correct the file at this place.",
    },
  ]);
});

function openHome(): CinchHome {
  const home = cinchHome();
  homes.push(home);
  return home;
}

function writeStore(home: CinchHome, bytes: Uint8Array): void {
  const path = join(home.path, "data/cinch/sessions.db");
  mkdirSync(join(home.path, "data/cinch"), { recursive: true });
  writeFileSync(path, bytes);
}
