import { posix } from "node:path";
import type { Import } from "./source.ts";

/**
 * The layer of each module of `src/`. A module is the longest of these paths that a file lies under; `*` is any
 * one folder.
 *
 * Imports go to a lower layer. A new module needs an entry here and a sentence in `docs/architecture.md`.
 */
export const LAYERS: ReadonlyMap<string, number> = new Map([
  ["base", 0],
  ["protocol", 1],
  ["platform", 1],
  ["shell", 1],
  ["safety", 2],
  ["view", 2],
  ["providers", 2.1],
  ["tools", 2.1],
  ["providers/dialect", 2.2],
  ["session", 2.2],
  ["engine", 3],
  ["config", 3],
  ["credentials", 3],
  ["providers/*", 3],
  ["tools/*", 3],
  ["session/sqlite", 3],
  ["session/transcript", 3],
  ["session/questions", 3],
  ["session/turns", 3.1],
  ["guard/trust", 4],
  ["guard/sandbox", 4.1],
  ["guard/permissions", 4.2],
  ["features/*", 5],
  ["server/auth", 6],
  ["server/http", 6.1],
  ["server/hub", 6.1],
  ["server/*", 6.2],
  ["app", 7],
  ["client/slash", 6.9],
  ["client/*", 7],
  ["conformance", 7],
  ["cli", 8],
]);

/** Folders of a contract, beside those of its implementations. */
const CONTRACT_FOLDERS: readonly string[] = [
  ...["providers/choosing", "providers/http", "providers/retry", "tools/chain"],
  ...["session/access", "session/budget", "session/commands", "session/guard", "session/history"],
  ...["session/hooks", "session/plugins", "session/settings", "session/store"],
];

/** Entry points of the package, at the top of `src/`. They belong to `app`. */
const ENTRIES: readonly string[] = ["index.ts", "engine.ts", "unsupported-runtime.ts"];

/** Modules that a client may import: a foreign client is its equal. */
const CLIENT_SEES: readonly string[] = ["base", "protocol", "view", "client/slash"];

/** The real machine arrives as a `World`: only these layers import `platform/`. */
const PLATFORM_LAYER_MIN = 7;

/** Modules that run in a browser and in the SDKs too. */
const NEUTRAL: readonly string[] = ["base", "protocol", "view", "client/remote"];
const MACHINE_GLOBALS = /(?<![.\w$])(?:Bun|Buffer|process|__dirname|__filename)(?![\w$])(?!\s*:)/;

/** The one file that imports a computed path: a plugin of the user, acknowledged before. */
const IMPORTS_COMPUTED: readonly string[] = ["platform/external-module.ts"];

/**
 * Returns the entries of the lists above that no file of `src/` needs, as sentences.
 * @param files paths below `src/`, with the imports of each.
 */
export function staleEntries(
  files: readonly (readonly [path: string, imports: readonly Import[]])[],
): readonly string[] {
  const modules = new Set(files.map(([path]) => moduleOf(path)));
  const used = new Set(
    [...modules].map((module = "") => (LAYERS.has(module) ? module : module.replace(/\/.*/, "/*"))),
  );
  const seen = files
    .filter(([path]) => /^(?:client\/|conformance\/)/.test(path))
    .flatMap(([path, imports]) =>
      imports.map(({ specifier = "" }) => moduleOf(posix.join(posix.dirname(path), specifier))),
    );
  const computes = (file: string) =>
    files.some(
      ([path, imports]) => path === file && imports.some(({ specifier }) => specifier === undefined),
    );
  const has = (start: string) => files.some(([path]) => path.startsWith(start));
  return [
    ...[...LAYERS.keys()].filter((module) => !used.has(module)).map((module) => `LAYERS: ${module}`),
    ...CONTRACT_FOLDERS.filter((folder) => !has(`${folder}/`)).map((folder) => `CONTRACT_FOLDERS: ${folder}`),
    ...ENTRIES.filter((file) => !has(file)).map((file) => `ENTRIES: ${file}`),
    ...CLIENT_SEES.filter((module) => !seen.includes(module)).map((module) => `CLIENT_SEES: ${module}`),
    ...NEUTRAL.filter((module) => !modules.has(module)).map((module) => `NEUTRAL: ${module}`),
    ...IMPORTS_COMPUTED.filter((file) => !computes(file)).map((file) => `IMPORTS_COMPUTED: ${file}`),
  ];
}

/** Returns the module of a path below `src/`, or undefined if no layer is named for it. */
export function moduleOf(path: string): string | undefined {
  if (ENTRIES.includes(path.replace(/\.test\.ts$/, ".ts"))) return "app";
  const [first = "", second = "", ...rest] = path.split("/");
  if (second === "") return undefined;
  if (rest.length > 0 && !CONTRACT_FOLDERS.includes(`${first}/${second}`)) {
    if (LAYERS.has(`${first}/${second}`) || LAYERS.has(`${first}/*`)) return `${first}/${second}`;
  }
  return LAYERS.has(first) ? first : undefined;
}

export function layerOf(module: string): number {
  return LAYERS.get(module) ?? LAYERS.get(module.replace(/\/.*/, "/*")) ?? -1;
}

/** Returns why one file may not import another, both below `src/`; undefined if it may. */
function breach(from: string, to: string): string | undefined {
  const [own, other] = [moduleOf(from), moduleOf(to)];
  if (own === undefined || other === undefined) return `${own === undefined ? from : to} is in no module`;
  if (own === other) return undefined;
  const isClient = own.startsWith("client/") || own === "conformance";
  if (isClient && !CLIENT_SEES.includes(other)) return `a client may not import ${other}`;
  if (other === "platform" && layerOf(own) < PLATFORM_LAYER_MIN)
    return `${own} takes the machine from its World, not from platform`;
  if (layerOf(other) < layerOf(own)) return undefined;
  return `${own} (layer ${layerOf(own)}) imports ${other} (layer ${layerOf(other)})`;
}

/** Returns the violations of one file, a sentence each. */
export function layerViolations(path: string, imports: readonly Import[]): readonly string[] {
  if (moduleOf(path) === undefined) return [`${path}: is in no module`];
  return imports.flatMap(({ specifier, kind }) => {
    const problem = problemWith(path, specifier);
    return problem === undefined ? [] : [`${path}: ${problem} (${kind})`];
  });
}

function problemWith(path: string, specifier: string | undefined): string | undefined {
  if (specifier === undefined) return IMPORTS_COMPUTED.includes(path) ? undefined : "imports a computed path";
  if (!specifier.startsWith(".")) {
    const own = moduleOf(path) ?? "";
    const isMachine = /^(?:bun|node)(?::|$)/.test(specifier);
    return isMachine && NEUTRAL.includes(own)
      ? `${own} is neutral and may not import ${specifier}`
      : undefined;
  }
  const target = posix.join(posix.dirname(path), specifier);
  if (target === "../package.json") return undefined;
  if (target.startsWith("..")) return `imports ${specifier}, which lies outside src`;
  return breach(path, target);
}

/** Returns the first global of the machine in a neutral module. `code` has no comments and strings. */
export function machineGlobal(path: string, code: string): string | undefined {
  const module = moduleOf(path);
  if (module === undefined || !NEUTRAL.includes(module)) return undefined;
  return MACHINE_GLOBALS.exec(code)?.[0];
}
