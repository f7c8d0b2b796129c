import { resolve } from "node:path";
import { exportedText } from "../../../app/sessions/export.ts";
import { findSession } from "../../../app/sessions/find.ts";
import { HarnessError } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../../view/wire-json.ts";
import { writeOutputFile } from "../../io/file-sink.ts";
import type { SessionsVerbContext } from "./sessions-verb-context.ts";

/**
 * Runs `cinch sessions export`: writes a session to standard output or a file, page by page, redacted once
 * more (SES-10).
 */
export async function exportSession({ words, sessions, at, stop }: SessionsVerbContext): Promise<ExitCode> {
  const info = await findSession(words.target, sessions.store, sessions.workingDir);
  const { format } = words;
  const text = exportedText(sessions, info, { format, signal: stop.signal });
  if (words.output === undefined || words.output === "-") {
    for await (const piece of text) await at.stdout.write(piece);
    return EXIT.done;
  }
  const path = resolve(words.output);
  await writeOutputFile(path, text, stop.signal);
  await at.stderr.write(`cinch: ${info.session} is written to ${neutraliseLine(path)}\n`);
  return EXIT.done;
}

/** Runs `cinch sessions import`: makes a new session in this directory from a JSONL export. */
export async function importSession({ words, sessions, at, stop }: SessionsVerbContext): Promise<ExitCode> {
  const path = resolve(words.target);
  const found = await at.world.files.stat(path);
  if (found === undefined) throw new HarnessError("PathMissing", { what: "The export", path });
  if (found.kind !== "file") {
    const problem = `${neutraliseLine(path)} is not a regular file; an import is read twice, so write it to a file first`;
    throw new HarnessError("UsageInvalid", { problem });
  }
  const { importLog } = await import("../../../app/sessions/import.ts");
  const read = () => Bun.file(path).stream();
  const imported = await importLog(sessions, {
    name: words.target,
    read,
    unverified: words.unverified,
    signal: stop.signal,
  });
  for (const problem of imported.problems) await at.stderr.write(`cinch: ${neutraliseLine(problem)}\n`);
  const { session, logId, events, missing } = imported;
  if (words.json) {
    await at.stdout.write(jsonLine({ session, log: logId, events, missing, from: imported.from ?? null }));
    return EXIT.done;
  }
  const lacking = missing === 0 ? "" : `, ${count(missing, "event")} missing`;
  await at.stderr.write(`cinch: imported ${count(events, "event")}${lacking}: cinch --resume ${session}\n`);
  await at.stdout.write(`${session}\n`);
  return EXIT.done;
}
