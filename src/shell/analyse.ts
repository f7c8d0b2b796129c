import type { Analysis } from "./analysis.ts";
import { SHELL_CHARACTERS_MAX } from "./analysis.ts";
import { OverLimit } from "./findings.ts";
import { LineReading } from "./line-reading.ts";

/**
 * Parses a bash command line into the commands that it would run. Never throws, and never exceeds its limits.
 *
 * Finds every simple command anywhere: in pipelines, lists, groups, subshells, conditions, loops, functions,
 * substitutions, here-documents, and behind wrappers (`env`, `timeout`, `xargs`, `bash -c` …). `unsure` lists text
 * that bash might read differently; a caller that allows commands must check it.
 */
export function analyse(command: string): Analysis {
  const before = latest?.deref();
  if (before?.command === command) return before.analysis;
  const now: Latest = { command, analysis: read(command) };
  latest = new WeakRef(now);
  return now.analysis;
}

interface Latest {
  readonly command: string;
  readonly analysis: Analysis;
}

/** The judge, the sandbox and the tool ask about one command in turn. Not kept: a command may hold a secret. */
let latest: WeakRef<Latest> | undefined;

function read(command: string): Analysis {
  const reading = new LineReading();
  if (command.length > SHELL_CHARACTERS_MAX)
    return { ...reading.result(), overLimit: `it is longer than ${SHELL_CHARACTERS_MAX} characters` };
  try {
    reading.line(command);
    return reading.result();
  } catch (thrown) {
    if (thrown instanceof OverLimit) return { ...reading.result(), overLimit: thrown.message };
    // Input that is nested too deeply overflows the parser's stack. Nothing else is thrown there.
    if (thrown instanceof RangeError) return { ...reading.result(), overLimit: "it is nested too deeply" };
    throw thrown;
  }
}
