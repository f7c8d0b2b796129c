import { HarnessError } from "../../../base/errors.ts";
import { nearestWords } from "../../../base/text/near.ts";
import type { SlashCommand } from "../../../view/slash/slash.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { SlashContext } from "../slash-context.ts";

type PermissionsContext = Pick<SlashContext, "session" | "folders" | "query" | "say" | "send" | "answerTo">;

/** Rules of a session as its engine lists them. */
interface ListedRules {
  /** Allowed in this session, in the order of their numbers. */
  readonly allowed: readonly string[];
  /** Allowed by `--allow`. */
  readonly openedWith: readonly string[];
}

const VERBS = ["revoke", "promote"] as const;

/**
 * Runs `/permissions`, `/permissions:revoke RULE` and `/permissions:promote RULE`, also written with a space.
 *
 * RULE is its number in the list or its text. A promoted rule holds in the session's directory and below; with
 * `--everywhere`, in every directory.
 */
export async function runPermissions(
  { namespace, name, args, rest }: SlashCommand,
  client: PermissionsContext,
): Promise<void> {
  const isNamed = namespace !== undefined;
  const verb = isNamed ? name : args[0];
  const typed = isNamed ? rest : rest.replace(/^\S+\s*/, "");
  const words = isNamed ? args : args.slice(1);
  const widened = /^([\s\S]*\S)\s+--everywhere$/.exec(typed)?.[1];
  const known = VERBS.find((each) => each === verb);
  if (verb !== undefined && known === undefined) return await client.say(unknownText(verb));
  const rules = await listedRules(client);
  if (rules instanceof HarnessError) return await client.say(refusalText(rules));
  if (verb === undefined) return await client.say(listText(rules, client.folders));
  const { allowed } = rules;
  const rule = ruleNamed([typed, words.join(" ")], allowed);
  if (rule !== undefined && known === "revoke") return await revoke(rule, client);
  if (rule !== undefined) return await promote({ rule, everywhere: false }, client);
  const wide = widened === undefined ? undefined : ruleNamed([widened], allowed);
  if (wide !== undefined && known === "promote")
    return await promote({ rule: wide, everywhere: true }, client);
  const [meant] = nearestWords(typed, allowed);
  const hint = meant === undefined ? "/permissions lists them." : `Did you mean ${meant}?`;
  const what =
    typed === ""
      ? `/permissions:${known} takes the number of a rule, or its text`
      : `You have allowed no rule ${typed}`;
  await client.say(neutraliseLine(`${what}. ${hint}`));
}

/** Returns the rule with this number or text, which may be quoted. A number is never read as a text. */
function ruleNamed(texts: readonly string[], rules: readonly string[]): string | undefined {
  const [typed = ""] = texts;
  return /^\d+$/.test(typed) ? rules[Number(typed) - 1] : rules.find((rule) => texts.includes(rule));
}

function unknownText(verb: string): string {
  const [meant] = nearestWords(verb, VERBS);
  const hint =
    meant === undefined ? "/permissions lists what you have allowed." : `Did you mean /permissions:${meant}?`;
  return neutraliseLine(`There is no command /permissions:${verb}. ${hint}`);
}

async function listedRules(client: PermissionsContext): Promise<ListedRules | HarnessError> {
  const answer = await client.query({ kind: "ListRules", sessionId: client.session });
  if (answer instanceof HarnessError) return answer;
  const from = (wanted: string) =>
    answer.rules.flatMap(({ rule, source }) => (source === wanted ? [rule] : []));
  return { allowed: from("session"), openedWith: from("flag") };
}

function listText({ allowed, openedWith }: ListedRules, folders: readonly string[]): string {
  if (allowed.length + openedWith.length + folders.length === 0)
    return "You have allowed nothing for this session.";
  return [
    ...titled(
      "Allowed by --allow until this session ends:",
      openedWith.map((rule) => `  ${neutraliseLine(rule)}`),
    ),
    ...titled(
      "Part of the workspace by --add-dir until this session ends:",
      folders.map((folder) => `  ${neutraliseLine(folder)}`),
    ),
    ...titled(
      "Allowed for this session:",
      allowed.map((rule, at) => `  ${at + 1}  ${neutraliseLine(rule)}`),
    ),
    ...(allowed.length === 0
      ? []
      : ["/permissions:revoke N takes one back; /permissions:promote N keeps it for later sessions here."]),
  ].join("\n");
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

async function promote(
  { rule, everywhere }: { readonly rule: string; readonly everywhere: boolean },
  client: PermissionsContext,
): Promise<void> {
  const { session: sessionId } = client;
  const wide = everywhere ? { everywhere } : {};
  const answer = await client.answerTo({ kind: "PromoteRule", sessionId, rule, ...wide });
  if (answer instanceof HarnessError) return await client.say(refusalText(answer));
  const { profile = "in use", directory, path } = answer.result ?? {};
  const where = directory === undefined ? "in every directory" : `in ${directory} and below`;
  const text = `Allowed from the next session on, under the profile ${profile}, ${where}: ${rule}`;
  await client.say(neutraliseLine(path === undefined ? text : `${text} (${path})`));
}

async function revoke(rule: string, client: PermissionsContext): Promise<void> {
  const refused = await client.send({ kind: "RevokeRule", sessionId: client.session, rule });
  if (refused !== undefined) return;
  await client.say(`No longer allowed: ${neutraliseLine(rule)}`);
}
