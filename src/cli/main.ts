import { ENGINE_WORD, HELPER_WORD, isCompiled, RELAY_WORD } from "./processes/internal.ts";
import { VERSION } from "./version.ts";

// Entry point. Frequent requests that need nothing are answered before anything else is loaded.
const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  console.log(`cinch ${VERSION}`); // making `process.stdout` takes longer than all the rest
} else if (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h" || argv[0] === "help")) {
  const { helpText } = await import("./args/help.ts");
  console.log(helpText().trimEnd());
} else if (argv[0] === HELPER_WORD) {
  const { runHelper } = await import("./processes/credential-helper.ts");
  await runHelper();
} else if (argv[0] === RELAY_WORD) {
  const { runRelay } = await import("./processes/relay.ts");
  await runRelay(argv.slice(1));
} else {
  // An engine behind a keeper has been started by a process that has looked.
  if (isCompiled() && argv[0] !== ENGINE_WORD) {
    const { processLimitProblem } = await import("./processes/process-limit.ts");
    const problem = processLimitProblem();
    if (problem !== undefined) {
      console.error(problem);
      process.exit(1);
    }
  }
  const { run } = await import("./run.ts");
  await run(argv);
}
