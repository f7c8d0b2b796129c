import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./source.ts";

/** A stranger's project: the published package, and a strict compiler that reads its declarations, too. */
const COMPILER_OPTIONS = {
  ...{ strict: true, noEmit: true, skipLibCheck: false, target: "es2024", lib: ["esnext", "dom"] },
  ...{ module: "nodenext", moduleResolution: "nodenext", types: [], exactOptionalPropertyTypes: true },
  ...{ noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true, verbatimModuleSyntax: true },
};
/** Starts a program of the project, with nothing of this clone but the packages that it depends on. */
export const BUN = [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null"];

export interface PackageProject extends Disposable {
  readonly path: string;
  readonly temporary: string;
  run(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project with the packed package installed; what that depends on is found in the clone. */
export async function openPackageProject(): Promise<PackageProject> {
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const path = mkdtempSync(join(cache, "consumer-"));
  const temporary = join(path, "tmp");
  const built = join(path, "built");
  const installed = join(path, "node_modules/cinch");
  for (const folder of [temporary, installed]) mkdirSync(folder, { recursive: true });
  const project: PackageProject = {
    path,
    temporary,
    async run(argv, env = {}) {
      const child = Bun.spawn([...argv], {
        cwd: path,
        env: { PATH: process.env["PATH"] ?? "", HOME: path, TMPDIR: temporary, ...env },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const;
      const [stdout, stderr] = await Promise.all(texts);
      return { code: await child.exited, stdout, stderr };
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
  const steps = [
    ["sh", join(ROOT, "scripts/bun.sh"), join(ROOT, "scripts/build-package.ts"), built],
    ["npm", "pack", built, "--silent", `--pack-destination=${path}`],
    ["tar", "-xzf", "cinch-0.1.0.tgz", "--strip-components=1", "-C", installed],
  ];
  for (const step of steps) {
    const { code, stdout, stderr } = await project.run(step);
    if (code !== 0) throw new Error(`${step.join(" ")} failed: ${stdout}${stderr}`);
  }
  writeFileSync(join(path, "package.json"), '{"type":"module"}');
  writeFileSync(
    join(path, "tsconfig.json"),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["*.ts"] }),
  );
  return project;
}
