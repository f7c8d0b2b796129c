import { basename, dirname, join, posix } from "node:path";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { isBelow, isWithin } from "../../../base/files/below.ts";
import { canonicalJson } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { sha256 } from "../../../guard/trust/ledger/item.ts";
import type { TrustFile, TrustItem } from "../../../session/guard/trust.ts";
import type { Plugin } from "./plugin.ts";
import { pluginIn } from "./register.ts";

/** What a plugin's folder is begun with, the first that is there. */
export const ENTRIES = ["plugin.ts", "plugin.js", "plugin.mjs"] as const;
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o400;
const OTHERS_WRITE = 0o022;
const CODE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

export interface LoadParts {
  readonly files: Files;
  /** Where copies are kept: the user's alone. */
  readonly folder: string;
  /** Imports a module by its absolute path. */
  readonly importModule: (path: string) => Promise<unknown>;
}

/**
 * Imports a plugin out of the bytes that were acknowledged: from a copy in a folder of our own, looked at again, so that
 * what runs is what was shown, whatever lies in its place by now.
 *
 * It may import what lies in its folder, and what Bun and Node bring: anything else would be code that nobody has seen.
 * What it computes at run time is its own doing.
 * @throws HarnessError PluginInvalid.
 */
export async function loadPlugin(item: TrustItem, parts: LoadParts): Promise<Plugin> {
  const invalid = (problem: string, cause?: unknown) =>
    new HarnessError("PluginInvalid", { from: item.path, problem }, { cause });
  const files = named(item);
  const problem = files.flatMap((file) => importProblem(file, files, shownName(file, item)))[0];
  if (problem !== undefined) throw invalid(problem);
  const entry = entryOf(files);
  if (entry === undefined) throw invalid(`its folder has none of ${ENTRIES.join(", ")}`);
  const folder = await kept(files, parts).catch((thrown: unknown) => {
    throw invalid(`it cannot be copied into ${parts.folder}: ${messageOf(thrown)}`, thrown);
  });
  const module = await parts.importModule(join(folder, entry)).catch((thrown: unknown) => {
    throw invalid(`importing it failed: ${messageOf(thrown)}`, thrown);
  });
  return pluginIn(module, item.path);
}

/** A single file bears the name of an entry. */
function named({ path, files }: TrustItem): readonly TrustFile[] {
  const [only] = files;
  if (only === undefined || only.path !== "") return files;
  return [{ ...only, path: /\.(?:m?js)$/.test(path) ? "plugin.js" : "plugin.ts" }];
}

/** A file as the user knows it. */
function shownName({ path }: TrustFile, item: TrustItem): string {
  return item.files[0]?.path === "" ? basename(item.path) : path;
}

function entryOf(files: readonly TrustFile[]): string | undefined {
  return ENTRIES.find((name) => files.some(({ path }) => path === name));
}

/** What of a file's imports is not among the files, in words. */
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
  const foreign = imports.find(({ path: wanted }) => !isThere(wanted, path, files));
  return foreign === undefined ? [] : [`${shown} imports ${JSON.stringify(foreign.path)}, ${LIES_OUTSIDE}`];
}

const LIES_OUTSIDE =
  "which is not among its files: name the folder of a plugin that has several files, and put what it needs into it";

function isThere(wanted: string, from: string, files: readonly TrustFile[]): boolean {
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

/** The name of the folder that the copies of a plugin are kept in: no other content has it. */
export function copiesOf(item: TrustItem): string {
  return nameOf(named(item));
}

function nameOf(files: readonly TrustFile[]): string {
  const facts = files.map(({ path, sha256: hash }) => ({ path, hash }));
  return sha256(new TextEncoder().encode(canonicalJson(facts)));
}

/** The folder of the copies, each looked at again and made anew where it is not what was acknowledged. */
async function kept(files: readonly TrustFile[], { files: disk, folder }: LoadParts): Promise<string> {
  const own = join(folder, nameOf(files));
  await disk.makeDirectory(folder, DIRECTORY_MODE);
  for (const file of files) {
    const path = join(own, file.path);
    await disk.makeDirectory(dirname(path), DIRECTORY_MODE);
    if (await isKept(disk, path, file)) continue;
    if ((await disk.lstat(path)) !== undefined) await disk.remove(path);
    await disk.writeAtomic(path, file.bytes, FILE_MODE);
    if (!(await isKept(disk, path, file))) throw new Error(`${path} is not what was acknowledged`);
  }
  return own;
}

async function isKept(disk: Files, path: string, { bytes, sha256: hash }: TrustFile): Promise<boolean> {
  const info = await disk.lstat(path);
  if (info?.kind !== "file" || info.size !== bytes.length || (info.mode & OTHERS_WRITE) !== 0) return false;
  return sha256(await disk.readRange(path, 0, bytes.length)) === hash;
}
