import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gatherLicenses } from "../src/platform/license-texts.ts";
import { laterCompilation } from "./compile-later.ts";
import { hardenedBun } from "./harden-bun.ts";
import { billOfMaterials } from "./sbom.ts";
import { checkStartChunk, startChunk } from "./start-chunk.ts";

/**
 * `npm run build`: compiles cinch into one executable, `dist/cinch`, that needs nothing installed.
 *
 * The same sources give the same bytes. Nothing of the folder that it is started in is read or run: no .env, no
 * bunfig.toml, no tsconfig.json, no package.json; and it obeys none of Bun's own variables (scripts/harden-bun.ts). The
 * licences of all that is in it are embedded (`cinch --licenses`); what it is made of stands beside it, in the form
 * CycloneDX: `dist/cinch.cdx.json`.
 *
 * --target linux-arm64  for another platform; needs its Bun in node_modules/@oven, its ripgrep in node_modules/@vscode
 * --outfile PATH        elsewhere than dist/cinch
 * --entry PATH          another program, for tests of these properties
 */
const ROOT = resolve(import.meta.dir, "..");
const MAIN = join(ROOT, "src/cli/main.ts");
const HERE = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

const { values: options } = parseArgs({
  args: Bun.argv.slice(2),
  options: {
    target: { type: "string", default: HERE },
    outfile: { type: "string", default: join(ROOT, "dist/cinch") },
    entry: { type: "string", default: MAIN },
  },
});
const outfile = resolve(options.outfile);
mkdirSync(dirname(outfile), { recursive: true });
const scratch = mkdtempSync(join(dirname(outfile), ".build-"));
try {
  await build();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function build(): Promise<void> {
  const template = join(scratch, "bun");
  writeFileSync(template, laterCompilation(hardenedBun(readFileSync(bunFor(options.target)))));
  chmodSync(template, 0o755);
  const licenses = join(scratch, "licenses");
  writeFileSync(licenses, gatherLicenses(ROOT));
  // Built under one name in a folder of its own and then moved: a binary that is running is not written over.
  const built = join(scratch, "cinch");
  const entry = resolve(options.entry);
  const isMain = entry === MAIN;
  const { metafile } = await Bun.build({
    entrypoints: [entry, ripgrepFor(options.target), licenses],
    format: "esm",
    splitting: true,
    minify: true,
    bytecode: true,
    sourcemap: "none",
    naming: { entry: "[name].[ext]" }, // not the folders, one of which has a random name
    define: definitions(),
    plugins: isMain ? [startChunk(ROOT)] : [],
    metafile: true,
    compile: {
      target: `bun-${options.target}` as Bun.Build.CompileTarget,
      executablePath: template,
      outfile: built,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  if (isMain) checkStartChunk(ROOT, metafile);
  writeFileSync(`${outfile}.cdx.json`, billOfMaterials(commit()));
  renameSync(options.target.startsWith("windows") ? `${built}.exe` : built, outfile);
  console.log(`built ${outfile}`);
}

/** Returns the constants about the program that `src/cli` reads. */
function definitions(): Readonly<Record<string, string>> {
  const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return {
    CINCH_VERSION: JSON.stringify(version),
    CINCH_COMMIT: JSON.stringify(commit()),
    CINCH_COMPILED: "true",
  };
}

/** Returns the commit that is built, or "unknown" outside a clone and where git is missing. */
function commit(): string {
  if (Bun.which("git") === null) return "unknown";
  const { stdout, success } = Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], { cwd: ROOT });
  return success ? stdout.toString().trim() : "unknown";
}

/** The file that `src/platform/ripgrep.ts` finds in the executable and runs. */
function ripgrepFor(target: string): string {
  const [platform = "", arch = ""] = target.replace("windows", "win32").split("-");
  const file = platform === "win32" ? "rg.exe" : "rg";
  return join(ROOT, "node_modules/@vscode", `ripgrep-${platform}-${arch}`, "bin", file);
}

function bunFor(target: string): string {
  if (target === HERE) return process.execPath;
  const file = target.startsWith("windows") ? "bun.exe" : "bun";
  return join(ROOT, "node_modules/@oven", `bun-${target.replace("arm64", "aarch64")}`, "bin", file);
}
