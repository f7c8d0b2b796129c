import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../src/base/log.ts";
import type { HookEntry } from "../../src/features/hooks/complete-hook.ts";
import { completeHook } from "../../src/features/hooks/complete-hook.ts";
import type { Event } from "../../src/protocol/events/events.ts";
import type { HookMoment, HookResult } from "../../src/session/hooks/hooks.ts";
import { Hooks } from "../../src/session/hooks/hooks.ts";
import type { ToolRig } from "./tool-rig.ts";
import { openToolRig } from "./tool-rig.ts";
import { until } from "./until.ts";

/** Real hooks in a real folder, with a clock that the test moves. */
export interface HookRig extends ToolRig {
  readonly hooks: Hooks;
  /** Events for clients. */
  readonly told: readonly Event[];
  /** Lines of the operational log. */
  readonly logged: readonly (readonly [string, unknown])[];
  /** A path beside the workspace. */
  at(name: string): string;
  /** A program beside the workspace; its path. */
  script(name: string, text: string): string;
  /** Runs the hooks of a moment to their end, and gives what came of each. */
  say(moment?: Partial<HookMoment>): Promise<readonly HookResult["outcome"][]>;
}

const PATH = "/usr/local/bin:/usr/bin:/bin";

/** @param entries in order; what is left out of one is PreToolUse, and what that says. */
export function openHookRig(
  entries: (at: (name: string) => string) => readonly (Partial<HookEntry> & { readonly cmd: string })[],
  env: Readonly<Record<string, string>> = { PATH },
): HookRig {
  const rig = openToolRig();
  const told: Event[] = [];
  const logged: (readonly [string, unknown])[] = [];
  const log: Log = {
    for: () => log,
    write: (level, message, fields) => void logged.push([`${level} ${message}`, fields]),
  };
  const at = (name: string) => join(rig.outside, name);
  const hooks = entries(at).map((entry, index) =>
    completeHook({ event: "PreToolUse", where: { path: "config.toml", line: index + 1 }, ...entry }, () =>
      Promise.resolve(rig.outside),
    ),
  );
  const emit = (event: Event) => void told.push(event);
  const known = new Hooks({
    world: { ...rig.world, log },
    session: rig.context.session,
    cwd: rig.root,
    env,
    known: () => Promise.resolve(hooks),
  });
  return {
    ...rig,
    context: { ...rig.context, emit },
    hooks: known,
    told,
    logged,
    at,
    script(name, text) {
      writeFileSync(at(name), text);
      chmodSync(at(name), 0o755);
      return at(name);
    },
    async say(moment = {}) {
      const all: HookResult["outcome"][] = [];
      const { signal } = rig.cancel;
      for await (const { outcome } of known.run({
        event: "PreToolUse",
        tool: { name: "Write" },
        input: () => ({}),
        signal,
        emit,
        ...moment,
      })) {
        all.push(outcome);
      }
      return all;
    },
  };
}

/** One `[[hooks]]` as TOML. */
export function hookToml(entry: Readonly<Record<string, string | number | boolean>>): string {
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return `[[hooks]]\n${lines.join("\n")}\n`;
}

/** Returns the content of a file; undefined if there is none. */
export function contentOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Waits until a file has content, and gives it. */
export async function written(path: string): Promise<string> {
  await until(path, () => (contentOf(path) ?? "") !== "");
  return contentOf(path) ?? "";
}
