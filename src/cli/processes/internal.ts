import { join } from "node:path";

/** Internal first words of command lines that only cinch writes. They work only with their pipe. */
export const ENGINE_WORD = "__engine";
export const HELPER_WORD = "__helper";
/** Works anywhere, with no more rights than any program: it listens, and forwards. */
export const RELAY_WORD = "__relay";

/** True in the program that `npm run build` makes, which has no launcher. */
export function isCompiled(): boolean {
  return Bun.main.startsWith("/$bunfs/") || /^[A-Z]:\/~BUN\//.test(Bun.main);
}

/** Returns the command line that starts this program once more, with internal words. */
export function ownCommand(words: readonly string[]): readonly [string, ...string[]] {
  if (isCompiled()) return [process.execPath, ...words];
  // Like the launcher: nothing of the folder that we are started in is executed or read.
  const root = join(import.meta.dir, "../../..");
  const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
  const main = join(import.meta.dir, "../main.ts");
  return [process.execPath, ...flags, `--tsconfig-override=${root}/tsconfig.json`, main, ...words];
}
