import { resolve } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { near } from "../../base/text/near.ts";
import { count } from "../../base/text/text.ts";
import type { Accepted, CommandOf } from "../../protocol/commands/commands.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { AttachedClient } from "../../session/access/client.ts";
import type { NamespaceOwner, SessionKeeping } from "../../session/keeping.ts";
import { isPerson } from "../../session/questions/people.ts";
import type { LogInfo } from "../../session/store/store.ts";
import { exportName } from "../../session/transcript/export-name.ts";
import { sessionRow } from "../../session/transcript/overview.ts";
import type { Place } from "../../view/place.ts";
import { PLACE_FORM, parsePlace } from "../../view/place.ts";
import { COLUMNS } from "../../view/terminal/table.ts";
import type { AgentSessions } from "./agent-sessions.ts";
import { branchAt } from "./sessions-branch.ts";
import { findSession } from "./sessions-find.ts";
import type { RetentionSources } from "./sessions-retention.ts";
import { tableOfSessions } from "./sessions-table.ts";

const LIST_MAX = 50;
const COLUMNS_MAX = 1_000;
const PRIVATE_MODE = 0o600;

export interface SessionsSources extends RetentionSources {
  readonly workingDir: string;
  readonly secrets: () => Promise<Redactor>;
  /** The sessions that agents have begun. */
  readonly agents: Pick<AgentSessions, "hush">;
  /** What the clients that follow a session call themselves. */
  readonly attachedBy: (session: SessionId) => readonly string[];
  /** Aborts when the engine ends. */
  readonly signal: AbortSignal;
}

/** BranchSession and PinSession, for sessions that run and for those that have ended. */
export function sessionKeeping(sources: SessionsSources): SessionKeeping {
  const { store, signal } = sources;
  const infoOf = async (id: CommandOf<"PinSession">["sessionId"]) => {
    const info = await store.find(id);
    if (info === undefined) throw new HarnessError("UnknownSession", { id });
    return info;
  };
  return {
    async branch({ sessionId, at }) {
      const place = { kind: "event", event: at } as const;
      const { session, logId } = await branchAt(sources, await infoOf(sessionId), place, signal);
      return { sessionId: session, result: { log: logId, at } };
    },
    async pin({ sessionId, pinned }) {
      await store.pin((await infoOf(sessionId)).logId, pinned);
      return { sessionId };
    },
  };
}

const VERBS = ["list", "find", "branch", "export", "dismiss", "hush"] as const;

/**
 * The custom commands `sessions:…` (SES-10, [A] § Slash commands), so that every client has them. The payload is
 * `{args}`, for a table also `{columns}`; the result is `{text}` for people, with what programs need beside it.
 */
export function sessionsNamespace(engine: SessionsSources): NamespaceOwner {
  return async (command, client) => {
    const { verb } = command;
    // Sessions of one engine work in many directories: each command is about that of its own session.
    const { workingDir = engine.workingDir } = (await engine.store.find(command.sessionId)) ?? {};
    const sources = { ...engine, workingDir };
    const args = argsOf(command.payload);
    switch (VERBS.find((known) => known === verb)) {
      case "list":
        return await list(sources, args, columnsOf(command.payload));
      case "find": {
        const info = await wanted(sources, args[0], command);
        return { sessionId: info.session, result: { text: info.session, ...sessionRow(info) } };
      }
      case "branch":
        return await branch(sources, command, args);
      case "export":
        return await exportFor(sources, command, { args, client });
      case "dismiss":
        return await dismiss(sources);
      case "hush":
        return await hush(sources, command, { args, client });
      case undefined: {
        const [meant] = near(verb, VERBS);
        const hint =
          meant === undefined ? `there are ${VERBS.join(", ")}` : `did you mean /sessions:${meant}?`;
        throw refused(verb, `there is no such command; ${hint}`);
      }
    }
  };
}

function argsOf(payload: unknown): readonly string[] {
  const args: unknown = isObject(payload) ? payload["args"] : undefined;
  return Array.isArray(args) ? args.filter((arg) => typeof arg === "string") : [];
}

/** How wide the screen is that a table is for. */
function columnsOf(payload: unknown): number {
  const columns: unknown = isObject(payload) ? payload["columns"] : undefined;
  const isWidth = typeof columns === "number" && Number.isInteger(columns) && columns > 0;
  return isWidth ? Math.min(columns, COLUMNS_MAX) : COLUMNS;
}

/** The session that is named; the one that the command is for where none is. */
async function wanted(
  { store, workingDir }: SessionsSources,
  named: string | undefined,
  { sessionId }: CommandOf<"CustomCommand">,
): Promise<LogInfo> {
  return await findSession(named ?? sessionId, store, workingDir);
}

