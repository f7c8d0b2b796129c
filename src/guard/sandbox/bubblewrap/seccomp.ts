import { assert } from "../../../base/assert.ts";
import type { Arch } from "./system-calls.ts";
import { AUDIT_ARCH, callNumber, DENIED_CALLS, JUDGED_CALLS, LAST_KNOWN_CALL } from "./system-calls.ts";

const EPERM = 1;
const ENOSYS = 38;
const RETURN_ALLOW = 0x7fff_0000;
const RETURN_ERRNO = 0x0005_0000;
const RETURN_KILL_PROCESS = 0x8000_0000;

/** Offsets in `struct seccomp_data`, which the kernel passes to a filter. Both architectures are little-endian. */
const NUMBER_AT = 0;
const ARCH_AT = 4;
const ARGUMENTS_AT = 16;

const X32_BIT = 0x4000_0000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const SOCK_TYPE_MASK = 0xf;
/** Every CLONE_NEW flag: time, mount, cgroup, uts, ipc, user, pid, net. */
const NEW_NAMESPACES =
  0x80 | 0x2_0000 | 0x200_0000 | 0x400_0000 | 0x800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000;
/** TIOCSTI types into a terminal as a user would; TIOCLINUX opens the console's menu, which can paste. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** S_ISUID and S_ISGID. */
const SETID = 0o6000;
/** O_CREAT, and the bit of O_TMPFILE that no other flag has: `open` takes a mode only with one of them. */
const CREATES = 0o100 | 0o2000_0000;

type Name = keyof typeof JUDGED_CALLS;
type Label =
  | "allow"
  | "denied"
  | "missing"
  | "kill"
  | Name
  | "route"
  | "pairType"
  | "openMode"
  | "openatMode";

/** Calls that take a file mode, by the index of that argument. */
const BY_MODE: readonly (readonly [index: number, names: readonly Name[]])[] = [
  [1, ["chmod", "fchmod", "mknod", "creat"]],
  [2, ["fchmodat", "fchmodat2", "mknodat"]],
];

const JUDGED_BY_ARGUMENTS: readonly Name[] = [
  ...(["socket", "socketpair", "clone", "unshare", "ioctl", "open", "openat"] as const),
  ...BY_MODE.flatMap(([, names]) => names),
];

/**
 * Returns the filter of system calls for confined commands, as the bytes that bwrap takes.
 *
 * Sockets are for the Internet only, and for asking the kernel about interfaces: none reaches a Unix socket of the
 * host, a virtual machine's host (vsock) or the kernel's rarer families. A pair of connected Unix sockets stays
 * possible, but not one of datagrams, which could be sent anywhere. No file gets a setuid or setgid bit: the
 * workspace is the host's, where such a file would run with the rights of its owner. A call of another architecture,
 * or of the x32 kind, ends the process; one that is newer than the tables is answered as missing.
 */
export function seccompFilter(arch: Arch): Uint8Array {
  const program = new Program();
  program.load(ARCH_AT).unlessEqual(AUDIT_ARCH[arch], "kill");
  program
    .load(NUMBER_AT)
    .ifAtLeast(X32_BIT, "kill")
    .ifAtLeast(LAST_KNOWN_CALL + 1, "missing");
  for (const numbers of Object.values(DENIED_CALLS)) program.ifEqual(callNumber(numbers, arch), "denied");
  // The arguments of both lie in memory, which no filter sees; programs fall back to clone and openat.
  for (const name of ["clone3", "openat2"] as const)
    program.ifEqual(callNumber(JUDGED_CALLS[name], arch), "missing");
  for (const name of JUDGED_BY_ARGUMENTS) program.ifEqual(callNumber(JUDGED_CALLS[name], arch), name);
  program.always("allow");

  program.label("socket").loadArgument(0).ifEqual(AF_INET, "allow").ifEqual(AF_INET6, "allow");
  program.ifEqual(AF_NETLINK, "route").always("denied");
  program.label("route").loadArgument(2).ifEqual(NETLINK_ROUTE, "allow").always("denied");
  program.label("socketpair").loadArgument(0).ifEqual(AF_UNIX, "pairType").always("denied");
  program.label("pairType").loadArgument(1).and(SOCK_TYPE_MASK);
  program.ifEqual(SOCK_DGRAM, "denied").ifEqual(SOCK_RAW, "denied").always("allow");
  program.label("clone").label("unshare").loadArgument(0).ifAnyBit(NEW_NAMESPACES, "denied").always("allow");
  program
    .label("ioctl")
    .loadArgument(1)
    .ifEqual(TIOCSTI, "denied")
    .ifEqual(TIOCLINUX, "denied")
    .always("allow");

  program.label("open").loadArgument(1).ifAnyBit(CREATES, "openMode").always("allow");
  program.label("openMode").loadArgument(2).ifAnyBit(SETID, "denied").always("allow");
  program.label("openat").loadArgument(2).ifAnyBit(CREATES, "openatMode").always("allow");
  program.label("openatMode").loadArgument(3).ifAnyBit(SETID, "denied").always("allow");
  for (const [index, names] of BY_MODE)
    program.labels(names).loadArgument(index).ifAnyBit(SETID, "denied").always("allow");

  program.label("allow").answer(RETURN_ALLOW);
  program.label("denied").answer(RETURN_ERRNO | EPERM);
  program.label("missing").answer(RETURN_ERRNO | ENOSYS);
  program.label("kill").answer(RETURN_KILL_PROCESS);
  return program.bytes();
}

