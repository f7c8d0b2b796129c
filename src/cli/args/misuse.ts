import { HarnessError } from "../../base/errors.ts";

/** Returns the error for wrong arguments. The problem names the right form. */
export function misuse(problem: string): HarnessError<"UsageInvalid"> {
  return new HarnessError("UsageInvalid", { problem });
}
