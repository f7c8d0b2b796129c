import { HarnessError } from "../../../base/errors.ts";
import { isWithin } from "../../../base/files/below.ts";
import type { CallId, EventSeq, LogId } from "../../../base/ids.ts";
import { HUNK_CONTEXT_LINES } from "../../../protocol/queries/change-queries.ts";
import type { QueryOf, ResultOf } from "../../../protocol/queries/queries.ts";
import { isInRanges } from "../../../session/store/expired.ts";
import type { EventRange, SessionStore } from "../../../session/store/store.ts";
import type { StoredRecord } from "../store/checkpoint-store.ts";
import { displayPath } from "../tracking/paths.ts";
import type { ChangeSource } from "./change-source.ts";
import type { ChangedPath } from "./changed-paths.ts";
import { changesOfCall, changesOfSession, changesOfTurn } from "./changed-paths.ts";
import { composeChanges } from "./compose-changes.ts";
import { whyUnknown } from "./unrecorded.ts";

export interface ChangesContext {
  readonly source: ChangeSource;
  readonly sessions: Pick<SessionStore, "eventsBefore" | "expired" | "find">;
  readonly logId: LogId;
  readonly redact: (text: string) => string;
  /** True for a path whose content must not be shown. */
  readonly isHidden: (path: string) => boolean;
}

type Answer = ResultOf<"GetChanges">;

/**
 * Answers GetChanges from the records of a log (CTL-19, SES-15).
 *
 * @throws HarnessError UnknownResource; the signal's reason.
 */
export async function getChanges(
  { turn, callId, path, context = HUNK_CONTEXT_LINES }: QueryOf<"GetChanges">,
  { source, sessions, logId, redact, isHidden }: ChangesContext,
  signal: AbortSignal,
): Promise<Answer> {
  const turns = (await sessions.find(logId))?.turns ?? 0;
  if (turn !== undefined && turn > turns)
    throw new HarnessError("UnknownResource", { what: "turn", name: String(turn) });
  const expired = await sessions.expired(logId);
  const found =
    callId !== undefined
      ? ofCall(source, callId, expired)
      : turn !== undefined
        ? ofTurn(source.records, turn, expired)
        : ofSession(source.records, expired);
  const search = { sessions, logId, turn, callId, isRecorded: found.isRecorded };
  const hasRecords = source.records.length > 0;
  const missing = found.missing ?? (await whyUnknown({ ...search, hasRecords }));
  const loss = turn === undefined && callId === undefined ? source.loss : undefined;
  const reason = missing ?? loss ?? (found.isRecorded ? undefined : source.loss);
  const { files, leftOut } = await composeChanges(found.paths, {
    ...{ context, redact, isHidden, source, signal },
    isWanted: wanted(path),
  });
  const unlisted = leftOut + (found.leftOut ?? 0);
  const isWhole = files.every((file) => file.cut !== true && file.missing === undefined);
  return {
    files,
    complete: reason === undefined && unlisted === 0 && isWhole,
    ...(reason === undefined ? {} : { missing: reason }),
    ...(unlisted === 0 ? {} : { left_out: unlisted }),
  };
}

interface Found {
  readonly paths: readonly ChangedPath[];
  /** False if there is no record of what was asked for. */
  readonly isRecorded: boolean;
  readonly missing?: string;
  readonly leftOut?: number;
}

const EXPIRED = "its content has expired";
const NOTHING: Found = { paths: [], isRecorded: false };

function ofCall(
  { records, unwrittenCalls }: ChangeSource,
  id: CallId,
  expired: readonly EventRange[],
): Found {
  const unwritten = unwrittenCalls.find(({ call }) => call === id);
  const record = records.find(({ calls = [] }) => calls.some(({ call }) => call === id));
  const stored = unwritten ?? record?.calls?.find(({ call }) => call === id);
  if (stored === undefined) return NOTHING;
  if (unwritten === undefined && record !== undefined && isExpired(record, expired))
    return { ...NOTHING, missing: EXPIRED };
  return { paths: changesOfCall(stored), isRecorded: true, leftOut: stored.leftOut };
}

function ofTurn(records: readonly StoredRecord[], turn: number, expired: readonly EventRange[]): Found {
  const changes = changesOfTurn(records, turn);
  if (changes === undefined) return NOTHING;
  if (records.some((each) => each.turn === turn && isExpired(each, expired)))
    return { ...NOTHING, missing: EXPIRED };
  return {
    paths: changes.paths,
    isRecorded: true,
    ...(changes.isEnded ? {} : { missing: "the end of the turn was not recorded" }),
  };
}

function ofSession(records: readonly StoredRecord[], expired: readonly EventRange[]): Found {
  const paths = changesOfSession(records, (record) => !isExpired(record, expired));
  const isPartial = records.some((record) => isExpired(record, expired));
  return {
    paths,
    isRecorded: records.length > 0,
    ...(isPartial ? { missing: "the content of earlier turns has expired" } : {}),
  };
}

function isExpired({ at }: { readonly at: EventSeq }, expired: readonly EventRange[]): boolean {
  return isInRanges(at, expired);
}

function wanted(path: string | undefined): (path: string) => boolean {
  return path === undefined ? () => true : (each) => isWithin(path, displayPath(each));
}
