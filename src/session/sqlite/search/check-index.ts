import { HarnessError } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import { indexFinding } from "../../store/findings.ts";
import { SealBroken } from "../../store/seal.ts";
import type { StoreFinding } from "../../store/store.ts";
import type { StoreConnection } from "../connection.ts";
import { detailOf } from "../failure.ts";
import type { DataKeys } from "../keys/data-keys.ts";
import { openFilter, segmentsOf } from "./segments.ts";

/** Opens every part of the search index of a log. */
export function* checkIndex(
  connection: StoreConnection,
  keys: DataKeys,
  { log, logId }: { readonly log: number; readonly logId: LogId },
): Generator<StoreFinding> {
  let damaged = 0;
  try {
    for (const segment of segmentsOf(connection, log)) {
      try {
        openFilter(keys, logId, segment);
      } catch (thrown) {
        if (!(thrown instanceof SealBroken)) throw thrown;
        damaged += 1;
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    yield indexFinding(logId, `The search index of ${logId} cannot be read: ${detailOf(thrown)}.`);
  }
  if (damaged > 0)
    yield indexFinding(logId, `${damaged} parts of the search index of ${logId} cannot be opened.`);
}
