import { periodicPause } from "../../base/async/periodic-pause.ts";
import { HarnessError } from "../../base/errors.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import { DEFAULT_PROFILE } from "../../config/profile-files.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { branchId, branchIds } from "../../session/history/branch-ids.ts";
import type { SessionWriter } from "../../session/store/store.ts";
import type { ReadExport } from "../../session/transcript/read-export.ts";
import { readExport } from "../../session/transcript/read-export.ts";
import { redactedEvents } from "../../session/transcript/redacted.ts";
import type { OpenSessions } from "./open-sessions.ts";

const EVENTS_PER_BATCH = 500;

export interface ImportOptions {
  /** Name of the file in messages. */
  readonly name: string;
  /** Returns its bytes from the beginning, at each call. */
  readonly read: () => AsyncIterable<Uint8Array>;
  readonly unverified: boolean;
  readonly signal: AbortSignal;
}

export interface ImportedSession {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly events: number;
  readonly missing: number;
  /** The log that was exported, if the file names it. */
  readonly from?: LogId;
  readonly problems: readonly string[];
}

/**
 * Creates a new log from an export (SES-10). It works in this directory, under new ids, so that it can exist beside the
 * exported log; known secrets in it are redacted once more.
 *
 * The file is read twice, and never held: first to check that it is whole, then to import it. A log that broke off
 * meanwhile is not listed, and maintenance removes it.
 * @throws HarnessError ExportInvalid, and then there is no new log.
 */
export async function importLog(sessions: OpenSessions, options: ImportOptions): Promise<ImportedSession> {
  const { store, world, holder, workingDir } = sessions;
  const { signal } = options;
  const breathe = periodicPause(world.clock, signal);
  const looked = await lookThrough(options, breathe);
  const [logId, run] = [world.ids.next("log"), world.ids.next("sess")];
  const { seal, last } = looked;
  const createdAt = new Date(world.clock.now()).toISOString();
  const origin = seal?.log ?? branchId("log", logId, logId);
  const target = {
    logId,
    session: run,
    workingDir,
    profile: sessions.config.defaultProfile ?? DEFAULT_PROFILE,
    model: seal?.model ?? "",
    createdAt,
    branchOf: { logId: origin, at: last + 1 },
  };
  await using undo = new AsyncDisposableStack();
  // An incomplete log is not listed either way; so its space is freed at once.
  undo.defer(() => store.delete(logId));
  await using writer = await store.create(target, holder);
  if ((await copy(writer, options, { secrets: sessions.secrets, breathe })) !== last) {
    const problem = "the file was changed while it was read";
    throw new HarnessError("ExportInvalid", { path: options.name, line: "1", problem });
  }
  const imported = {
    from: seal?.log ?? null,
    events: looked.events,
    missing: looked.missing,
    verified: looked.problems.length === 0,
  };
  const importEvent: Envelope = {
    id: last + 1,
    session: run,
    ts: createdAt,
    kind: "CustomEvent",
    payload: { namespace: "cinch", kind: "Imported", payload: imported },
  };
  signal.throwIfAborted();
  await writer.append({ events: [importEvent] }, "power");
  undo.move();
  return {
    session: run,
    logId,
    events: looked.events,
    missing: looked.missing,
    problems: looked.problems,
    ...(seal === undefined ? {} : { from: seal.log }),
  };
}

/** Reads all of the file and keeps nothing of it. */
async function lookThrough(
  { name, read, unverified }: ImportOptions,
  breathe: () => Promise<void>,
): Promise<ReadExport> {
  const events = readExport(read(), { name, unverified });
  let step = await events.next();
  while (step.done !== true) {
    await breathe();
    step = await events.next();
  }
  if (step.value.last === 0) {
    throw new HarnessError("ExportInvalid", { path: name, line: "1", problem: "there is no event in it" });
  }
  return step.value;
}

async function copy(
  writer: SessionWriter,
  { name, read, unverified }: ImportOptions,
  { secrets, breathe }: Pick<OpenSessions, "secrets"> & { readonly breathe: () => Promise<void> },
): Promise<number> {
  const ids = branchIds(writer.logId);
  let batch: Envelope[] = [];
  let last = 0;
  for await (const event of redactedEvents(readExport(read(), { name, unverified }), secrets)) {
    await breathe();
    batch.push(ids.event(event));
    last = event.id;
    if (batch.length < EVENTS_PER_BATCH) continue;
    await writer.append({ events: batch }, "process");
    batch = [];
  }
  await writer.append({ events: batch }, "process");
  return last;
}