async function list(
  { store, workingDir, world, attachedBy }: SessionsSources,
  args: readonly string[],
  columns: number,
): Promise<Accepted> {
  const all = args.includes("--all") || args.includes("all");
  const found = await store.list(all ? { limit: LIST_MAX } : { limit: LIST_MAX, workingDir });
  const options = { store, nowMs: world.clock.now(), columns, all, attachedBy };
  const table = found.length === 0 ? [] : await tableOfSessions(found, options);
  return {
    result: {
      text: table.join("\n"),
      sessions: found.map((info) => ({ ...sessionRow(info), attached_by: attachedBy(info.session) })),
    },
  };
}

/** `[ID] [at TURN|eN]`; `--at` says the same as on the command line. */
async function branch(
  sources: SessionsSources,
  command: CommandOf<"CustomCommand">,
  args: readonly string[],
): Promise<Accepted> {
  const words = args.flatMap((word) => word.split(/(?<=^--at)=/));
  const atWord = words.findIndex((word) => word === "at" || word === "--at");
  const [named, ...others] = atWord === -1 ? words : words.toSpliced(atWord, 2);
  if (others.length > 0) throw refused("branch", "write /sessions:branch [ID] [at TURN|eN]");
  const place = atWord === -1 ? undefined : placeFrom(words[atWord + 1]);
  const info = await wanted(sources, named, command);
  const { session, logId, at } = await branchAt(sources, info, place, sources.signal);
  const text = `A branch of ${info.session} at event ${at}: ${session}\n/sessions:resume ${session} goes on with it.`;
  return { sessionId: session, result: { text, log: logId, at } };
}

function placeFrom(text = ""): Place {
  const place = parsePlace(text);
  if (place !== undefined) return place;
  const given = text === "" ? "nothing" : `"${text}"`;
  throw refused("branch", `behind "at" comes ${PLACE_FORM}, not ${given}; cinch sessions show lists both`);
}

/** `[ID] [--format jsonl|markdown] [--output FILE]`: into the working directory, never over a file that is there. */
async function exportFor(
  sources: SessionsSources,
  command: CommandOf<"CustomCommand">,
  { args, client }: { readonly args: readonly string[]; readonly client: AttachedClient },
): Promise<Accepted> {
  // It writes a file wherever it is told: that is for a person to say.
  if (client.identityClass !== "human") throw refused("export", "only a person may write an export");
  const { format, output, rest } = exportArgs(args);
  const info = await wanted(sources, rest[0], command);
  const named = output ?? exportName(info.session, format);
  const path = resolve(sources.workingDir, named);
  await writeExport(sources, info, { format, path });
  return { result: { text: `Written to ${path}`, path } };
}

function exportArgs(args: readonly string[]) {
  const rest: string[] = [];
  let format = "jsonl";
  let output: string | undefined;
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [name, inline] = word.split(/=(.*)/s);
    if (name !== "--format" && name !== "--output") {
      rest.push(word);
      continue;
    }
    const value = inline ?? words.shift() ?? "";
    if (name === "--format") format = value === "md" ? "markdown" : value;
    else output = value;
  }
  if ((format !== "jsonl" && format !== "markdown") || rest.length > 1 || output === "") {
    throw refused("export", "write /sessions:export [ID] [--format jsonl|markdown] [--output FILE]");
  }
  return { format, output, rest } as const;
}

async function writeExport(
  { store, world, secrets, signal }: SessionsSources,
  info: LogInfo,
  { format, path }: { readonly format: "jsonl" | "markdown"; readonly path: string },
): Promise<void> {
  const [{ exportedText }, { files }] = [await import("./sessions-export.ts"), world];
  if (!(await files.createNew(path, "", PRIVATE_MODE))) throw refused("export", `${path} is there already`);
  const sources = { store, world, secrets: await secrets() };
  try {
    for await (const piece of exportedText(sources, info, { format, signal }))
      await files.append(path, piece);
  } catch (thrown) {
    await files.remove(path); // half of it is no export
    throw thrown;
  }
}

async function dismiss(sources: SessionsSources): Promise<Accepted> {
  const { retentionOf } = await import("./sessions-retention.ts");
  const { dismissExpiring } = await import("./sessions-warning.ts");
  const plan = await retentionOf(sources);
  await dismissExpiring(sources, plan);
  return { result: { text: `Dismissed for ${count(plan.soon.length, "session")}.` } };
}

/** `[ID]`: what the session of an agent asks for is told no more where nobody follows it (CTL-12). */
async function hush(
  sources: SessionsSources,
  command: CommandOf<"CustomCommand">,
  { args, client }: { readonly args: readonly string[]; readonly client: AttachedClient },
): Promise<Accepted> {
  if (!isPerson(client)) throw refused("hush", "only a person may say what people are told");
  const { session } = await wanted(sources, args[0], command);
  if (!sources.agents.hush(session)) throw refused("hush", `no agent has begun ${session} in this engine`);
  return { sessionId: session, result: { text: `What ${session} asks for is told to those who follow it.` } };
}

function refused(verb: string, why: string): HarnessError<"InvalidCommand"> {
  return new HarnessError("InvalidCommand", { kind: `/sessions:${verb}`, why });
}
