import { basename, dirname, join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { near } from "../../base/text/near.ts";
import type { Files } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import type { Config } from "../../config/config.ts";
import type { Profile } from "../../config/profile.ts";
import { saidOf } from "../../config/settings/read-section.ts";
import { invalid } from "../../config/toml.ts";
import type { ProjectTrust } from "../../guard/trust/project-trust.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { OpenedLog } from "../../session/history/resumed-log.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { SessionPart } from "../../session/session-part.ts";
import { isOfServer } from "../../tools/server-tool.ts";
import type { Workspace } from "../../tools/tool.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import type { ConfiguredHook } from "./config.ts";
import { hooksSection } from "./config.ts";
import type { Hook } from "./hook.ts";
import { acknowledgedHooks, readHooks } from "./hook-files.ts";
import type { SessionHooks } from "./session-hooks.ts";

/** The session that hooks are opened for. */
export interface HookSources {
  readonly session: SessionId;
  readonly profile: Profile;
  readonly trust: ProjectTrust;
  readonly log: OpenedLog;
  readonly workspace: Workspace;
  readonly defaults: RunDefaults;
}

export interface OpenedHooks {
  readonly part: SessionPart;
  readonly session: SessionHooks;
  /**
   * Reads what the project's acknowledged files say.
   * @throws HarnessError ConfigInvalid; the signal's reason.
   */
  readonly read: (signal: AbortSignal) => Promise<unknown>;
}

/**
 * Opens the hooks of a session: the user's own (config.toml, the folder `hooks/` beside it, the profile), then those of
 * the project that a person has acknowledged. Undefined where there are none, and then nothing of them is loaded.
 * @throws HarnessError ConfigInvalid with file and line for an own hook that is none.
 */
export async function openHooks(
  sources: HookSources,
  emit: (event: Event) => void,
): Promise<OpenedHooks | undefined> {
  const { session, profile, trust, log, workspace, defaults } = sources;
  const { world, paths, config } = defaults;
  const folder = join(paths.config, "hooks");
  const configured = await ownHooks({ files: world.files, config, profile, folder });
  if (configured.length === 0 && !trust.mayHaveHooks) return undefined;
  const { hookOf } = await import("./configured.ts");
  const { Hooks } = await import("./hooks.ts");
  const { SessionHooks } = await import("./session-hooks.ts");
  const { toolHooks } = await import("./tool-hooks.ts");
  const { beginsRelative } = await import("./scripts/repository-files.ts");
  const own = configured.map((each) => {
    checkTools(each, defaults.tools);
    const { path, line, key } = each.where;
    if (beginsRelative(each.cmd)) throw invalid(path, line, key, RELATIVE);
    return hookOf(each, () => Promise.resolve(folder));
  });
  let ofProject: Promise<readonly Hook[]> | undefined;
  async function known(signal: AbortSignal): Promise<readonly Hook[]> {
    if (!trust.mayHaveHooks) return own; // no own hook waits for an answer about something else
    const items = (await trust.loaded(signal)).hooks;
    ofProject ??= projectHooks(items, sources);
    return [...own, ...(await ofProject)];
  }
  const hooks = new Hooks({ world, session, cwd: workspace.root, env: workspace.env, known });
  const moments = new SessionHooks({
    hooks,
    source: log.resumed.lastTurn > 0 ? "resume" : "new",
    emit,
  });
  return {
    session: moments,
    part: {
      gate: toolHooks(hooks),
      onInput: (content, turn) => moments.onInput(content, turn),
      onTurnEnd: (reason, turn) => moments.onTurnEnd(reason, turn),
      onFollowed: () => moments.begin(),
      settle: () => moments.end(),
      notices: configured.flatMap(noticesOf),
    },
    read: known,
  };
}

const RELATIVE =
  "the program is a path below the folder that is worked in, so each repository would bring its own: write an absolute path, or $CINCH_HOOKS/NAME for one in the hooks folder of your configuration";

interface OwnHooks {
  readonly files: Files;
  readonly config: Pick<Config, "sections">;
  readonly profile: Pick<Profile, "sections">;
  /** The folder `hooks/` of the configuration. */
  readonly folder: string;
}

async function ownHooks({ files, config, profile, folder }: OwnHooks): Promise<readonly ConfiguredHook[]> {
  const [own = [], others = []] = [config, profile].map(({ sections }) => saidOf(sections, hooksSection));
  return [...own, ...(await folderHooks(files, folder)), ...others];
}

/**
 * The files that the user's own hooks run, as far as their commands name them: whoever writes one of them decides what
 * runs as the user at the next call (S39). Files of the system are not theirs to write.
 */
export async function hookFiles(
  sources: OwnHooks & { readonly root: string; readonly home: string | undefined },
): Promise<readonly string[]> {
  const configured = await ownHooks(sources);
  if (configured.length === 0) return [];
  const { namedScripts } = await import("./scripts/named-scripts.ts");
  return await namedScripts(
    sources.files,
    configured.map(({ cmd }) => cmd),
    sources,
  );
}

async function folderHooks(files: Files, folder: string): Promise<readonly ConfiguredHook[]> {
  const paths = await ownHookFiles(files, folder);
  return (await Promise.all(paths.map((path) => readHooks(files, path)))).flat();
}

/** `hooks/*.toml` in the user's configuration, in the order of their names. */
export async function ownHookFiles(files: Files, folder: string): Promise<readonly string[]> {
  const names = await namesIn(files, folder);
  const own = names.filter((name) => name.endsWith(".toml")).sort();
  return own.map((name) => join(folder, name));
}

/** @throws HarnessError ConfigInvalid where hooks may be there and cannot be seen: a guard must not be missing. */
async function namesIn(files: Files, folder: string): Promise<readonly string[]> {
  try {
    if ((await files.stat(folder))?.kind !== "directory") return [];
    return (await files.list(folder)).map(({ name }) => name);
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    throw invalid(folder, 1, "hooks", `the folder cannot be read: ${messageOf(thrown)}`, thrown);
  }
}

/** What a project's files say, out of the bytes that were acknowledged. */
async function projectHooks(
  items: readonly TrustItem[],
  { defaults, trust, workspace }: HookSources,
): Promise<readonly Hook[]> {
  if (items.length === 0) return [];
  const { world, paths } = defaults;
  const { files } = world;
  const { KeptScripts } = await import("./scripts/kept-scripts.ts");
  const { namedFile } = await import("./scripts/repository-files.ts");
  const { hookOf } = await import("./configured.ts");
  const scripts = items
    .filter(({ path }) => basename(dirname(path)) === "hooks")
    .flatMap(({ path, files: [file] }) => (file === undefined ? [] : [{ ...file, name: basename(path) }]));
  const kept = new KeptScripts(files, join(paths.data, "hooks"), scripts);
  const hooks: Hook[] = [];
  for (const {
    path,
    files: [file],
  } of items) {
    if (file === undefined || !path.endsWith(".toml")) continue;
    for (const each of await acknowledgedHooks({ path, bytes: file.bytes })) {
      checkTools(each, defaults.tools);
      hooks.push(
        hookOf(each, async () => {
          const named = await namedFile(files, each.cmd, { root: trust.root, cwd: workspace.root });
          if (named === undefined) return await kept.ready();
          throw new Error(
            `it names ${named}, a file of the repository that was not acknowledged with it; move it to .cinch/hooks and write $CINCH_HOOKS/${basename(named)}`,
          );
        }),
      );
    }
  }
  return hooks;
}

/** @throws HarnessError ConfigInvalid: a guard for a tool that does not exist guards nothing, so its writer is told. */
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
    (name) => !name.includes("*") && !isOfServer(name) && !nameable.includes(name),
  );
  return unknown.map((name) => {
    const [meant] = near(name, nameable);
    const hint = meant === undefined ? `there are ${nameable.join(", ")}` : `did you mean "${meant}"?`;
    return `there is no tool "${name}"; ${hint}`;
  });
}

/** Names settings that have no effect, so that their author knows. */
function noticesOf({ event, blocking, where: { path, line } }: ConfiguredHook): readonly string[] {
  const place = `${path}:${line}`;
  const canBlock = event === "PreToolUse" || event === "UserPromptSubmit";
  return blocking === true && !canBlock
    ? [`${place}: blocking has no effect for ${event}: there is nothing that could be stopped.`]
    : [];
}
