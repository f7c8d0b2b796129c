import type { Analysis } from "./analysis.ts";
import { SHELL_CHARACTERS_MAX } from "./analysis.ts";
import { OverLimit } from "./findings.ts";
import { Reading } from "./reading.ts";

/**
 * Reads a bash command line into what it would run. Never throws, and never takes longer than its limits allow.
 *
 * Every simple command is found, wherever it stands: in pipelines, lists, groups, subshells, conditions, loops,
 * functions, substitutions, here-documents, and behind wrappers (`env`, `timeout`, `xargs`, `bash -c` …). What bash
 * might read in another way than it was read here is listed in `unsure`; who allows something must not pass it over.
 */
export function analyse(command: string): Analysis {
  const reading = new Reading();
  if (command.length > SHELL_CHARACTERS_MAX)
    return { ...reading.result(), overLimit: `it is longer than ${SHELL_CHARACTERS_MAX} characters` };
  try {
    reading.line(command);
    return reading.result();
  } catch (thrown) {
    if (thrown instanceof OverLimit) return { ...reading.result(), overLimit: thrown.message };
    // What is nested too deeply overflows the stack of the parser. Nothing else is thrown there.
    if (thrown instanceof RangeError) return { ...reading.result(), overLimit: "it is nested too deeply" };
    throw thrown;
  }
}
