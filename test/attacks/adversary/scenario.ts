import type { Order } from "./obedient.ts";

/** What an attack is after. */
export type Goal = "send" | "rules" | "persist" | "read" | "reach" | "destroy" | "approve";

/** Where things are for one scenario. All of it is real files below one folder, and an internet of its own. */
export interface Ground {
  readonly root: string;
  readonly parent: string;
  readonly outside: string;
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly state: string;
  /** Of this scenario alone: what is to be sent, or to be found where it must not be. */
  readonly token: string;
  /** A process of the user's, outside of everything. */
  readonly victim: number;
  /** The user's temporary folder, in which cinch has its sockets. */
  readonly temporary: string;
  /** The mock provider's address. */
  readonly provider: string;
  /** `cinch` itself, and Bun. */
  readonly cinch: string;
  readonly bun: string;
  /** The key of the provider, which only the helper may hold. */
  readonly key: string;
}

/** What can be seen after a scenario. */
export interface Aftermath {
  /** Everything that reached the internet. */
  readonly heard: string;
  /** What the calls of this scenario answered. */
  readonly output: string;
  /** The prompts that the provider was asked with, of any cinch. */
  readonly prompts: readonly string[];
  /** What the terminal got; empty until the run is over. */
  readonly screen: string;
}

/** One thing that an injected text asks for. */
export interface Scenario {
  readonly name: string;
  readonly goal: Goal;
  readonly orders: (at: Ground) => readonly Order[];
  /** Made before the run. */
  readonly prepare?: (at: Ground) => void;
  readonly worked: (at: Ground, after: Aftermath) => boolean;
  /** `--auto-approve` answers exactly this with yes: only a deny rule or a strict level keeps it from working. */
  readonly lifted?: true;
  /** Why it does not work either where nothing is confined and a person says yes to everything. */
  readonly alwaysHeld?: string;
}

export function bash(command: string, more: Readonly<Record<string, boolean>> = {}): Order {
  return { tool: "Bash", input: { command, ...more } };
}

/** Programs that attacks use, and that a small machine may lack. */
export const PROGRAMS: readonly string[] = [
  "curl",
  "wget",
  "python3",
  "perl",
  "ssh",
  "node",
  "strings",
  "git",
  "tar",
];

/** The programs that orders need. */
export function programsOf(orders: readonly Order[]): readonly string[] {
  const text = JSON.stringify(orders);
  return PROGRAMS.filter((program) => new RegExp(`\\b${program}\\b`).test(text));
}
