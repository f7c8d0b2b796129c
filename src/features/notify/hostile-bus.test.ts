import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { openFakeDesktop } from "../../../test/support/fake-desktop.ts";
import { holds } from "../../../test/support/property.ts";
import { until } from "../../../test/support/until.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { Clock } from "../../base/world.ts";
import { hostSockets } from "../../platform/sockets/sockets.ts";
import { DBUS_MESSAGE_BYTES_MAX, decodeReply, encodeCall, Marshal, messageLength } from "./dbus-wire.ts";
import { busDesktop, DESKTOP_NOTICE_MS_MAX } from "./desktop.ts";

const NOTICE = { title: "cinch", text: "the code: 123456", forMs: 60_000 };

function desktopAt(address: string, clock: Clock) {
  const { log } = testWorld();
  return busDesktop({ connect: hostSockets.connectPath, address, uid: 1_000 }, { clock, log });
}

test("[AUTH-03] a bus that lets us in and then answers nothing is given up after its time", async () => {
  await using fake = await openFakeDesktop({ fault: "deaf" });
  const { clock } = testWorld();
  const showing = desktopAt(fake.address, clock).show(NOTICE);
  await until("it was asked", () => fake.asked > 0, 60_000);
  await clock.advance(DESKTOP_NOTICE_MS_MAX);
  expect(await showing).toBe(false);
}, 120_000);

test("[AUTH-03] a bus that sends without end what nobody asked for holds nobody up, and is given up after its time", async () => {
  await using fake = await openFakeDesktop({ fault: "floods" });
  const { clock } = testWorld();
  const showing = desktopAt(fake.address, clock).show(NOTICE);
  await until("it was reached", () => fake.names.length > 0, 60_000);
  await clock.advance(DESKTOP_NOTICE_MS_MAX);
  expect(await showing).toBe(false);
}, 120_000);

test("[AUTH-03] a bus whose first line has no end is left at once", async () => {
  await using fake = await openFakeDesktop({ fault: "endless-line" });
  const { clock } = testWorld();
  expect(await desktopAt(fake.address, clock).show(NOTICE)).toBe(false);
}, 120_000);

const CALL = encodeCall({
  serial: 7,
  destination: "org.freedesktop.Notifications",
  path: "/org/freedesktop/Notifications",
  interface: "org.freedesktop.Notifications",
  member: "CloseNotification",
  signature: "u",
  body: new Marshal().uint32(7),
});

test("[AUTH-03] whatever bytes a bus sends, each message is read or refused within its own length", async () => {
  const changed = fc
    .array(fc.tuple(fc.nat(CALL.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
    .map((changes) => {
      const bytes = Uint8Array.from(CALL);
      for (const [at, value] of changes) bytes[at] = value;
      return bytes;
    });
  const any = fc.oneof(fc.uint8Array({ maxLength: 512 }), changed);
  await holds(
    fc.property(any, (bytes) => {
      let length: number | undefined;
      try {
        length = messageLength(bytes);
      } catch (thrown) {
        expect(String(thrown)).toMatch(/a message of \d+ bytes/);
        return;
      }
      if (length === undefined) return;
      expect(length).toBeWithin(16, DBUS_MESSAGE_BYTES_MAX + 1);
      if (length > bytes.length) return;
      try {
        decodeReply(bytes.subarray(0, length));
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(RangeError);
      }
    }),
    2_000,
  );
});
