import { HarnessError } from "../../../base/errors.ts";
import type { ClientCommandName } from "../../../protocol/commands/slash-commands.ts";
import type { SlashCommandInfo } from "../../../protocol/resources.ts";
import { contextText } from "../../../view/answers/context-text.ts";
import { printCosts } from "../../../view/costs/cost-table.ts";
import { modelPrices } from "../../../view/costs/model-prices.ts";
import { aliasedCommand } from "../../../view/slash/alias.ts";
import type { OwnPrompt } from "../../../view/slash/own-prompts.ts";
import { isOwnPrompt } from "../../../view/slash/own-prompts.ts";
import type { SlashCommand } from "../../../view/slash/slash.ts";
import { commandWords, printCommand, unclosedText } from "../../../view/slash/slash.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { SlashContext } from "../slash-context.ts";
import { runCopy } from "./copy.ts";
import { slashHelpText, unknownText } from "./help-text.ts";
import { runMcp } from "./mcp-commands.ts";
import { runCompact, runPlan, runWithdraw, setEffort, setModel, storeKey } from "./model-commands.ts";
import { runPermissions } from "./permission-commands.ts";
import { runProfiles } from "./profiles.ts";
import { runPrompts } from "./prompt-commands.ts";
import { runRewind } from "./rewind.ts";
import { runDiff, runNew, runSessions } from "./sessions.ts";
import { runAgents, runSkills } from "./skills-and-agents.ts";
import { runTasks } from "./task-commands.ts";

/** Rows of each cost table. */
const COST_ROWS_MAX = 10;

type Run = (command: SlashCommand, client: SlashContext) => Promise<void>;

/** Commands whose words may require more than their query. */
type Described = "profile" | "profiles" | "skills" | "agents" | "mcp";

/** Commands without a namespace that this client runs itself; the engine describes the rest. */
const ALONE = {
  help: async (_command, client) => client.say(slashHelpText(await client.listCommands())),
  cancel: async (_command, client) => {
    if (client.takeBack()) return;
    if (client.busy) await client.cancel();
    else await client.say("No turn is running.");
  },
  clear: async (_command, client) => {
    if (!client.clear()) await client.say("There is no screen here that could be cleared.");
  },
  new: (_command, client) => runNew(client),
  diff: ({ args }, client) => runDiff(args, client),
  copy: (_command, client) => runCopy(client),
  context: (_command, client) => tellContext(client),
  compact: (_command, client) => runCompact(client),
  cost: (_command, client) => tellCosts(client),
  model: ({ rest }, client) => setModel(rest, client),
  effort: ({ rest }, client) => setEffort(rest, client),
  key: ({ args }, client) => storeKey(args, client),
  rewind: ({ args }, client) => runRewind(args, client),
  plan: ({ args }, client) => runPlan(args, client),
  steer: ({ rest }, client) => steer(rest, client),
  withdraw: ({ args }, client) => runWithdraw(args, client),
  drop: async (_command, client) => {
    const isDropped = client.drop();
    await client.say(isDropped ? "Forgotten." : "No text is kept that could not be sent.");
  },
  memory: (_command, client) => client.say(client.memories),
  resume: (command, client) => runSessions({ ...command, namespace: "sessions" }, client),
  quit: (_command, client) => client.quit(),
  permissions: runPermissions,
  profile: runProfiles,
  profiles: runProfiles,
  skills: runSkills,
  agents: runAgents,
  prompts: runPrompts,
  mcp: runMcp,
  tasks: ({ args }, client) => runTasks(args, client),
} satisfies Readonly<Record<string, Run>> &
  Readonly<Record<Exclude<ClientCommandName, OwnPrompt> | Described, Run>>;

/** Built-in namespaces. `/permissions:promote 1` means the same as `/permissions promote 1`. */
const NAMESPACES: Readonly<Record<string, Run>> = {
  permissions: runPermissions,
  tasks: ({ name, args }, client) => runTasks([name, ...args], client),
  sessions: runSessions,
  skills: runSkills,
  profiles: runProfiles,
  agents: runAgents,
  prompts: runPrompts,
  "mcp-prompts": runPrompts,
  mcp: runMcp,
};

/**
 * Runs a slash command: a built-in one, an alias, or one in a plugin's namespace. Prints what cannot be done: a wrong
 * word ends no client.
 */
