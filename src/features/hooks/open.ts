import { basename, dirname, join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { nearestWords } from "../../base/text/near.ts";
import type { Files } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { saidOf } from "../../config/settings/read-section.ts";
import { invalid } from "../../config/toml.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SettingsContext, TrustItem } from "../../session/guard/trust.ts";
import type { Hook } from "../../session/hooks/hook.ts";
import type { SessionHost } from "../../session/host.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import { isServerTool } from "../../tools/server-tool-names.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import type { ConfiguredHook } from "./config.ts";
import { hooksSection } from "./config.ts";

/**
 * Opens the hooks of a session: the user's own (config.toml, the folder `hooks/` beside it, the profile), then those
 * of the project that a person has acknowledged. Resolves to undefined, and loads nothing, if there are none.
 * @throws HarnessError ConfigInvalid with file and line for an own hook that is invalid.
 */
export async function openHooks(host: SessionHost): Promise<OpenFeature | undefined> {
  const { session, trust, log, workspace, world, paths } = host;
  const { config, profile, tools } = host.plan();
  const folder = join(paths.config, "hooks");
  const configured = await ownHooks({ files: world.files, config, profile, folder });
  if (configured.length === 0 && !trust.has("hook")) return undefined;
  const { completeHook } = await import("./complete-hook.ts");
  const { Hooks } = await import("../../session/hooks/hooks.ts");
  const { SessionHooks } = await import("../../session/hooks/session-hooks.ts");
  const { forecastHooks, toolHooks } = await import("../../session/hooks/tool-hooks.ts");
  const { startsWithRelativePath } = await import("./scripts/repository-files.ts");
  const userHooks = configured.map((each) => {
    checkTools(each, tools);
    const { path, line, key } = each.where;
    if (startsWithRelativePath(each.cmd)) throw invalid(path, line, key, RELATIVE);
    return completeHook(each, () => Promise.resolve(folder));
  });
  let isLoaded = false;
  let ofProject: Promise<readonly Hook[]> | undefined;
  async function known(signal: AbortSignal): Promise<readonly Hook[]> {
    if (!trust.has("hook")) return userHooks; // the user's hooks do not wait for an answer about another kind
    const { items } = await trust.loaded(signal);
    isLoaded = true;
    ofProject ??= projectHooks(
      items.filter(({ kind }) => kind === "hook"),
      host,
    );
    return [...userHooks, ...(await ofProject)];
  }
  const hooks = new Hooks({ world, session, cwd: workspace.root, env: workspace.env, known });
  const moments = new SessionHooks({
    hooks,
    source: log.resumed.lastTurn > 0 ? "resume" : "new",
    emit: (event) => host.publish(event),
  });
  return {
    queries: {
      async ListHooks(_query, { signal }) {
        const { listHooks } = await import("./list-hooks.ts");
        // A list does not wait for a person who is asked about the files of the project.
        const waits = trust.has("hook") && trust.asks && !isLoaded;
        const all = waits ? userHooks : await known(signal);
        const waiting = waits ? trust.found.items.filter((item) => item.kind === "hook") : [];
        return listHooks({ own: userHooks, all, waiting: waiting.map(({ path }) => path) }, host.redactor);
      },
    },
    around: toolHooks(hooks).map((run) => ({ tool: "hooks", run }) as const),
    forecast: (call, context) => forecastHooks(hooks, call, context),
    onInput: (content, turn) => moments.onInput(content, turn),
    onTurnEnd: (reason, turn) => moments.onTurnEnd(reason, turn),
    onCompact: (moment, context) => moments.onCompact(moment, context),
    onFollowed: () => moments.begin(),
    // If nobody has to be asked first, an invalid setting of the project ends the start, not the first turn.
    ready: async (signal) => void (trust.asks ? undefined : await known(signal)),
    settle: () => moments.end(),
    notices: () => configured.flatMap(noticesOf),
  };
}

const RELATIVE =
  "the program is a path below the folder that is worked in, so each repository would bring its own: write an absolute path, or $CINCH_HOOKS/NAME for one in the hooks folder of your configuration";

interface OwnHooks {
  readonly files: Files;
  readonly config: Pick<Config, "sections">;
  readonly profile: Pick<Profile, "sections">;
  /** The folder `hooks/` in the configuration folder. */
  readonly folder: string;
}

async function ownHooks({ files, config, profile, folder }: OwnHooks): Promise<readonly ConfiguredHook[]> {
  const [configHooks = [], profileHooks = []] = [config, profile].map(({ sections }) =>
    saidOf(sections, hooksSection),
  );
  return [...configHooks, ...(await folderHooks(files, folder)), ...profileHooks];
}

/**
 * Returns the files that the user's own hooks run, as far as their commands name them. A program that writes one
 * of them decides what runs as the user at the next call (S39). Files of the system are excluded, because only the
 * system can write them.
 */
export async function hookScriptPaths({
  world: { files },
  config,
  profile,
  paths,
  root,
  home,
}: SettingsContext): Promise<readonly string[]> {
  const configured = await ownHooks({ files, config, profile, folder: join(paths.config, "hooks") });
  if (configured.length === 0) return [];
  const { findNamedScripts } = await import("./scripts/named-scripts.ts");
  return await findNamedScripts(
    files,
    configured.map(({ cmd }) => cmd),
    { root, home },
  );
}

async function folderHooks(files: Files, folder: string): Promise<readonly ConfiguredHook[]> {
  const paths = await userHookFiles(files, folder);
  if (paths.length === 0) return [];
  const { readHookFile } = await import("./hook-files.ts");
  return (await Promise.all(paths.map((path) => readHookFile(files, path)))).flat();
}

/** Returns `hooks/*.toml` of the user's configuration, sorted by name. */
export async function userHookFiles(files: Files, folder: string): Promise<readonly string[]> {
  const names = await namesIn(files, folder);
  const tomlNames = names.filter((name) => name.endsWith(".toml")).sort();
  return tomlNames.map((name) => join(folder, name));
}

/** @throws HarnessError ConfigInvalid if the folder exists but cannot be read, because a guard must not be missing. */
async function namesIn(files: Files, folder: string): Promise<readonly string[]> {
  try {
    if ((await files.stat(folder))?.kind !== "directory") return [];
    return (await files.list(folder)).map(({ name }) => name);
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    throw invalid(folder, 1, "hooks", `the folder cannot be read: ${messageOf(thrown)}`, thrown);
  }
}

/** Reads the hooks of a project's files from the acknowledged bytes. */
async function projectHooks(
  items: readonly TrustItem[],
  { world: { files }, paths, trust, workspace, plan }: SessionHost,
): Promise<readonly Hook[]> {
  if (items.length === 0) return [];
  const { parseAcknowledgedHooks } = await import("./hook-files.ts");
  const { ScriptCopies } = await import("./scripts/script-copies.ts");
  const { findNamedFile } = await import("./scripts/repository-files.ts");
  const { completeHook } = await import("./complete-hook.ts");
  const scripts = items
    .filter(({ path }) => basename(dirname(path)) === "hooks")
    .flatMap(({ path, files: [file] }) => (file === undefined ? [] : [{ ...file, name: basename(path) }]));
  const copies = new ScriptCopies(files, join(paths.data, "hooks"), scripts);
  const hooks: Hook[] = [];
  for (const {
    path,
    files: [file],
  } of items) {
    if (file === undefined || !path.endsWith(".toml")) continue;
    for (const each of await parseAcknowledgedHooks({ path, bytes: file.bytes })) {
      checkTools(each, plan().tools);
      hooks.push(
        completeHook(each, async () => {
          const named = await findNamedFile(files, each.cmd, { root: trust.root, cwd: workspace.root });
          if (named === undefined) return await copies.ready();
          throw new Error(
            `it names ${named}, a file of the repository that was not acknowledged with it; move it to .cinch/hooks and write $CINCH_HOOKS/${basename(named)}`,
          );
        }),
      );
    }
  }
  return hooks;
}

/** @throws HarnessError ConfigInvalid, because a guard for a tool that does not exist would guard nothing. */
function checkTools(hook: ConfiguredHook, tools: ToolTable): void {
  const [first] = matcherProblems(hook, tools);
  const { path, line } = hook.where;
  if (first !== undefined) throw invalid(path, line, "matcher", first);
}

/** Describes each tool that a hook names and that does not exist. */
export function matcherProblems(
  { matcher = [] }: ConfiguredHook,
  { nameable }: ToolTable,
): readonly string[] {
  const unknown = matcher.filter(
    (name) => !name.includes("*") && !isServerTool(name) && !nameable.includes(name),
  );
  return unknown.map((name) => {
    const [meant] = nearestWords(name, nameable);
    const hint = meant === undefined ? `there are ${nameable.join(", ")}` : `did you mean "${meant}"?`;
    return `there is no tool "${name}"; ${hint}`;
  });
}

/** Names settings without effect. */
function noticesOf({ event, blocking, where: { path, line } }: ConfiguredHook): readonly string[] {
  const place = `${path}:${line}`;
  const canBlock = event === "PreToolUse" || event === "UserPromptSubmit";
  return blocking === true && !canBlock
    ? [`${place}: blocking has no effect for ${event}: there is nothing that could be stopped.`]
    : [];
}
