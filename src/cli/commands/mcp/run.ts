import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { deadline } from "../../../base/async/deadline.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { makeUndumpable } from "../../../platform/processes/undumpable.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { ParentQuestion } from "../../../server/auth/owner/attestation.ts";
import type { AttestedParent } from "../../../server/auth/owner/parent-list.ts";
import type { TokenFile } from "../../../server/auth/tokens/token-file.ts";
import type { AdmittedClient } from "../../../server/mcp/stdio/stdio.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import type { EnginePort } from "../../../session/engine-port.ts";
import { programText } from "../../../view/notes/auto-attach-text.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { askAtTerminal } from "../../io/terminal/controlling-terminal.ts";
import type { ProcessContext } from "../../process-context.ts";
import type { Stop } from "../../processes/stop.ts";
import { VERSION } from "../../version.ts";
import type { McpContext } from "./flags.ts";

/** Time limit for a person to answer whether the parent program may use cinch. */
const ATTEST_MS_MAX = 300_000;

/**
 * Runs `cinch mcp`: serves the engine over MCP to the program that started it, over standard input and output
 * (CTL-08). It ends when that program closes its end.
 *
 * The program needs a token and a person's approval (AUTH-09). A refusal is reported over MCP, where its user sees
 * it, and on standard error.
 */
export async function run(context: McpContext): Promise<ExitCode> {
  makeUndumpable(); // its environment has the token, and its memory
  const { at, stop } = context;
  const { signal } = stop;
  await using undo = new AsyncDisposableStack();
  const { serveMcpStdio } = await import("../../../server/mcp/stdio/stdio.ts");
  const end = await serveMcpStdio({
    input: Bun.stdin.stream(),
    write: (text) => at.stdout.write(text),
    world: at.world,
    version: VERSION,
    admit: (disconnected) =>
      admit(context, { at, stop, disconnected: AbortSignal.any([disconnected, signal]), undo }),
    signal,
  });
  if (end.kind === "refused") throw end.thrown;
  return signal.aborted ? EXIT.cancelled : EXIT.done;
}

interface Admission {
  readonly at: ProcessContext;
  readonly stop: Stop;
  /** Aborts when nothing waits for the answer. */
  readonly disconnected: AbortSignal;
  /** Disposes resources that admission opens. */
  readonly undo: AsyncDisposableStack;
}

/** Checks the token, which is cheap; then asks the person; opens the engine last. */
async function admit({ flags, settings }: McpContext, admission: Admission): Promise<AdmittedClient> {
  const { at, stop, disconnected, undo } = admission;
  const { world, paths } = at;
  const token = await givenToken(flags["auth-token-file"], stop);
  const { openAuthority } = await import("../../../server/auth/open-authority.ts");
  const authority = undo.use(
    await openAuthority({ world, stateDirectory: paths.state, channels: () => [], files: token.files }),
  );
  if (token.text === undefined || token.text === "") throw new HarnessError("TokenMissing", {});
  const grant = await authority.verify(token.text, "stdio");
  const [{ attestParent }, { PARENTS_FILE }] = await Promise.all([
    import("../../../server/auth/owner/attestation.ts"),
    import("../../../server/auth/owner/parent-list.ts"),
  ]);
  const parent = await attestParent({
    world,
    parentPid: parentPid(stop),
    lockPath: join(paths.config, PARENTS_FILE),
    ask: (question, until) => askPerson(question, at, until),
    signal: disconnected,
  });
  const { sessions } = grant.scope;
  const { reachEngine } = await import("../../shared-engine/reach-engine.ts");
  const reached = undo.use(
    await reachEngine({ settings, at, listen: !flags["no-listen"], signal: stop.signal }),
  );
  const { profile, model } = settings;
  const command = attachCommand(parent);
  const onSession = async (sessionId: SessionId) => {
    if (command === undefined) return;
    try {
      await sendAsPerson(reached.port, command(sessionId));
    } catch (thrown) {
      const problem = messageOf(thrown);
      world.log.for("cli").write("warn", "its requests are shown nevertheless", { problem });
    }
  };
  return {
    engine: reached.port,
    authority,
    token: token.text,
    ...(sessions === "all" || sessions[0] === undefined ? {} : { session: sessions[0] }),
    fresh: { profile, model, workingDir: at.workingDir },
    onSession,
  };
}

/**
 * Returns the command about each session of a program: to mute it, or to ask people about it while they have not
 * decided (CTL-12). Undefined: its sessions are auto-attached.
 */
function attachCommand({ autoAttach, ...parent }: AttestedParent) {
  if (autoAttach === true) return undefined;
  if (autoAttach === false) return (sessionId: SessionId) => ({ kind: "MuteSession", sessionId }) as const;
  return (sessionId: SessionId) => ({ kind: "AskAutoAttach", sessionId, parent }) as const;
}

/** Sends a command in the person's name, since they allowed the program at their terminal: an agent may not. */
async function sendAsPerson(port: EnginePort, command: Command): Promise<void> {
  await using person = port.attach({ identityClass: "human", label: "cinch mcp" });
  await person.handshake(PROTOCOL_VERSION);
  await person.send(command);
}

interface GivenToken {
  readonly text: string | undefined;
  readonly files: readonly TokenFile[];
}

/** Reads the token from a file or the environment: every user of this machine could read an argument. */
async function givenToken(tokenFile: string | undefined, stop: Stop): Promise<GivenToken> {
  if (tokenFile !== undefined) {
    const { readTokenFile } = await import("../../../server/auth/tokens/token-file.ts");
    const file = await readTokenFile(resolve(tokenFile));
    return { text: file.token, files: [file] };
  }
  const text = process.env["CINCH_TOKEN"] ?? (await stop.token);
  delete process.env["CINCH_TOKEN"];
  return { text, files: [] };
}

/** Returns the id of the process that started cinch; with a key broker in between, that of its parent. */
function parentPid(stop: Stop): number {
  if (stop.helper === undefined) return process.ppid;
  const stat = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
  const [, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(ppid);
}

/** Asks on the controlling terminal; without one the answer is no. */
async function askPerson(
  { parent, verdict }: ParentQuestion,
  at: ProcessContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { argv0 } = parent;
  const program = programText(parent);
  const changed =
    verdict.kind === "changed"
      ? "It is not the program that you allowed before: it has changed since.\n"
      : "";
  using limit = deadline(at.world.clock, ATTEST_MS_MAX, signal);
  try {
    const { clock } = at.world;
    const answer = await askAtTerminal({
      question: `\ncinch: ${program} (as ${neutraliseLine(argv0)}) has started cinch as an MCP server.\n${changed}It could run an agent here that has shell access. Allow this program, now and from now on? `,
      prompt: "[y/N] ",
      clock,
      signal: limit.signal,
    });
    return /^\s*y(?:es)?\s*$/i.test(answer ?? "");
  } catch (thrown) {
    if (limit.reached) return false;
    throw thrown;
  }
}
