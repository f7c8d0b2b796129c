import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import { isId } from "../../base/ids.ts";
import { arrayAt, isObject, stringAt } from "../../base/json.ts";
import { nearestWords } from "../../base/text/near.ts";
import type { Accepted, Command, CommandOf } from "../../protocol/commands/commands.ts";
import { SLASH_COMMANDS } from "../../protocol/commands/own-commands.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import { readQuery } from "../../protocol/queries/read-query.ts";
import { readCommand } from "../../protocol/read.ts";
import type { AttachedClient } from "../../session/access/client.ts";
import { printAnswer } from "../../view/answers/print-answer.ts";
import { parseSessionPoint, SESSION_POINT_FORM } from "../../view/session-point.ts";
import { fillFields } from "../../view/slash/fill-fields.ts";
import { asFormerRefusal, assertFormerUse, formerRefusal, formerText } from "./former-words.ts";

export interface FormerVerbDependencies {
  readonly nowMs: number;
  readonly client: Pick<AttachedClient, "identityClass" | "scope">;
  /** Process id of the engine, which holds the sessions that live here. */
  readonly pid: number;
  query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind>>;
  send(command: Command): Promise<Accepted>;
}

/** The slash command whose query or command answers each verb, by namespace and verb. */
const FORMER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sessions: {
    list: "sessions:list",
    find: "sessions:find",
    branch: "",
    export: "sessions:export",
    dismiss: "sessions:dismiss",
    hush: "sessions:hush",
  },
  engine: { commands: "", health: "health", mcp: "", prices: "", web: "web" },
  profile: { show: "profile", list: "profiles", check: "" },
  skills: { list: "skills" },
  agents: { list: "agents" },
};

/** Words that a verb read; it ignored those behind them. A verb that is not listed refuses what it does not know. */
const WORDS_READ: Readonly<Record<string, number>> = {
  "sessions:list": 1,
  "sessions:find": 1,
  "sessions:dismiss": 0,
  "sessions:hush": 1,
  "engine:health": 0,
  "engine:web": 0,
  "profile:show": 0,
  "profile:list": 0,
  "skills:list": 0,
};

/**
 * Answers the custom commands of clients of protocol 0.1.0 and 0.2.0 that are queries or commands since 0.3.0.
 *
 * The answer has their form: `{text}` for people beside the fields for programs. This file goes with the next minor
 * version of the protocol. Undefined for a namespace that was never cinch's.
 */
export async function answerFormerVerb(
  command: CommandOf<"CustomCommand">,
  parts: FormerVerbDependencies,
): Promise<Accepted | undefined> {
  const { namespace, verb, sessionId, payload } = command;
  const args = arrayAt(payload, "args").filter((arg) => typeof arg === "string");
  if (namespace === "prompts" || namespace === "mcp-prompts") return await expanded(command, args, parts);
  const verbs = Object.hasOwn(FORMER, namespace) ? FORMER[namespace] : undefined;
  if (verbs === undefined) return undefined;
  const spec = namespace === "agents" ? "agents" : Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  switch (`${namespace}:${verb}`) {
    case "engine:commands":
      return { result: await parts.query({ kind: "ListSlashCommands", sessionId }) };
    case "engine:mcp": {
      const { servers } = await parts.query({ kind: "ListMcpServers", sessionId });
      return { result: { mcp_servers: servers } };
    }
    case "engine:prices":
      return { result: await parts.query({ kind: "ListPrices", models: args }) };
    case "profile:check": {
      const [profile, ...more] = args;
      if (profile === undefined || more.length > 0)
        throw formerRefusal(command, "write the name or path of a profile");
      const checked = await parts.query({ kind: "CheckProfile", sessionId, profile });
      return { result: { text: `profile ${checked.profile} can be used`, ...checked } };
    }
    case "sessions:branch":
      return await branchSession(command, args, parts);
  }
  if (spec === undefined) throw formerRefusal(command, unknownVerb(namespace, verb, Object.keys(verbs)));
  assertFormerUse(command, args, parts.client);
  return await asSlashCommand(spec, command, { args: wordsRead(command, args), parts });
}

/** Returns the words that a verb read. A session that was not named is the client's own. */
function wordsRead(
  { namespace, verb, sessionId }: CommandOf<"CustomCommand">,
  args: readonly string[],
): readonly string[] {
  const name = namespace === "agents" ? "" : `${namespace}:${verb}`;
  const words = namespace === "agents" ? [] : args.slice(0, WORDS_READ[name]);
  if (name === "sessions:find" && words.length === 0) return [sessionId];
  const isAll = words[0] === "all" || words[0] === "--all";
  return name === "sessions:list" && !isAll ? [] : words;
}

