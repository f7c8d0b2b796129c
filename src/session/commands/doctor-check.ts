import type { HarnessError } from "../../base/errors.ts";
import type { LogId } from "../../base/ids.ts";
import type { EngineOptions } from "../options.ts";
import type { SessionPlan } from "../plan.ts";

/** Something that an examination found: "damage" is to be repaired, a "note" is worth knowing. */
export interface DoctorFinding {
  readonly weight: "damage" | "note";
  readonly logId?: LogId;
  /** Sentence that says what is wrong and where. */
  readonly text: string;
  readonly remedy: string;
}

/** Inputs of an examination. */
export interface ExaminationInput {
  readonly options: EngineOptions;
  /** Absent if it cannot be read, which `configuration` reports. Without it the place of the keys is unknown. */
  readonly config?: SessionPlan["config"];
  /**
   * Opens the key that stored contents are sealed with; absent without a configuration.
   * @throws HarnessError if no key can be read.
   */
  readonly logKey?: () => Promise<Uint8Array>;
  readonly depth: "quick" | "full";
  readonly signal: AbortSignal;
}

/** One examination of `cinch doctor`, as plain data (SES-16). */
export interface DoctorCheck {
  /** A word or two for the person: "configuration", "sessions". */
  readonly area: string;
  load(): Promise<DoctorModule>;
}

/** The code of an examination. */
export interface DoctorModule {
  /**
   * Examines one area. Changes nothing. Damage is a finding and never thrown.
   * @throws the signal's reason.
   */
  examine(examined: ExaminationInput): AsyncIterable<DoctorFinding>;
}

/** Returns the finding about a file that has not the expected form. */
export function brokenFileFinding({ message }: HarnessError): DoctorFinding {
  return { weight: "damage", text: message, remedy: "Correct the file at this place." };
}
