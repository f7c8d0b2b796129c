import type { CommandKind } from "../../../src/protocol/commands/commands.ts";
import type { Fault } from "../server.ts";
import type { Broken } from "./faults.ts";
import { answerFault, commandFault, connectionFault, eachEvent, pathOf, withBody } from "./faults.ts";

/** Servers with a fault in lists of sessions, or in what people keep beside a session. */
export const BROKEN_SESSIONS: readonly Broken[] = [
  {
    scenario: "sessions-paged",
    how: "every page but the first lacks its first session",
    fault: () =>
      answerFault(
        ({ ok }, request) => ok && pathOf(request) === "/v1/sessions" && request.url.includes("before="),
        (answer) =>
          withBody(answer, (body: { readonly sessions: readonly object[] }) => ({
            ...body,
            sessions: body.sessions.slice(1),
          })),
      ),
  },
  { scenario: "session-archived", how: "nothing is archived", fault: () => ignoring("ArchiveSession") },
  {
    scenario: "session-renamed",
    how: "nobody is shown the new title",
    fault: () => eachEvent((event) => (event.kind === "SessionRenamed" ? undefined : event)),
  },
  {
    scenario: "search-titles",
    how: "titles are not searched",
    fault: () =>
      answerFault(
        ({ ok }, request) => ok && pathOf(request) === "/v1/search",
        (answer) =>
          withBody(answer, ({ titles: _, ...body }: { readonly titles?: readonly object[] }) => body),
      ),
  },
  {
    scenario: "news-reader",
    how: "news count for nobody's mark",
    fault: () =>
      connectionFault({
        async *news(items) {
          for await (const item of items) {
            const isForReader = item.kind === "SessionChanged" && item.info.unread !== undefined;
            yield isForReader ? { ...item, info: { ...item.info, unread: 0 } } : item;
          }
        },
      }),
  },
  {
    scenario: "attachment-edited",
    how: "an edit with an unknown file is accepted",
    fault: () =>
      commandFault(async (command, inner) => {
        if (command.kind !== "EditInput") return await inner.send(command);
        return await inner.send(command).catch(() => ({}));
      }),
  },
  {
    scenario: "effort-changed",
    how: "a new effort is shown to nobody",
    fault: () => eachEvent((event) => (event.kind === "ModelChanged" ? undefined : event)),
  },
  {
    scenario: "session-compacted",
    how: "CompactSession always says that it has shortened the history",
    fault: () =>
      commandFault(async (command, inner) => {
        const answer = await inner.send(command);
        return command.kind === "CompactSession" ? { ...answer, result: { compacted: true } } : answer;
      }),
  },
  {
    scenario: "session-branched",
    how: "a branch has all turns",
    fault: () =>
      commandFault(async (command, inner) => {
        if (command.kind !== "BranchSession" || command.turn === 99) return await inner.send(command);
        return await inner.send({ kind: "BranchSession", sessionId: command.sessionId });
      }),
  },
  {
    scenario: "session-exported",
    how: "a file that exists is reported as written",
    fault: () =>
      commandFault(async (command, inner) => {
        if (command.kind !== "ExportSession") return await inner.send(command);
        return await inner.send(command).catch(() => ({ result: { path: command.output ?? "" } }));
      }),
  },
  {
    scenario: "session-muted",
    how: "whatever is muted, it is accepted",
    fault: () => ignoring("MuteSession"),
  },
  {
    scenario: "auto-attach-answered",
    how: "an answer is accepted, whether or not it was asked for",
    fault: () => ignoring("AnswerAutoAttach"),
  },
  {
    scenario: "skills-reloaded",
    how: "the answer to ReloadSkills names no skills",
    fault: () => ignoring("ReloadSkills"),
  },
  {
    scenario: "plan-approved",
    how: "an answer is reported to nobody",
    fault: () => eachEvent((event) => (event.kind === "Answered" ? undefined : event)),
  },
  {
    scenario: "plan-refused",
    how: "words approve a plan",
    fault: () =>
      commandFault(async (command, inner) =>
        inner.send(command.kind === "Answer" ? { ...command, answer: "approve" } : command),
      ),
  },
  { scenario: "session-rewound", how: "nothing is taken back", fault: () => ignoring("RewindSession") },
  {
    scenario: "todos-changed",
    how: "a change of the todos has no items",
    fault: () =>
      eachEvent((event) => (event.kind === "TodoChanged" ? { ...event, payload: { items: [] } } : event)),
  },
  {
    scenario: "task-unknown",
    how: "a task that does not exist is stopped",
    fault: () => ignoring("StopTask"),
  },
  { scenario: "marks-read", how: "no mark is kept", fault: () => ignoring("MarkRead") },
  { scenario: "session-pinned", how: "nothing is pinned", fault: () => ignoring("PinSession") },
  { scenario: "draft-kept", how: "no draft is kept", fault: () => ignoring("SetDraft") },
  {
    scenario: "session-deleted",
    how: "a session that runs is ended, and deleted",
    fault: () =>
      commandFault(async (command, inner) => {
        if (command.kind === "DeleteSession")
          await inner.send({ kind: "EndSession", sessionId: command.sessionId }).catch(() => undefined);
        return await inner.send(command);
      }),
  },
];

/** Commands of a kind are accepted, and not carried out. */
function ignoring(kind: CommandKind): Fault {
  return commandFault(async (command, inner) => (command.kind === kind ? {} : await inner.send(command)));
}
