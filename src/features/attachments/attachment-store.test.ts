import { expect, test } from "bun:test";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import type { SessionHost } from "../../session/host.ts";
import { attachmentLogFiles } from "./attachment-log-files.ts";
import { ATTACHMENTS_BYTES_MAX, openAttachmentStore } from "./attachment-store.ts";
import { attachmentsFolder } from "./attachments-folder.ts";

const TEXT = new TextEncoder().encode("words");

function openRig(
  keyByte = 1,
  data = temporaryDirectory("cinch-attachments-"),
  log = testWorld().ids.next("log"),
) {
  const world = testWorld();
  const host = (files = world.files) =>
    ({
      world: { ...world, files },
      paths: { data: data.path },
      logId: log,
      models: { logKey: async () => new Uint8Array(32).fill(keyByte) },
    }) as unknown as SessionHost;
  const folder = attachmentsFolder(data.path, log);
  return { world, host, folder, data, log, at: { world, paths: { data: data.path } } };
}

test("[CTL-19] a session keeps attachments up to a limit, counted before each upload", async () => {
  const { world, host, data } = openRig();
  await using _data = data;
  const files = {
    ...world.files,
    lstat: async (path: string) => {
      const info = await world.files.lstat(path);
      return info === undefined ? undefined : { ...info, size: ATTACHMENTS_BYTES_MAX };
    },
  };
  const store = await openAttachmentStore(host(files));
  const both = await Promise.allSettled([1, 2].map(() => store.store({ name: "a", bytes: TEXT })));
  expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  await expect(store.store({ name: "b", bytes: TEXT })).rejects.toMatchObject({ reason: "AttachmentsFull" });
});

test("[CTL-19 SES-06] attachments expire by their day, and go with their log", async () => {
  const { host, folder, data, log, at } = openRig();
  await using _data = data;
  const store = await openAttachmentStore(host());
  const old = await store.store({ name: "old", bytes: TEXT });
  const fresh = await store.store({ name: "new", bytes: TEXT });
  const before = new Date("2025-01-01T00:00:00Z");
  utimesSync(join(folder, old.attachment), before, before);
  await attachmentLogFiles.expire(log, "2025-01-02", at);
  expect(readdirSync(folder)).toEqual([fresh.attachment]);
  await expect(store.blocks(old.attachment)).rejects.toMatchObject({ reason: "AttachmentMissing" });
  await attachmentLogFiles.remove(log, at);
  expect(readdirSync(join(folder, ".."))).toEqual([]);
  await attachmentLogFiles.expire(log, "2025-01-02", at); // nothing is left, and nothing fails
});

test("[CTL-19 SES-04] an attachment opens with the key of its log alone", async () => {
  const one = openRig(1);
  await using _data = one.data;
  const { attachment } = await (await openAttachmentStore(one.host())).store({ name: "a", bytes: TEXT });
  const other = openRig(2, one.data, one.log);
  const store = await openAttachmentStore(other.host());
  await expect(store.blocks(attachment)).rejects.toMatchObject({ reason: "AttachmentMissing" });
});
