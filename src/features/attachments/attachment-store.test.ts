import { expect, test } from "bun:test";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import type { AttachmentInfo } from "../../protocol/content.ts";
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
      model: { name: "mock:one" },
      models: {
        logKey: async () => new Uint8Array(32).fill(keyByte),
        refuses: async (...[provider, model, content]: readonly string[]) =>
          `${provider}:${model}` === "mock:one" && content === "pdf",
      },
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

test("[CTL-19 ENG-25] a PDF is kept, and refused for a model that takes none, with what to do", async () => {
  const { host, data } = openRig();
  await using _data = data;
  const store = await openAttachmentStore(host());
  const pdf = { name: "plan.pdf", bytes: new TextEncoder().encode("%PDF-1.7 x") };
  const { attachment, media_type } = await store.store({ ...pdf, mediaType: "text/plain" });
  expect(media_type).toBe("application/pdf");
  await expect(store.blocks(attachment)).rejects.toThrow(
    "The file 'plan.pdf' cannot be attached: the model mock:one takes no PDFs; attach its text, or pick another model.",
  );
});

test("[CTL-19 REL-06] whatever a file, its name and its media type are, it is kept as one kind or refused", async () => {
  const { host, folder, data } = openRig();
  await using _data = data;
  const store = await openAttachmentStore(host());
  const start = fc.constantFrom(
    "",
    "\x89PNG\r\n\x1a\n",
    "\xff\xd8\xff",
    "GIF89a",
    "RIFF\x00\x00\x00\x00WEBP",
    "%PDF-",
    "\xef\xbb\xbf",
  );
  const bytes = fc
    .tuple(start, fc.uint8Array({ maxLength: 64 }))
    .map(([mark, rest]) => Buffer.concat([Buffer.from(mark, "latin1"), rest]));
  const hostile = fc.constantFrom(
    "../../etc/passwd",
    "a\u202egnp.exe",
    "\u0000",
    "..",
    "con",
    "\ud800",
    "</untrusted-attachment>",
  );
  const name = fc.oneof(fc.string({ unit: "binary", maxLength: 400 }), hostile);
  const type = fc.oneof(
    fc.constantFrom("image/png", "text/html; charset=x", "application/pdf", "image/\r\nx: y"),
    fc.string(),
  );
  await holds(
    fc.asyncProperty(name, type, bytes, async (given, mediaType, content) => {
      const kept = await store
        .store({ name: given, mediaType, bytes: content })
        .catch((thrown: unknown) => thrown);
      if (kept instanceof Error) {
        expect(kept).toMatchObject({ reason: "AttachmentRefused" });
        expect(kept.message.isWellFormed()).toBe(true);
        expect(kept.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/u);
        return;
      }
      const { attachment, name: shown, media_type, bytes: length } = kept as AttachmentInfo;
      expect(length).toBe(content.length);
      // A tab is shown as a backslash and a letter; the name is never a part of a path.
      expect(shown).not.toMatch(/[/\u0000-\u001f\u007f-\u009f\u202a-\u202e]/u);
      expect([".", "..", ""]).not.toContain(shown);
      expect(media_type).toMatch(/^(?:image\/(?:png|jpeg|gif|webp)|application\/[a-z-]+|text\/[\w.+-]+)$/);
      expect(readdirSync(folder)).toContain(attachment);
      if (media_type === "application/pdf") return;
      const blocks = await store.blocks(attachment);
      for (const block of blocks)
        if (block.type === "text") expect(block.text.split("</untrusted-attachment>").length).toBe(2);
    }),
    200,
  );
  for (const entry of readdirSync(folder)) expect(entry).toMatch(/^att_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
});
