import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

/** `npm run build:sdk [FOLDER]`: the TypeScript SDK as it is published, in dist/sdk/typescript unless told. */
const ROOT = resolve(import.meta.dir, "..");
const FROM = join(ROOT, "sdk/typescript");
const [folder = join(ROOT, "dist/sdk/typescript")] = process.argv.slice(2);
const to = resolve(folder);

mkdirSync(to, { recursive: true });
const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
const compiled = Bun.spawnSync(["node", compiler, "-p", FROM, "--outDir", to], {
  stdio: ["ignore", "inherit", "inherit"],
});
if (compiled.success) {
  for (const file of ["package.json", "README.md", "LICENSE"]) copyFileSync(join(FROM, file), join(to, file));
  console.log(to);
} else {
  process.exitCode = 1;
}
