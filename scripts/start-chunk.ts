import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";

/**
 * Files that a plain `cinch -p` imports dynamically from its start to its end, if it reads one file.
 * test/start-chunk.test.ts compares the list with such a run.
 */
export const START_IMPORTS: readonly string[] = [
  "src/app/engine/engine-handles.ts",
  "src/app/engine/open-store.ts",
  "src/app/features.ts",
  "src/app/harness.ts",
  "src/app/plan/feature-set.ts",
  "src/app/plan/settings.ts",
  "src/app/plan/user-config.ts",
  "src/base/async/deadline.ts",
  "src/base/async/periodic-pause.ts",
  "src/cli/commands/prompt/prompt-output.ts",
  "src/cli/commands/prompt/run.ts",
  "src/cli/context.ts",
  "src/cli/environment.ts",
  "src/cli/io/standard-input.ts",
  "src/cli/processes/within.ts",
  "src/cli/run.ts",
  "src/cli/secrets.ts",
  "src/cli/shared-prompt/share-running.ts",
  "src/cli/version.ts",
  "src/config/project.ts",
  "src/config/sections/credentials.ts",
  "src/config/settings/settings.ts",
  "src/features/agents-md/agents-md.ts",
  "src/features/agents-md/open.ts",
  "src/features/checkpoints/open.ts",
  "src/features/compaction/open.ts",
  "src/features/hooks/open.ts",
  "src/features/limits/open.ts",
  "src/features/memory/open.ts",
  "src/features/memory/sections.ts",
  "src/features/mentions/open.ts",
  "src/features/plan-mode/open.ts",
  "src/features/plugins/plugin-files.ts",
  "src/features/profiles/open.ts",
  "src/features/prompts/open.ts",
  "src/features/skills/builtin/builtin-skills.ts",
  "src/features/skills/format/check-skill.ts",
  "src/features/skills/format/load-skills.ts",
  "src/features/skills/format/skill-texts.ts",
  "src/features/skills/format/triggers.ts",
  "src/features/skills/open.ts",
  "src/features/skills/skill-set.ts",
  "src/features/subagents/open.ts",
  "src/features/tasks/open.ts",
  "src/guard/trust/notice-key.ts",
  "src/platform/files/files.ts",
  "src/platform/files/temporary.ts",
  "src/platform/machine.ts",
  "src/providers/custom/custom.ts",
  "src/providers/dialect/request/token-counter.ts",
  "src/safety/fence.ts",
  "src/safety/listed-description.ts",
  "src/shell/analysis.ts",
  "src/tools/files/read.ts",
  "src/tools/paths.ts",
  "src/tools/search/ls.ts",
];

const ENTRY = "src/cli/main.ts";
const CHUNK = "cinch-start";
/**
 * Files that the other processes of cinch import dynamically: the one that has the keys, the one that makes requests
 * with them, the one that passes connections on, a client of a shared engine, whose first frame waits for nothing, and
 * a `-p` whose prompt a running engine carries out. They stay small, so that none of these loads the start.
 */
const OTHER_PROCESSES: readonly string[] = [
  "src/app/plan/feature-set.ts",
  "src/app/plan/user-config.ts",
  "src/app/serving/ask-service.ts",
  "src/app/serving/service-paths.ts",
  "src/cli/commands/line/full-screen.ts",
  "src/cli/commands/line/line-session.ts",
  "src/cli/commands/line/run.ts",
  "src/cli/commands/prompt/prompt-output.ts",
  "src/cli/commands/prompt/run.ts",
  "src/cli/context.ts",
  "src/cli/environment.ts",
  "src/cli/io/terminal/tty-terminal.ts",
  "src/cli/processes/credential-helper.ts",
  "src/cli/processes/keeper.ts",
  "src/cli/processes/relay.ts",
  "src/cli/run.ts",
  "src/cli/secrets.ts",
  "src/cli/shared-engine/engine-tokens.ts",
  "src/cli/shared-engine/reach-engine.ts",
  "src/cli/shared-engine/remote-port.ts",
  "src/cli/shared-engine/sharing.ts",
  "src/cli/shared-engine/start-engine.ts",
  "src/cli/shared-prompt/share-running.ts",
  "src/client/line/line-client.ts",
  "src/config/sections/credentials.ts",
  "src/config/settings/settings.ts",
  "src/credentials/mcp/stored-grants.ts",
  "src/platform/files/files.ts",
  "src/platform/files/temporary.ts",
  "src/platform/machine.ts",
  "src/platform/processes/undumpable.ts",
  "src/platform/sockets/engine-transport.ts",
  "src/protocol/queries/read-query.ts",
  "src/protocol/queries/rest-request.ts",
  "src/protocol/read.ts",
];
/** Chunks that the files of the start may stand in: their own, and those that they share with what is outside of it. */
const CHUNKS_MAX = 24;
const TRANSPILER = new Bun.Transpiler({ loader: "ts" });

