import type { Files } from "../../base/world.ts";
import type { HookEvent } from "../../protocol/events/hook-events.ts";
import { HOOK_EVENTS } from "../../protocol/events/hook-events.ts";
import type { AcknowledgedFile } from "../project.ts";
import type { Following, Where } from "../table.ts";
import { Table } from "../table.ts";
import type { TomlFile } from "../toml.ts";
import { parseToml, readToml } from "../toml.ts";

/** One `[[hooks]]` of a file (HOOK-03). What is absent is said by the event. */
export interface ConfiguredHook {
  readonly event: HookEvent;
  /** For `/bin/sh`, as it was written. */
  readonly cmd: string;
  readonly blocking?: boolean;
  readonly timeoutMs?: number;
  /** Names of tools, in which `*` stands for any characters. Absent: every tool. */
  readonly matcher?: readonly string[];
  readonly where: Where;
}

/** Nothing may hang a session for longer than this, whatever a file says. */
export const HOOK_TIMEOUT_MS_MAX = 600_000;

/** What others call the same. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["command", "cmd"],
  ["run", "cmd"],
  ["script", "cmd"],
  ["timeout", "timeout_ms"],
  ["tool", "matcher"],
  ["tools", "matcher"],
]);

const ABOUT_TOOLS: readonly HookEvent[] = ["PreToolUse", "PostToolUse"];

/** Reads `[[hooks]]`. Unknown keys are errors: a guard that is misspelt must not be missing. */
export function hooksFrom(parent: Table): readonly ConfiguredHook[] {
  return parent.tables("hooks").map(hookFrom);
}

/** Reads a file that holds nothing but hooks; empty where it is not there. */
export async function readHooks(
  files: Files,
  path: string,
  following?: Following,
): Promise<readonly ConfiguredHook[]> {
  const file = await readToml(files, path);
  return file === undefined ? [] : onlyHooks(file, following);
}

/** The same for a repository's file, out of the bytes that a person has acknowledged. */
export async function acknowledgedHooks(
  { path, bytes }: AcknowledgedFile,
  following?: Following,
): Promise<readonly ConfiguredHook[]> {
  return onlyHooks(await parseToml(path, bytes), following);
}

function onlyHooks(file: TomlFile, following?: Following): readonly ConfiguredHook[] {
  const table = new Table(file, [], file.value, following);
  const hooks = hooksFrom(table);
  table.refuseUnknown();
  return hooks;
}

function hookFrom(table: Table): ConfiguredHook {
  const event = table.oneOf("event", HOOK_EVENTS);
  const cmd = table.string("cmd");
  const blocking = table.boolean("blocking");
  const timeoutMs = table.integer("timeout_ms", 1);
  const matcher = table.string("matcher");
  table.refuseUnknown(OTHER_WORDS);
  if (event === undefined) throw table.problem("event", `is missing: one of ${HOOK_EVENTS.join(", ")}`);
  if (cmd === undefined || cmd.trim() === "" || cmd.includes("\0")) {
    throw table.problem("cmd", "must be a command");
  }
  if (timeoutMs !== undefined && timeoutMs > HOOK_TIMEOUT_MS_MAX) {
    throw table.problem("timeout_ms", `must be at most ${HOOK_TIMEOUT_MS_MAX} (ten minutes)`);
  }
  if (matcher !== undefined && !ABOUT_TOOLS.includes(event)) {
    throw table.problem("matcher", `names tools, and goes with ${ABOUT_TOOLS.join(" and ")} only`);
  }
  return {
    event,
    cmd,
    ...(blocking === undefined ? {} : { blocking }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...matcherFrom(table, matcher),
    where: table.where("cmd"),
  };
}

/** `Edit|Write`, `Todo*`. The `.*` that others write for the same is taken too; any other pattern is refused. */
function matcherFrom(table: Table, text: string | undefined): Pick<ConfiguredHook, "matcher"> {
  if (text === undefined || text === "" || text === "*") return {};
  const matcher = text.replaceAll(".*", "*").split("|");
  if (matcher.every((name) => /^[\w*-]+$/.test(name))) return { matcher };
  throw table.problem(
    "matcher",
    `"${text}" must be names of tools with | between them, * for any characters`,
  );
}
