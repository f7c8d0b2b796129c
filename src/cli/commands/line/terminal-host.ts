import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import { codeOf } from "../../../base/world.ts";
import type { Host } from "../../../client/terminal/host/host.ts";
import type { ProcessContext } from "../../process-context.ts";
import { noticeWays } from "./notice-ways.ts";
import { ownCommand } from "../../processes/internal.ts";

const ONLY_USER = { file: 0o600, folder: 0o700 } as const;
const SETTINGS_BYTES_MAX = 1 << 20;
/** A program of the clipboard that takes longer has hung: a display that does not answer. */
const PROGRAM_MS_MAX = 5_000;

export interface TerminalHostOptions extends Pick<ProcessContext, "environment" | "paths" | "workingDir" | "stop"> {
  /** True: the engine is not of this machine, and shows nothing on its desktop. */
  readonly isElsewhere: boolean;
}

/** Returns the machine that the person sits at, for the terminal client. */
export function terminalHost({
  isElsewhere,
  environment,
  paths,
  workingDir,
  stop,
}: TerminalHostOptions): Host {
  const settingsPath = join(paths.config, "terminal.toml");
  let folder: string | undefined;
  return {
    environment,
    settingsPath,
    async runOnTerminal(command, path) {
      // Ctrl-C goes to every process of the terminal, the shell too: it is meant for the program.
      stop.interrupts(() => undefined);
      try {
        return await runProgram([command, path], { cwd: workingDir, env: environment });
      } finally {
        stop.interrupts(undefined);
      }
    },
    async runOwn(words) {
      const run = async (command: readonly string[]) =>
        await Bun.spawn([...command], {
          cwd: workingDir,
          env: environment,
          stdio: ["inherit", "inherit", "inherit"],
        }).exited;
      await run(ownCommand(words));
      await run(["/bin/sh", "-c", 'printf "\nEnter goes back to cinch. "; read -r _']);
    },
    async output(command, bytesMax) {
      try {
        const child = Bun.spawn([...command], {
          env: environment,
          stdio: ["ignore", "pipe", "ignore"],
          timeout: PROGRAM_MS_MAX,
          maxBuffer: bytesMax,
        });
        const bytes = await new Response(child.stdout).bytes();
        return (await child.exited) === 0 ? bytes : undefined;
      } catch (thrown) {
        if (codeOf(thrown) === undefined) throw thrown;
        return undefined; // the program is missing
      }
    },
    async feed(command, text) {
      try {
        const child = Bun.spawn([...command], {
          env: environment,
          stdio: [new Blob([text]), "ignore", "ignore"],
          timeout: PROGRAM_MS_MAX,
        });
        return (await child.exited) === 0;
      } catch (thrown) {
        if (codeOf(thrown) === undefined) throw thrown;
        return false; // the program is missing
      }
    },
    async writePrivate(name, text) {
      folder ??= await mkdtemp(join(tmpdir(), "cinch-terminal-"));
      const path = join(folder, name);
      await writeFile(path, text, { mode: ONLY_USER.file });
      return path;
    },
    async read(path, bytesMax) {
      const { size } = await stat(path);
      if (size > bytesMax) throw new HarnessError("UsageInvalid", { problem: `${path} has ${size} bytes` });
      return await readFile(path);
    },
    remove: async (path) => await rm(path, { force: true }),
    async readSettings() {
      try {
        const { size } = await stat(settingsPath);
        if (size > SETTINGS_BYTES_MAX)
          throw new HarnessError("UsageInvalid", { problem: `${settingsPath} has ${size} bytes` });
        return await readFile(settingsPath, "utf8");
      } catch (thrown) {
        if (codeOf(thrown) !== "ENOENT") throw thrown;
        return undefined;
      }
    },
    async noticeWays() {
      const ways = await noticeWays({ paths });
      return isElsewhere ? { ...ways, desktop: [] } : ways;
    },
    async writeSettings(text) {
      await mkdir(dirname(settingsPath), { recursive: true, mode: ONLY_USER.folder });
      await writeFile(settingsPath, text, { mode: ONLY_USER.file });
    },
  };
}

/** Runs the command of a person on a file, with the terminal of this process. Returns the exit code. */
async function runProgram(
  [command, path]: readonly [command: string, path: string],
  at: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<number> {
  const words = ["/bin/sh", "-c", `trap : INT; ${command} "$1"`, "sh", path];
  return await Bun.spawn(words, { ...at, stdio: ["inherit", "inherit", "inherit"] }).exited;
}
