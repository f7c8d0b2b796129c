import { posix } from "node:path";
import type { Import } from "./source.ts";

/**
 * The floor of every room. A room is the longest of these paths that a file lies under; `*` is any one folder.
 *
 * A folder that a later change adds must be entered here, or the test says so.
 */
export const FLOORS: ReadonlyMap<string, number> = new Map([
  ["base", 0],
  ["protocol", 1],
  ["host", 1],
  ["provider", 2],
  ["tool", 2],
  ["session", 2],
  ["control", 2],
  ["shell", 2],
  ["trust", 2],
  ["client/kit", 2],
  ["provider/dialect", 3],
  ["session/transcript", 3],
  ["provider/*", 4],
  ["tool/builtin", 4],
  ["session/sqlite", 4],
  ["session/postgres", 4],
  ["engine", 4],
  ["agent", 4],
  ["permission", 4],
  ["sandbox", 2],
  ["sandbox/*", 4],
  ["hook", 4],
  ["skill", 4],
  ["context", 4],
  ["memory", 4],
  ["compaction", 4],
  ["checkpoint", 4],
  ["budget", 4],
  ["plan", 4],
  ["progress", 4],
  ["telemetry", 4],
  ["profile", 4],
  ["mcp-client", 4],
  ["notify", 4],
  ["mention", 4],
  ["prompt-template", 4],
  ["diagnostics", 4],
  ["control/auth", 4],
  ["control/multiplex", 5],
  ["control/resources", 5],
  ["control/http", 5],
  ["plugin", 5],
  ["credential", 5],
  ["control/inproc", 6],
  ["control/rest", 6],
  ["control/ws", 6],
  ["control/mcp-server", 6],
  ["control/acp", 6],
  ["control/minimal", 6],
  ["task", 6],
  ["harness", 7],
  ["conformance", 8],
  ["runner", 8],
  ["demo", 8],
  ["client/line", 8],
  ["client/remote", 8],
  ["client/tui", 8],
  ["client/web", 8],
  ["cli", 9],
]);

/** The files at the top of `src/`: one room with `harness/`. */
const COMPOSITION: readonly string[] = ["harness.ts", "index.ts", "unsupported-runtime.ts"];

/** What a client may see: foreign clients are its equals. */
const CLIENT_SEES: readonly string[] = ["base", "protocol", "client/kit"];

/** The real machine arrives as a World: only these floors put it there. */
const HOST_FLOOR_MIN = 7;

/** Rooms that also run in a browser and in the SDK. */
const NEUTRAL: readonly string[] = ["base", "protocol", "client/kit"];
const MACHINE_GLOBALS = /(?<![.\w$])(?:Bun|Buffer|process|__dirname|__filename)(?![\w$])(?!\s*:)/;

/** The one file that imports what it is told to: plugins of the user's, acknowledged before. */
const IMPORTS_COMPUTED: readonly string[] = ["host/external-module.ts"];

/** The room of a path below `src/`, or undefined where no floor is named for it. */
export function roomOf(path: string): string | undefined {
  if (COMPOSITION.includes(path)) return "harness";
  const parts = path.split("/");
  if (parts.length === 1) return undefined;
  const [first = "", second = ""] = parts;
  if (parts.length > 2) {
    if (FLOORS.has(`${first}/${second}`)) return `${first}/${second}`;
    if (FLOORS.has(`${first}/*`)) return `${first}/${second}`;
    // A folder inside a room that is divided into rooms must be a room itself.
    if ([...FLOORS.keys()].some((room) => room.startsWith(`${first}/`))) return undefined;
  }
  return FLOORS.has(first) ? first : undefined;
}

function floorOf(room: string): number {
  return FLOORS.get(room) ?? FLOORS.get(room.replace(/\/.*/, "/*")) ?? -1;
}

/** What is wrong with one file's imports, in sentences; empty where all go down. Paths are below `src/`. */
export function floorViolations(path: string, imports: readonly Import[]): readonly string[] {
  const from = roomOf(path);
  if (from === undefined) return [`${path}: its folder stands on no floor`];
  return imports.flatMap(({ specifier, kind }) => {
    if (specifier === undefined && IMPORTS_COMPUTED.includes(path)) return [];
    const problem =
      specifier === undefined ? "imports something computed" : problemWith(path, from, specifier);
    return problem === undefined ? [] : [`${path}: ${problem} (${kind})`];
  });
}

function problemWith(path: string, from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) {
    const machine = /^(?:bun|node)(?::|$)/.test(specifier);
    return machine && NEUTRAL.includes(from)
      ? `${from} is neutral and may not import ${specifier}`
      : undefined;
  }
  const target = posix.join(posix.dirname(path), specifier);
  if (target === "../package.json") return undefined;
  if (target.startsWith("..")) return `imports ${specifier}, which lies outside src`;
  const to = roomOf(target);
  if (to === undefined) return `imports ${target}, which stands on no floor`;
  if (to === from) return undefined;
  const isClient = from.startsWith("client/") || from === "conformance";
  if (isClient && !CLIENT_SEES.includes(to)) return `a client may not see ${target}`;
  if (to === "host" && floorOf(from) < HOST_FLOOR_MIN)
    return `${from} takes the machine from its World, not from ${target}`;
  if (floorOf(to) < floorOf(from)) return undefined;
  return `${from} (floor ${floorOf(from)}) imports ${target} (floor ${floorOf(to)})`;
}

/** The first machine-bound global in the code of a neutral room, if any. `code` has no comments and strings. */
export function machineGlobal(path: string, code: string): string | undefined {
  const room = roomOf(path);
  if (room === undefined || !NEUTRAL.includes(room)) return undefined;
  return MACHINE_GLOBALS.exec(code)?.[0];
}
