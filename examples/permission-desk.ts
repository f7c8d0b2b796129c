import { createInterface } from "node:readline";
import { CinchError, connect } from "../sdk/typescript/src/index.ts"; // in a project of yours: "cinch-client"

/**
 * Two clients of one session: a program sends work, and a person answers what it asks for, in another place.
 *
 *     export CINCH_URL=http://127.0.0.1:8421
 *     CINCH_TOKEN=$(./cinch token --identity-class agent) sh scripts/bun.sh examples/permission-desk.ts send "PROMPT"
 *     CINCH_TOKEN=$(./cinch token --identity-class human) sh scripts/bun.sh examples/permission-desk.ts desk SESSION
 *
 * The first prints the session that the second is to attend. Prompts that were asked before the desk opened are
 * there too.
 */
const [role = "", argument = ""] = process.argv.slice(2);
const { CINCH_URL: url = "http://127.0.0.1:8421", CINCH_TOKEN: token = "" } = process.env;

async function send(prompt: string): Promise<void> {
  const client = await connect({ url, token, label: "sender" });
  const session = await client.sessions.create();
  console.log(session.id);
  const { text, reason, refused } = await session.runTurn(prompt);
  console.log(`${text}\n${reason}, ${refused} refused`);
  await session.endSession();
  client.close();
}

async function desk(id: string): Promise<void> {
  const client = await connect({ url, token, label: "desk" });
  const input = createInterface({ input: process.stdin }); // closed below: else it would wait for more
  const lines = input[Symbol.asyncIterator]();
  const session = client.session(id);
  for await (const { kind, payload } of session.events()) {
    if (kind === "PermissionAnswered") console.log(`${payload.decision}: counted ${payload.counted}`);
    if (kind !== "PermissionRequested") continue;
    process.stderr.write(`${payload.tool}: ${payload.summary}\nallow? [y/n] `);
    const { done, value } = await lines.next();
    if (done === true) break; // nobody is there any more; the question stays, for another desk
    await session.answerPermission(payload.callId, value === "y" ? "allow" : "deny");
  }
  input.close();
  client.close();
}

try {
  if (role === "send") await send(argument);
  else if (role === "desk") await desk(argument);
  else throw new CinchError("UsageInvalid", 'it takes send "PROMPT" or desk SESSION');
} catch (error) {
  if (!(error instanceof CinchError)) throw error; // a mistake in this program: its place is worth seeing
  console.error(`permission-desk: ${error.message} (${error.reason})`);
  process.exitCode = 1;
}
