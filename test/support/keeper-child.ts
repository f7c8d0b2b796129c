import { ENGINE_WORD, ownCommand } from "../../src/cli/processes/internal.ts";
import { startHelperProcess } from "../../src/platform/processes/helper-process.ts";

/**
 * A keeper that starts an engine, never gets as far as its helper, and is killed after some milliseconds. Its first
 * line is the engine's process id.
 */
const [delayMs = "0"] = process.argv.slice(2);
const { HOME = "/", PATH = "" } = process.env;
const engine = startHelperProcess({
  argv: ownCommand([ENGINE_WORD, "open", "-p", "hi", "--model", "openai:gpt-4o"]),
  env: { HOME, PATH },
  stdio: "ignore",
});
await Bun.write(Bun.stdout, `${engine.pid}\n`);
await Bun.sleep(Number(delayMs));
process.kill(process.pid, "SIGKILL");
