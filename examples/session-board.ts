import { CinchError, connect } from "../sdk/typescript/src/index.ts"; // in a project of yours: "cinch-client"

/**
 * A board of all sessions of an engine: one line for each, and one for whatever changes, until you end it.
 *
 *     export CINCH_URL=http://127.0.0.1:8421 CINCH_TOKEN=$(./cinch token --identity-class human)
 *     sh scripts/bun.sh examples/session-board.ts [past]
 *
 * With `past`, stored sessions are there too. `?` marks one that waits for an answer.
 * A turn is unread until a client marks it read for the reader `board`.
 */
const { CINCH_URL: url = "http://127.0.0.1:8421", CINCH_TOKEN: token = "" } = process.env;
const past = process.argv[2] === "past";

try {
  const client = await connect({ url, token });
  for await (const item of client.news({ past, reader: "board" })) {
    if (item.kind === "NewsReady") console.log("that is all; now what changes");
    if (item.kind === "SessionGone") console.log(`gone ${item.session}`);
    if (item.kind !== "SessionChanged") continue;
    const { session, live, state, turns, unread, cost_usd, title } = item.info;
    const mark = state === "waiting" ? "?" : " ";
    const cost = typeof cost_usd === "number" ? `$${cost_usd.toFixed(2)}` : "unknown cost";
    // A title is what somebody typed: as JSON it cannot move the cursor.
    console.log(
      `${mark} ${session} ${live ? state : "kept"} ${unread}/${turns} unread, ${cost}: ${JSON.stringify(title)}`,
    );
  }
} catch (error) {
  if (!(error instanceof CinchError)) throw error; // a mistake in this program: its place is worth seeing
  console.error(`session-board: ${error.message} (${error.reason})`);
  process.exitCode = 1;
}
