import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { holds } from "../../../test/support/property.ts";
import { testWorld } from "../../../test/support/world.ts";
import { ATTACHMENT_BYTES_MAX } from "../../protocol/commands/run-limits.ts";
import type { AttachedFile } from "../../protocol/content.ts";
import { UPLOADS_BYTES_MAX, UploadMemory } from "../hub/upload-memory.ts";
import {
  SocketUpload,
  UPLOAD_PIECE_BYTES_MAX,
  UPLOAD_PIECE_MS_MAX,
  UPLOAD_PIECES_MAX,
} from "./socket-upload.ts";

const SESSION = testWorld().ids.next("sess");
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const filled = (length: number) => new Uint8Array(length).fill(97);

function openUploads() {
  const [memory, clock, ids] = [new UploadMemory(), fakeClock(), testWorld().ids];
  const files: AttachedFile[] = [];
  const connection = {
    holdUpload: () => memory.hold(),
    async attach(_session: string, file: AttachedFile) {
      files.push(file);
      return { attachment: ids.next("att"), name: file.name, media_type: "x/y", bytes: file.bytes.length };
    },
  };
  return { memory, clock, files, connection, upload: new SocketUpload(clock) };
}

/** Returns true if no upload holds memory. */
function isFree(memory: UploadMemory): boolean {
  using hold = memory.hold();
  hold.add(UPLOADS_BYTES_MAX);
  return true;
}

test("[CTL-19] a file comes in pieces of any length, and is what was sent", async () => {
  await holds(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 400 }),
      fc.array(fc.nat(60)),
      async (bytes, cuts) => {
        const { upload, connection, files, memory } = openUploads();
        upload.begin(
          { sessionId: SESSION, name: "a", mediaType: "text/plain", bytes: bytes.length },
          connection,
        );
        let at = 0;
        for (const length of [...cuts.map((cut) => cut + 1), bytes.length]) {
          if (at === bytes.length) break;
          const piece = bytes.subarray(at, at + length);
          at += piece.length;
          const answer = await upload.add({ data: base64(piece) }, connection);
          expect(answer).toMatchObject(
            at < bytes.length ? { received: at } : { name: "a", bytes: bytes.length },
          );
        }
        expect(files).toEqual([{ name: "a", mediaType: "text/plain", bytes: Buffer.from(bytes) }]);
        expect(isFree(memory)).toBe(true);
      },
    ),
  );
});

test("[CTL-19 REL-06] a hostile upload is refused with its reason, keeps no memory, and the next one may begin", async () => {
  const { upload, connection, files, memory } = openUploads();
  const begin = (more: object = {}) =>
    upload.begin({ sessionId: SESSION, name: "a", bytes: 8, ...more }, connection);
  for (const bytes of [undefined, 0, -1, 1.5, "8", Number.NaN, 2 ** 60])
    expect(() => begin({ bytes })).toThrow("bytes: it takes the length");
  expect(() => begin({ bytes: ATTACHMENT_BYTES_MAX + 1 })).toThrow("larger than");
  expect(() => begin({ sessionId: "nobody" })).toThrow(
    expect.objectContaining({ reason: "InvalidSessionID" }),
  );
  for (const [data, why] of [
    [undefined, "it takes bytes as base64"],
    [7, "it takes bytes as base64"],
    ["", "it takes bytes as base64"],
    ["YWI", "it takes bytes as base64"],
    ["YW I=", "it takes bytes as base64"],
    ["YQ==YQ==", "it takes bytes as base64"],
    [base64(filled(UPLOAD_PIECE_BYTES_MAX + 3)), `a piece has at most ${UPLOAD_PIECE_BYTES_MAX} bytes`],
    [base64(filled(9)), "more than the 8 bytes"],
  ] as const) {
    begin();
    await upload.add({ data: base64(filled(1)) }, connection);
    await expect(upload.add({ data }, connection)).rejects.toThrow(why);
    await expect(upload.add({ data: base64(filled(1)) }, connection)).rejects.toThrow("no upload is open");
    expect(isFree(memory)).toBe(true);
  }
  begin();
  expect(() => begin()).toThrow("this socket uploads a file already");
  upload.stop();
  begin({ bytes: UPLOAD_PIECES_MAX + 1 });
  for (let piece = 0; piece < UPLOAD_PIECES_MAX; piece++)
    await upload.add({ data: base64(filled(1)) }, connection);
  await expect(upload.add({ data: base64(filled(1)) }, connection)).rejects.toThrow("send larger ones");
  expect([isFree(memory), files]).toEqual([true, []]);
});

test("[CTL-19 PERF-03] uploads of all clients share one limit, and one that stalls, stops or ends its socket frees its part", async () => {
  const { memory, connection, clock } = openUploads();
  const piece = { data: base64(filled(UPLOAD_PIECE_BYTES_MAX)) };
  const count = UPLOADS_BYTES_MAX / UPLOAD_PIECE_BYTES_MAX;
  const all = Array.from({ length: count / 16 }, () => new SocketUpload(clock));
  for (const each of all)
    each.begin({ sessionId: SESSION, name: "a", bytes: 17 * UPLOAD_PIECE_BYTES_MAX }, connection);
  for (const each of all) for (let at = 0; at < 16; at++) await each.add(piece, connection);
  const [first, second, third] = all as [SocketUpload, SocketUpload, SocketUpload];
  await expect(first.add(piece, connection)).rejects.toMatchObject({ reason: "UploadsBusy" });
  await second.add(piece, connection); // the first one's part is free: this was the last piece of its file
  third.stop();
  await clock.advance(UPLOAD_PIECE_MS_MAX);
  await expect(third.add(piece, connection)).rejects.toThrow("no upload is open");
  for (const each of all) await expect(each.add(piece, connection)).rejects.toThrow("no upload is open");
  expect(isFree(memory)).toBe(true);
});
