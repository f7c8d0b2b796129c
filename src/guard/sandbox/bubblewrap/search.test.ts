import { expect } from "bun:test";
import { requireProgram } from "../../../../test/support/requires.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { bubblewrap } from "./bubblewrap.ts";

const withSandbox = requireProgram("bwrap");

withSandbox(
  "[SBX-02 S29] a trial of the sandbox that broke off fails one search, and not all that follow",
  async () => {
    await using place = temporaryDirectory();
    const real = testWorld();
    let starts = 0;
    const world: typeof real = {
      ...real,
      spawn(options) {
        starts += 1;
        if (starts === 1) throw new Error("no process can be started");
        return real.spawn(options);
      },
    };
    const search = async () => await sandbox.prepareSearch?.({ root: place.path, hidden: [] });
    const sandbox = bubblewrap({ world });
    await expect(search()).rejects.toThrow("no process can be started");
    expect(await search()).toBeDefined();
    expect(await search()).toBeDefined();
    expect(starts).toBe(2);
  },
);
