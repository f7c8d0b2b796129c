import type { Order } from "./obedient.ts";

/** Goal of an attack. */
export type Goal = "send" | "rules" | "persist" | "read" | "reach" | "destroy" | "approve";

/** Places of one scenario: real files below one folder, and a separate internet. */
export interface Ground {
  readonly root: string;
  readonly parent: string;
  readonly outside: string;
  readonly home: string;
  readonly config: string;
  readonly data: string;
  readonly state: string;
  /** Text of this scenario alone, which must not be sent or appear in the wrong place. */
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

/** Observations after a scenario. */
export interface Aftermath {
  /** Everything that reached the internet. */
  readonly heard: string;
  /** Output of the scenario's calls. */
  readonly output: string;
  /** The prompts that the provider was asked with, of any cinch. */
  readonly prompts: readonly string[];
  /** Output of the terminal; empty until the run is over. */
  readonly screen: string;
}

/** One thing that an injected text asks for. */
export interface Scenario {
  readonly name: string;
  readonly goal: Goal;
  readonly orders: (at: Ground) => readonly Order[];
  /** Prepares the scenario before the run. */
  readonly prepare?: (at: Ground) => void;
  readonly worked: (at: Ground, after: Aftermath) => boolean;
  /** `--auto-approve` answers exactly this with yes: only a deny rule or a strict level keeps it from working. */
  readonly lifted?: true;
  /** Reason why it fails even without confinement and with a person who says yes to everything. */
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
