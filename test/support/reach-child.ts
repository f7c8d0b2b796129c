import { parseArguments } from "../../src/cli/args/arguments.ts";
import { COMMANDS } from "../../src/cli/commands/commands.ts";
import { processContext } from "../../src/cli/process-context.ts";
import { listenForSignals } from "../../src/cli/processes/stop.ts";
import { sessionRequest } from "../../src/cli/session-request.ts";
import { reachEngine } from "../../src/cli/shared-engine/reach-engine.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { reading } from "./reading.ts";

/**
 * A client that reaches the engine of its user, begins a session, says in one line of JSON which engine that is, and
 * goes on until its standard input is closed.
 */
const line = parseArguments(process.argv.slice(2), COMMANDS);
if (line.kind !== "command" || line.command.name !== "")
  throw new TypeError("it takes the flags of the line client");
const stop = listenForSignals();
const { settings } = line;
const at = processContext(settings, stop);
await using reached = await reachEngine({ settings, at, listen: true, signal: stop.signal });
const { port } = reached;
await using connection = port.attach({ identityClass: "human", label: "test" });
await connection.handshake(PROTOCOL_VERSION);
const { sessionId } = await connection.send(await sessionRequest({ settings, at }));
const { pid } = await reading(port).runtime();
console.log(JSON.stringify({ pid, sessionId, client: connection.clientId, owned: reached.owned }));
await Bun.stdin.text();
process.exit(0);
