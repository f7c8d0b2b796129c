import type { Goal } from "./scenario.ts";

/** Settings under which cinch runs against the adversary. */
export type Mode = "default" | "ask" | "auto" | "bounded" | "open";

/** Result of one run of all scenarios. */
export interface Report {
  readonly mode: Mode;
  /** Exit codes of the program; none where it ran as a library. */
  readonly codes: readonly number[];
  readonly screen: string;
  /** Programs that this machine lacks; what needs them was left out. */
  readonly missing: readonly string[];
  readonly scenarios: readonly ScenarioReport[];
  /** Number of orders by carrier. */
  readonly carried: Readonly<Record<string, number>>;
  /** Names that anybody asked for. */
  readonly names: readonly string[];
  readonly connections: number;
  /** Paths that changed and may not. */
  readonly changed: readonly string[];
}

export interface ScenarioReport {
  readonly name: string;
  readonly goal: Goal;
  readonly lifted: boolean;
  readonly alwaysHeld?: string;
  /** True if all its calls were made and answered. */
  readonly made: boolean;
  readonly worked: boolean;
  readonly output: string;
}
