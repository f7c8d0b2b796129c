import { resolve } from "node:path";
import { unreachable } from "../base/assert.ts";
import { HarnessError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { neutraliseLine } from "../client/kit/terminal-text.ts";
import { jsonLine } from "../client/kit/wire-json.ts";
import { findSession } from "../harness/sessions-find.ts";
import { eventsOf } from "../harness/sessions-read.ts";
import type { LogInfo } from "../session/store.ts";
import { exportJsonl } from "../session/transcript/jsonl.ts";
import { renderMarkdown } from "../session/transcript/markdown.ts";
import { redactedEvents } from "../session/transcript/redacted.ts";
import type { ExitCode } from "./exit-codes.ts";
import { EXIT } from "./exit-codes.ts";
import { writeNewFile } from "./file-sink.ts";
import type { SessionsDesk } from "./sessions-desk.ts";

/** What is written in one go, in UTF-16 units. */
const WRITE_UNITS = 65_536;

/** `cinch sessions export`: writes a session to standard output or a file, page by page, redacted once more (SES-10). */
export async function exportSession(desk: SessionsDesk): Promise<ExitCode> {
  const { words, sessions, at, stop } = desk;
  const info = await findSession(words.target, sessions.store, sessions.workingDir);
  const text = gathered(exported(desk, info));
  if (words.output === undefined || words.output === "-") {
    for await (const piece of text) await at.stdout.write(piece);
    return EXIT.done;
  }
  const path = resolve(words.output);
  await writeNewFile(path, text, stop.signal);
  await at.stderr.write(`cinch: ${info.session} is written to ${neutraliseLine(path)}\n`);
  return EXIT.done;
}

function exported({ words, sessions, stop }: SessionsDesk, info: LogInfo): AsyncGenerator<string> {
  const { store, secrets } = sessions;
  const events = redactedEvents(eventsOf(store, info, { signal: stop.signal }), secrets);
  const { format } = words;
  switch (format) {
    case "jsonl":
      return exportJsonl(info, events);
    case "markdown":
      return renderMarkdown({ ...info, title: secrets.text(info.title) }, events);
    default:
      return unreachable(format);
  }
}

/** Fewer and longer pieces. */
async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length < WRITE_UNITS) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

/** `cinch sessions import`: a new session, in this directory, of a JSONL export. */
export async function importSession({ words, sessions, at, stop }: SessionsDesk): Promise<ExitCode> {
  const path = resolve(words.target);
  if (!(await Bun.file(path).exists())) throw new HarnessError("PathMissing", { what: "The export", path });
  const { importLog } = await import("../harness/sessions-import.ts");
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
  await at.stderr.write(`cinch: imported ${count(events, "event")}${lacking}\n`);
  await at.stdout.write(`${session}\n`);
  return EXIT.done;
}
