import { durationFrom } from "./duration-key.ts";
import type { PermissionSettings } from "./sections/permissions.ts";
import { permissionsFrom } from "./sections/permissions.ts";
import type { Following, ReadKey } from "./table.ts";
import { readKeys, Table } from "./table.ts";
import { parseToml } from "./toml.ts";

/** What a repository may say about work in it: it can forbid and ask for more, and allow nothing (PROF-03). */
export interface ProjectSettings {
  readonly permissions: PermissionSettings;
  /** Further paths that commands in the sandbox may not see. */
  readonly sandboxHidden: readonly string[];
  /** Milliseconds for a turn: the lower of this and the user's own counts. */
  readonly maxTimeMs?: number;
}

/** A project's file whose bytes a person has acknowledged: these bytes are read, the file is not opened again. */
export interface AcknowledgedFile {
  /** For messages. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads `.cinch/config.toml`.
 * @throws HarnessError ConfigInvalid with file, line and key for what is unknown, and for what would widen anything.
 */
export async function projectConfig(
  { path, bytes }: AcknowledgedFile,
  following?: Following,
): Promise<ProjectSettings> {
  const file = await parseToml(path, bytes);
  const table = new Table(file, [], file.value, following);
  refuseOwn(table);
  const permissions = table.table("permissions");
  const sandbox = table.table("sandbox");
  const settings = permissions === undefined ? NOTHING : restricting(permissions);
  const sandboxHidden = sandbox === undefined ? [] : hiddenIn(sandbox);
  const maxTimeMs = durationFrom(table, "max_time", table.string("max_time"));
  table.refuseUnknown();
  return { permissions: settings, sandboxHidden, ...(maxTimeMs === undefined ? {} : { maxTimeMs }) };
}

/** What a project may say of the sandbox: what commands may not see in it. */
function hiddenIn(sandbox: Table): readonly string[] {
  const hidden = sandbox.strings("hidden") ?? [];
  const other = sandbox.keys().find((key) => key !== "hidden");
  if (other !== undefined) throw sandbox.problem(other, NOT_A_PROJECTS);
  return hidden;
}

/** Every key that a project's file may hold, with what stands there. It has been read before. */
export async function projectKeys(
  { path, bytes }: AcknowledgedFile,
  kind: "config" | "permission-preset",
): Promise<readonly ReadKey[]> {
  return await readKeys(await parseToml(path, bytes), (table) => {
    const permissions = kind === "config" ? table.table("permissions") : table;
    if (permissions !== undefined) permissionsFrom(permissions);
    if (kind !== "config") return;
    table.table("sandbox")?.strings("hidden");
    table.string("max_time");
  });
}

/** Reads `.cinch/permissions.toml`: what `[permissions]` of a project's config.toml may hold, as a file of its own. */
export async function projectPermissions(
  { path, bytes }: AcknowledgedFile,
  following?: Following,
): Promise<ProjectSettings> {
  const file = await parseToml(path, bytes);
  const permissions = restricting(new Table(file, [], file.value, following));
  return { permissions, sandboxHidden: [] };
}

const NOTHING: PermissionSettings = { rules: [] };

/** Said of a key that only the user may set. */
export const NOT_A_PROJECTS = "a repository may not set this; only your own configuration can";

/** What exists, and is nobody's business but the user's: the message says so, instead of calling it unknown. */
export const USERS_OWN: readonly string[] = [
  ...["default_model", "default_profile", "prompt_header", "context_sources"],
  ...["max_turns", "max_cost", "unknown_price", "max_time", "limits", "tool_execution", "thinking"],
  ...["providers", "prices", "routing", "vertex", "copilot", "credentials"],
  ...["tool_packs", "skill_packs", "skills", "mcp_servers", "plugins", "hooks", "allow_project_hooks"],
  ...["agents", "delegate", "tasks", "memory", "diagnostics", "telemetry", "aliases", "trust"],
  ...["session", "compaction", "checkpoint"],
];

/** Keys of these that a repository may lower. */
const LOWERED: readonly string[] = ["max_time"];

function refuseOwn(table: Table): void {
  const key = table.keys().find((name) => USERS_OWN.includes(name) && !LOWERED.includes(name));
  if (key !== undefined) throw table.problem(key, NOT_A_PROJECTS);
}

function restricting(table: Table): PermissionSettings {
  const settings = permissionsFrom(table);
  if (settings.level === "DangerFullAccess") {
    throw table.problem("level", "a repository can only lower the level: ReadOnly or WorkspaceWrite");
  }
  if (settings.strict === false) throw table.problem("strict", "a repository can only set this to true");
  if (settings.quiet === true) throw table.problem("quiet", "a repository can only set this to false");
  if (settings.rules.some(({ effect }) => effect === "allow")) {
    throw table.problem("allow", "a repository's rules can only ask or deny");
  }
  if (settings.bashInSandbox === "allow")
    throw table.problem("bash_in_sandbox", 'a repository can only set this to "ask"');
  table.refuseUnknown();
  return settings;
}
