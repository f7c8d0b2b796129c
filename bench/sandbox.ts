import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SILENT_LOG } from "../src/base/log.ts";
import { settingsOf } from "../src/config/settings/settings.ts";
import { sandboxSection } from "../src/guard/sandbox/config.ts";
import { openSandbox } from "../src/guard/sandbox/sandbox.ts";
import { hostWorld } from "../src/platform/host.ts";
import type { Home } from "./subject.ts";

/** Settings with which `bench/bare.ts` runs commands in cinch's sandbox. */
export interface Confining {
  /** Words before `bash`. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that bwrap is handed open, as descriptors 3, 4, …: the filter of system calls. */
  readonly inherit: readonly string[];
}

export interface BenchSandbox extends AsyncDisposable {
  /** A file that holds a `Confining`, or nothing where this machine has no sandbox: then cinch runs without one too. */
  readonly path: string | undefined;
}

/** Options, each with one value, by which bwrap waits for cinch to note its process. The script would wait for ever. */
const HANDSHAKE: ReadonlySet<string> = new Set(["--info-fd", "--block-fd"]);

/**
 * The sandbox of a session in this home, made by cinch's own code, and written down for a script that knows none of it.
 */
export async function openBenchSandbox(home: Home): Promise<BenchSandbox> {
  const world = hostWorld(SILENT_LOG);
  const paths = {
    config: join(home.path, ".config/cinch"),
    data: join(home.path, ".local/share/cinch"),
    state: join(home.path, ".local/state/cinch"),
  };
  // As after a first session: what is not there would not be hidden, and cost nothing.
  for (const path of Object.values(paths)) mkdirSync(path, { recursive: true, mode: 0o700 });
  const makeTemporary = (prefix: string) => Promise.resolve(mkdtempSync(join(home.path, prefix)));
  const root = join(home.path, "project");
  const sandbox = openSandbox({
    world: { ...world, files: { ...world.files, makeTemporary } },
    root,
    paths,
    home: home.path,
    programs: { path: "/usr/bin:/bin", writable: { all: [] } },
    settings: settingsOf(sandboxSection, {}),
    projectHidden: () => Promise.resolve([]),
    onUnavailable: () => undefined,
    onNotice: () => undefined,
  });
  const close = () => sandbox[Symbol.asyncDispose]();
  const current = await sandbox.current({
    summary: "bash",
    target: { kind: "command", command: "bash", cwd: root },
  });
  if (current.kind === "none") return { path: undefined, [Symbol.asyncDispose]: close };
  const env = { HOME: home.path, PATH: "/usr/bin:/bin", LANG: "C.UTF-8" };
  const wrapped = current.confine.wrap({ argv: ["bash"], cwd: root, env });
  const inherit = (wrapped.inherit ?? []).flatMap((each) => (typeof each === "number" ? [] : [each.path]));
  const argv = wrapped.argv.slice(0, -1).filter((word, at, all) => {
    return !HANDSHAKE.has(word) && !HANDSHAKE.has(all[at - 1] ?? "");
  });
  const confining: Confining = { argv, env: wrapped.env, inherit };
  const path = join(home.path, "confining.json");
  writeFileSync(path, JSON.stringify(confining));
  return { path, [Symbol.asyncDispose]: close };
}
