import { customError, HarnessError, messageOf } from "../../base/errors.ts";
import { arrayAt, stringAt } from "../../base/json.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { NamespaceOwner } from "../../session/commands/stored-session-commands.ts";
import type { PluginCommand, PluginCommandContext } from "../../session/plugins/plugin.ts";
import type { PluginSession } from "../../session/plugins/plugin-session.ts";
import { PluginError } from "./registration/plugin-error.ts";
import type { RegisteredPlugin } from "./registration/registered-plugin.ts";
import type { PluginContainment } from "./runtime/containment.ts";

/** The longest time for a plugin's command. */
const COMMAND_MS_MAX = 60_000;

/** One plugin in one session. */
export interface ActivePlugin {
  readonly plugin: RegisteredPlugin;
  readonly contained: PluginContainment;
  readonly session: PluginSession;
}

/** Characters shown of a command name from elsewhere. */
const VERB_CHARACTERS_MAX = 80;

/** Runs the commands of one namespace under a time limit. An exception rejects the command. */
export function namespaceOwner(
  { plugin, contained, session }: ActivePlugin,
  commands: readonly PluginCommand[],
): NamespaceOwner {
  return async ({ namespace, verb, payload, sessionId }, client) => {
    const invalid = (why: string) =>
      new HarnessError("InvalidCommand", {
        kind: `/${namespace}:${verb.slice(0, VERB_CHARACTERS_MAX)}`,
        why,
      });
    const command = commands.find(({ name }) => name === verb);
    if (command === undefined) {
      const known = commands.map(({ name }) => `/${namespace}:${name}`).join(", ");
      throw invalid(`there is no command of this name; the plugin ${plugin.name} has ${known}`);
    }
    const args = wordsIn(payload);
    const words = { args, text: stringAt(payload, "text") ?? args.join(" "), payload };
    const by = client.identityClass === "agent" ? "agent" : "human";
    const refused: { why?: string; error?: PluginError } = {};
    const attempt = await contained.call(
      `its command ${namespace}:${verb}`,
      COMMAND_MS_MAX,
      async (signal) => {
        const context: PluginCommandContext = { ...session, by, signal };
        try {
          return textOf(await command.run(words, context));
        } catch (thrown) {
          // A rejection is not a failure: the words may have been wrong.
          if (thrown instanceof PluginError) refused.error = thrown;
          else refused.why = messageOf(thrown);
          return undefined;
        }
      },
      plugin.signal,
    );
    if (refused.error !== undefined) throw customError(refused.error);
    const why = attempt.kind === "failed" ? attempt.why : refused.why;
    if (why !== undefined) throw invalid(`the plugin ${plugin.name}: ${why}`);
    const text = attempt.kind === "done" ? attempt.value : undefined;
    return { sessionId, ...(text === undefined ? {} : { result: { text } }) };
  };
}

function textOf(output: unknown): string | undefined {
  if (output === undefined || typeof output === "string") return output;
  throw new Error(`it answered with ${typeof output}, not with a text`);
}

function wordsIn(payload: unknown): readonly string[] {
  return arrayAt(payload, "args").filter((word) => typeof word === "string");
}

/** Lists a plugin's commands for clients. */
export function slashCommandInfos({ namespaces }: RegisteredPlugin): readonly SlashCommandInfo[] {
  return [...namespaces].flatMap(([namespace, commands]) =>
    commands.map(({ name, usage = "", help }) => ({
      name: `${namespace}:${name}`,
      usage: `/${namespace}:${name}${usage === "" ? "" : ` ${usage}`}`,
      help,
      command: "CustomCommand",
    })),
  );
}
