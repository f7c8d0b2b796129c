import { HarnessError, hasReason, messageOf, stackOf } from "../base/errors.ts";
import { hostClock } from "../platform/clock.ts";
import type { ExitCode } from "../session/cli-command.ts";
import { EXIT } from "../session/cli-command.ts";
import { neutralise } from "../view/terminal/terminal-text.ts";
import { refusalText } from "../view/texts/refusal-text.ts";
import type { Invocation } from "./args/arguments.ts";
import { parseArguments } from "./args/arguments.ts";
import { runsTasks } from "./commands/tasks-words.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { Output } from "./io/output.ts";
import { OutputClosed, standardError, standardOutput } from "./io/output.ts";
import { ENGINE_WORD } from "./processes/internal.ts";
import { sweepLater } from "./processes/leftovers.ts";
import type { Stop } from "./processes/stop.ts";
import { listenForSignals } from "./processes/stop.ts";

/**
 * Carries out one command line and ends the process with its exit code, whatever happens (REL-01).
 *
 * The process is ended by hand once everything is written: an open standard input, or a timer of a library, must not
 * hold it (R33).
 */
export async function run(argv: readonly string[]): Promise<never> {
  const stderr = standardError();
  const stop = listenForSignals();
  endOnBugs(stderr);
  const leftovers = sweepLater(hostClock, process.env);
  let code: ExitCode;
  try {
    code = await start(argv, stop, stderr);
  } catch (thrown) {
    code = thrown instanceof OutputClosed ? EXIT.cancelled : exitCodeOf(thrown);
    if (code !== EXIT.cancelled) await stderr.write(errorLine(thrown));
  }
  await leftovers.sweep();
  process.exit(code);
}

/** Where there are secrets, this process keeps them, and starts another one that has none to run the engine. */
async function start(argv: readonly string[], stop: Stop, stderr: Output): Promise<ExitCode> {
  if (argv[0] === ENGINE_WORD) {
    const { openKeeperLink } = await import("./processes/keeper-link.ts");
    const link = await openKeeperLink(argv[1] ?? "", stop);
    return await carryOut(parseArguments(argv.slice(2)), { ...stop, ...link }, stderr);
  }
  const invocation = parseArguments(argv);
  if (hasEngine(invocation)) {
    const { findSecrets } = await import("./secrets.ts");
    const secrets = await findSecrets(process.env, invocation.settings);
    if (secrets !== undefined && (await isClient(invocation))) {
      const { makeUndumpable } = await import("../platform/processes/undumpable.ts");
      makeUndumpable(); // it has the keys, and gives them to the engine that it may have to start
    } else if (secrets !== undefined) {
      const { runKeeper } = await import("./processes/keeper.ts");
      const token = invocation.kind === "mcp" ? (secrets.variables["CINCH_TOKEN"] ?? "") : undefined;
      try {
        return await runKeeper(argv, invocation.settings, secrets, token);
      } catch (thrown) {
        if (invocation.kind === "print" && invocation.format === "json") {
          const { failureJson } = await import("./commands/prompt/prompt-output.ts");
          await standardOutput().write(failureJson(thrown));
        }
        throw thrown;
      }
    }
  }
  return await carryOut(invocation, stop, stderr);
}

type WithEngine = Extract<
  Invocation,
  {
    readonly kind:
      | "models"
      | "tasks"
      | "show-dump"
      | "demo"
      | "sessions"
      | "doctor"
      | "serve"
      | "acp"
      | "mcp"
      | "print"
      | "line";
  }
>;

function hasEngine(invocation: Invocation): invocation is WithEngine {
  if (invocation.kind === "tasks") return runsTasks(invocation);
  return [
    "models",
    "show-dump",
    "demo",
    "sessions",
    "doctor",
    "serve",
    "acp",
    "mcp",
    "print",
    "line",
  ].includes(invocation.kind);
}

/** Whether it works with an engine that is a process of its own: it keeps its keys until it has started one. */
async function isClient(invocation: WithEngine): Promise<boolean> {
  if (invocation.kind !== "line" && !("listen" in invocation && typeof invocation.listen === "boolean"))
    return false;
  const { lineShares, sharesEngine } = await import("./engine/sharing.ts");
  return invocation.kind === "line" ? lineShares(invocation) : sharesEngine(invocation);
}

