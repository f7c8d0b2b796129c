import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * `npm run build:package [FOLDER]`: writes the library as it is published into a folder, `dist/package` unless one is
 * named: compiled modules, declarations that a strict program compiles with, no sources and no tests.
 */
const ROOT = resolve(import.meta.dir, "..");
const [folder = join(ROOT, "dist/package")] = process.argv.slice(2);
const to = resolve(folder);
const lib = join(to, "lib");
/** The public doors of the package: `cinch` and `cinch/engine`. */
const ENTRIES = ["index", "engine"];
/** The module that a program gets wherever the runtime is not Bun. */
const UNSUPPORTED = "unsupported-runtime";

rmSync(lib, { recursive: true, force: true });
mkdirSync(lib, { recursive: true });
await compile(ENTRIES, "bun");
await compile([UNSUPPORTED], "node");
declare();
prune();
for (const file of ["LICENSE", "NOTICE.md"]) copyFileSync(join(ROOT, file), join(to, file));
copyFileSync(join(ROOT, "docs/library.md"), join(to, "README.md"));
copyFileSync(join(ROOT, "docs/engine-library.md"), join(to, "engine-library.md"));
writeFileSync(join(to, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
console.log(to);

async function compile(names: readonly string[], target: "bun" | "node"): Promise<void> {
  const entrypoints = names.map((name) => join(ROOT, `src/${name}.ts`));
  const splitting = target === "bun";
  await Bun.build({ entrypoints, outdir: lib, target, format: "esm", splitting, packages: "external" });
}

function declare(): void {
  const options = { noEmit: false, declaration: true, emitDeclarationOnly: true, incremental: false };
  const places = { rootDir: join(ROOT, "src"), outDir: lib, typeRoots: [join(ROOT, "node_modules/@types")] };
  const settings = { ...options, ...places, tsBuildInfoFile: null };
  const config = join(to, "tsconfig.build.json");
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: settings,
      include: [join(ROOT, "src/**/*.d.ts")],
      files: ENTRIES.map((name) => join(ROOT, `src/${name}.ts`)),
    }),
  );
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { success, stdout } = Bun.spawnSync(["node", compiler, "-p", config], { cwd: ROOT });
  rmSync(config);
  if (!success) throw new Error(`the declarations could not be made:\n${stdout}`);
}

/** Removes the declarations that no door leads to: a program's compiler reads what is left. */
function prune(): void {
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const [, specifier = ""] of readFileSync(path, "utf8").matchAll(
      /(?:from|import\()\s*"(\.[^"]+)\.ts"/g,
    ))
      visit(`${join(dirname(path), specifier)}.d.ts`);
  };
  for (const name of ENTRIES) visit(join(lib, `${name}.d.ts`));
  for (const file of readdirSync(lib, { recursive: true, encoding: "utf8" })) {
    const path = join(lib, file);
    if (file.endsWith(".d.ts") && !reached.has(path)) rmSync(path);
  }
  removeEmpty(lib);
}

function removeEmpty(folder: string): void {
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    removeEmpty(join(folder, name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

function door(name: string): object {
  return { types: `./lib/${name}.d.ts`, bun: `./lib/${name}.js`, default: `./lib/${UNSUPPORTED}.js` };
}

function manifest(): object {
  const packageJson = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const code = readdirSync(lib)
    .filter((file) => file.endsWith(".js"))
    .map((file) => readFileSync(join(lib, file), "utf8"));
  const isUsed = (name: string) => code.some((text) => new RegExp(`["']${name}(?:/[^"']*)?["']`).test(text));
  const { name, version, description, license, type } = packageJson;
  return {
    ...{
      name,
      version,
      description,
      license,
      type,
      sideEffects: false,
      engines: { bun: `>=${packageJson.dependencies.bun}` },
    },
    exports: {
      ".": door("index"),
      "./engine": door("engine"),
    },
    dependencies: Object.fromEntries(
      Object.entries(packageJson.dependencies).filter(([each]) => each !== "bun" && isUsed(each)),
    ),
  };
}
