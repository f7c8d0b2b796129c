import { expect, test } from "bun:test";
import { join } from "node:path";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { FakeDesktopOptions } from "../../../test/support/fake-desktop.ts";
import { openFakeDesktop } from "../../../test/support/fake-desktop.ts";
import { requireProgram } from "../../../test/support/requires.ts";
import { until } from "../../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import type { SpawnOptions } from "../../base/world.ts";
import { hostSockets } from "../../platform/sockets/sockets.ts";
import { busDesktop, DESKTOP_NOTICE_MS_MAX, macDesktop } from "./desktop.ts";
import { busPaths } from "./session-bus.ts";

const NOTICE = { title: "cinch", text: "code <123456> & nothing else", forMs: 60_000 };

function desktopAt(address: string, clock = testWorld().clock) {
  const { log } = testWorld();
  return busDesktop({ connect: hostSockets.connectPath, address, uid: 1_000 }, { clock, log });
}

test("[AUTH-03] a notice reaches the desktop over its session's bus, with nothing in it taken for markup, and is taken back", async () => {
  await using fake = await openFakeDesktop();
  const gone = new AbortController();
  expect(await desktopAt(fake.address).show(NOTICE, gone.signal)).toBe(true);
  expect(fake.shown).toEqual([
    { id: 1, title: "cinch", text: "code &lt;123456&gt; &amp; nothing else", forMs: 60_000 },
  ]);
  expect(fake.names).toEqual([Buffer.from("1000").toString("hex")]);
  expect(fake.closed).toEqual([]);
  gone.abort();
  await fake.untilClosed(1);
  expect(fake.closed).toEqual([1]);
});

test("[AUTH-03] a notice that nobody takes back leaves no connection open", async () => {
  await using fake = await openFakeDesktop();
  expect(await desktopAt(fake.address).show(NOTICE)).toBe(true);
  expect(await desktopAt(fake.address).show({ ...NOTICE, text: "" })).toBe(true);
  expect(fake.shown.map(({ text }) => text)).toEqual([expect.stringContaining("123456"), ""]);
});

test("[AUTH-03] a bus of the other byte order is understood", async () => {
  await using fake = await openFakeDesktop({ fault: "big-endian" });
  expect(await desktopAt(fake.address).show(NOTICE)).toBe(true);
});

test("[AUTH-03] where no desktop takes a notice, it counts as not shown, whatever the bus does instead", async () => {
  const faults: readonly NonNullable<FakeDesktopOptions["fault"]>[] = [
    "refuses",
    "garbage",
    "huge",
    "error",
    "hangs-up",
    "no-id",
  ];
  for (const fault of faults) {
    await using fake = await openFakeDesktop({ fault });
    expect([fault, await desktopAt(fake.address).show(NOTICE)]).toEqual([fault, false]);
  }
  for (const address of ["", "unix:path=/nowhere/at/all", "tcp:host=localhost,port=1", "unix:tmpdir=/tmp"]) {
    expect([address, await desktopAt(address).show(NOTICE)]).toEqual([address, false]);
  }
});

test("[AUTH-03] a bus that says nothing is given up after its time", async () => {
  await using fake = await openFakeDesktop({ fault: "silent" });
  const { clock } = testWorld();
  const showing = desktopAt(fake.address, clock).show(NOTICE);
  await until("the bus was reached", () => fake.names.length > 0);
  await clock.advance(DESKTOP_NOTICE_MS_MAX);
  expect(await showing).toBe(false);
});

test("[AUTH-03] addresses of the bus are read as its specification writes them", () => {
  expect(busPaths("unix:path=/run/user/1000/bus,guid=0af;unix:abstract=/tmp/dbus-x%20y")).toEqual([
    "/run/user/1000/bus",
    "\0/tmp/dbus-x y",
  ]);
  expect(busPaths("unixexec:path=/bin/sh;unix:path=relative;unix:;;launchd:env=X;unix:path=/a%zz")).toEqual([
    "/a%zz",
  ]);
});

test("[AUTH-03] on macOS the text goes to the notifier's standard input, never into its arguments", async () => {
  const started: SpawnOptions[] = [];
  const world = testWorld();
  const spawn = (options: SpawnOptions) => {
    started.push(options);
    return world.spawn({
      ...options,
      argv: ["/bin/sh", "-c", "cat >/dev/null"],
      env: { PATH: "/usr/bin:/bin" },
    });
  };
  const desktop = macDesktop({ ...world, spawn });
  expect(await desktop.show({ ...NOTICE, text: 'a "quoted"\\ code\n123456' })).toBe(true);
  const [{ argv, stdin } = { argv: [], stdin: "" }] = started;
  expect([argv, stdin]).toEqual([
    ["/usr/bin/osascript", "-"],
    'display notification "a \\"quoted\\"\\\\ code 123456" with title "cinch"\n',
  ]);
});

test("[AUTH-03] a notifier of macOS that hangs is ended with the time for showing, and with what it was for", async () => {
  const world = testWorld();
  let started = 0;
  const spawn = (options: SpawnOptions) => {
    started += 1;
    return world.spawn({ ...options, argv: ["/bin/sh", "-c", "exec sleep 3600"] });
  };
  const desktop = macDesktop({ ...world, spawn });
  const late = desktop.show(NOTICE);
  await until("the notifier runs", () => started === 1);
  await world.clock.advance(DESKTOP_NOTICE_MS_MAX);
  expect(await late).toBe(false);
  const over = new AbortController();
  const taken = desktop.show(NOTICE, over.signal);
  over.abort(new Error("the code has expired"));
  expect(await taken).toBe(false);
  expect(started).toBe(2);
}, 300_000);

requireProgram("dbus-daemon")(
  "[AUTH-03] a real bus takes our messages for what they are, and says that no desktop is there",
  async () => {
    await using directory = temporaryDirectory();
    const address = `unix:path=${join(directory.path, "bus")}`;
    const daemon = Bun.spawn(
      ["dbus-daemon", "--session", "--nofork", `--address=${address}`, "--print-address=1"],
      {
        stdout: "pipe",
        stderr: "ignore",
      },
    );
    try {
      await daemon.stdout.getReader().read(); // its address: from then on it listens
      const problems: unknown[] = [];
      const log = {
        for: () => log,
        write: (_level: string, _message: string, fields: Readonly<Record<string, unknown>> = {}) => {
          problems.push(fields["problem"]);
        },
      };
      const uid = process.getuid?.() ?? 0;
      const place = { connect: hostSockets.connectPath, address, uid };
      expect(await busDesktop(place, { clock: fakeClock(), log } as never).show(NOTICE)).toBe(false);
      // A message that breaks a rule of the wire would have the bus hang up instead.
      expect(problems).toEqual(["Notify: org.freedesktop.DBus.Error.ServiceUnknown"]);
    } finally {
      daemon.kill();
      await daemon.exited;
    }
  },
  300_000,
);
