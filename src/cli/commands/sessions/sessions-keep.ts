import { branchAt } from "../../../app/sessions/branch.ts";
import { assertDeletable, deleteSession } from "../../../app/sessions/delete.ts";
import { dismissExpiring } from "../../../app/sessions/expiry-warning.ts";
import { findSession } from "../../../app/sessions/find.ts";
import { archiveSession, renameSession } from "../../../app/sessions/notes.ts";
import { expireAll, retentionOf } from "../../../app/sessions/retention/expire.ts";
import { count } from "../../../base/text/text.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import type { LeftWhy } from "../../../session/store/retention.ts";
import type { LogInfo } from "../../../session/store/store.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../../view/wire-json.ts";
import { askYes } from "../../io/terminal/yes-prompt.ts";
import type { SessionsVerbContext } from "./sessions-verb-context.ts";

/** Runs `cinch sessions branch`: prints the id of the new session. */
export async function branchSession(context: SessionsVerbContext): Promise<ExitCode> {
  const { words, sessions, at, stop } = context;
  const info = await findTarget(context);
  const branched = await branchAt(sessions, info, words.at, stop.signal);
  const { session, logId, at: event } = branched;
  if (words.json) {
    await at.stdout.write(jsonLine({ session, log: logId, branch_of: { log: info.logId, event } }));
    return EXIT.done;
  }
  await at.stderr.write(`cinch: a branch of ${info.session} at event ${event}: cinch --resume ${session}\n`);
  await at.stdout.write(`${session}\n`);
  return EXIT.done;
}

/** Runs `cinch sessions pin` and `unpin`, also for a session in use. */
export async function pinSession(context: SessionsVerbContext): Promise<ExitCode> {
  const { words, sessions } = context;
  const info = await findTarget(context);
  const pinned = words.verb === "pin";
  await sessions.store.pin(info.logId, pinned);
  return await report(context, info, { pinned }, pinned ? "is pinned" : "is no longer pinned");
}

/** Runs `cinch sessions rename`, also for a session in use. */
export async function renameStored(context: SessionsVerbContext): Promise<ExitCode> {
  const { words, sessions } = context;
  const info = await findTarget(context);
  const title = await renameSession({ ...sessions, redactor: sessions.secrets }, info, words.title);
  const text = title === "" ? "has its first title again" : `is now called: ${neutraliseLine(title)}`;
  return await report(context, info, { title: title === "" ? null : title }, text);
}

/** Runs `cinch sessions archive` and `unarchive`, also for a session in use. */
export async function archiveStored(context: SessionsVerbContext): Promise<ExitCode> {
  const { words, sessions } = context;
  const info = await findTarget(context);
  const archived = words.verb === "archive";
  await archiveSession(sessions, info, archived);
  return await report(context, info, { archived }, archived ? "is archived" : "is no longer archived");
}

/** Runs `cinch sessions delete`: asks a person, since it is final. Checkpoints of the log are deleted, too. */
export async function deleteStored(context: SessionsVerbContext): Promise<ExitCode> {
  const { words, sessions, at, stop } = context;
  const info = await findTarget(context);
  assertDeletable(info);
  const what = `${info.session} (${count(info.turns, "turn")}, ${info.workingDir})`;
  if (!words.yes && !(await askYes(`Delete ${what} for good?`, { at, signal: stop.signal }))) {
    await at.stderr.write("cinch: nothing was deleted\n");
    return EXIT.cancelled;
  }
  await deleteSession(sessions, info);
  return await report(context, info, { deleted: true }, "is deleted");
}

async function findTarget({ words, sessions }: SessionsVerbContext): Promise<LogInfo> {
  return await findSession(words.target, sessions.store, sessions.workingDir);
}

async function report(
  { words, at }: SessionsVerbContext,
  { session, logId }: LogInfo,
  facts: Readonly<Record<string, boolean | string | null>>,
  text: string,
): Promise<ExitCode> {
  if (words.json) await at.stdout.write(jsonLine({ session, log: logId, ...facts }));
  else await at.stderr.write(`cinch: ${session} ${text}\n`);
  return EXIT.done;
}

/** Runs `cinch sessions expire`: lists sessions that would lose their content; with --yes, removes the content. */
export async function expireSessions({ words, sessions, at, stop }: SessionsVerbContext): Promise<ExitCode> {
  const { olderThanDays, yes, json } = words;
  const plan = await retentionOf(sessions, olderThanDays);
  const expired = yes
    ? await expireAll(sessions, plan, stop.signal)
    : plan.expire.map(({ log }) => ({ log, events: undefined }));
  if (json) {
    const rows = expired.map(({ log, events }) => ({
      session: log.session,
      log: log.logId,
      expired: yes,
      events: events ?? null,
    }));
    await at.stdout.write(rows.map((row) => jsonLine(row)).join(""));
    return EXIT.done;
  }
  for (const { log, events } of expired) {
    const what = yes
      ? `has lost the content of ${count(events ?? 0, "event")}`
      : "would lose its old content";
    await at.stdout.write(`${log.session} ${what}\n`);
  }
  for (const { log, why } of plan.left)
    await at.stderr.write(`cinch: ${log.session} keeps all of it: ${LEFT[why]}\n`);
  if (expired.length === 0) await at.stderr.write("cinch: nothing is old enough\n");
  else if (!yes) await at.stderr.write("cinch: nothing was changed; --yes does it, and cannot be undone\n");
  return EXIT.done;
}

const LEFT: Readonly<Record<LeftWhy, string>> = {
  pinned: "it is pinned",
  held: "it is open in another process",
  future: "it bears a date in the future; set the clock right",
  clock:
    "nothing was written for two months, so the clock may be wrong; --older-than DAYS does it all the same",
  "profile unknown":
    "its profile cannot be read, so how long to keep it is not known; cinch doctor names the place",
};

/** Runs `cinch sessions dismiss`: hides the warning about the sessions that expire now. */
export async function dismissExpiryWarning({ sessions, at }: SessionsVerbContext): Promise<ExitCode> {
  const plan = await retentionOf(sessions);
  await dismissExpiring(sessions, plan);
  await at.stderr.write(`cinch: dismissed for ${count(plan.soon.length, "session")}\n`);
  return EXIT.done;
}
