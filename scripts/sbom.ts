import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "..");

interface Component {
  readonly name: string;
  readonly version: string;
}

/**
 * Writes what a compiled cinch is made of, in the form CycloneDX, from the lock file. The same sources give the
 * same text.
 */
export function billOfMaterials(commit: string): string {
  // npm's own --omit=dev leaves out what a development dependency needs too, so the lock file decides.
  const npm = ["npm", "sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  const { success, stdout, stderr } = Bun.spawnSync(npm, { cwd: ROOT });
  if (!success) throw new Error(`npm sbom failed: ${stderr}`);
  // npm adds a random number and the time.
  const {
    serialNumber: _number,
    metadata,
    components,
    dependencies: _edges,
    ...bill
  } = JSON.parse(`${stdout}`);
  const { timestamp: _time, tools: _tools, component, ...about } = metadata;
  const inProgram = productionPackages();
  const own = {
    ...component,
    name: "cinch",
    properties: [...component.properties, { name: "cinch:commit", value: commit }],
  };
  const whole = {
    ...bill,
    metadata: { ...about, component: own },
    components: components.filter(({ name, version }: Component) => inProgram.has(`${name}@${version}`)),
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

function productionPackages(): ReadonlySet<string> {
  const { packages }: { packages: Record<string, { version: string; dev?: true }> } = JSON.parse(
    readFileSync(join(ROOT, "package-lock.json"), "utf8"),
  );
  const entries = Object.entries(packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  return new Set(entries.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`));
}
