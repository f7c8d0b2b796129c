import { resolve } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import { mayHoldCredentials } from "../../../guard/permissions/judge/sensitive.ts";
import type { QueryOf, ResultOf } from "../../../protocol/queries/queries.ts";
import type { QueryHandlers } from "../../../session/commands/query-handlers.ts";
import type { StoredQueryHost } from "../../../session/feature.ts";
import type { SessionHost } from "../../../session/host.ts";
import type { Checkpoints } from "../checkpoints.ts";
import type { ChangeSource } from "./change-source.ts";
import { getChanges } from "./get-changes.ts";
import { openStoredSource } from "./stored-source.ts";

/** Answers GetChanges about a log that no session of this engine runs. */
export function storedChanges(host: StoredQueryHost): QueryHandlers {
  return {
    async GetChanges(query, { signal }) {
      const info = await host.store.find(query.sessionId);
      if (info === undefined) throw new HarnessError("UnknownSession", { id: query.sessionId });
      const { logId, workingDir } = info;
      const source = await sourceOnDisk(host, { logId, workingDir }, signal);
      const redactor = await host.redactor();
      return await answer(query, { host, logId, workingDir, source, redactor }, signal);
    },
  };
}

/**
 * Answers GetChanges in a session.
 * @param opened its checkpoints, if they are open: they know of a running turn.
 */
export async function sessionChanges(
  query: QueryOf<"GetChanges">,
  { host, opened }: { readonly host: SessionHost; readonly opened: Checkpoints | undefined },
  signal: AbortSignal,
): Promise<ResultOf<"GetChanges">> {
  const { logId, workspace, redactor } = host;
  const workingDir = workspace.root;
  const source =
    (await opened?.changeSource(signal)) ?? (await sourceOnDisk(host, { logId, workingDir }, signal));
  return await answer(query, { host, logId, workingDir, source, redactor }, signal);
}

interface LogLocation {
  readonly logId: LogId;
  readonly workingDir: string;
}

async function sourceOnDisk(
  { world, paths, models, tree }: Pick<StoredQueryHost, "world" | "paths" | "models" | "tree">,
  { logId, workingDir }: LogLocation,
  signal: AbortSignal,
): Promise<ChangeSource> {
  const keys = { data: paths.data, log: logId, logKey: await models.logKey() };
  return await openStoredSource({ world, tree: await tree(), ...keys, workingDir }, signal);
}

interface Answering extends LogLocation {
  readonly host: Pick<StoredQueryHost, "store">;
  readonly source: ChangeSource;
  readonly redactor: SessionHost["redactor"];
}

async function answer(
  query: QueryOf<"GetChanges">,
  { host, logId, workingDir, source, redactor }: Answering,
  signal: AbortSignal,
): Promise<ResultOf<"GetChanges">> {
  const isHidden = (path: string) => mayHoldCredentials(resolve(workingDir, path));
  const redact = (text: string) => redactor.text(text);
  return await getChanges(query, { source, sessions: host.store, logId, redact, isHidden }, signal);
}
