import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { whileHeld } from "./ledger-lock.ts";

test("[TOFU-01 R25] a holder that ends while it is looked at does not cost the next one its hold", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "list");
  const held = `${path}.held`;
  const [ending, next] = [11, 12].map((pid) => JSON.stringify({ pid, start: "x" }));
  writeFileSync(held, String(ending));
  const base = testWorld();
  const isAlive = (pid: number) => {
    if (pid === 12) return true;
    // It frees the file and ends, and another process takes it, between the look and its answer.
    writeFileSync(held, String(next));
    return false;
  };
  const world = { ...base, machine: { ...base.machine, isAlive } };
  const order: string[] = [];
  const done = whileHeld(world, path, async () => void order.push("ours"));
  await until("it waits", () => base.clock.waiting > 0);
  expect([readFileSync(held, "utf8"), order]).toEqual([String(next), []]);
  rmSync(held);
  await base.clock.advance(20);
  await done;
  expect(order).toEqual(["ours"]);
});
