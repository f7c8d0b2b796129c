import { apiProvider, createEngine, HarnessError, sqliteStore } from "cinch/engine";

/**
 * A session that outlives its process: it is kept in a file, and each start goes on with it.
 *
 *     ANTHROPIC_API_KEY=... sh scripts/bun.sh examples/engine-resume.ts /tmp/desk/sessions.db "Remember the number 7."
 *     ANTHROPIC_API_KEY=... sh scripts/bun.sh examples/engine-resume.ts /tmp/desk/sessions.db "Which number was it?"
 *
 * A third argument is the address of another server that speaks the Anthropic Messages API.
 */
const [path = "", prompt = "Hello.", baseUrl] = process.argv.slice(2);

try {
  if (path === "")
    throw new HarnessError("UsageInvalid", { problem: "it takes PATH_OF_STORE [PROMPT] [URL]" });
  await using store = await sqliteStore({ path });
  await using engine = await createEngine({
    store,
    model: "claude-haiku-4-5",
    provider: apiProvider({
      apiKey: process.env["ANTHROPIC_API_KEY"] ?? "",
      ...(baseUrl === undefined ? {} : { baseUrl }),
    }),
    limits: { costUsd: 0.5, timeMs: 120_000 },
  });
  const [newest] = await store.list({ limit: 1 });
  await using session =
    newest === undefined ? await engine.createSession() : await engine.resumeSession(newest.logId);

  const stop = new AbortController();
  const printing = (async () => {
    // Only what comes from now on: a reader that has seen more begins after the id of its last event.
    const since = newest?.lastEvent ?? 0;
    for await (const { kind, payload } of session.events({ since, signal: stop.signal }))
      if (kind === "TextDelta") process.stdout.write(payload.text);
  })();
  const { reason, usage } = await session.prompt(prompt);
  stop.abort();
  await printing;
  console.error(`\n${reason}, ${usage.costUsd} US dollars, ${session.logId}`);
} catch (error) {
  if (!(error instanceof HarnessError)) throw error; // a mistake in this program: its place is worth seeing
  console.error(`engine-resume: ${error.message} (${error.reason})`);
  process.exitCode = 1;
}
