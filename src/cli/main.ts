import { ENGINE_WORD, HELPER_WORD, isCompiled, RELAY_WORD } from "./processes/internal.ts";
import { processLimitProblem } from "./processes/process-limit.ts";
import { VERSION } from "./version.ts";

// Entry point. Frequent requests that need nothing are answered before anything else is loaded.
const argv = process.argv.slice(2);
const text = await textOf(argv);
if (text !== undefined && (await prints(text))) {
  // That was all.
} else if (argv[0] === HELPER_WORD) {
  const { runHelper } = await import("./processes/credential-helper.ts");
  await runHelper();
} else if (argv[0] === RELAY_WORD) {
  const { runRelay } = await import("./processes/relay.ts");
  await runRelay(argv.slice(1));
} else {
  // An engine behind a keeper has been started by a process that has looked.
  if (isCompiled() && argv[0] !== ENGINE_WORD) {
    const problem = processLimitProblem();
    if (problem !== undefined) {
      console.error(problem);
      process.exit(1);
    }
  }
  const { run } = await import("./run.ts");
  await run(argv);
}

/** Returns the text that a command line asks for, if it asks for nothing else. */
async function textOf(words: readonly string[]): Promise<string | undefined> {
  const [word = ""] = words;
  if (words.length !== 1) return undefined;
  if (word === "--version" || word === "-V") return `cinch ${VERSION}\n`;
  if (!["--help", "-h", "help"].includes(word)) return undefined;
  const { helpText } = await import("./args/help.ts");
  return `${helpText().trimEnd()}\n`;
}

/** Prints a text: making `process.stdout` takes longer than all the rest. Returns false if it cannot be written. */
async function prints(text: string): Promise<boolean> {
  const sink = Bun.stdout.writer();
  try {
    await sink.write(text);
    await sink.flush();
    return true;
  } catch {
    return false; // `run` tries again, and reports it
  }
}
