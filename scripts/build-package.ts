import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * `npm run build:package [FOLDER]`: writes the library as it is published into a folder, `dist/package` unless one is
 * named: compiled modules, declarations that a strict program compiles with, no sources and no tests.
 */
const ROOT = resolve(import.meta.dir, "..");
const [folder = join(ROOT, "dist/package")] = process.argv.slice(2);
const to = resolve(folder);
const lib = join(to, "lib");
/** The module that a program gets wherever the runtime is not Bun. */
const UNSUPPORTED = "unsupported-runtime";

rmSync(lib, { recursive: true, force: true });
mkdirSync(lib, { recursive: true });
await compile("index", "bun");
await compile(UNSUPPORTED, "node");
declare();
for (const file of ["LICENSE", "NOTICE.md"]) copyFileSync(join(ROOT, file), join(to, file));
copyFileSync(join(ROOT, "docs/library.md"), join(to, "README.md"));
writeFileSync(join(to, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
console.log(to);

async function compile(name: string, target: "bun" | "node"): Promise<void> {
  const entrypoints = [join(ROOT, `src/${name}.ts`)];
  const splitting = target === "bun";
  await Bun.build({ entrypoints, outdir: lib, target, format: "esm", splitting, packages: "external" });
}

function declare(): void {
  const options = { noEmit: false, declaration: true, emitDeclarationOnly: true, incremental: false };
  const settings = { ...options, tsBuildInfoFile: null, rootDir: join(ROOT, "src"), outDir: lib };
  const config = join(to, "tsconfig.build.json");
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: settings,
      include: [join(ROOT, "src/**/*.d.ts")],
      files: [join(ROOT, "src/index.ts")],
    }),
  );
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { success, stdout } = Bun.spawnSync(["node", compiler, "-p", config], { cwd: ROOT });
  rmSync(config);
  if (!success) throw new Error(`the declarations could not be made:\n${stdout}`);
}

function manifest(): object {
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const code = readdirSync(lib)
    .filter((file) => file.endsWith(".js"))
    .map((file) => readFileSync(join(lib, file), "utf8"));
  const isUsed = (name: string) => code.some((text) => new RegExp(`["']${name}(?:/[^"']*)?["']`).test(text));
  const { name, version, description, license, type } = own;
  return {
    ...{
      name,
      version,
      description,
      license,
      type,
      sideEffects: false,
      engines: { bun: `>=${own.dependencies.bun}` },
    },
    exports: {
      ".": { types: "./lib/index.d.ts", bun: "./lib/index.js", default: `./lib/${UNSUPPORTED}.js` },
    },
    dependencies: Object.fromEntries(
      Object.entries(own.dependencies).filter(([each]) => each !== "bun" && isUsed(each)),
    ),
  };
}