async function asSlashCommand(
  name: string,
  command: CommandOf<"CustomCommand">,
  { args, parts }: { readonly args: readonly string[]; readonly parts: FormerVerbDependencies },
): Promise<Accepted> {
  const spec = SLASH_COMMANDS.find((each) => each.name === name);
  if (spec === undefined || !("stands_for" in spec))
    throw formerRefusal(command, "it is not served any more");
  const { stands_for: stands } = spec;
  const fields = await fillFields(
    "fields" in stands ? stands.fields : {},
    { args, rest: args.join(" ") },
    {
      session: command.sessionId,
      find: async (text) =>
        (await parts.query({ kind: "FindSession", text, sessionId: command.sessionId })).session,
    },
  );
  if (fields === undefined) throw formerRefusal(command, `write ${spec.usage}`);
  const columns: unknown = isObject(command.payload) ? command.payload["columns"] : undefined;
  const isWidth = typeof columns === "number" && Number.isInteger(columns) && columns > 0;
  const options = {
    nowMs: parts.nowMs,
    all: fields["sessionId"] === undefined,
    ...(isWidth ? { columns: Math.min(columns, COLUMNS_MAX) } : {}),
  };
  if ("query" in stands) {
    const answer = withPids(await parts.query(readQuery({ ...fields, kind: stands.query })), parts.pid);
    const text = printAnswer(stands.shows, answer, options);
    const found = stands.query === "FindSession" ? stringAt(answer, "session") : undefined;
    const { result } = { result: { text, ...answer } };
    return found !== undefined && isId("sess", found) ? { sessionId: found, result } : { result };
  }
  const accepted = await sent(command, readCommand({ ...fields, kind: stands.command }), parts);
  const { sessionId, result } = accepted;
  const answer = { ...defined({ sessionId }), ...(isObject(result) ? result : {}) };
  const words = "shows" in stands ? printAnswer(stands.shows, answer, options) : "";
  const text = formerText(command, sessionId) ?? words;
  return { ...accepted, result: { text, ...(isObject(result) ? result : {}) } };
}

async function sent(
  command: CommandOf<"CustomCommand">,
  instead: Command,
  parts: FormerVerbDependencies,
): Promise<Accepted> {
  try {
    return await parts.send(instead);
  } catch (thrown) {
    throw asFormerRefusal(command, thrown);
  }
}

/** Adds the process id to the sessions that live here, and a list of clients to all: the queries leave them out. */
function withPids<Answer extends object>(answer: Answer, pid: number): Answer {
  const withPid = (row: unknown) => (isObject(row) && row["live"] === true ? { ...row, pid } : row);
  const sessions: unknown = "sessions" in answer ? answer.sessions : undefined;
  if (!Array.isArray(sessions)) return withPid(answer) as Answer;
  return { ...answer, sessions: sessions.map((row) => ({ attached_by: [], ...(withPid(row) as object) })) };
}

const COLUMNS_MAX = 1_000;

/** Reads `[ID] [at TURN|eN]`; `--at` means the same as on the command line. */
async function branchSession(
  command: CommandOf<"CustomCommand">,
  args: readonly string[],
  parts: FormerVerbDependencies,
): Promise<Accepted> {
  const words = args.flatMap((word) => word.split(/(?<=^--at)=/));
  const atWord = words.findIndex((word) => word === "at" || word === "--at");
  const [named, ...others] = atWord === -1 ? words : words.toSpliced(atWord, 2);
  if (others.length > 0) throw formerRefusal(command, "write /sessions:branch [ID] [at TURN|eN]");
  const text = words[atWord + 1] ?? "";
  const place = atWord === -1 ? undefined : parseSessionPoint(text);
  if (atWord !== -1 && place === undefined) {
    const quoted = text === "" ? "nothing" : `"${text}"`;
    throw formerRefusal(
      command,
      `behind "at" comes ${SESSION_POINT_FORM}, not ${quoted}; cinch sessions show lists both`,
    );
  }
  const { sessionId: ownSession } = command;
  const sessionId =
    named === undefined
      ? ownSession
      : (await parts.query({ kind: "FindSession", text: named, sessionId: ownSession })).session;
  const where =
    place === undefined ? {} : place.kind === "event" ? { at: place.event } : { turn: place.turn };
  const accepted = await parts.send({ kind: "BranchSession", sessionId, ...where });
  const { result, sessionId: made } = accepted;
  const at = isObject(result) ? result["at"] : undefined;
  const message = `A branch of ${sessionId} at event ${String(at)}: ${made}\n/sessions:resume ${made} goes on with it.`;
  return { ...accepted, result: { text: message, ...(isObject(result) ? result : {}) } };
}

/** Returns undefined if no feature of the session expands it. */
async function expanded(
  { sessionId, namespace, verb: name, payload }: CommandOf<"CustomCommand">,
  args: readonly string[],
  parts: FormerVerbDependencies,
): Promise<Accepted | undefined> {
  const [text, unclosed] = [stringAt(payload, "text"), stringAt(payload, "unclosed")];
  const words = { sessionId, name, args, ...defined({ unclosed }) };
  try {
    const result =
      namespace === "prompts"
        ? await parts.query({ kind: "ExpandPrompt", ...words, ...defined({ text }) })
        : await parts.query({ kind: "ExpandMcpPrompt", ...words });
    return { result };
  } catch (thrown) {
    const isUnserved = thrown instanceof HarnessError && thrown.reason === "InvalidQuery";
    if (isUnserved) return undefined;
    throw thrown;
  }
}

function unknownVerb(namespace: string, verb: string, verbs: readonly string[]): string {
  const [meant] = nearestWords(verb, verbs);
  const hint = meant === undefined ? `there are ${verbs.join(", ")}` : `did you mean /${namespace}:${meant}?`;
  return `there is no such command; ${hint}`;
}
