import { defined } from "../base/defined.ts";
import { HarnessError, hasReason, messageOf, stackOf } from "../base/errors.ts";
import { holdProcessOpen, hostClock } from "../platform/clock.ts";
import type { CliNeed, ExitCode } from "../session/commands/cli-command.ts";
import { EXIT } from "../session/commands/cli-command.ts";
import { neutralise } from "../view/terminal/terminal-text.ts";
import { refusalText } from "../view/texts/refusal-text.ts";
import type { CommandLine } from "./args/arguments.ts";
import { readCommandLine } from "./args/arguments.ts";
import type { ParsedCall } from "./args/parsed-call.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { Output } from "./io/output.ts";
import { OutputClosed, standardError, standardOutput } from "./io/output.ts";
import { ENGINE_WORD } from "./processes/internal.ts";
import type { Leftovers } from "./processes/leftovers.ts";
import { sweepLater } from "./processes/leftovers.ts";
import type { Stop } from "./processes/stop.ts";
import { listenForSignals } from "./processes/stop.ts";

/**
 * Carries out one command line and ends the process with its exit code, whatever happens (REL-01).
 *
 * The process is ended explicitly once everything is written: an open standard input, or a timer of a library, must not
 * hold it (R33).
 */
export async function run(argv: readonly string[]): Promise<never> {
  using _open = holdProcessOpen(); // code of a plugin may wait for something that nothing in the process brings about
  const stderr = standardError();
  const stop = listenForSignals();
  endOnBugs(stderr);
  const leftovers = sweepLater(hostClock, process.env);
  let code: ExitCode;
  try {
    code = await start(argv, { ...stop, leftovers }, stderr);
  } catch (thrown) {
    code = thrown instanceof OutputClosed ? EXIT.cancelled : exitCodeOf(thrown);
    if (code !== EXIT.cancelled) await stderr.write(errorLine(thrown));
  }
  await leftovers.sweep();
  process.exit(code);
}

/**
 * Runs the command line. If there are secrets, this process keeps them and starts another without any for the engine.
 */
async function start(
  argv: readonly string[],
  { leftovers, ...signals }: Stop & { readonly leftovers: Leftovers },
  stderr: Output,
): Promise<ExitCode> {
  const stop = { ...signals, sinceMs: hostClock.monotonic() };
  if (argv[0] === ENGINE_WORD) {
    const { openKeeperLink } = await import("./processes/keeper-link.ts");
    const link = await openKeeperLink(argv[1] ?? "", stop);
    return await carryOut(await readCommandLine(argv.slice(2)), { ...stop, ...link }, stderr);
  }
  const line = await readCommandLine(argv);
  if (line.kind === "command" && line.command.name === "-p") {
    const { shareRunning } = await import("./shared-prompt/share-running.ts");
    const running = await failingAsJson(line, () => shareRunning(line, stop));
    if (running !== undefined) {
      leftovers.leave(); // the engine sweeps; loading that takes a third of a prompt's processor time here
      return await carryOut(line, { ...stop, running }, stderr);
    }
  }
  if (line.kind === "command" && runsEngine(line)) {
    const { findSecrets } = await import("./secrets.ts");
    const secrets = await findSecrets(process.env, line.settings);
    if (secrets !== undefined && (await isClient(line))) {
      const { makeUndumpable } = await import("../platform/processes/undumpable.ts");
      makeUndumpable(); // it has the keys, and gives them to the engine that it may have to start
    } else if (secrets !== undefined) {
      const { runKeeper } = await import("./processes/keeper.ts");
      const isBrief = line.flags["print"] !== undefined;
      const token = line.action.readsToken === true ? (secrets.variables["CINCH_TOKEN"] ?? "") : undefined;
      const { settings } = line;
      const keeper = { argv, settings, secrets, isBrief, ...defined({ token }) };
      return await failingAsJson(line, () => runKeeper(keeper));
    }
  }
  return await carryOut(line, stop, stderr);
}

function needOf({ action, command }: ParsedCall): CliNeed {
  return action.needs ?? command.needs ?? "nothing";
}

function runsEngine(call: ParsedCall): boolean {
  const need = needOf(call);
  return need === "engine" || need === "shared-engine" || need === "shared-engine-at-terminal";
}

/** Returns true if it works with an engine in a separate process: it keeps its keys until it has started one. */
async function isClient(call: ParsedCall): Promise<boolean> {
  const need = needOf(call);
  if (need === "engine") return false;
  const { settings, flags } = call;
  const { lineShares, sharesEngine } = await import("./shared-engine/sharing.ts");
  const sharing = { settings, listen: flags["no-listen"] !== true };
  return need === "shared-engine"
    ? sharesEngine(sharing)
    : lineShares({ ...sharing, raw: false, connect: flags["connect"] });
}

async function carryOut(line: CommandLine, stop: Stop, stderr: Output): Promise<ExitCode> {
  switch (line.kind) {
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
      await standardOutput().write(helpText(line.about));
      return EXIT.done;
    }
    case "usage": {
      const problem = new HarnessError("UsageInvalid", { problem: line.problem });
      if (line.json) await writeFailure(problem);
      await stderr.write(errorLine(problem));
      return EXIT.usage;
    }
    case "command": {
      const [{ run: runCommand }, { contextOf }] = await Promise.all([
        line.command.load(),
        import("./context.ts"),
      ]);
      return await runCommand(contextOf(line, stop));
    }
  }
}

/** Runs a step before the command of a line begins. If it fails, a prompt that asks for JSON gets its object. */
async function failingAsJson<Value>(line: ParsedCall, step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (thrown) {
    if (line.flags["print"] !== undefined && line.flags["output-format"] === "json")
      await writeFailure(thrown);
    throw thrown;
  }
}

async function writeFailure(thrown: unknown): Promise<void> {
  const { failureJson } = await import("./commands/prompt/prompt-output.ts");
  await standardOutput().write(failureJson(thrown));
}

/** Returns a sentence for people and the reason for programs. */
export function errorLine(thrown: unknown): string {
  const line =
    thrown instanceof HarnessError
      ? `cinch: ${refusalText(thrown)} (${thrown.reason})\n`
      : `cinch: ${neutralise(messageOf(thrown))}\n`;
  return hasReason(thrown, "NonInteractiveAckRefused") ? line + ACK_HINT : line;
}

const ACK_HINT =
  "cinch: cinch ack shows each file of the project and each plugin at a terminal, and asks; with --all it also trusts the files of your own configuration folder and ~/.agents. To start without the project's files: --without-project. To start without a plugin: remove it from plugins in your configuration.\n";

/** A promise without an owner, or an uncaught exception, is a bug: it is reported, and ends the process (P11). */
function endOnBugs(stderr: Output): void {
  const end = async (thrown: unknown) => {
    let isOurs = true;
    try {
      // Loaded only now. An uncaught error of a plugin is the plugin's own (PLUG-01).
      const { hasOwners, isClaimed } = await import("../platform/stray-errors.ts");
      isOurs = !isClaimed(thrown);
      if (!isOurs) return;
      const { giveTerminalBack } = await import("./commands/line/terminal-lifecycle.ts");
      giveTerminalBack();
      const whose = hasOwners() ? "bug in cinch, or in a plugin" : "bug in cinch";
      await stderr.write(`cinch: ${whose}: ${neutralise(stackOf(thrown))}\n`);
    } finally {
      if (isOurs) process.exit(EXIT.failed);
    }
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
}
