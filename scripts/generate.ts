import { join, resolve } from "node:path";
import { declaredReasons, reasonTextsSource } from "./reasons.ts";
import { writeIfChanged } from "./write-if-changed.ts";

/**
 * First step of `npm run generate`: writes what is made from the schemas and prints the files that have changed. A test
 * compares them, so a change is a decision.
 */
const ROOT = resolve(import.meta.dir, "..");

if (Bun.argv.includes("reasons")) {
  const path = "src/base/reason-texts.ts";
  if (writeIfChanged(join(ROOT, path), reasonTextsSource(await declaredReasons()))) console.log(path);
} else {
  // The rest is made from the reasons. They are read in a process of their own, so that this one loads the new table.
  const argv = [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null", import.meta.path];
  const { exitCode } = Bun.spawnSync([...argv, "reasons"], { stdio: ["ignore", "inherit", "inherit"] });
  if (exitCode !== 0) process.exit(exitCode);
  const { publishedFiles } = await import("./schemas.ts");
  for (const [path, text] of publishedFiles()) if (writeIfChanged(join(ROOT, path), text)) console.log(path);
}
