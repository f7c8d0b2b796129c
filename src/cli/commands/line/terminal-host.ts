import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import { codeOf } from "../../../base/world.ts";
import type { Host } from "../../../client/terminal/host/host.ts";
import { feedTo, outputOf, runOnTerminal } from "../../../platform/person-programs.ts";
import type { ProcessContext } from "../../process-context.ts";
import { ownCommand } from "../../processes/internal.ts";
import { noticeWays } from "./notice-ways.ts";
import { readSettingsFile, settingsFile } from "./settings-file.ts";

const ONLY_USER = { file: 0o600, folder: 0o700 } as const;
/** A program of the clipboard that takes longer has hung: a display that does not answer. */
const PROGRAM_MS_MAX = 5_000;

export interface TerminalHostOptions
  extends Pick<ProcessContext, "environment" | "paths" | "workingDir" | "stop" | "world"> {
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
  world,
}: TerminalHostOptions): Host {
  const settingsPath = settingsFile(paths.config);
  const place = { cwd: workingDir, env: environment };
  /** Runs a program. Ctrl-C goes to every process of the terminal, a shell too: it is meant for the program. */
  const uninterrupted = async (command: readonly string[]): Promise<number> => {
    stop.interrupts(() => undefined);
    try {
      return await runOnTerminal(command, place);
    } finally {
      stop.interrupts(undefined);
    }
  };
  return {
    environment,
    settingsPath,
    runOnTerminal: async (command, path) =>
      await uninterrupted(["/bin/sh", "-c", `trap : INT; ${command} "$1"`, "sh", path]),
    async runOwn(words) {
      await uninterrupted(ownCommand(words));
      await uninterrupted(["/bin/sh", "-c", 'printf "\nEnter goes back to cinch. "; read -r _']);
    },
    output: async (command, bytesMax) => await outputOf(command, place, { bytesMax, msMax: PROGRAM_MS_MAX }),
    feed: async (command, text) => await feedTo(command, text, { ...place, msMax: PROGRAM_MS_MAX }),
    async writePrivate(name, text) {
      const path = join(await mkdtemp(join(tmpdir(), "cinch-terminal-")), name);
      await writeFile(path, text, { mode: ONLY_USER.file });
      return path;
    },
    async read(path, bytesMax) {
      const info = await stat(path);
      // A pipe would be waited for without an end.
      if (!info.isFile())
        throw new HarnessError("UsageInvalid", { problem: `${path} is not a regular file` });
      const { size } = info;
      if (size > bytesMax) throw new HarnessError("UsageInvalid", { problem: `${path} has ${size} bytes` });
      return await readFile(path);
    },
    removePrivate: async (path) => await rm(dirname(path), { recursive: true, force: true }),
    readSettings: async () => readSettingsFile(settingsPath),
    async noticeWays() {
      const ways = await noticeWays({ paths });
      return isElsewhere ? { ...ways, desktop: [] } : ways;
    },
    async writeSettings(text) {
      await mkdir(dirname(settingsPath), { recursive: true, mode: ONLY_USER.folder });
      // A link to the file stays one, and a full disk leaves the file as it was.
      await world.files.writeAtomic(await resolvedPath(settingsPath), text, ONLY_USER.file);
    },
  };
}

/** Returns where a file is, or would be: a person may keep it elsewhere, behind a link. */
async function resolvedPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    return join(await realpath(dirname(path)), basename(path));
  }
}