const LOAD_WORD = 0x20;
const AND = 0x54;
const JUMP = 0x05;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

interface Instruction {
  readonly code: number;
  readonly value: number;
  /** Jump targets if the condition holds, and if it does not. */
  readonly then?: Label;
  readonly otherwise?: Label;
}

/** A classic BPF program, built with labels instead of distances. Jumps go forward only. */
class Program {
  readonly #instructions: Instruction[] = [];
  readonly #labels = new Map<Label, number>();

  load(offset: number): this {
    return this.#add({ code: LOAD_WORD, value: offset });
  }

  /** Loads the low half: these calls take ints, or flags in that half. */
  loadArgument(index: number): this {
    return this.load(ARGUMENTS_AT + 8 * index);
  }

  and(mask: number): this {
    return this.#add({ code: AND, value: mask });
  }

  /** Adds nothing for undefined: the architecture does not have the call. */
  ifEqual(value: number | undefined, then: Label): this {
    return value === undefined ? this : this.#add({ code: JUMP_EQUAL, value, then });
  }

  unlessEqual(value: number, otherwise: Label): this {
    return this.#add({ code: JUMP_EQUAL, value, otherwise });
  }

  ifAtLeast(value: number, then: Label): this {
    return this.#add({ code: JUMP_AT_LEAST, value, then });
  }

  ifAnyBit(mask: number, then: Label): this {
    return this.#add({ code: JUMP_ANY_BIT, value: mask, then });
  }

  always(then: Label): this {
    return this.#add({ code: JUMP, value: 0, then });
  }

  answer(value: number): this {
    return this.#add({ code: RETURN, value });
  }

  label(name: Label): this {
    return this.labels([name]);
  }

  labels(names: readonly Label[]): this {
    for (const name of names) this.#labels.set(name, this.#instructions.length);
    return this;
  }

  bytes(): Uint8Array {
    const bytes = new Uint8Array(8 * this.#instructions.length);
    const view = new DataView(bytes.buffer);
    for (const [at, { code, value, then, otherwise }] of this.#instructions.entries()) {
      view.setUint16(8 * at, code, true);
      const distance = this.#distance(at, then);
      if (code === JUMP) view.setUint32(8 * at + 4, distance, true);
      else {
        view.setUint8(8 * at + 2, distance);
        view.setUint8(8 * at + 3, this.#distance(at, otherwise));
        view.setUint32(8 * at + 4, value >>> 0, true);
      }
    }
    return bytes;
  }

  #distance(at: number, label: Label | undefined): number {
    if (label === undefined) return 0;
    const target = this.#labels.get(label);
    assert(target !== undefined, `the label ${label} stands in the program`);
    const distance = target - at - 1;
    assert(distance >= 0 && distance < 256, "a jump of the filter goes forward, and not too far");
    return distance;
  }

  #add(instruction: Instruction): this {
    this.#instructions.push(instruction);
    return this;
  }
}
