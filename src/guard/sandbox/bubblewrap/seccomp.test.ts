import { describe, expect, test } from "bun:test";
import { seccompFilter } from "./seccomp.ts";
import type { Arch } from "./system-calls.ts";
import { AUDIT_ARCH, callNumber, DENIED_CALLS, JUDGED_CALLS } from "./system-calls.ts";

const ALLOWED = "allow";
const DENIES = "EPERM";
const MISSING = "ENOSYS";
const KILLED = "kill";

/** Runs a filter as the kernel does: enough of classic BPF for what is in it. */
function verdict(
  program: Uint8Array,
  call: { arch: number; number: number; args?: readonly number[] },
): string {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.arch, true);
  for (const [index, value] of (call.args ?? []).entries())
    data.setBigUint64(16 + 8 * index, BigInt(value), true);
  const view = new DataView(program.buffer);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const [code, then, otherwise] = [
      view.getUint16(8 * at, true),
      view.getUint8(8 * at + 2),
      view.getUint8(8 * at + 3),
    ];
    const value = view.getUint32(8 * at + 4, true);
    const jump = (holds: boolean) => {
      at += holds ? then : otherwise;
    };
    if (code === 0x20) accumulator = data.getUint32(value, true);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x05) at += value;
    else if (code === 0x15) jump(accumulator === value);
    else if (code === 0x35) jump(accumulator >= value);
    else if (code === 0x45) jump((accumulator & value) !== 0);
    else if (code === 0x06)
      return (
        { 2147418112: ALLOWED, 327681: DENIES, 327718: MISSING, 2147483648: KILLED }[value] ?? `${value}`
      );
    else throw new Error(`an instruction that is not known here: ${code}`);
  }
  throw new Error("the program ends without an answer");
}

describe.each(["x64", "arm64"] as const)("[SBX-01] the filter of system calls for %s", (arch: Arch) => {
  const filter = seccompFilter(arch);
  const own = (number: number, ...args: readonly number[]) =>
    verdict(filter, { arch: AUDIT_ARCH[arch], number, args });
  const judged = (name: keyof typeof JUDGED_CALLS, ...args: readonly number[]) =>
    own(callNumber(JUDGED_CALLS[name], arch) ?? -1, ...args);

  test("denies each call of the list, and lets the others through", () => {
    const denied = Object.values(DENIED_CALLS).flatMap((numbers) => callNumber(numbers, arch) ?? []);
    expect(new Set(denied.map((number) => own(number)))).toEqual(new Set([DENIES]));
    const judgedNumbers = Object.values(JUDGED_CALLS).map((numbers) => callNumber(numbers, arch) ?? -1);
    for (let number = 0; number < 470; number += 1) {
      if (!denied.includes(number) && !judgedNumbers.includes(number))
        expect([number, own(number)]).toEqual([number, ALLOWED]);
    }
  });

  test("lets sockets of the Internet through, and pairs that cannot be sent elsewhere", () => {
    for (let family = 0; family < 64; family += 1) {
      expect([family, judged("socket", family, 1, 0)]).toEqual([
        family,
        [2, 10, 16].includes(family) ? ALLOWED : DENIES,
      ]);
    }
    expect([judged("socket", 16, 3, 9), judged("socket", 0x1_0000_0001, 1, 0)]).toEqual([DENIES, DENIES]);
    expect([1, 2, 3, 5].map((type) => judged("socketpair", 1, type | 0o2000000, 0))).toEqual([
      ALLOWED,
      DENIES,
      DENIES,
      ALLOWED,
    ]);
    expect(judged("socketpair", 2, 1, 0)).toBe(DENIES);
  });

  test("makes processes and threads, and no namespaces", () => {
    expect([judged("clone", 17), judged("clone", 0x3d0f00), judged("unshare", 0x400)]).toEqual([
      ALLOWED,
      ALLOWED,
      ALLOWED,
    ]);
    for (const flag of [0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect([judged("unshare", flag), judged("clone", flag | 17)]).toEqual([DENIES, DENIES]);
    }
    expect(judged("clone3", 0)).toBe(MISSING);
  });

  test("[S22] gives no file a setuid or setgid bit, and takes every other mode", () => {
    const [create, temporary] = [0o100, 0o2020_0000];
    const withMode = (mode: number) => ({
      chmod: judged("chmod", 0, mode),
      fchmod: judged("fchmod", 3, mode),
      fchmodat: judged("fchmodat", 0, 0, mode),
      fchmodat2: judged("fchmodat2", 0, 0, mode),
      mknod: judged("mknod", 0, mode),
      mknodat: judged("mknodat", 0, 0, mode),
      creat: judged("creat", 0, mode),
      open: judged("open", 0, create | 1, mode),
      openat: judged("openat", 0, 0, create | 1, mode),
      temporary: judged("openat", 0, 0, temporary | 1, mode),
    });
    const isThere = (name: string) =>
      name === "temporary" || callNumber(JUDGED_CALLS[name as keyof typeof JUDGED_CALLS], arch) !== undefined;
    for (const [mode, answer] of [
      [0o755, ALLOWED],
      [0o1777, ALLOWED],
      [0o4755, DENIES],
      [0o2755, DENIES],
      [0x1_0000_0000 + 0o4755, DENIES],
    ] as const) {
      const answers = Object.entries(withMode(mode)).filter(([name]) => isThere(name));
      expect([mode, answers]).toEqual([mode, answers.map(([name]) => [name, answer])]);
    }
    // What is no mode where nothing is created may hold anything.
    expect(judged("openat", 0, 0, 0, 0o4755)).toBe(ALLOWED);
    expect(judged("openat2", 0, 0, 0, 24)).toBe(MISSING);
  });

  test("types into no terminal, knows no later calls, and ends what calls in another way", () => {
    expect([0x5412, 0x541c, 0x1_0000_5412, 0x5401].map((request) => judged("ioctl", 0, request))).toEqual([
      DENIES,
      DENIES,
      DENIES,
      ALLOWED,
    ]);
    expect([own(470), own(0x3fff_ffff), own(0x4000_0000), own(0x4000_0029)]).toEqual([
      MISSING,
      MISSING,
      KILLED,
      KILLED,
    ]);
    for (const other of [AUDIT_ARCH.x64, AUDIT_ARCH.arm64, 0x4000_0003, 0x4000_0028]) {
      if (other !== AUDIT_ARCH[arch]) expect(verdict(filter, { arch: other, number: 0 })).toBe(KILLED);
    }
  });
});
