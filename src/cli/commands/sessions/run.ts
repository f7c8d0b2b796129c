import { unreachable } from "../../../base/assert.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { harnessOptions } from "../../process-context.ts";
import type { SessionsVerbContext } from "./sessions-verb-context.ts";
import { sessionsWords } from "./sessions-words.ts";
import type { SessionsContext } from "./verbs.ts";

/** Runs `cinch sessions`: shows and manages stored sessions, without an engine (SES-06…10). */
export async function run(context: SessionsContext): Promise<ExitCode> {
  const words = sessionsWords(context);
  if (context.verb === "resume") return await resume(context, words.target);
  const { at, stop } = context;
  const { openSessions } = await import("../../../app/sessions/open-sessions.ts");
  await using sessions = await openSessions(
    await harnessOptions(words.settings, at, { attended: false }),
    at.stop.signal,
  );
  return await runVerb({ words, sessions, at, stop });
}

/** Resumes a session in the line client. */
async function resume({ settings, flags, at }: SessionsContext, id: string): Promise<ExitCode> {
  const { runLine } = await import("../line/line.ts");
  const resumed = { ...settings, resume: { kind: "id", id } } as const;
  return await runLine({ settings: resumed, raw: false, listen: !flags["no-listen"] }, at);
}

async function runVerb(context: SessionsVerbContext): Promise<ExitCode> {
  const { verb } = context.words;
  switch (verb) {
    case "list":
      return await (await import("./sessions-list.ts")).listSessions(context);
    case "show":
      return await (await import("./sessions-show.ts")).showSession(context);
    case "replay":
      return await (await import("./replay/sessions-replay.ts")).replaySession(context);
    case "export":
      return await (await import("./sessions-transfer.ts")).exportSession(context);
    case "import":
      return await (await import("./sessions-transfer.ts")).importSession(context);
    case "branch":
      return await (await import("./sessions-keep.ts")).branchSession(context);
    case "rewind":
      return await (await import("./sessions-rewind.ts")).rewindSession(context);
    case "pin":
    case "unpin":
      return await (await import("./sessions-keep.ts")).pinSession(context);
    case "rename":
      return await (await import("./sessions-keep.ts")).renameStored(context);
    case "archive":
    case "unarchive":
      return await (await import("./sessions-keep.ts")).archiveStored(context);
    case "delete":
      return await (await import("./sessions-keep.ts")).deleteStored(context);
    case "expire":
      return await (await import("./sessions-keep.ts")).expireSessions(context);
    case "dismiss":
      return await (await import("./sessions-keep.ts")).dismissExpiryWarning(context);
    case "resume":
      throw new TypeError("resume opens no store");
    default:
      return unreachable(verb);
  }
}
