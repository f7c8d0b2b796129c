import { tableOfSessions } from "../../../app/sessions/table.ts";
import { usedSessions } from "../../../app/sessions/unused.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { lossText } from "../../../session/store/findings.ts";
import { sessionRow } from "../../../session/transcript/overview.ts";
import { COLUMNS } from "../../../view/terminal/table.ts";
import { jsonLine } from "../../../view/wire-json.ts";
import type { SessionsVerbContext } from "./sessions-verb-context.ts";

/** Runs `cinch sessions list`: prints the used sessions of this directory, or all, the newest first. */
export async function listSessions({ words, sessions, at }: SessionsVerbContext): Promise<ExitCode> {
  const { store, workingDir, world } = sessions;
  const { all, archived, limit, json } = words;
  const found = await usedSessions(store, {
    limit: limit + 1,
    archived: archived ? "with" : "without",
    ...(all ? {} : { workingDir }),
  });
  const shown = found.slice(0, limit);
  if (json) {
    await at.stdout.write(shown.map((info) => jsonLine(sessionRow(info))).join(""));
    return EXIT.done;
  }
  if (shown.length > 0) {
    const columns = at.stdout.columns ?? COLUMNS;
    const lines = await tableOfSessions(shown, { store, nowMs: world.clock.now(), columns, all });
    await at.stdout.write(lines.map((line) => `${line}\n`).join(""));
  } else {
    const elsewhere = all ? "" : "; cinch sessions list --all shows those of other directories";
    await at.stderr.write(`cinch: there are no sessions${all ? "" : " of this directory"}${elsewhere}\n`);
  }
  for (const loss of await store.losses("all")) await at.stderr.write(`cinch: ${lossText(loss)}\n`);
  if (found.length > limit) await at.stderr.write("cinch: there are more; --limit N shows them\n");
  return EXIT.done;
}