/**
 * Bundles what a plain `cinch -p` loads into one chunk, but for what it shares with cinch's other processes (PERF-01).
 *
 * The bundler makes a chunk for each set of entry points that share a file, and each dynamic import is an entry point:
 * a start read 200 chunks, most of them below 2 kB. Here every dynamic import also imports the whole start. So its
 * files all belong to one set. The import stands at the end of a file and makes a circle, which is harmless as long as
 * no file of the start uses a dynamically imported one at its top level.
 */
export function startChunk(root: string): BunPlugin {
  const graph = sourceGraph(root);
  const lazy = new Set(lazyImports(graph, [...graph.keys()]));
  const importers = startImporters(root, graph);
  const missing = [...START_IMPORTS, ...OTHER_PROCESSES].filter((file) => !lazy.has(file));
  if (missing.length > 0)
    throw new Error(`scripts/start-chunk.ts: no dynamic import of ${missing.join(", ")}`);
  const imports = START_IMPORTS.map((file) => `import ${JSON.stringify(join(root, file))};\n`);
  return {
    name: "start-chunk",
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${CHUNK}$`) }, () => ({ path: CHUNK, namespace: CHUNK }));
      build.onLoad({ filter: /./, namespace: CHUNK }, () => ({ loader: "js", contents: imports.join("") }));
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
        const text = await Bun.file(path).text();
        const contents = importers.has(relative(root, path)) ? `${text}\nimport "${CHUNK}";\n` : text;
        return { loader: "ts", contents };
      });
    },
  };
}

/** Returns the files that load the whole start with themselves in the compiled program. */
export function startImporters(root: string, graph: Graph = sourceGraph(root)): ReadonlySet<string> {
  // A file that one of these imports statically would bring the start along.
  const outside = staticClosure(graph, [
    ENTRY,
    ...OTHER_PROCESSES,
    ...lazyImports(graph, [ENTRY]).filter((file) => !START_IMPORTS.includes(file)),
  ]);
  return new Set(lazyImports(graph, [...graph.keys()]).filter((file) => !outside.has(file)));
}

/**
 * Checks that the bundler made few chunks of the start.
 * @throws Error if a change of the bundler or of an import has spread it over more.
 */
export function checkStartChunk(root: string, metafile: Bun.BuildMetafile | undefined): void {
  const files = new Set(START_IMPORTS.map((file) => join(root, file)));
  const chunks = Object.values(metafile?.outputs ?? {}).filter(({ inputs }) =>
    Object.keys(inputs).some((input) => files.has(resolve(root, input))),
  );
  if (chunks.length === 0 || chunks.length > CHUNKS_MAX)
    throw new Error(
      `the start is in ${chunks.length} chunks, not in 1 to ${CHUNKS_MAX}; see scripts/start-chunk.ts`,
    );
}

interface Imports {
  readonly value: readonly string[];
  readonly lazy: readonly string[];
}

/** The imports of each file of `src`, types left out. */
type Graph = ReadonlyMap<string, Imports>;

/** Returns what files of `src` import dynamically. */
export function lazyImportsOf(root: string, files: readonly string[]): readonly string[] {
  return [...new Set(files.flatMap((file) => importsOf(root, file).lazy))];
}

function sourceGraph(root: string): Graph {
  const graph = new Map<string, Imports>();
  const waiting = [ENTRY];
  for (const file of waiting) {
    if (graph.has(file)) continue;
    const imports = importsOf(root, file);
    graph.set(file, imports);
    waiting.push(...imports.value, ...imports.lazy);
  }
  return graph;
}

function importsOf(root: string, file: string): Imports {
  const found = TRANSPILER.scanImports(readFileSync(join(root, file), "utf8")).filter(({ path }) =>
    /^\..*\.ts$/.test(path),
  );
  const paths = (kind: string) =>
    found
      .filter((each) => each.kind === kind)
      .map(({ path }) => relative(root, resolve(root, dirname(file), path)));
  return { value: paths("import-statement"), lazy: paths("dynamic-import") };
}

/** Returns what the files import dynamically themselves. */
function lazyImports(graph: Graph, files: readonly string[]): readonly string[] {
  return [...new Set(files.flatMap((file) => graph.get(file)?.lazy ?? []))];
}

/** Returns the files with all that they import statically. */
function staticClosure(graph: Graph, files: readonly string[]): ReadonlySet<string> {
  const found = new Set(files);
  for (const file of found) for (const each of graph.get(file)?.value ?? []) found.add(each);
  return found;
}
