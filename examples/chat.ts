import { createInterface } from "node:readline";
import { CinchError, connect } from "../sdk/typescript/src/index.ts"; // in a project of yours: "cinch-client"

/**
 * A chat with an engine that runs elsewhere: `cinch serve --listen 127.0.0.1:8421`.
 *
 *     CINCH_URL=http://127.0.0.1:8421 CINCH_TOKEN=$(./cinch token --identity-class human) \
 *       sh scripts/bun.sh examples/chat.ts
 *
 * A line is a question; what asks for permission is answered with y or n. Ctrl-D leaves, and stops nothing.
 */
const { CINCH_URL: url = "http://127.0.0.1:8421", CINCH_TOKEN: token = "" } = process.env;
const typed = createInterface({ input: process.stdin });
const lines = typed[Symbol.asyncIterator]();

async function ask(question: string): Promise<string | undefined> {
  process.stdout.write(question);
  const { done, value } = await lines.next();
  return done === true ? undefined : value;
}

try {
  const client = await connect({ url, token });
  const session = await client.sessions.create();
  for (let input = await ask("> "); input !== undefined; input = await ask("> ")) {
    if (input.trim() === "") continue;
    for await (const { kind, payload } of session.streamTurn(input)) {
      switch (kind) {
        case "TextDelta":
          process.stdout.write(payload.text);
          break;
        case "ToolCallStarted":
          process.stdout.write(`\n[${payload.tool}]\n`);
          break;
        case "PermissionRequested": {
          const decision = (await ask(`\n${payload.summary}\nallow? [y/n] `)) === "y" ? "allow" : "deny";
          await session.answerPermission(payload.callId, decision);
          break;
        }
        case "TurnEnded":
          process.stdout.write(payload.reason === "complete" ? "\n" : `\n(${payload.reason})\n`);
          break;
        default:
          break; // there are more kinds, and there will be
      }
    }
  }
  await session.endSession();
  client.close();
} catch (error) {
  if (!(error instanceof CinchError)) throw error; // a mistake in this program: its place is worth seeing
  console.error(`chat: ${error.message} (${error.reason})`);
  process.exitCode = 1;
}
typed.close(); // else it would wait for more, also after a failure
