import { unreachable } from "../../../base/assert.ts";
import type { SpawnOptions } from "../../../base/world.ts";
import type { NetworkPolicy } from "../../../session/guard/sandbox.ts";
import { confinedEnvironment } from "./environment.ts";
import type { Mount } from "./mounts.ts";
import { checkMountsFirst } from "./placement.ts";

/** A part of the sandbox that a test can leave out, to show that it is needed. */
export type Control = (typeof CONTROLS)[number];
export const CONTROLS = [
  "--unshare-net",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup",
  "--unshare-user",
  "--cap-drop",
  "--new-session",
  "--die-with-parent",
  "--seccomp",
  "--remount-ro",
  "placement",
] as const;

export interface PreparedBubblewrap {
  readonly program: string;
  readonly mounts: readonly Mount[];
  readonly network: NetworkPolicy;
  /** An empty file that no command can write. */
  readonly empty: string;
  /** The filter of system calls, in a file that no command sees. */
  readonly filter: string;
  /** Mounts that must be at their paths before the command starts, as `expectedMounts` returns them. */
  readonly placement?: string;
  readonly without?: readonly Control[];
}

/**
 * Returns the arguments of bwrap before those of one command.
 *
 * The environment is not among them: every user of the machine could read it there. bwrap is started with exactly the
 * environment of the command. As root, `--ro-bind / /` alone would be no boundary: every capability has to go too.
 */
export function fixedArguments({
  program,
  mounts,
  empty,
  network,
  without = [],
}: PreparedBubblewrap): readonly [string, ...string[]] {
  const control = (name: Control, ...more: readonly string[]) =>
    without.includes(name) ? [] : [name, ...more];
  const [first = program, ...entering] = network.kind === "off" ? [] : network.enter;
  return [
    first,
    ...entering,
    ...(network.kind === "off" ? [] : [program]),
    ...control("--unshare-user"),
    ...control("--unshare-ipc"),
    ...control("--unshare-pid"),
    ...(network.kind === "off" ? control("--unshare-net") : []),
    ...control("--unshare-uts"),
    ...control("--unshare-cgroup"),
    ...control("--cap-drop", "ALL"),
    ...control("--die-with-parent"),
    ...control("--new-session"),
    ...["--ro-bind", "/", "/", "--proc", "/proc"],
    // With a writable core_pattern, root inside would be root outside: the kernel checks only the user there.
    ...control("--remount-ro", "/proc"),
    ...["--dev", "/dev"],
    ...mounts.flatMap((mount) => mountArguments(mount, empty)),
  ];
}

function mountArguments(mount: Mount, empty: string): readonly string[] {
  switch (mount.kind) {
    case "bind":
      return ["--bind", mount.source, mount.path];
    case "read-only":
      return ["--ro-bind", mount.source, mount.path];
    case "empty-file":
      return ["--ro-bind", empty, mount.path];
    case "empty-directory":
      return ["--tmpfs", mount.path];
    default:
      return unreachable(mount);
  }
}

/** Returns the full command line that runs a command in bwrap. */
export function wrapCommand(
  prepared: PreparedBubblewrap,
  fixed: readonly [string, ...string[]],
  options: SpawnOptions,
): SpawnOptions {
  const { argv, cwd, env, inherit = [], writes = [], announces } = options;
  const { network, placement } = prepared;
  const filter = prepared.without?.includes("--seccomp") ? [] : [{ path: prepared.filter }];
  const first = FIRST_DESCRIPTOR + inherit.length;
  const announced = first + filter.length;
  const closed = prepared.mounts.flatMap((mount) =>
    mount.kind === "empty-directory" && mount.closed === true ? ["--remount-ro", mount.path] : [],
  );
  return {
    ...options,
    argv: [
      ...fixed,
      ...writes.flatMap((path) => ["--bind", path, path]),
      ...closed,
      ...(filter.length === 0 ? [] : ["--seccomp", String(first)]),
      ...(announces === true ? ["--info-fd", String(announced), "--block-fd", String(announced + 1)] : []),
      "--chdir",
      cwd,
      "--",
      ...(placement === undefined ? argv : checkMountsFirst(argv, placement)),
    ],
    cwd: "/",
    env: confinedEnvironment(env, network),
    inherit: [...inherit, ...filter],
  };
}

const FIRST_DESCRIPTOR = 3;