export async function runSlashCommand(command: SlashCommand, client: SlashContext): Promise<void> {
  try {
    await run(command, client);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    await client.say(refusalText(thrown));
  }
}

async function run(command: SlashCommand, client: SlashContext): Promise<void> {
  const { namespace } = command;
  if (command.name === "") return await client.say(unknownText(command, await client.listCommands()));
  if (namespace === undefined) return await runAlone(command, client);
  // A listed command comes first: `/mcp:SERVER` and the like take only the names that no command has.
  const runs = Object.hasOwn(NAMESPACES, namespace) ? NAMESPACES[namespace] : undefined;
  await runListed(command, client, runs ?? runForeign);
}

async function runAlone(command: SlashCommand, client: SlashContext): Promise<void> {
  const name = command.name === "exit" ? "quit" : command.name;
  if (isOwnPrompt(name)) return await runPrompts({ ...command, namespace: "prompts" }, client);
  if (isBuiltIn(name)) return await ALONE[name](command, client);
  // `/sessions` lists, and `/sessions resume ID` means the same as `/sessions:resume ID`.
  if (name === "sessions") {
    const [verb = "list", ...args] = command.args;
    const rest = command.rest.replace(/^\S+\s*/, "");
    return await runSessions({ kind: "command", namespace: name, name: verb, args, rest }, client);
  }
  const commands = await client.listCommands();
  const aliased = aliasedCommand(command, commands);
  if (aliased !== undefined) return await runSlashCommand(aliased, client);
  await runListed(command, client, async () => await client.say(unknownText(command, commands)));
}

/** Runs a command through the query or command that the engine lists for it, else by `otherwise`. */
async function runListed(command: SlashCommand, client: SlashContext, otherwise: Run): Promise<void> {
  const name = printCommand(command).slice(1);
  const isNamed = (info: SlashCommandInfo) => info.name === name || info.aliases?.includes(name) === true;
  const info = await client.findCommand(isNamed);
  if (info?.stands_for === undefined) return await otherwise(command, client);
  if (command.unclosed !== undefined && info.takes_text !== true)
    return await client.say(`/${name}: ${unclosedText(command.unclosed)}`);
  await client.standFor(info.name, command);
}

function isBuiltIn(name: string): name is keyof typeof ALONE {
  return Object.hasOwn(ALONE, name);
}

/** Steers the running turn. Without one, or if it ends first, the text starts a turn, so nothing typed is lost. */
async function steer(text: string, client: SlashContext): Promise<void> {
  if (text === "") return await client.say("/steer needs a text.");
  if (!client.busy) await client.say("No turn is running: this begins one.");
  await client.steer(text);
}

async function tellCosts(client: SlashContext): Promise<void> {
  const costs = await client.readCosts();
  if (costs instanceof HarnessError) return await client.say(refusalText(costs));
  const models = [...costs.by.model.keys()].slice(0, COST_ROWS_MAX);
  const answer = models.length === 0 ? undefined : await client.query({ kind: "ListPrices", models });
  const prices = modelPrices(answer === undefined || answer instanceof HarnessError ? {} : answer.prices);
  await client.say(printCosts(costs, { rowsMax: COST_ROWS_MAX, prices }));
}

async function tellContext(client: SlashContext): Promise<void> {
  const answer = await client.query({ kind: "GetContext", sessionId: client.session });
  await client.say(answer instanceof HarnessError ? refusalText(answer) : contextText(answer));
}

/** Sends a command of a plugin's namespace. If the engine knows no such namespace, suggests similar commands. */
async function runForeign(command: SlashCommand, client: SlashContext): Promise<void> {
  const { namespace = "", name: verb } = command;
  const { session: sessionId } = client;
  const payload = commandWords(command);
  const asked = { kind: "CustomCommand", sessionId, namespace, verb, payload } as const;
  const answer = await client.answerTo(asked);
  if (!(answer instanceof HarnessError)) {
    const { text = "" } = answer.result ?? {};
    return text === "" ? undefined : await client.say(neutralise(text));
  }
  const isNobodys = answer.reason === "UnknownCommandNamespace" || answer.reason === "InvalidQuery";
  await client.say(isNobodys ? unknownText(command, await client.listCommands()) : refusalText(answer));
}
