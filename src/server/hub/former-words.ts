import { HarnessError } from "../../base/errors.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { AttachedClient } from "../../session/access/client.ts";
import { isPerson } from "../../session/questions/people.ts";

type FormerCommand = Pick<CommandOf<"CustomCommand">, "namespace" | "verb">;

/** Returns the refusal of a former verb, as clients of then know it. */
export function formerRefusal(
  { namespace, verb }: FormerCommand,
  why: string,
): HarnessError<"InvalidCommand"> {
  return new HarnessError("InvalidCommand", { kind: `/${namespace}:${verb.slice(0, 80)}`, why });
}

/**
 * Refuses what the former `sessions:export` and `sessions:hush` refused, in their words.
 * @throws HarnessError InvalidCommand.
 */
export function assertFormerUse(
  command: FormerCommand,
  args: readonly string[],
  client: Pick<AttachedClient, "identityClass" | "scope">,
): void {
  const { namespace, verb } = command;
  if (namespace !== "sessions") return;
  if (verb === "hush" && !isPerson(client))
    throw formerRefusal(command, "only a person may say what people are told");
  if (verb !== "export") return;
  if (client.identityClass !== "human") throw formerRefusal(command, "only a person may write an export");
  if (!isExport(args))
    throw formerRefusal(command, "write /sessions:export [ID] [--format jsonl|markdown] [--output FILE]");
}

const FORMATS: readonly unknown[] = ["jsonl", "markdown", "md"];

/** Returns true for `[ID] [--format jsonl|markdown] [--output FILE]`. */
function isExport(args: readonly string[]): boolean {
  const words = [...args];
  let named = 0;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [name = "", inline] = word.split(/=(.*)/s);
    if (name !== "--format" && name !== "--output") {
      named += 1;
      continue;
    }
    const value = inline ?? words.shift() ?? "";
    if (name === "--format" ? !FORMATS.includes(value) : value === "") return false;
  }
  return named <= 1;
}

/** Returns a refusal of the command that a former verb stands for now, under the verb's own name and in its words. */
export function asFormerRefusal(command: FormerCommand, thrown: unknown): unknown {
  if (!(thrown instanceof HarnessError) || thrown.reason !== "InvalidCommand") return thrown;
  const { why = "" } = thrown.fields as { readonly why?: string };
  return formerRefusal(command, why.replace(/ exists already$/, " is there already"));
}

/** Returns the text of a former verb's answer; undefined if that of the slash command has the same words. */
export function formerText(
  { namespace, verb }: FormerCommand,
  sessionId: string | undefined,
): string | undefined {
  if (namespace !== "sessions" || verb !== "hush") return undefined;
  return `What ${sessionId} asks for is told to those who follow it.`;
}
