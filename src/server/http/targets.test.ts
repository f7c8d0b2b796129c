import { expect, test } from "bun:test";
import fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import type { ListenFlags } from "./targets.ts";
import { plannedTargets } from "./targets.ts";

const SOCKET = "/home/u/.local/share/cinch/control.sock";
const UNIX = { kind: "unix", path: SOCKET } as const;
const TLS = { tlsCert: "/c.pem", tlsKey: "/k.pem" };
const FILE = { authTokenFile: "/t.json" };

function planned(flags: ListenFlags) {
  return plannedTargets(flags, [SOCKET]);
}

test("[CTL-10] the Unix socket always; a port of this machine where that is asked for; nothing with --no-listen", () => {
  expect(planned({})).toEqual([UNIX]);
  expect(planned({ noListen: true })).toEqual([]);
  const loopback = { kind: "loopback", hostname: "127.0.0.1", port: 7777 } as const;
  expect(planned({ listen: "127.0.0.1:7777" })).toEqual([UNIX, loopback]);
  expect(planned({ listen: "localhost:7777" })).toEqual([UNIX, loopback]);
  const tls = { cert: "/c.pem", key: "/k.pem" };
  expect(planned({ listen: "localhost:7777", ...TLS })).toEqual([UNIX, { ...loopback, tls }]);
  expect(planned({ listen: "0.0.0.0:7777", ...TLS, ...FILE })).toEqual([
    UNIX,
    { kind: "lan", hostname: "0.0.0.0", port: 7777, tls },
  ]);
  expect(planned({ listen: "[::]:7777", ...TLS, ...FILE })[1]).toMatchObject({ kind: "lan", hostname: "::" });
});

test("[CTL-10] other machines are let in only with TLS and with tokens that were made before", () => {
  for (const host of ["0.0.0.0", "192.168.1.7", "[::]", "example.org", "127.0.0.1.evil.example", "127.1"]) {
    const listen = `${host}:7777`;
    expect(() => planned({ listen })).toThrow(`--listen ${listen} needs --tls-cert and --tls-key`);
    expect(() => planned({ listen, ...FILE })).toThrow("--tls-cert");
    expect(() => planned({ listen, ...TLS })).toThrow("--auth-token-file");
  }
});

test("[CTL-10] flags that contradict each other, or are no address, are refused by name", () => {
  const wrong: readonly (readonly [ListenFlags, string])[] = [
    [{ listen: "127.0.0.1:1", noListen: true }, "--no-listen and --listen contradict each other"],
    [{ listen: "127.0.0.1:1", tlsCert: "/c" }, "--tls-cert and --tls-key belong together"],
    [{ ...TLS }, "--tls-cert counts only with --listen"],
    [{ listen: "7777" }, "--listen takes HOST:PORT, not '7777'"],
    [{ listen: "localhost" }, "--listen takes HOST:PORT"],
    [{ listen: "localhost:99999" }, "--listen takes HOST:PORT"],
    [{ listen: "::1:80" }, "--listen takes HOST:PORT"],
    [{ listen: "http://localhost:80" }, "--listen takes HOST:PORT"],
    [{ listen: "a b:80" }, "--listen takes HOST:PORT"],
  ];
  for (const [flags, problem] of wrong) expect(() => planned(flags)).toThrow(problem);
});

test("[CTL-10] a socket whose path is too long for the system goes to the next place", () => {
  const long = `/${"x".repeat(120)}/control.sock`;
  expect(plannedTargets({}, [long, SOCKET])).toEqual([UNIX]);
  expect(() => plannedTargets({}, [long])).toThrow("the path of the control socket is longer than 103 bytes");
});

test("[CTL-10] whatever is asked for, no address but this machine's own is served without TLS and a token file", async () => {
  await holds(
    fc.property(
      fc.record(
        {
          listen: fc.oneof(
            fc.string(),
            fc.tuple(fc.domain(), fc.nat(70_000)).map((each) => each.join(":")),
          ),
          noListen: fc.boolean(),
          authTokenFile: fc.constant("/t"),
          tlsCert: fc.constant("/c"),
          tlsKey: fc.constant("/k"),
        },
        { requiredKeys: [] },
      ),
      (flags) => {
        let targets: ReturnType<typeof planned> = [];
        try {
          targets = planned(flags);
        } catch {
          return; // refused
        }
        for (const target of targets) {
          if (target.kind === "loopback") expect(target.hostname).toBe("127.0.0.1");
          if (target.kind === "lan") expect([flags.authTokenFile, target.tls.cert]).toEqual(["/t", "/c"]);
        }
      },
    ),
  );
});
