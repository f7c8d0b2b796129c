import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { BootFailure } from "../../../app/engine/boot.ts";
import type { HarnessOptions } from "../../../app/engine/options.ts";
import type { OpenHarness } from "../../../app/harness.ts";
import { isWithin } from "../../../base/files/below.ts";
import type { Reason } from "../../../base/reasons.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { TurnResult } from "../../../view/turn-result.ts";
import { exitCodeOfTurn } from "../../exit-codes.ts";
import type { ProcessContext } from "../../process-context.ts";
import { harnessOptions } from "../../process-context.ts";
import { CLOSE_MS_MAX, within } from "../../processes/within.ts";
import { runPromptTurn } from "../prompt/turn.ts";
import type { DemoContext } from "./flags.ts";
import { palette } from "./palette.ts";
import { changesIn, runCheck } from "./project.ts";
import { Screen } from "./screen.ts";
import type { Stage } from "./stage.ts";
import { PROMPT, setStage } from "./stage.ts";
import type { Layout } from "./texts.ts";
import { closingText, leftText, mismatchText, openingText } from "./texts.ts";

const COLUMNS_DEFAULT = 80;
const COLUMNS_MIN = 40;
const COLUMNS_MAX = 100;

/**
 * Plays the demo: a recorded model finds and fixes a real bug in a copy of a small project, with real tools (PROV-08).
 *
 * The session is stored in the user's store, or in the demo's folder if that cannot be used. The user's configuration
 * is not read. Exit code 0 if the tests pass in the end.
 */
export async function run(context: DemoContext): Promise<ExitCode> {
  const { flags, settings, stop } = context;
  const { fixed } = flags;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cinch-demo-")));
  // Without a home directory the demo uses its folder as one.
  if (!isAbsolute(process.env["HOME"] ?? "")) process.env["HOME"] = folder;
  const { at } = context;
  const stage = await setStage(at.world, folder, { fixed });
  const layout = layoutFor(at);
  await at.stdout.write(openingText(stage, layout));
  const options = await harnessOptions(settings, at, { attended: false });
  const { harness, store } = await openOn(stage, options, at);
  let result: TurnResult;
  try {
    result = await play(harness, at, layout);
  } finally {
    await within(at.world.clock, CLOSE_MS_MAX, Promise.resolve(harness[Symbol.asyncDispose]()));
  }
  if (stop.signal.aborted) {
    await at.stdout.write(`\n${leftText(stage, layout)}`);
    return EXIT.cancelled;
  }
  const code = exitCodeOfTurn(result);
  if (code !== EXIT.done) {
    const { error } = result;
    const mismatch = error !== undefined && MISMATCHES.includes(error.reason);
    await at.stdout.write(mismatch ? mismatchText({ stage }, layout) : `\n${leftText(stage, layout)}`);
    return code;
  }
  const check = await runCheck(at.world, stage.project, {
    path: at.environment["PATH"] ?? "/usr/bin:/bin",
    signal: stop.signal,
  });
  const changes = await changesIn(at.world, stage.project);
  const ending = { changes, check, cost: result.cost, session: harness.session, stage };
  const ownStore = isWithin(folder, store) ? { ownStore: store } : {};
  await at.stdout.write(closingText({ ...ending, ...ownStore }, layout));
  return check.passed ? EXIT.done : EXIT.failed;
}

function layoutFor({ stdout }: ProcessContext): Layout {
  const { NO_COLOR = "", TERM = "dumb" } = process.env;
  // A terminal that does not know its width says 0.
  const terminalWidth = process.stdout.columns;
  const columns =
    terminalWidth > 0 ? Math.max(COLUMNS_MIN, Math.min(terminalWidth, COLUMNS_MAX)) : COLUMNS_DEFAULT;
  return { columns, palette: palette(stdout.isTerminal && NO_COLOR === "" && TERM !== "dumb") };
}

const MISMATCHES: readonly string[] = ["CassetteMismatch", "CassetteExhausted"] satisfies Reason[];

/** Steps that use the user's store. If one fails, the demo keeps its session beside its project. */
const STORE_STEPS: readonly string[] = [
  "opening the session store",
  "opening the session's log",
  "preparing the workspace",
];

async function openOn(
  stage: Stage,
  options: HarnessOptions,
  at: ProcessContext,
): Promise<{ readonly harness: OpenHarness; readonly store: string }> {
  const { openHarness } = await import("../../../app/harness.ts");
  const staged: HarnessOptions = {
    ...options,
    paths: { ...options.paths, config: stage.config },
    keyDirectory: options.paths.config, // the store is the user's own
    wishes: { ...options.wishes, withoutShared: true },
    workingDir: stage.project,
    model: `replay:${stage.cassette}`,
    profile: "default",
    paced: at.stdout.isTerminal,
  };
  try {
    return { harness: await openHarness(staged, at.stop.signal), store: staged.paths.data };
  } catch (thrown) {
    if (!(thrown instanceof BootFailure) || !STORE_STEPS.includes(thrown.step)) throw thrown;
    await at.stderr.write(`cinch: ${neutralise(thrown.message)}\n`);
    const paths = { ...staged.paths, data: stage.ownState };
    const demoContext = { ...staged, paths, keyDirectory: stage.config };
    return { harness: await openHarness(demoContext, at.stop.signal), store: paths.data };
  }
}

async function play(harness: OpenHarness, at: ProcessContext, layout: Layout): Promise<TurnResult> {
  const connection = await harness.attach({ identityClass: "human", label: "cinch demo" });
  await connection.handshake(PROTOCOL_VERSION);
  const screen = new Screen(layout.columns, layout.palette);
  return await runPromptTurn({
    connection,
    session: harness.session,
    content: [{ type: "text", text: PROMPT }],
    clock: at.world.clock,
    signal: at.stop.signal,
    async show(envelope) {
      await at.stdout.write(screen.print(envelope));
      if (envelope.kind !== "Error") return;
      const { reason, message } = envelope.payload;
      // After the first line: a diff follows it, to which nothing may be added.
      const [first = "", ...rest] = neutralise(message).split("\n");
      const failureText = [`${first} (${neutraliseLine(reason)})`, ...rest].join("\n");
      await at.stderr.write(`\ncinch: ${failureText}\n`);
    },
  });
}
