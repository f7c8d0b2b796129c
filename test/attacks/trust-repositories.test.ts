import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { hasReason } from "../../src/base/errors.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { CANARY, hostileFiles, writeHostile } from "../support/hostile-repository.ts";
import { says } from "../support/mock-provider/turn.ts";
import type { PlaceOptions } from "../support/place.ts";
import { openPlace, turn } from "../support/place.ts";

// Each file is a repository of its own here; `trust.e2e.ts` starts the program itself in one that holds them all.

const BAIT = { command: (name: string) => `touch ${CANARY}-${name}`, url: "http://127.0.0.1:9" };
const FILES = hostileFiles(BAIT);

// Seen red with trust taken out, and with `git status` called while the project is read.
test("[TOFU-01 S33 S34 S35 S41] sixty and more hostile repositories, one file each: none starts a process, none calls anybody but the model, none says a word to it", async () => {
  expect(FILES.length).toBeGreaterThanOrEqual(60);
  const started: string[] = [];
  const called: string[] = [];
  const heard: string[] = [];
  let refused = 0;
  for (const file of FILES) {
    await using place = openPlace(says("fine"));
    mkdirSync(join(place.root, "outside"), { recursive: true });
    writeHostile(place.repo, [file]);
    const host = hostWorld(SILENT_LOG);
    const world = {
      ...host,
      spawn(options: Parameters<typeof host.spawn>[0]) {
        // The trial of the sandbox, which is in no repository, may run beside the first answer.
        if (!isTrial(options.argv)) started.push(`${file.path}: ${options.argv.join(" ")}`);
        return host.spawn(options);
      },
      fetch(url: string, init: Parameters<typeof host.fetch>[1]) {
        if (!url.startsWith(place.mock.url)) called.push(`${file.path}: ${url}`);
        return host.fetch(url, init);
      },
    };
    const answers = async (more: PlaceOptions): Promise<boolean> => {
      try {
        await using harness = await place.open({ ...more, world });
        await turn(harness, "hi");
        return true;
      } catch (thrown) {
        if (hasReason(thrown, "NonInteractiveAckRefused")) return false;
        throw thrown;
      }
    };
    if (!(await answers({}))) {
      refused += 1;
      expect(await answers({ wishes: { autoApprove: true } })).toBe(false);
      expect(await answers({ wishes: { withoutProject: true } })).toBe(true);
    }
    const sent = JSON.stringify(place.mock.requests);
    if (sent.includes(CANARY)) heard.push(file.path);
    expect(place.mock.requests).toHaveLength(1);
  }
  expect({ started, called, heard, refused }).toEqual({ started: [], called: [], heard: [], refused: 12 });
}, 300_000);

test("[TOFU-01 S23 R22] an irregular entry at the path of an instruction file is skipped and reported, or ends the start", async () => {
  const odd = ["fifo", "folder", "unreadable", "loop"] as const;
  for (const kind of odd) {
    for (const path of ["AGENTS.md", ".cinch/config.toml"]) {
      await using place = openPlace(says("fine"));
      mkdirSync(join(place.repo, ".cinch"));
      const at = join(place.repo, path);
      if (kind === "fifo") Bun.spawnSync(["mkfifo", at]);
      if (kind === "folder") mkdirSync(at);
      if (kind === "loop") writeHostile(place.repo, [{ path, link: at }]);
      if (kind === "unreadable") writeHostile(place.repo, [{ path, link: "/proc/self/mem" }]);
      await using harness = await place.open();
      expect(harness.notices.join("\n")).toContain(path);
      await turn(harness, "hi");
    }
  }
});

/** Returns true for the trial of bubblewrap in a temporary folder. */
function isTrial(argv: readonly string[]): boolean {
  return argv[0] === "/usr/bin/bwrap" && argv.some((word) => word.endsWith("/own/probe"));
}