async function carryOut(invocation: Invocation, stop: Stop, stderr: Output): Promise<ExitCode> {
  switch (invocation.kind) {
    case "licenses": {
      const { licenseTexts } = await import("../platform/license-texts.ts");
      await standardOutput().write(await licenseTexts());
      return EXIT.done;
    }
    case "version": {
      const { VERSION } = await import("./version.ts");
      await standardOutput().write(`cinch ${VERSION}\n`);
      return EXIT.done;
    }
    case "help": {
      const { helpText } = await import("./args/help.ts");
      await standardOutput().write(helpText(invocation.about));
      return EXIT.done;
    }
    case "usage": {
      const problem = new HarnessError("UsageInvalid", { problem: invocation.problem });
      if (invocation.format === "json") {
        const { failureJson } = await import("./commands/prompt/prompt-output.ts");
        await standardOutput().write(failureJson(problem));
      }
      await stderr.write(errorLine(problem));
      return EXIT.usage;
    }
    case "models": {
      const { runModels } = await import("./commands/models.ts");
      return await runModels(invocation, stop);
    }
    case "show-dump": {
      const { runShowDump } = await import("./commands/doctor/show-dump.ts");
      return await runShowDump(invocation, stop);
    }
    case "ack": {
      const { runAck } = await import("./commands/trust/ack.ts");
      return await runAck(invocation, stop);
    }
    case "verify-ack": {
      const { runVerifyAck } = await import("./commands/trust/verify-ack.ts");
      return await runVerifyAck(invocation, stop);
    }
    case "creds": {
      const { runCreds } = await import("./commands/creds/creds.ts");
      return await runCreds(invocation, stop);
    }
    case "permissions": {
      const { runPermissions } = await import("./commands/permissions.ts");
      return await runPermissions(invocation, stop);
    }
    case "demo": {
      const { runDemo } = await import("./commands/demo/demo.ts");
      return await runDemo(invocation, stop);
    }
    case "sessions": {
      const { runSessions } = await import("./commands/sessions/sessions.ts");
      return await runSessions(invocation, stop);
    }
    case "skills": {
      const { runSkills } = await import("./commands/skills.ts");
      return await runSkills(invocation, stop);
    }
    case "profile": {
      const { runProfile } = await import("./commands/profile.ts");
      return await runProfile(invocation, stop);
    }
    case "agents": {
      const { runAgents } = await import("./commands/agents.ts");
      return await runAgents(invocation, stop);
    }
    case "plugins": {
      const { runPlugins } = await import("./commands/plugins.ts");
      return await runPlugins(invocation, stop);
    }
    case "command": {
      const { contextOf } = await import("./context.ts");
      const { run: runCommand } = await invocation.command.load();
      return await runCommand(contextOf(invocation, stop));
    }
    case "tasks": {
      const { runTasks } = await import("./commands/tasks.ts");
      return await runTasks(invocation, stop);
    }
    case "doctor": {
      const { runDoctor } = await import("./commands/doctor/doctor.ts");
      return await runDoctor(invocation, stop);
    }
    case "serve": {
      const { runServe } = await import("./commands/serve.ts");
      return await runServe(invocation, stop);
    }
    case "acp": {
      const { runAcp } = await import("./commands/acp.ts");
      return await runAcp(invocation, stop);
    }
    case "mcp": {
      const { runMcp } = await import("./commands/mcp.ts");
      return await runMcp(invocation, stop);
    }
    case "token-revoke": {
      const { runTokenRevoke } = await import("./commands/tokens/token-revoke.ts");
      return await runTokenRevoke(invocation, stop);
    }
    case "token": {
      const { runToken } = await import("./commands/tokens/token.ts");
      return await runToken(invocation, stop);
    }
    case "conformance": {
      const { runConformance } = await import("./commands/conformance/conformance.ts");
      return await runConformance(invocation.words, stop);
    }
    case "print": {
      const { runPrompt } = await import("./commands/prompt/prompt.ts");
      return await runPrompt(invocation, stop);
    }
    case "line": {
      const { runLine } = await import("./commands/line/line.ts");
      return await runLine(invocation, stop);
    }
  }
}

/** What went wrong, for a person, with the reason that programs go by. */
export function errorLine(thrown: unknown): string {
  const line =
    thrown instanceof HarnessError
      ? `cinch: ${refusalText(thrown)} (${thrown.reason})\n`
      : `cinch: ${neutralise(messageOf(thrown))}\n`;
  return hasReason(thrown, "NonInteractiveAckRefused") ? line + ACK_HINT : line;
}

const ACK_HINT =
  "cinch: cinch ack shows each file of the project and each plugin at a terminal, and asks; with --all it also trusts the files of your own configuration folder and ~/.agents. To start without the project's files: --without-project. To start without a plugin: remove it from plugins in your configuration.\n";

/** A promise that nobody owned, or an exception nobody caught, is a bug: it is told, and ends the process (P11). */
function endOnBugs(stderr: Output): void {
  const end = async (thrown: unknown) => {
    let isOurs = true;
    try {
      // Loaded only now. What a plugin leaves uncaught is the plugin's own (PLUG-01).
      const { hasOwners, isOwned } = await import("../platform/stray-errors.ts");
      isOurs = !isOwned(thrown);
      if (!isOurs) return;
      const whose = hasOwners() ? "bug in cinch, or in a plugin" : "bug in cinch";
      await stderr.write(`cinch: ${whose}: ${neutralise(stackOf(thrown))}\n`);
    } finally {
      if (isOurs) process.exit(EXIT.failed);
    }
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
}
