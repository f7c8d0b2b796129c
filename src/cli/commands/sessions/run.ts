import { unreachable } from "../../../base/assert.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { harnessOptions } from "../../process-context.ts";
import type { SessionsDesk } from "./sessions-desk.ts";
import { sessionsWords } from "./sessions-words.ts";
import type { SessionsContext } from "./verbs.ts";

/** `cinch sessions`: looks at what is stored and keeps it, without an engine (SES-06…10). */
export async function run(context: SessionsContext): Promise<ExitCode> {
  const words = sessionsWords(context);
  if (context.verb === "resume") return await resume(context, words.target);
  const { at, stop } = context;
  const { openSessions } = await import("../../../app/sessions/sessions.ts");
  await using sessions = await openSessions(
    harnessOptions(words.settings, at, { attended: false }),
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

async function runVerb(desk: SessionsDesk): Promise<ExitCode> {
  const { verb } = desk.words;
  switch (verb) {
    case "list":
      return await (await import("./sessions-list.ts")).listSessions(desk);
    case "show":
      return await (await import("./sessions-show.ts")).showSession(desk);
    case "replay":
      return await (await import("./replay/sessions-replay.ts")).replaySession(desk);
    case "export":
      return await (await import("./sessions-transfer.ts")).exportSession(desk);
    case "import":
      return await (await import("./sessions-transfer.ts")).importSession(desk);
    case "branch":
      return await (await import("./sessions-keep.ts")).branchSession(desk);
    case "rewind":
      return await (await import("./sessions-rewind.ts")).rewindSession(desk);
    case "pin":
    case "unpin":
      return await (await import("./sessions-keep.ts")).pinSession(desk);
    case "delete":
      return await (await import("./sessions-keep.ts")).deleteSession(desk);
    case "expire":
      return await (await import("./sessions-keep.ts")).expireSessions(desk);
    case "dismiss":
      return await (await import("./sessions-keep.ts")).dismissBanner(desk);
    case "resume":
      throw new TypeError("resume opens no store");
    default:
      return unreachable(verb);
  }
}
