import type { HookEvent } from "../../protocol/events/hook-events.ts";
import { HOOK_EVENTS } from "../../protocol/events/hook-events.ts";
import type { ConfigOf, ListEntry, ListSection, SectionPart } from "../../session/config-section.ts";

/** The longest timeout that a file may set. */
export const HOOK_TIMEOUT_MS_MAX = 600_000;

const NOT_IN_REPOSITORY =
  "a profile that lies in the repository may run no hooks: put it among your own profiles, or the hooks into .cinch/hooks, where they are acknowledged";
const ABOUT_TOOLS: readonly HookEvent[] = ["PreToolUse", "PostToolUse"];

/**
 * `[[hooks]]`: the user's commands at moments of a session (HOOK-03). Unknown keys are rejected, because a misspelt
 * guard would not work.
 */
export const hooksSection = {
  shape: "list",
  name: "hooks",
  about:
    "Commands of yours at moments of a session: [hooks.md](../hooks.md). The hooks of `config.toml` run before those of the profile.",
  place: "cmd",
  otherWords: {
    command: "cmd",
    run: "cmd",
    script: "cmd",
    timeout: "timeout_ms",
    tool: "matcher",
    tools: "matcher",
  },
  keys: {
    event: {
      kind: "word",
      key: "event",
      words: HOOK_EVENTS,
      meaning: "The moment.",
      required: `is missing: one of ${HOOK_EVENTS.join(", ")}`,
      example: "PreToolUse",
    },
    cmd: {
      kind: "text",
      key: "cmd",
      meaning: "The command, for `/bin/sh`.",
      required: "must be a command",
      example: "/home/user/bin/guard.sh",
      check: (cmd: string) => (cmd.trim() === "" || cmd.includes("\0") ? "must be a command" : undefined),
    },
    blocking: {
      kind: "boolean",
      key: "blocking",
      meaning: "Refuses the call when the hook itself fails.",
      otherwise: "depends on the event",
      example: true,
    },
    timeoutMs: {
      kind: "integer",
      key: "timeout_ms",
      min: 1,
      max: HOOK_TIMEOUT_MS_MAX,
      unit: "milliseconds",
      meaning: "The longest time for the command.",
      otherwise: "depends on the event",
      example: 30_000,
    },
    matcher: {
      kind: "text",
      key: "matcher",
      meaning: "Names of tools with `|` between them; `*` stands for any characters.",
      otherwise: "every tool",
      example: "Bash|Write",
      check: (text: string) =>
        names(text).every((name) => /^[\w*-]+$/.test(name))
          ? undefined
          : `"${text}" must be names of tools with | between them, * for any characters`,
      as: (text: string): readonly string[] | undefined =>
        names(text).length === 0 ? undefined : names(text),
    },
  },
  checkInRepository: (entries) =>
    entries.map(({ where }) => ({ ...where, key: "hooks", problem: NOT_IN_REPOSITORY })),
  check: ({ event, matcher }) =>
    matcher !== undefined && !ABOUT_TOOLS.some((each) => each === event)
      ? { key: "matcher", problem: `names tools, and goes with ${ABOUT_TOOLS.join(" and ")} only` }
      : undefined,
} as const satisfies ListSection<ListEntry>;

/** `allow_project_hooks` at the top of a profile (HOOK-02). */
export const projectHooksPart = {
  shape: "part",
  name: "profile-content",
  keys: {
    allowProjectHooks: {
      kind: "boolean",
      key: "allow_project_hooks",
      order: 50,
      meaning: "Runs the hooks of the repository once they are acknowledged ([hooks.md](../hooks.md)).",
      default: false,
      example: true,
      refusalInRepository:
        "a profile that lies in the repository may not say this: put it among your own profiles, or write --allow-project-hooks",
      flag: { name: "--allow-project-hooks", option: "allowProjectHooks", means: true },
    },
  },
} as const satisfies SectionPart;

/** One `[[hooks]]` of a file. Defaults of omitted keys depend on the event. */
export type ConfiguredHook = ConfigOf<typeof hooksSection>[number];

/** Parses `Edit|Write` or `Todo*`; an empty list means every tool. `.*`, as in other programs' files, means `*`. */
function names(text: string): readonly string[] {
  return text === "" || text === "*" ? [] : text.replaceAll(".*", "*").split("|");
}
