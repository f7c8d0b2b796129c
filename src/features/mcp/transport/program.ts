import { basename, isAbsolute, join } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { ProgramSpec } from "../server/server-spec.ts";

/** Programs that run another file, whose content then counts too. */
const INTERPRETER =
  /^(?:node(?:js)?|bun|bunx|deno|python[\d.]*|pypy[\d.]*|uv|ruby[\d.]*|perl[\d.]*|php[\d.]*|lua[\d.]*|(?:ba|da|z|k|fi|a)?sh|java|dotnet|tsx|env)$/;
const CHUNK_BYTES = 1024 * 1024;
const EXECUTABLE_BITS = 0o111;
const PATH_CHARACTERS_MAX = 1_024;
const NO_FILE = new Set(["EACCES", "ELOOP", "ENAMETOOLONG"]);

/** The program and files that a declaration starts on this machine now. */
export interface Program {
  /** The absolute path as found: some programs depend on the path they were called by. */
  readonly path: string;
  /** Every file whose content decides what runs: the program, and for an interpreter the files it is given. */
  readonly files: readonly string[];
}

/**
 * Finds the program of a server. A name is looked up in the absolute folders of its `PATH`, so that no repository can
 * replace the program.
 * @throws HarnessError McpProgramMissing.
 */
export async function findServerProgram(files: Files, spec: ProgramSpec): Promise<Program> {
  const folders = (spec.env["PATH"] ?? "").split(":").filter((folder) => isAbsolute(folder));
  const places = spec.cmd.includes("/") ? [spec.cmd] : folders.map((folder) => join(folder, spec.cmd));
  for (const path of places) {
    const info = await files.stat(path);
    if (info?.kind !== "file" || (info.mode & EXECUTABLE_BITS) === 0) continue;
    const real = await realPathIfThere(files, path);
    if (real === undefined) continue; // removed meanwhile
    const isInterpreter = INTERPRETER.test(basename(path)) || INTERPRETER.test(basename(real));
    return { path, files: [real, ...(isInterpreter ? await filesAmong(files, spec) : [])] };
  }
  const where = spec.cmd.includes("/") ? "there is no program there" : "no folder of PATH has it";
  throw new HarnessError("McpProgramMissing", {
    name: spec.name,
    cmd: spec.cmd,
    problem: where,
    path: spec.declaredIn,
  });
}

/**
 * Returns the files among the arguments. The script looks like other arguments, so each argument that is or
 * names a file counts.
 */
async function filesAmong(files: Files, { args, cwd }: ProgramSpec): Promise<readonly string[]> {
  const found: string[] = [];
  const first = args.findIndex((word) => !word.startsWith("-"));
  for (const [at, word] of args.entries()) {
    for (const name of namesIn(word, { before: args[at - 1], isFirst: at === first })) {
      if (name === "" || name.length > PATH_CHARACTERS_MAX) continue;
      const path = isAbsolute(name) ? name : join(cwd, name);
      const real = (await isFile(files, path)) ? await realPathIfThere(files, path) : undefined;
      if (real !== undefined) found.push(real);
    }
  }
  return found;
}

/** Most words are not paths. What cannot be a path, or cannot be read, is not run by the interpreter either. */
async function isFile(files: Files, path: string): Promise<boolean> {
  try {
    return (await files.stat(path))?.kind === "file";
  } catch (thrown) {
    if (!NO_FILE.has(codeOf(thrown) ?? "")) throw thrown;
    return false;
  }
}

/**
 * Returns the paths that a word may run: also a module behind `-m`, the value of an option, and the start files of
 * a folder.
 */
function namesIn(
  word: string,
  { before, isFirst }: { readonly before: string | undefined; readonly isFirst: boolean },
): readonly string[] {
  const path = word.replaceAll(".", "/");
  if (before === "-m") return [word, `${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`];
  if (!word.startsWith("-"))
    return isFirst
      ? [word, ...["__main__.py", "index.js", "package.json"].map((name) => join(word, name))]
      : [word];
  const value = word.indexOf("=");
  return [value === -1 ? (/^-[A-Za-z](.+)$/.exec(word)?.[1] ?? "") : word.slice(value + 1)];
}

/**
 * Returns the SHA-256 of what runs: the contents of all files of the program one after the other, as `cat FILES |
 * sha256sum` prints it.
 */
export async function hashProgram(files: Files, program: Program): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for (const path of program.files) {
    await using file = await files.openResolved(path);
    for (let offset = 0; ; ) {
      const chunk = await file.read(offset, CHUNK_BYTES);
      if (chunk.length === 0) break;
      hash.update(chunk);
      offset += chunk.length;
    }
  }
  return hash.digest("hex");
}
