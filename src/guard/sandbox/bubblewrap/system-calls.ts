/** Processor architectures with known system calls. */
export type Arch = "x64" | "arm64";

/** Numbers by architecture, in the order [x64, arm64]; undefined if the architecture does not have the call. */
export type CallNumbers = readonly [x64: number | undefined, arm64: number | undefined];

/**
 * System calls that no build, test or editor needs, and that exploits of the kernel and of other processes use:
 * debugging and reading other processes, keys, mounts and namespaces, asynchronous calls that no filter sees, and
 * machine control.
 */
export const DENIED_CALLS: Readonly<Record<string, CallNumbers>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  setns: [308, 268],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  syslog: [103, 116],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  lookup_dcookie: [212, 18],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  vhangup: [153, 58],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
  uselib: [134, undefined],
  nfsservctl: [180, 42],
};

/** System calls that are judged by their arguments, or answered as if the kernel did not have them. */
export const JUDGED_CALLS = {
  socket: [41, 198],
  socketpair: [53, 199],
  clone: [56, 220],
  clone3: [435, 435],
  unshare: [272, 97],
  ioctl: [16, 29],
  open: [2, undefined],
  creat: [85, undefined],
  openat: [257, 56],
  openat2: [437, 437],
  chmod: [90, undefined],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  mknod: [133, undefined],
  mknodat: [259, 33],
} as const satisfies Readonly<Record<string, CallNumbers>>;

/** Highest number known when these tables were made: later calls are answered as missing. */
export const LAST_KNOWN_CALL = 469;

/** Names of architectures as the kernel passes them to a filter: AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
export const AUDIT_ARCH: Readonly<Record<Arch, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

export function callNumber(numbers: CallNumbers, arch: Arch): number | undefined {
  return numbers[arch === "x64" ? 0 : 1];
}
