/** The places that attempts aim at, all of them on the real disk of this machine. */
export interface AttackTargets {
  readonly root: string;
  readonly outside: string;
  readonly home: string;
  /** A process of the host that must not be touched or looked into. */
  readonly victim: number;
  /** Text in every file and process that must not be read. */
  readonly secret: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly abstractName: string;
}

/**
 * One thing that a hostile command tries.
 *
 * `script` is bash, run in the sandbox with its output shown; `harmed` looks from the host whether it worked. Where
 * it is absent, the attempt failed unless the output holds `ESCAPED <name>`.
 */
export interface Attempt {
  /** Unique; begins with its mechanism and target. */
  readonly name: string;
  /** The control that stops it; a test removes each and checks that an attempt then works. */
  readonly stopped: Control;
  readonly script: string;
  readonly harmed?: () => boolean;
}

export type Control =
  | "read-only root"
  | "hidden places"
  | "protected places"
  | "mount points"
  | "sweep"
  | "pid namespace"
  | "net namespace"
  | "filter"
  | "capabilities"
  | "own /tmp"
  | "own /dev"
  | "several";
