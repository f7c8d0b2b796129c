import { resolve } from "node:path";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { diskFailure } from "../../base/files/storage-problem.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Files } from "../../base/world.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { StoredSessionCommands } from "../../session/commands/stored-session-commands.ts";
import type { LogInfo } from "../../session/store/store.ts";
import { exportName } from "../../session/transcript/export-name.ts";
import type { SessionPoint } from "../../view/session-point.ts";
import type { AgentSessions } from "./agents/agent-sessions.ts";
import { branchAt } from "./branch.ts";
import type { RetentionSources } from "./retention/expire.ts";

const PRIVATE_MODE = 0o600;

export interface SessionsSources extends RetentionSources {
  readonly secrets: () => Promise<Redactor>;
  /** Sessions that agents have opened. */
  readonly agents: Pick<AgentSessions, "mute" | "askAutoAttach" | "answerAutoAttach">;
  /** Aborts when the engine ends. */
  readonly signal: AbortSignal;
}

/** Returns the handlers for sessions as a whole, running or ended. */
export function storedSessionCommands(sources: SessionsSources): StoredSessionCommands {
  const { store, signal, agents } = sources;
  const infoOf = async (id: SessionId) => {
    const info = await store.find(id);
    if (info === undefined) throw new HarnessError("UnknownSession", { id });
    return info;
  };
  const noting = async () => ({ ...sources, redactor: await sources.secrets() });
  return {
    async BranchSession({ sessionId, at: event, turn }) {
      const place = placeOf(event, turn);
      const { session, logId, at } = await branchAt(sources, await infoOf(sessionId), place, signal);
      return { sessionId: session, result: { log: logId, at } };
    },
    async PinSession({ sessionId, pinned }) {
      await store.pin((await infoOf(sessionId)).logId, pinned);
      return { sessionId };
    },
    async ExportSession({ sessionId, format = "jsonl", output, directoryOf = sessionId }) {
      const info = await infoOf(sessionId);
      const { workingDir } = await infoOf(directoryOf);
      const path = resolve(workingDir, output ?? exportName(info.session, format));
      await writeExport(sources, info, { format, path });
      return { sessionId, result: { path } };
    },
    async DismissExpiring() {
      const { retentionOf } = await import("./retention/expire.ts");
      const { dismissExpiring } = await import("./expiry-warning.ts");
      const plan = await retentionOf(sources);
      await dismissExpiring(sources, plan);
      return { result: { sessions: plan.soon.length } };
    },
    async MuteSession({ sessionId }) {
      const { session } = await infoOf(sessionId);
      if (agents.mute(session)) return { sessionId: session };
      throw refused("MuteSession", `no agent has begun ${session} in this engine`);
    },
    async AskAutoAttach({ sessionId, parent }) {
      const { session } = await infoOf(sessionId);
      const asked = await agents.askAutoAttach(session, parent);
      if (asked !== undefined) return { sessionId: session, result: { asked } };
      throw refused("AskAutoAttach", `no agent has begun ${session} in this engine`);
    },
    async AnswerAutoAttach({ sessionId, always }) {
      const { session } = await infoOf(sessionId);
      await agents.answerAutoAttach(session, always);
      return { sessionId: session };
    },
    async RenameSession({ sessionId, title }) {
      const { renameSession } = await import("./notes.ts");
      const newTitle = await renameSession(await noting(), await infoOf(sessionId), title);
      return { sessionId, result: { title: newTitle } };
    },
    async ArchiveSession({ sessionId, archived }) {
      const { archiveSession } = await import("./notes.ts");
      await archiveSession(sources, await infoOf(sessionId), archived);
      return { sessionId };
    },
    async DeleteSession({ sessionId }) {
      const { deleteSession } = await import("./delete.ts");
      await deleteSession(sources, await infoOf(sessionId));
      return { sessionId };
    },
    async MarkRead({ sessionId, event, reader }) {
      const { markRead } = await import("./notes.ts");
      await markRead(sources, await infoOf(sessionId), { event, reader });
      return { sessionId };
    },
    async SetDraft({ sessionId, text, reader }) {
      const { setDraft } = await import("./notes.ts");
      await setDraft(await noting(), await infoOf(sessionId), { text, reader });
      return { sessionId };
    },
  };
}

function placeOf(event: number | undefined, turn: number | undefined): SessionPoint | undefined {
  if (event !== undefined) return { kind: "event", event };
  return turn === undefined ? undefined : { kind: "turn", turn };
}

/** Writes a new file with mode 600. @throws HarnessError InvalidCommand if it exists. */
async function writeExport(
  { store, world, secrets, signal }: SessionsSources,
  info: LogInfo,
  { format, path }: { readonly format: "jsonl" | "markdown"; readonly path: string },
): Promise<void> {
  const [{ exportedText }, { files }] = [await import("./export.ts"), world];
  if (!(await createdAt(path, files))) throw refused("ExportSession", `${path} exists already`);
  const sources = { store, world, secrets: await secrets() };
  try {
    for await (const piece of exportedText(sources, info, { format, signal }))
      await files.append(path, piece);
  } catch (thrown) {
    await files.remove(path); // half an export is none
    throw thrown;
  }
}

/** Makes an empty file. @throws HarnessError InvalidCommand if the path that a person gave cannot be used. */
async function createdAt(path: string, files: Pick<Files, "createNew">): Promise<boolean> {
  try {
    return await files.createNew(path, "", PRIVATE_MODE);
  } catch (thrown) {
    const why = `${JSON.stringify(path)} cannot be written: ${messageOf(thrown)}; name another file`;
    throw diskFailure(thrown) ?? refused("ExportSession", why);
  }
}

function refused(kind: string, why: string): HarnessError<"InvalidCommand"> {
  return new HarnessError("InvalidCommand", { kind, why });
}
