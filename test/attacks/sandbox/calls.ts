/**
 * Runs inside the sandbox, under Bun: makes system calls as such, and says `ESCAPED name` for each that works.
 *
 * `calls` makes them all; `alone NAME` one that may end the process; `connect NAME PATH` connects to a Unix socket;
 * `setid FOLDER` sets the setuid or setgid bit of files in a folder by each call that could.
 */
import { CFunction, dlopen, ptr, toArrayBuffer } from "bun:ffi";
import { openSync, writeFileSync } from "node:fs";
import { arch } from "node:os";
import {
  callNumber,
  DENIED_CALLS,
  JUDGED_CALLS,
} from "../../../src/guard/sandbox/bubblewrap/system-calls.ts";

const ARCH = arch() === "arm64" ? "arm64" : "x64";
const libc = dlopen("libc.so.6", {
  syscall: { args: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"], returns: "i64" },
  __errno_location: { args: [], returns: "ptr" },
}).symbols;
const REFUSALS: readonly number[] = [1, 38]; // EPERM, ENOSYS

function call(
  number: number,
  ...args: readonly number[]
): { readonly result: number; readonly errno: number } {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = args;
  const result = Number(libc.syscall(number, a, b, c, d, e, f));
  const at = libc.__errno_location();
  const errno = at === null ? 0 : (new Int32Array(toArrayBuffer(at, 0, 4))[0] ?? 0);
  return { result, errno };
}

function tell(name: string, { result, errno }: { readonly result: number; readonly errno: number }): void {
  const refused = result < 0 && REFUSALS.includes(errno);
  process.stdout.write(refused ? `refused ${name}\n` : `ESCAPED ${name} (${result}, errno ${errno})\n`);
}

const text = (value: string) => ptr(Buffer.from(`${value}\0`));

/** Arguments that do no harm where the call goes through; most are wrong on purpose, and then another errno tells. */
const ARGUMENTS: Readonly<Record<string, readonly number[]>> = {
  reboot: [1, 2, 3],
  mount: [text("none"), text("/tmp"), text("tmpfs"), 0, 0],
  umount2: [text("/proc"), 2],
  chroot: [text("/tmp")],
  swapoff: [text("/nowhere")],
  sethostname: [text("x"), 1],
  acct: [text("/nowhere")],
};

function calls(): void {
  for (const [name, numbers] of Object.entries(DENIED_CALLS)) {
    const number = callNumber(numbers, ARCH);
    if (number !== undefined)
      tell(`call:${name}`, call(number, ...(ARGUMENTS[name] ?? [-1, -1, -1, -1, -1, -1])));
  }
  const number = (name: keyof typeof JUDGED_CALLS) => callNumber(JUDGED_CALLS[name], ARCH) ?? -1;
  const namespaces = {
    time: 0x80,
    mnt: 0x2_0000,
    cgroup: 0x200_0000,
    uts: 0x400_0000,
    ipc: 0x800_0000,
  } as const;
  for (const [name, flag] of Object.entries({
    ...namespaces,
    user: 0x1000_0000,
    pid: 0x2000_0000,
    net: 0x4000_0000,
  })) {
    tell(`unshare:${name}`, call(number("unshare"), flag));
  }
  tell("unshare:all", call(number("unshare"), 0x7e02_0080));
  tell("clone3", call(number("clone3"), 0, 0));
  const families = {
    unix: 1,
    ax25: 3,
    packet: 17,
    rds: 21,
    bluetooth: 31,
    tipc: 30,
    alg: 38,
    vsock: 40,
    xdp: 44,
  };
  for (const [name, family] of Object.entries(families))
    tell(`socket:${name}`, call(number("socket"), family, 1, 0));
  tell("socket:unix-dgram", call(number("socket"), 1, 2, 0));
  tell("socket:unix-high-bits", call(number("socket"), 0x1_0000_0001, 1, 0));
  tell("socket:netlink-generic", call(number("socket"), 16, 3, 16));
  tell("socket:netlink-audit", call(number("socket"), 16, 3, 9));
  tell("socket:raw", call(number("socket"), 2, 3, 1));
  tell("socket:raw6", call(number("socket"), 10, 3, 58));
  const pair = new Int32Array(2);
  tell("socketpair:dgram", call(number("socketpair"), 1, 2, 0, ptr(pair)));
  tell("socketpair:dgram-flags", call(number("socketpair"), 1, 2 | 0o2000000, 0, ptr(pair)));
  tell("socketpair:raw", call(number("socketpair"), 1, 3, 0, ptr(pair)));
  const made = call(number("socketpair"), 1, 1, 0, ptr(pair));
  process.stdout.write(made.result === 0 ? "works socketpair:stream\n" : "BROKEN socketpair:stream\n");
  tell("ioctl:TIOCSTI", call(number("ioctl"), 0, 0x5412, ptr(pair)));
  tell("ioctl:TIOCSTI-high-bits", call(number("ioctl"), 0, 0x1_0000_5412, ptr(pair)));
  tell("ioctl:TIOCLINUX", call(number("ioctl"), 0, 0x541c, ptr(pair)));
  tell("call:unknown", call(500));
}

/** The classic ways around a filter that looks at one table of numbers only. Each should end this process. */
function alone(name: string): void {
  const escaped = (result: number) => process.stdout.write(`ESCAPED ${name} (${result})\n`);
  if (name === "x32:getpid") escaped(call(0x4000_0000 + 39).result);
  else if (name === "x32:socket") escaped(call(0x4000_0000 + 41, 1, 1, 0).result);
  else escaped(runBytes([0xb8, 0x14, 0, 0, 0, 0xcd, 0x80, 0xc3])); // mov eax, 20; int 0x80; ret
}

function runBytes(code: readonly number[]): number {
  const page = call(9, 0, 4096, 7, 0x22, -1, 0).result; // mmap, readable, writable, executable
  new Uint8Array(toArrayBuffer(page as never, 0, 4096)).set(code);
  return Number(CFunction({ ptr: page as never, args: [], returns: "i32" })());
}

/** Makes the system calls as a static binary does, without a library. Prints those that returned success. */
function setid(folder: string): void {
  const at = (name: string) => text(`${folder}/${name}`);
  const number = (name: keyof typeof JUDGED_CALLS) => callNumber(JUDGED_CALLS[name], ARCH);
  const [create, write, temporary] = [0o100, 0o1, 0o20200000];
  const HERE = -100; // AT_FDCWD
  for (const [bits, bit] of [
    ["setuid", 0o4000],
    ["setgid", 0o2000],
  ] as const) {
    const mode = bit | 0o755;
    const file = `${bits}-file`;
    writeFileSync(`${folder}/${file}`, "", { mode: 0o755 });
    const open = openSync(`${folder}/${file}`, "r");
    const how = new BigUint64Array([BigInt(create | write), BigInt(mode), 0n]);
    const made: Readonly<Record<string, readonly [number: number | undefined, ...args: number[]]>> = {
      chmod: [number("chmod"), at(file), mode],
      "chmod-high-bits": [number("chmod"), at(file), 0x1_0000_0000 + mode],
      fchmod: [number("fchmod"), open, mode],
      fchmodat: [number("fchmodat"), HERE, at(file), mode],
      fchmodat2: [number("fchmodat2"), HERE, at(file), mode, 0],
      open: [number("open"), at(`${bits}-open`), create | write, mode],
      openat: [number("openat"), HERE, at(`${bits}-openat`), create | write, mode],
      "openat-temporary": [number("openat"), HERE, text(folder), temporary | write, mode],
      openat2: [number("openat2"), HERE, at(`${bits}-openat2`), ptr(how), 24],
      creat: [number("creat"), at(`${bits}-creat`), mode],
      mknod: [number("mknod"), at(`${bits}-mknod`), 0o100000 | mode, 0],
      mknodat: [number("mknodat"), HERE, at(`${bits}-mknodat`), 0o100000 | mode, 0],
    };
    for (const [name, [which, ...args]] of Object.entries(made))
      if (which !== undefined) tell(`${bits}:${name}`, call(which, ...args));
    const fine = call(number("openat") ?? -1, HERE, at(`${bits}-fine`), create | write, 0o1755);
    process.stdout.write(fine.result >= 0 ? `works ${bits}:sticky\n` : `BROKEN ${bits}:sticky\n`);
  }
}

function connect(name: string, path: string): void {
  const socket = Bun.connect({
    unix: path.startsWith("@") ? `\0${path.slice(1)}` : path,
    socket: {
      open(at) {
        process.stdout.write(`ESCAPED connect-${name}\n`);
        at.end();
      },
      data() {},
      error() {},
    },
  });
  socket.catch((thrown: unknown) => process.stdout.write(`refused connect-${name}: ${String(thrown)}\n`));
}

const [mode, name = "", path = ""] = process.argv.slice(2);
if (mode === "calls") calls();
else if (mode === "alone") alone(name);
else if (mode === "setid") setid(name);
else connect(name, path);
