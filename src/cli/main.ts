import { VERSION } from "./version.ts";

// The way in. What is asked for most often and needs nothing is answered before anything else is loaded.
const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`cinch ${VERSION}\n`);
} else {
  const { run } = await import("./run.ts");
  await run(argv);
}
