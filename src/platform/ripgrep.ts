import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hostRandom } from "./random.ts";

/** Name of the embedded file: `rg`, with the suffix of the bundler. */
const EMBEDDED_NAME = /^rg(?:\.exe)?(?:-[a-z0-9]+)?(?:\.bin|\.)?$/;
const HASH_CHARACTERS = 16;

/**
 * Returns a function that finds ripgrep at its first call.
 *
 * From source, it is the binary of the npm package for this platform. A compiled program embeds it and writes it to
 * the private folder (0700) `bin` of `directory`. Its name contains its hash, and later runs use it.
 * @throws Error if this platform has none, or others can access that folder.
 */
export function hostRipgrep(directory: string): () => Promise<string> {
  let found: Promise<string> | undefined;
  return () => {
    found ??= find(directory).catch((thrown) => {
      found = undefined; // the next call may succeed
      throw thrown;
    });
    return found;
  };
}

async function find(directory: string): Promise<string> {
  const embedded = Bun.embeddedFiles.find((file) => EMBEDDED_NAME.test(nameOf(file)));
  if (embedded !== undefined) return await extractExecutable(await embedded.bytes(), join(directory, "bin"));
  const program = process.platform === "win32" ? "rg.exe" : "rg";
  const name = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${program}`;
  try {
    return Bun.resolveSync(name, import.meta.dir);
  } catch (thrown) {
    throw new Error(`Grep and Glob need ripgrep, and ${name} is not installed; run npm ci.`, {
      cause: thrown,
    });
  }
}

/** Writes an executable file with this content to `directory` and returns its path; an existing one is reused. */
export async function extractExecutable(content: Uint8Array, directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { mode, uid } = await lstat(directory);
  if ((mode & 0o077) !== 0 || (process.getuid !== undefined && uid !== process.getuid())) {
    throw new Error(
      `${directory} must be a directory of yours alone (chmod 700), since programs are run from it.`,
    );
  }
  const hash = hashOf(content);
  const path = join(directory, `rg-${hash.slice(0, HASH_CHARACTERS)}`);
  if (await holds(path, hash)) return path;
  const temporary = `${path}.${hostRandom.bytes(6).toHex()}`;
  try {
    await writeFile(temporary, content, { mode: 0o700, flag: "wx" });
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
  return path;
}

async function holds(path: string, hash: string): Promise<boolean> {
  const file = Bun.file(path);
  return (await file.exists()) && hashOf(await file.bytes()) === hash;
}

function hashOf(content: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}

function nameOf(file: Blob): string {
  const name: unknown = Reflect.get(file, "name");
  return typeof name === "string" ? name : "";
}
