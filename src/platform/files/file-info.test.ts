import { expect, test } from "bun:test";
import type { FileInfo } from "../../base/world.ts";
import { LocalDevices } from "./file-info.ts";

const [EXT, NFS] = [0xef53, 0x6969];

function fileOn(device: number): FileInfo {
  const times = { modifiedMs: 0, changedMs: 0 };
  return { kind: "file", size: 1, ...times, mode: 0o644, owner: 0, identity: `${device}:7`, links: 1 };
}

test("[PERF-02 TOOL-03] a device is asked about once a minute: its number may be that of another by then", async () => {
  let nowMs = 0;
  let kind = EXT;
  const asked: string[] = [];
  const devices = new LocalDevices({
    clock: { monotonic: () => nowMs },
    kindAt: async (path) => {
      asked.push(path);
      return kind;
    },
  });
  expect(devices.hasFile(fileOn(40))).toBe(false);
  await devices.learn("/one", fileOn(40));
  kind = NFS; // unmounted, and its number reused
  nowMs = 59_999;
  await devices.learn("/two", fileOn(40));
  expect([devices.hasFile(fileOn(40)), asked]).toEqual([true, ["/one"]]);
  nowMs = 60_000;
  expect(devices.hasFile(fileOn(40))).toBe(false);
  await devices.learn("/three", fileOn(40));
  nowMs = 120_000;
  expect([devices.hasFile(fileOn(40)), asked]).toEqual([false, ["/one", "/three"]]);
});
