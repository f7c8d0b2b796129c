import type { ConfigOf, FilePosition, TableSection } from "../../session/config-section.ts";
import type { ConfiguredRule, PermissionSettings } from "../../session/settings/permission-settings.ts";
import type { Level } from "../../tools/tool-facts.ts";
import { LEVELS } from "../../tools/tool-facts.ts";

const BASH_IN_SANDBOX = ["allow", "ask"] as const;

/** The level of a session if no file and no flag names another. */
const LEVEL_DEFAULT: Level = "WorkspaceWrite";

/** `[permissions]`: the level of a session and its rules. */
export const permissionsSection = {
  shape: "table",
  name: "permissions",
  about:
    "The level of a session and the rules for its calls: [permissions](../permissions.md). A profile can name a preset instead of the table.",
  inRepositoryProfile: true,
  keys: {
    level: {
      kind: "word",
      key: "level",
      words: LEVELS,
      meaning: "The ceiling of what runs without a question.",
      default: LEVEL_DEFAULT,
      example: "ReadOnly",
      flag: { name: "--level", option: "level" },
      project: "restrict",
      tightestFirst: LEVELS,
      refusal: "a repository can only lower the level: ReadOnly or WorkspaceWrite",
    },
    strict: {
      kind: "boolean",
      key: "strict",
      meaning: "Denies calls above the level instead of asking.",
      default: false,
      example: true,
      merge: "lower",
      project: "restrict",
      tightestFirst: [true, false],
    },
    quiet: {
      kind: "boolean",
      key: "quiet",
      meaning: "Runs known reads without a question.",
      default: true,
      example: false,
      flag: { name: "--strict-permissions", option: "strictPermissions", means: false },
      project: "restrict",
      tightestFirst: [false, true],
    },
    bashInSandbox: {
      kind: "word",
      key: "bash_in_sandbox",
      words: BASH_IN_SANDBOX,
      meaning: "Runs commands in a working sandbox without a question, or asks for each.",
      default: "allow",
      example: "ask",
      flag: { name: "--strict-permissions", option: "strictPermissions", means: "ask" },
      project: "restrict",
      tightestFirst: ["ask", "allow"],
    },
    deny: {
      kind: "texts",
      key: "deny",
      meaning: "Rules for calls that are denied.",
      default: [],
      example: ["Bash:git push *", "Read:secrets/**"],
      merge: "add",
      project: "restrict",
    },
    ask: {
      kind: "texts",
      key: "ask",
      meaning: "Rules for calls that are asked for.",
      default: [],
      example: ["Edit:package.json"],
      merge: "add",
      project: "restrict",
    },
    allow: {
      kind: "texts",
      key: "allow",
      meaning: "Rules for calls that run without a question.",
      default: [],
      example: ["Bash:npm test", "Bash:npm run *"],
      merge: "add",
      refusal: "a repository's rules can only ask or deny",
    },
  },
} as const satisfies TableSection;

const EFFECTS = ["deny", "ask", "allow"] as const;

/** Turns the lists of a table that was read into rules with their places. */
export function permissionSettings(
  values: ConfigOf<typeof permissionsSection> | undefined,
  whereIs: (effect: ConfiguredRule["effect"]) => FilePosition,
): PermissionSettings {
  if (values === undefined) return { rules: [] };
  const { allow: _allow, ask: _ask, deny: _deny, ...others } = values;
  const rules = EFFECTS.flatMap((effect) =>
    (values[effect] ?? []).map((text) => ({ effect, text, where: whereIs(effect) })),
  );
  return { ...others, rules };
}
