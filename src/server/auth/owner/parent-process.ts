import { basename, isAbsolute, join } from "node:path";
import { decode } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";

/** The program that started this process, as it is now. */
export interface ParentProcess {
  /** Name by which it was called. */
  readonly argv0: string;
  readonly binary: string;
  readonly binarySha256: string;
  /** Script of an interpreter by its path, or code and modules by its arguments. */
  readonly script?: string;
  readonly scriptSha256?: string;
  /** Start of the process, in ticks since the system started. */
  readonly start: string;
}

type ProcFiles = Pick<Files, "read" | "stat" | "realpath" | "openResolved">;

const PROC_BYTES_MAX = 4 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const STARTED_FIELD = 19;
/** Longer words are code, not names of files. */
const PATH_CHARACTERS_MAX = 1_024;
const NAME_CHARACTERS = 12;
const INTERPRETER =
  /^(?:node(?:js)?|bun|deno|python[\d.]*|pypy[\d.]*|ruby[\d.]*|perl[\d.]*|php[\d.]*|lua[\d.]*|(?:ba|da|z|k|fi|a)?sh|busybox|java|dotnet|tsx|electron)$/;

/**
 * Reads a process by its id (Linux): its binary and, for interpreters, what they run, by their content. The hashed
 * binary is the one that runs, even if its file was replaced since.
 * @throws Error in words for people, if that cannot be read or changes meanwhile.
 */
export async function readProcess(files: ProcFiles, pid: number): Promise<ParentProcess> {
  const start = await startOf(files, pid);
  const commandLine = await commandLineOf(files, pid);
  const argv = commandLine.split("\0").slice(0, -1);
  const link = `/proc/${pid}/exe`;
  const running = await files.stat(link);
  const binary = await files.realpath(link);
  if (running === undefined) throw new Error("its binary cannot be seen");
  const binarySha256 = await hashOf(files, binary, running.identity);
  const script = INTERPRETER.test(basename(binary)) ? await scriptOf(files, pid, argv) : {};
  const now = await files.stat(link);
  // While a program replaces another in one process, its binary appears before its arguments.
  const isSame = now?.identity === running.identity && (await commandLineOf(files, pid)) === commandLine;
  if (commandLine === "" || !isSame || (await startOf(files, pid)) !== start)
    throw new Error("it became another program meanwhile");
  return { argv0: argv[0] ?? "", binary, binarySha256, ...script, start };
}

/**
 * The first word behind an interpreter is its script. Behind options that is uncertain: some take a value. So there
 * every argument counts, and the content of every one that is a file.
 */
async function scriptOf(
  files: ProcFiles,
  pid: number,
  argv: readonly string[],
): Promise<Pick<ParentProcess, "script" | "scriptSha256">> {
  const folder = await files.realpath(`/proc/${pid}/cwd`);
  const [first = ""] = argv.slice(1);
  const script = await fileOf(files, folder, first);
  if (script !== undefined) return { script: script.path, scriptSha256: script.sha256 };
  const parts: string[] = [];
  for (const word of argv.slice(1)) {
    parts.push(word, (await fileOf(files, folder, word))?.sha256 ?? "");
  }
  const scriptSha256 = sha256(parts);
  // Named after its content: one way to start it does not replace another.
  return { script: `(arguments ${scriptSha256.slice(0, NAME_CHARACTERS)})`, scriptSha256 };
}

async function fileOf(
  files: ProcFiles,
  folder: string,
  word: string,
): Promise<{ readonly path: string; readonly sha256: string } | undefined> {
  if (word === "" || word.startsWith("-") || word.length > PATH_CHARACTERS_MAX) return undefined;
  const named = isAbsolute(word) ? word : join(folder, word);
  const info = await files.stat(named).catch((thrown: unknown) => {
    if (codeOf(thrown) === "ENAMETOOLONG") return undefined; // no file has such a name
    throw thrown;
  });
  if (info?.kind !== "file") return undefined;
  const path = await files.realpath(named);
  return { path, sha256: await hashOf(files, path, info.identity) };
}

async function hashOf(files: ProcFiles, path: string, identity: string): Promise<string> {
  await using file = await files.openResolved(path);
  if (file.info.identity !== identity) throw new Error(`${path} was replaced since it was started`);
  const hash = new Bun.CryptoHasher("sha256");
  for (let offset = 0; ; ) {
    const chunk = await file.read(offset, CHUNK_BYTES);
    if (chunk.length === 0) return hash.digest("hex");
    hash.update(chunk);
    offset += chunk.length;
  }
}

function sha256(parts: readonly string[]): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex");
}

async function commandLineOf(files: ProcFiles, pid: number): Promise<string> {
  return decode(await files.read(`/proc/${pid}/cmdline`, PROC_BYTES_MAX));
}

async function startOf(files: ProcFiles, pid: number): Promise<string> {
  const stat = decode(await files.read(`/proc/${pid}/stat`, PROC_BYTES_MAX));
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[STARTED_FIELD] ?? "";
}
