/**
 * Lives through a session of so many turns with real tools, as `npm test` does with a few of them
 * (`test/e2e/sessions.e2e.ts`); gives what was not as it has to be.
 */
export async function soakSession(turns: number): Promise<readonly string[]> {
  const startMs = performance.now();
  const child = Bun.spawn(["sh", "scripts/bun.sh", "test", "./test/e2e/sessions.e2e.ts"], {
    env: { ...process.env, CINCH_SESSION_TURNS: String(turns) },
    stdout: "inherit",
    stderr: "inherit",
  });
  const code = await child.exited;
  console.log(`${turns} turns with tools, ${((performance.now() - startMs) / 1_000).toFixed(1)} s`);
  return code === 0 ? [] : [`a session of ${turns} turns did not live as it has to`];
}
