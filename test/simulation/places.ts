import { isDeepStrictEqual } from "node:util";
import type { EventSeq, LogId } from "../../src/base/ids.ts";
import type { Message } from "../../src/protocol/message.ts";
import { validHistory } from "../../src/session/history/valid-history.ts";
import type { SessionStore, StoredMessage } from "../../src/session/store/store.ts";
import { checkValid } from "../support/valid-history.ts";

/** A branch that was acknowledged. */
export interface Branched {
  readonly source: LogId;
  readonly log: LogId;
  readonly at: EventSeq;
}

const EVENTS_MAX = 1_000_000;

/** A branch is the beginning of its log, event by event and message by message, under ids of its own (SES-08). */
export async function checkBranch(
  store: SessionStore,
  { source, log, at }: Branched,
): Promise<readonly string[]> {
  const info = await store.find(log);
  if (info === undefined) return [`the branch ${log} was acknowledged and is lost`];
  const kinds = async (id: LogId) =>
    (await store.markedEvents(id, 0, EVENTS_MAX)).flatMap(({ id: event, kind }) =>
      event <= at ? [kind] : [],
    );
  const said = async (id: LogId) => (await store.messagesAt(id, at)).map(plain);
  const problems = [
    ...(info.lastEvent === at ? [] : [`the branch ${log} has ${info.lastEvent} events and not ${at}`]),
    ...(info.branchOf?.logId === source ? [] : [`the branch ${log} does not know what it is one of`]),
    ...checkValid(validHistory((await store.messages(log)).map(({ message }) => message))),
  ];
  if (!isDeepStrictEqual(await kinds(log), await kinds(source)))
    problems.push(`the branch ${log} has other events than its log had up to ${at}`);
  if (!isDeepStrictEqual(await said(log), await said(source)))
    problems.push(`the branch ${log} has another history than its log had at ${at}`);
  return problems;
}

/** Right after a conversation was set back, it is what it was at that place, and nothing more (SES-15). */
export async function checkRewound(
  store: SessionStore,
  log: LogId,
  { to, isStart }: { readonly to: EventSeq; readonly isStart: boolean },
): Promise<readonly string[]> {
  const place = isStart ? to - 1 : to;
  const then = to === 0 || place === 0 ? [] : await store.messagesAt(log, place);
  const expected = validHistory(then.map(({ message }) => message));
  const now = (await store.messages(log)).map(({ message }) => message);
  const isSame =
    expected.length === 0 ? isBeginning(now[0]) : isDeepStrictEqual(now.slice(0, expected.length), expected);
  return isSame ? [] : [`set back to ${to}, the conversation is not what it was there`];
}

function isBeginning(message: Message | undefined): boolean {
  return JSON.stringify(message?.content ?? []).includes("set back to its beginning");
}

/** Without ids: a branch has its own. */
function plain({ message: { role, content }, boundary }: StoredMessage): unknown {
  const blocks = content.map((block) => {
    if (block.type === "tool_use") return [block.type, block.name, block.input];
    return block.type === "tool_result" ? [block.type, block.content] : block;
  });
  return [role, boundary === true, blocks];
}
