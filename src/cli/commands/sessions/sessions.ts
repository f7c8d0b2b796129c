import { unreachable } from "../../../base/assert.ts";
import type { ExitCode } from "../../../session/cli-command.ts";
import type { SessionsInvocation } from "../../args/arguments.ts";
import type { Stop } from "../../processes/stop.ts";
import { harnessOptions, surroundingsOf } from "../../surroundings.ts";
import type { SessionsDesk } from "./sessions-desk.ts";

/** `cinch sessions`: looks at what is stored and keeps it, without an engine (SES-06…10). */
export async function runSessions(words: SessionsInvocation, stop: Stop): Promise<ExitCode> {
  const at = surroundingsOf(words.settings, stop);
  const { openSessions } = await import("../../../app/sessions/sessions.ts");
  await using sessions = await openSessions(
    harnessOptions(words.settings, at, { attended: false }),
    at.stop.signal,
  );
  return await runVerb({ words, sessions, at, stop });
}

async function runVerb(desk: SessionsDesk): Promise<ExitCode> {
  const { verb } = desk.words;
  switch (verb) {
    case "list":
      return await (await import("./sessions-list.ts")).listSessions(desk);
    case "show":
      return await (await import("./sessions-show.ts")).showSession(desk);
    case "replay":
      return await (await import("./sessions-replay.ts")).replaySession(desk);
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
    default:
      return unreachable(verb);
  }
}
