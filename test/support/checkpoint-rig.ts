import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CallId } from "../../src/base/ids.ts";
import type { Files } from "../../src/base/world.ts";
import { Checkpoints } from "../../src/features/checkpoints/checkpoints.ts";
import type { RestoreResult } from "../../src/features/checkpoints/rewind/restore.ts";
import type { Boundary, ForeignSet } from "../../src/features/checkpoints/rewind/rewind-plan.ts";
import { CheckpointStore } from "../../src/features/checkpoints/store/checkpoint-store.ts";
import type { RecordingScope } from "../../src/features/checkpoints/tracking/recording-scope.ts";
import { Tracker } from "../../src/features/checkpoints/tracking/tracker.ts";
import { hostTree } from "../../src/platform/files/tree.ts";
import type { Event } from "../../src/protocol/events/events.ts";
import { temporaryDirectory, testWorld } from "./world.ts";

/** Checkpoints of one workspace of real files, with turns that are numbered as a log would. */
export interface CheckpointRig extends AsyncDisposable {
  readonly root: string;
  readonly data: string;
  readonly events: Event[];
  /** The calls of all turns: one for each command. */
  readonly calls: readonly CallId[];
  readonly checkpoints: Checkpoints;
  /** Runs one turn of shell commands; returns the events of its start and its end. */
  turn(...commands: readonly string[]): Promise<TurnBounds>;
  /** Runs a command outside of any turn. */
  outside(command: string): void;
  /** Sets the files back, with what is said of files that others changed. */
  rewind(to: Boundary, overwrite?: readonly ForeignSet[]): Promise<RestoreResult>;
  /** The same log, as another process would open it. */
  reopen(): Promise<void>;
}

export interface TurnBounds {
  readonly start: Boundary;
  readonly end: Boundary;
  /** Files that its end says it changed. */
  readonly files: readonly string[] | undefined;
}

export interface RigOptions {
  /** The workspace is a git repository. */
  readonly git?: boolean;
  readonly files?: Partial<Files>;
  readonly room?: number;
  readonly scope?: RecordingScope;
  /** Folder of workspace and store, which is kept. Default: a temporary folder. */
  readonly parent?: string;
  /** The last event of a log that is gone on with. */
  readonly last?: number;
  /** A workspace that is there already, in the place of one of the rig's own. */
  readonly root?: string;
}

export async function openCheckpointRig(options: RigOptions = {}): Promise<CheckpointRig> {
  const directory = temporaryDirectory("cinch-checkpoint-");
  const parent = options.parent ?? directory.path;
  const root = options.root ?? join(parent, "work");
  const data = join(parent, "data");
  mkdirSync(root, { recursive: true });
  if (options.git === true) shell(root, "git init -q .");
  const events: Event[] = [];
  const calls: CallId[] = [];
  const world = testWorld();
  const files = { ...world.files, ...options.files };
  let [last, turns] = [options.last ?? 0, 0];
  const open = async () => {
    const parts = {
      files,
      random: world.random,
      folder: data,
      key: new Uint8Array(32).fill(7),
      log: "log_x",
      root,
    };
    const store = await CheckpointStore.open(parts);
    const tracking = {
      world,
      files,
      tree: hostTree,
      root,
      exclude: [],
      scope: options.scope ?? "all",
      configFiles: [],
      store,
      room: () => Promise.resolve(options.room ?? 1e9),
      lastEvent: () => Promise.resolve(last),
    };
    return new Checkpoints({ world, tracking, store, tracker: await Tracker.open(tracking) });
  };
  let checkpoints = await open();
  const { signal } = new AbortController();
  return {
    root,
    data,
    events,
    calls,
    get checkpoints() {
      return checkpoints;
    },
    async turn(...commands) {
      turns += 1;
      last += 1;
      const [start, turn] = [last, turns];
      const emit = (event: Event) => void events.push(event);
      for (const command of commands) {
        await world.clock.advance(1_000);
        const call = world.ids.next("call");
        const recorded = await checkpoints.before("anything", { turn, call, signal, emit });
        calls.push(call);
        last += 1;
        shell(root, command);
        await checkpoints.after(recorded, signal);
      }
      const files = await checkpoints.endTurn(turn, signal);
      last += 1;
      return { start: { at: start, startOf: turn }, end: { at: last }, files };
    },
    outside: (command) => shell(root, command),
    async rewind(to, overwrite = []) {
      const { token } = await checkpoints.preview(to, turns, signal);
      const done = await checkpoints.rewind(to, { token, overwrite, turn: turns }, signal);
      last += 1;
      return done;
    },
    async reopen() {
      checkpoints = await open();
    },
    [Symbol.asyncDispose]: async () => {
      shell(directory.path, "chmod -R u+rwX .");
      await directory[Symbol.asyncDispose]();
    },
  };
}

const GIT_ENV = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

/** Runs a command in bash, as a person would in another window. */
export function shell(cwd: string, command: string): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd, ...GIT_ENV };
  return execFileSync("bash", ["-c", command], {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Everything below a folder: mode, kind, and bytes or target; without git's own folder. */
export function treeOf(root: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (folder: string) => {
    for (const name of readdirSync(Buffer.from(join(root, folder), "latin1"), { encoding: "buffer" })) {
      const text = name.toString("latin1");
      if (text === ".git") continue;
      const path = folder === "" ? text : `${folder}/${text}`;
      const at = Buffer.from(join(root, path), "latin1");
      const stats = lstatSync(at);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isDirectory()) {
        found[path] = `d ${mode}`;
        walk(path);
      } else if (stats.isSymbolicLink()) found[path] = `l ${readlinkSync(at, { encoding: "latin1" })}`;
      else
        found[path] = `f ${mode} ${createHash("sha256").update(readFileSync(at)).digest("hex").slice(0, 12)}`;
    }
  };
  walk("");
  return found;
}

export function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
