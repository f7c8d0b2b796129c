import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * `npm run build:sdk [FOLDER]`: writes the TypeScript SDK as it is published into a folder, `dist/sdk/typescript`
 * unless one is named. `npm pack` in `sdk/typescript` calls it with that folder itself, and packs what it built.
 */
const ROOT = resolve(import.meta.dir, "..");
const FROM = join(ROOT, "sdk/typescript");
const [folder = join(ROOT, "dist/sdk/typescript")] = process.argv.slice(2);
const to = resolve(folder);

mkdirSync(to, { recursive: true });
rmSync(join(to, "dist"), { recursive: true, force: true });
const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
const compiled = Bun.spawnSync(["node", compiler, "-p", FROM, "--outDir", join(to, "dist")], {
  stdio: ["ignore", "inherit", "inherit"],
});
if (compiled.success) {
  if (to !== FROM) copyPackage();
  console.log(to);
} else {
  process.exitCode = 1;
}

/** The package builds itself only where its sources are. */
function copyPackage(): void {
  for (const file of ["README.md", "LICENSE"]) copyFileSync(join(FROM, file), join(to, file));
  const { scripts: _scripts, ...manifest } = JSON.parse(readFileSync(join(FROM, "package.json"), "utf8"));
  writeFileSync(join(to, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}
