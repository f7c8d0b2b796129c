import { unreachable } from "../../base/assert.ts";
import type { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { shortened } from "../../base/text.ts";
import type { Command } from "../../protocol/commands.ts";
import type { Costs } from "../kit/cost-book.ts";
import { printCosts } from "../kit/cost-table.ts";
import type { SlashCommand } from "../kit/slash.ts";
import type { KnownTask } from "../kit/tasks.ts";
import { neutralise, neutraliseLine } from "../kit/terminal-text.ts";
import type { WaitingInput } from "../kit/waiting.ts";
import { builtIn, helpText, unknownText } from "./commands.ts";
import type { ProfilesSurface } from "./profiles.ts";
import { runProfiles } from "./profiles.ts";
import type { RewindSurface } from "./rewind.ts";
import { rewind } from "./rewind.ts";
import type { SessionsSurface } from "./sessions.ts";
import { runSessions } from "./sessions.ts";
import type { SkillsSurface } from "./skills.ts";
import { runSkills } from "./skills.ts";
import { waitingText } from "./waiting-text.ts";

const EFFORTS = ["off", "low", "medium", "high", "xhigh", "max"] as const;

const TASK_CHARACTERS_MAX = 60;
/** Rows of each table of costs. */
const COST_ROWS_MAX = 10;

/** What a command can see of the line client, and do with it. */
export interface CommandSurface extends RewindSurface, SessionsSurface, ProfilesSurface, SkillsSurface {
  readonly session: SessionId;
  readonly costs: Costs;
  readonly busy: boolean;
  readonly planMode: boolean;
  readonly tasks: readonly KnownTask[];
  /** What was done with memories so far, in words. */
  readonly memories: string;
  model: string;
  /** What the person has allowed for this session, as rules. */
  rules: readonly string[];
  say(text: string): Promise<void>;
  /** Sends a command; a refusal is told and comes back. */
  send(command: Command): Promise<HarnessError | undefined>;
  cancel(): Promise<void>;
  /** What was accepted and has not begun. */
  readonly waiting: readonly WaitingInput[];
  /** Sends a text for the turn that runs. */
  steer(text: string): Promise<void>;
  /** Forgets the text that was kept. */
  drop(): void;
  quit(): Promise<void>;
}

/** Carries out one slash command: a built-in one, or one that a plugin owns the namespace of. */
export async function runSlashCommand(command: SlashCommand, client: CommandSurface): Promise<void> {
  const name = builtIn(command);
  if (name === undefined) return await runForeign(command, client);
  switch (name) {
    case "help":
      return await client.say(helpText());
    case "cancel":
      if (client.takeBack()) return;
      return client.busy ? await client.cancel() : await client.say("No turn is running.");
    case "model":
      return await setModel(command.rest, client);
    case "effort":
      return await setEffort(command.rest, client);
    case "cost":
      return await client.say(printCosts(client.costs, { rowsMax: COST_ROWS_MAX }));
    case "rewind":
      return await rewind(command.args, client);
    case "compact":
      return await compact(client);
    case "tasks":
      return await tasks(command.args, client);
    case "plan":
      return await plan(command.args, client);
    case "permissions":
      return await permissions(command.args, client);
    case "memory":
      return await client.say(client.memories);
    case "profile":
    case "profiles":
      return await runProfiles(command, client);
    case "skills":
      return await runSkills(command, client);
    case "steer":
      return command.rest === ""
        ? await client.say("/steer needs a text.")
        : await client.steer(command.rest);
    case "withdraw":
      return await withdraw(command.args, client);
    case "drop":
      client.drop();
      return await client.say("Forgotten.");
    case "quit":
      return await client.quit();
    default:
      return unreachable(name);
  }
}

async function runForeign(command: SlashCommand, client: CommandSurface): Promise<void> {
  const { namespace, name: verb, args, rest: text } = command;
  // `/permissions:promote 1` says the same as `/permissions promote 1`.
  if (namespace === "permissions" && (verb === "promote" || verb === "revoke"))
    return await permissions([verb, ...args], client);
  if (namespace === "tasks" && verb === "stop") return await stopTask(args, client);
  // `/sessions` lists, and `/sessions resume ID` says the same as `/sessions:resume ID`.
  if (namespace === undefined && verb === "sessions") {
    const [name = "list", ...others] = args;
    const typed = text.replace(/^\S+\s*/, "");
    return await runSessions({ kind: "command", namespace: verb, name, args: others, rest: typed }, client);
  }
  if (namespace === undefined) return await client.say(neutraliseLine(unknownText(command)));
  if (namespace === "sessions") return await runSessions(command, client);
  if (namespace === "skills") return await runSkills(command, client);
  if (namespace === "profiles") return await runProfiles(command, client);
  const { session: sessionId } = client;
  const payload = { args, text };
  const result = await client.request({ kind: "CustomCommand", sessionId, namespace, verb, payload });
  const said = typeof result === "object" && result !== null && "text" in result ? result.text : undefined;
  if (typeof said === "string" && said !== "") await client.say(neutralise(said));
}

async function setModel(model: string, client: CommandSurface): Promise<void> {
  if (model === "") return await client.say(`model ${neutraliseLine(client.model)}`);
  const refused = await client.send({ kind: "SetModel", sessionId: client.session, model });
  if (refused !== undefined) return;
  client.model = model;
  await client.say(`model ${neutraliseLine(model)} from the next round on`);
}

async function setEffort(word: string, client: CommandSurface): Promise<void> {
  const effort = EFFORTS.find((each) => each === word);
  if (effort === undefined) return await client.say(`/effort needs one of ${EFFORTS.join(", ")}.`);
  const { session: sessionId, model } = client;
  const refused = await client.send({ kind: "SetModel", sessionId, model, effort });
  if (refused === undefined) await client.say(`effort ${effort} from the next round on`);
}

async function withdraw([word]: readonly string[], client: CommandSurface): Promise<void> {
  if (word === undefined) return await client.say(waitingText(client.waiting));
  const input = client.waiting[Number(word) - 1];
  if (input === undefined)
    return await client.say("Nothing with this number is waiting; /withdraw lists what is.");
  await client.send({ kind: "WithdrawInput", sessionId: client.session, inputId: input.inputId });
}

async function compact(client: CommandSurface): Promise<void> {
  const { session: sessionId } = client;
  const result = await client.request({ kind: "CompactSession", sessionId });
  const isShort = typeof result === "object" && result !== null && "compacted" in result && !result.compacted;
  if (isShort) await client.say("There is nothing to gain: the conversation is short already.");
}

async function tasks([verb, ...words]: readonly string[], client: CommandSurface): Promise<void> {
  if (verb === "stop") return await stopTask(words, client);
  if (client.tasks.length === 0) return await client.say("Nothing runs in the background.");
  const lines = client.tasks.map(({ taskId, what, state, detail }, at) => {
    const how = detail === undefined ? "" : ` (${neutraliseLine(detail)})`;
    return `  ${at + 1}  ${state}${how}  ${shortened(neutraliseLine(what), TASK_CHARACTERS_MAX)}  ${taskId}`;
  });
  await client.say([...lines, "/tasks:stop N ends one."].join("\n"));
}

async function stopTask([word]: readonly string[], client: CommandSurface): Promise<void> {
  const task = client.tasks[Number(word) - 1] ?? client.tasks.find(({ taskId }) => taskId === word);
  if (task === undefined)
    return await client.say("There is no task with this number or id; /tasks lists them.");
  await client.send({ kind: "StopTask", sessionId: client.session, taskId: task.taskId });
}

async function plan([word]: readonly string[], client: CommandSurface): Promise<void> {
  const { session: sessionId } = client;
  if (word !== undefined && word !== "off")
    return await client.say("Write /plan to plan first, /plan off to end that.");
  if (word === "off") return void (await client.send({ kind: "ExitPlanMode", sessionId, approve: true }));
  if (client.planMode) return await client.say("Plan mode is on. /plan off ends it.");
  await client.send({ kind: "EnterPlanMode", sessionId });
}

async function permissions(args: readonly string[], client: CommandSurface): Promise<void> {
  if (args[0] === "revoke") return await revoke(Number(args[1]), client);
  if (args[0] === "promote") return await promote(Number(args[1]), client);
  if (client.rules.length === 0) return await client.say("You have allowed nothing for this session.");
  const lines = client.rules.map((rule, at) => `  ${at + 1}  ${neutraliseLine(rule)}`);
  await client.say(
    [
      "Allowed for this session:",
      ...lines,
      "/permissions revoke N takes one back; /permissions promote N writes it into your config.toml.",
    ].join("\n"),
  );
}

async function promote(number: number, client: CommandSurface): Promise<void> {
  const rule = client.rules[number - 1];
  if (rule === undefined)
    return await client.say("There is no rule with this number; /permissions lists them.");
  const refused = await client.send({ kind: "PromoteRule", sessionId: client.session, rule });
  if (refused !== undefined) return;
  await client.say(`Allowed from the next start on, in your config.toml: ${neutraliseLine(rule)}`);
}

async function revoke(number: number, client: CommandSurface): Promise<void> {
  const rule = client.rules[number - 1];
  if (rule === undefined)
    return await client.say("There is no rule with this number; /permissions lists them.");
  const refused = await client.send({ kind: "RevokeRule", sessionId: client.session, rule });
  if (refused !== undefined) return;
  client.rules = client.rules.filter((held) => held !== rule);
  await client.say(`No longer allowed: ${neutraliseLine(rule)}`);
}
