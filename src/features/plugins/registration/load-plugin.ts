import { basename, dirname, join, posix } from "node:path";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { isBelow, isWithin } from "../../../base/files/below.ts";
import { canonicalJson } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { sha256 } from "../../../guard/trust/ledger/item.ts";
import type { TrustFile, TrustItem } from "../../../session/guard/trust.ts";
import type { Plugin } from "../../../session/plugins/plugin.ts";
import { exportedPlugin } from "./register-plugin.ts";

/** Entry files of a plugin's folder. The first that exists is imported. */
export const ENTRY_FILES = ["plugin.ts", "plugin.js", "plugin.mjs"] as const;
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o400;
const OTHERS_WRITE = 0o022;
const CODE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

export interface LoadDependencies {
  readonly files: Files;
  /** Folder of the copies. Only the user may write to it. */
  readonly folder: string;
  /** Imports a module by its absolute path. */
  readonly importModule: (path: string) => Promise<unknown>;
}

/**
 * Imports a plugin from the bytes that were acknowledged. They are copied into our own folder and verified, so that
 * what runs is what was shown, whatever its original path holds now.
 *
 * The plugin may import its own files, and what Bun and Node provide. Anything else would be code that nobody has
 * seen. What it computes at run time is not checked.
 * @throws HarnessError PluginInvalid.
 */
export async function loadPlugin(item: TrustItem, dependencies: LoadDependencies): Promise<Plugin> {
  const invalid = (problem: string, cause?: unknown) =>
    new HarnessError("PluginInvalid", { from: item.path, problem }, { cause });
  const files = withEntryName(item);
  const problem = files.flatMap((file) => importProblem(file, files, shownName(file, item)))[0];
  if (problem !== undefined) throw invalid(problem);
  const entry = entryOf(files);
  if (entry === undefined) throw invalid(`its folder has none of ${ENTRY_FILES.join(", ")}`);
  const folder = await copyFiles(files, dependencies).catch((thrown: unknown) => {
    throw invalid(`it cannot be copied into ${dependencies.folder}: ${messageOf(thrown)}`, thrown);
  });
  const module = await dependencies.importModule(join(folder, entry)).catch((thrown: unknown) => {
    throw invalid(`importing it failed: ${messageOf(thrown)}`, thrown);
  });
  return exportedPlugin(module, item.path);
}

/** Returns the files of a plugin, with a single file renamed to an entry file. */
function withEntryName({ path, files }: TrustItem): readonly TrustFile[] {
  const [only] = files;
  if (only === undefined || only.path !== "") return files;
  return [{ ...only, path: /\.(?:m?js)$/.test(path) ? "plugin.js" : "plugin.ts" }];
}

/** Returns the path of a file as the user knows it. */
function shownName({ path }: TrustFile, item: TrustItem): string {
  return item.files[0]?.path === "" ? basename(item.path) : path;
}

function entryOf(files: readonly TrustFile[]): string | undefined {
  return ENTRY_FILES.find((name) => files.some(({ path }) => path === name));
}

/** Returns a sentence for an import that is not among the plugin's files. */
function importProblem(
  { path, bytes }: TrustFile,
  files: readonly TrustFile[],
  shown: string,
): readonly string[] {
  if (!CODE.test(path) || path.startsWith("node_modules/")) return [];
  let imports: readonly { readonly path: string }[];
  try {
    imports = new Bun.Transpiler({ loader: /x$/.test(path) ? "tsx" : "ts" }).scanImports(decode(bytes));
  } catch (thrown) {
    return [`${shown} cannot be read as code, TypeScript or JavaScript: ${messageOf(thrown)}`];
  }
  const foreign = imports.find(({ path: wanted }) => !isAvailable(wanted, path, files));
  return foreign === undefined ? [] : [`${shown} imports ${JSON.stringify(foreign.path)}, ${LIES_OUTSIDE}`];
}

const LIES_OUTSIDE =
  "which is not among its files: name the folder of a plugin that has several files, and put what it needs into it";

function isAvailable(wanted: string, from: string, files: readonly TrustFile[]): boolean {
  if (/^(?:node|bun):/.test(wanted) || wanted === "bun") return true;
  if (wanted.startsWith(".")) {
    const target = posix.join(posix.dirname(from), wanted);
    if (!isWithin("", target)) return false;
    return files.some(({ path }) => isWithin(target, path) || path.startsWith(`${target}.`));
  }
  if (wanted.startsWith("/")) return false;
  const name = wanted
    .split("/")
    .slice(0, wanted.startsWith("@") ? 2 : 1)
    .join("/");
  return files.some(({ path }) => isBelow(`node_modules/${name}`, path));
}

/** Returns the name of the folder with the copies of a plugin. It is unique to the content. */
export function copyFolderName(item: TrustItem): string {
  return nameOf(withEntryName(item));
}

function nameOf(files: readonly TrustFile[]): string {
  const facts = files.map(({ path, sha256: hash }) => ({ path, hash }));
  return sha256(new TextEncoder().encode(canonicalJson(facts)));
}

/** Returns the folder of the copies. Verifies each copy and rewrites it if it differs from the acknowledged bytes. */
async function copyFiles(
  files: readonly TrustFile[],
  { files: disk, folder }: LoadDependencies,
): Promise<string> {
  const copyPath = join(folder, nameOf(files));
  await disk.makeDirectory(folder, DIRECTORY_MODE);
  for (const file of files) {
    const path = join(copyPath, file.path);
    await disk.makeDirectory(dirname(path), DIRECTORY_MODE);
    if (await isVerifiedCopy(disk, path, file)) continue;
    if ((await disk.lstat(path)) !== undefined) await disk.remove(path);
    await disk.writeAtomic(path, file.bytes, FILE_MODE);
    if (!(await isVerifiedCopy(disk, path, file))) throw new Error(`${path} is not what was acknowledged`);
  }
  return copyPath;
}

async function isVerifiedCopy(
  disk: Files,
  path: string,
  { bytes, sha256: hash }: TrustFile,
): Promise<boolean> {
  const info = await disk.lstat(path);
  if (info?.kind !== "file" || info.size !== bytes.length || (info.mode & OTHERS_WRITE) !== 0) return false;
  return sha256(await disk.readRange(path, 0, bytes.length)) === hash;
}
