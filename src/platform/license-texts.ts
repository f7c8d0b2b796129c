import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isObject, objectAt, stringAt } from "../base/json.ts";

/** Name of the embedded file, with the suffix of the bundler. */
const EMBEDDED_NAME = /^licenses(?:-[a-z0-9]+)?(?:\.bin|\.)?$/;
const NOTICE = /^(?:licen[cs]e|notice|copying)/i;
const ROOT = resolve(import.meta.dir, "../..");

/**
 * Returns the licences of cinch and of everything in it, as text. A compiled program has them embedded; from source
 * they are read from the installed packages.
 */
export async function licenseTexts(): Promise<string> {
  const embedded = Bun.embeddedFiles.find((file) => EMBEDDED_NAME.test(`${Reflect.get(file, "name")}`));
  return embedded === undefined ? gatherLicenses(ROOT) : await embedded.text();
}

/**
 * Reads the licences of every package of a production install that is installed here, of the runtime, and of the
 * libraries linked into it.
 */
export function gatherLicenses(root: string): string {
  const lock: unknown = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const packages = Object.entries(objectAt(lock, "packages") ?? {})
    .filter(([path, entry]) => path !== "" && isObject(entry) && entry["dev"] !== true)
    .map(([path]) => path)
    .sort();
  const texts = [
    section("cinch", noticesIn(root)),
    ...packages.flatMap((path) => packageSection(join(root, path))),
    section("Libraries that are linked into Bun", [readFileSync(runtimeNotice(root), "utf8")]),
    ...["LGPL-2.0", "LGPL-2.1"].map((name) =>
      section(`${name}, for parts of Bun`, [readFileSync(join(root, `licenses/${name}.txt`), "utf8")]),
    ),
  ];
  return texts.join("\n");
}

/** Bun's packages contain no licence file; the documentation in its types package has the list. */
function runtimeNotice(root: string): string {
  return join(root, "node_modules/bun-types/docs/project/license.mdx");
}

function packageSection(folder: string): readonly string[] {
  const path = join(folder, "package.json");
  if (!existsSync(path)) return []; // for another platform, and not installed here
  const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
  const [name, version] = [stringAt(manifest, "name"), stringAt(manifest, "version")];
  const license = stringAt(manifest, "license") ?? "see its text";
  const notices = noticesIn(folder);
  const text = notices.length > 0 ? notices : [`${license}. The package holds no text of its licence.\n`];
  return [section(`${name} ${version} (${license})`, text)];
}

function noticesIn(folder: string): readonly string[] {
  const files = readdirSync(folder, { withFileTypes: true });
  return files
    .filter((file) => file.isFile() && NOTICE.test(file.name) && file.name !== "NOTICE.md")
    .map((file) => readFileSync(join(folder, file.name), "utf8"));
}

function section(title: string, texts: readonly string[]): string {
  return `${"=".repeat(80)}\n${title}\n${"=".repeat(80)}\n\n${texts.join("\n\n").trim()}\n`;
}
