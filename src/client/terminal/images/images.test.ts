import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { DraftImage } from "./draft-image.ts";
import { draftImage, imageLabels, keptLabel, readKeptDraft } from "./draft-image.ts";
import { imageMentions, pastedImagePaths, readImage } from "./image-paths.ts";
import { imageRefusal } from "./image-refusal.ts";
import { ImageUploads } from "./image-uploads.ts";

const PNG = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);
const ATTACHMENT = "att_01HXYZ00000000000000000000";

test.each([
  ["/tmp/a.png", ["/tmp/a.png"]],
  ["'/tmp/my shot.PNG' ", ["/tmp/my shot.PNG"]],
  ["/tmp/my\\ shot.png", ["/tmp/my shot.png"]],
  ["/tmp/my shot.png", ["/tmp/my shot.png"]],
  ["file:///tmp/a%20b.jpg", ["file:///tmp/a%20b.jpg"]],
  ["/a.png\n/b.webp", ["/a.png", "/b.webp"]],
  ["see /tmp/a.png", undefined],
  ["/tmp/a.txt", undefined],
  ["", undefined],
])("[TUI-08] %j is pasted: the paths of images in it are %j", (pasted, paths) => {
  expect(pastedImagePaths(pasted)).toEqual(paths as never);
});

test("[TUI-08] mentions of images are found with their places", () => {
  const found = imageMentions('see @a.png, @"b c.jpg" and @src/x.ts, me@b.png, @@no.png.');
  expect(found.map(({ path }) => path)).toEqual(["a.png", "b c.jpg"]);
  expect(imageMentions('@"a.png":3 @b.png...')).toEqual([
    { from: 0, to: 8, path: "a.png" },
    { from: 11, to: 17, path: "b.png" },
  ]);
});

test("[TUI-08] an image is read by its path in the folder; what is no image stays words", async () => {
  const asked: string[] = [];
  const { host } = fakeServices();
  const place = {
    workingDir: "/home/user/work",
    host: {
      ...host,
      environment: { HOME: "/home/user" },
      read: async (path: string) => {
        asked.push(path);
        if (path.endsWith("missing.png")) throw Object.assign(new Error("no file"), { code: "ENOENT" });
        if (path.endsWith("huge.png")) throw new HarnessError("UsageInvalid", { problem: "too large" });
        return path.endsWith("text.png") ? new Uint8Array([1, 2]) : PNG;
      },
    },
  };
  expect(await readImage("a.png", place)).toMatchObject({ facts: "a.png 1x1, 70 bytes" });
  expect(await readImage("~/b.png", place)).toBeDefined();
  expect(await readImage("file:///x/c%20d.png", place)).toBeDefined();
  expect(await readImage("missing.png", place)).toBeUndefined();
  expect(await readImage("text.png", place)).toBeUndefined();
  await expect(readImage("huge.png", place)).rejects.toThrow("too large");
  expect(asked.slice(0, 3)).toEqual(["/home/user/work/a.png", "/home/user/b.png", "/x/c d.png"]);
});

test("[TUI-08] a name cannot end its label or drive the terminal", () => {
  const image = draftImage(PNG, "/tmp/x]\u001b[2J\ny.png");
  expect(image?.facts).not.toMatch(/[\u001b\n\]]/);
  expect(imageLabels(`[image 1: ${image?.facts}]`)).toHaveLength(1);
});

test("[TUI-10] a kept draft has its stored images again, and counts those that are lost", () => {
  const kept = `see ${keptLabel("[image 1: a.png 1x1, 70 bytes]", ATTACHMENT as never)} [image 2: 1x1 png, 70 bytes]`;
  expect(readKeptDraft(kept)).toEqual({
    text: "see [image 1: a.png 1x1, 70 bytes] ",
    images: [{ facts: "a.png 1x1, 70 bytes", source: { kind: "stored", attachment: ATTACHMENT as never } }],
    lost: 1,
  });
});

test("[TUI-08] an image is stored once for its session; without uploads it goes along itself", async () => {
  const image = draftImage(PNG);
  if (image === undefined) throw new Error("no image");
  let stored = 0;
  const uploads = new ImageUploads({
    attach: async () => {
      stored += 1;
      return { attachment: ATTACHMENT, name: "a", media_type: "image/png", bytes: 70 } as never;
    },
  });
  const block = { type: "attachment", id: ATTACHMENT } as never;
  expect(await uploads.blocks([image], "sess_1" as never)).toEqual([block]);
  expect(await uploads.blocks([image], "sess_1" as never)).toEqual([block]);
  expect(stored).toBe(1);
  await uploads.blocks([image], "sess_2" as never);
  expect(stored).toBe(2);
  const inline = new ImageUploads({ attach: async () => undefined });
  expect(await inline.blocks([image], "sess_1" as never)).toMatchObject([{ type: "image" }]);
  const refusing = new ImageUploads({
    attach: async () => new HarnessError("AttachmentsFull" as never, { kept: "1", limit: "1" } as never),
  });
  await expect(refusing.blocks([image], "sess_1" as never)).rejects.toThrow();
});

test("[TUI-08] a model that is known to take no images is named before the message is sent", async () => {
  const services = fakeServices();
  const listed = (accepts?: readonly string[]) => ({
    providers: [
      { name: "m", configured: true, models: [{ id: "n", ...(accepts === undefined ? {} : { accepts }) }] },
    ],
  });
  services.found = listed(["text"]);
  expect(await imageRefusal(services)).toContain("m:n takes no images");
  services.found = listed(["text", "image"]);
  expect(await imageRefusal(services)).toBeUndefined();
  services.found = listed();
  expect(await imageRefusal(services)).toBeUndefined();
});

test("[TUI-08] an image whose upload broke is stored with the next try, and one refusal leaves that of another session", async () => {
  const refusal = new HarnessError("InvalidCommand", { kind: "SendInput", why: "no" });
  const first = Promise.withResolvers<HarnessError>();
  const answers: (() => Promise<never>)[] = [
    () => Promise.reject(new TypeError("the connection is gone")),
    () => first.promise as Promise<never>,
  ];
  const asked: string[] = [];
  const uploads = new ImageUploads({
    async attach(session) {
      asked.push(session);
      const answer = answers.shift();
      return answer === undefined ? ({ attachment: `att_${asked.length}` } as never) : await answer();
    },
  });
  const image = draftImage(PNG) as DraftImage;
  const [one, other] = ["ses_1", "ses_2"] as unknown as readonly [SessionId, SessionId];
  await expect(uploads.blocks([image], one)).rejects.toThrow("the connection is gone");
  const again = uploads.blocks([image], one);
  expect(await uploads.blocks([image], other)).toEqual([{ type: "attachment", id: "att_3" as never }]);
  first.resolve(refusal);
  await expect(again).rejects.toBe(refusal);
  expect(uploads.attachmentOf(image, other)).toBe("att_3" as never);
  expect(asked).toEqual(["ses_1", "ses_1", "ses_2"]);
});
