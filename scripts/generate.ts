import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { declaredReasons, reasonTextsSource } from "./reasons.ts";

/** `npm run generate`: writes what is made from the schemas. A test compares it, so a change is a decision. */
const ROOT = resolve(import.meta.dir, "..");

if (Bun.argv.includes("reasons")) {
  writeFileSync(join(ROOT, "src/base/reason-texts.ts"), reasonTextsSource(await declaredReasons()));
} else {
  // The rest is made from the reasons. They are read in a process of their own, so that this one loads the new table.
  const argv = [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null", import.meta.path];
  const { exitCode } = Bun.spawnSync([...argv, "reasons"], { stdio: ["ignore", "inherit", "inherit"] });
  if (exitCode !== 0) process.exit(exitCode);
  const { publishedFiles } = await import("./schemas.ts");
  for (const [path, text] of publishedFiles()) {
    const file = join(ROOT, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(path);
  }
}
