import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Review } from "../../../app/explain/review.ts";
import { lockFileOf, openReview } from "../../../app/explain/review.ts";
import { FEATURES } from "../../../app/features.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { describeItem } from "../../../guard/trust/review/describe.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import type { PendingItem, TrustItem } from "../../../session/guard/trust.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { TerminalAnswers } from "../../io/terminal/terminal-answers.ts";
import { terminalAnswers } from "../../io/terminal/terminal-answers.ts";
import type { ProcessContext } from "../../process-context.ts";
import type { AckContext } from "./flags.ts";

/**
 * Shows each unacknowledged file of this project and records the person's answer (TOFU-04).
 *
 * A project's file can be acknowledged only at a terminal, one by one. `--all` also trusts the user's own skills and
 * aliases, in one decision (TOFU-02). Exit code 5 if files stay unacknowledged.
 */
export async function run({ settings, words, flags, at }: AckContext): Promise<ExitCode> {
  const review = await openReview({ ...(await optionsOf({ settings }, at)), only: pathsOf(words, at) });
  for (const notice of review.notices) await at.stderr.write(`cinch: ${neutralise(notice)}\n`);
  const refused = await acknowledge(review, at);
  if (flags.all) await acknowledgeOwn(review, at);
  if (refused.length > 0) {
    throw new HarnessError("TrustRefused", {
      paths: refused.map(({ path }) => neutraliseLine(path)).join(", "),
    });
  }
  const target = flags["emit-lockfile"];
  if (target !== undefined) await emit(review, target === true ? "-" : target, at);
  else await at.stdout.write(`${nothingLeft(review)}\n`);
  return at.stop.signal.aborted ? EXIT.cancelled : EXIT.done;
}

export async function optionsOf({ settings }: Pick<AckContext, "settings">, at: ProcessContext) {
  const { PROGRAM_FEATURES: features } = await import("../../../app/plan/feature-set.ts");
  const { profile } = settings;
  const { world, paths, workingDir, environment } = at;
  return {
    world,
    paths,
    workingDir,
    features,
    wishes: { environment },
    ...defined({ profile }),
  };
}

function pathsOf(paths: readonly string[], at: ProcessContext): readonly string[] {
  return paths.map((path) => {
    const whole = resolve(at.workingDir, path);
    try {
      return realpathSync(whole);
    } catch (cause) {
      throw new HarnessError("PathMissing", { what: "The file to acknowledge", path: whole }, { cause });
    }
  });
}

/** Asks about each pending file. Returns those that stay unacknowledged. */
async function acknowledge(review: Review, at: ProcessContext): Promise<readonly PendingItem[]> {
  const { ledger } = review;
  const pending = [...review.pending, ...review.plugins.pending];
  // A script cannot acknowledge: print what is pending and who can acknowledge it.
  if (process.stdin.isTTY !== true || !at.stderr.isTerminal) {
    for (const { path, verdict } of pending)
      await at.stderr.write(`${neutraliseLine(path)}: ${verdict.kind}\n`);
    return pending;
  }
  const refused: PendingItem[] = [];
  using answers = terminalAnswers(at, at.stop.signal);
  for (const [index, next] of pending.entries()) {
    const { item, verdict, path } = next;
    const text = neutralise(await describeItem(item, verdict, path));
    await at.stderr.write(`\n${text.replaceAll(/^/gm, "| ")}\n`);
    const broken = await unusable([item]);
    for (const problem of broken) await at.stderr.write(`cinch: ${neutralise(problem)}\n`);
    // An alias that would hide a built-in command is not asked about (CMD-02).
    if (broken.length > 0 && item.kind === "alias-file") {
      refused.push(next);
      continue;
    }
    const answer = await answerTo(
      answers,
      `[${index + 1}/${pending.length}] Use it, until it changes? (y or 1, n or 2; q leaves) `,
    );
    if (answer === "quit") return [...refused, ...pending.slice(index)];
    if (answer === "yes") await ledger.approve([item]);
    else refused.push(next);
  }
  return refused;
}

/** Returns the errors in items. Nothing of an item with one is used. */
async function unusable(items: readonly TrustItem[]): Promise<readonly string[]> {
  return (await Promise.all(FEATURES.map((feature) => feature.trust?.errors?.(items) ?? []))).flat();
}

async function acknowledgeOwn({ own, shared, ledger }: Review, at: ProcessContext): Promise<void> {
  for (const { directory, items, pending } of [own, shared]) {
    if (pending.length === 0) continue;
    await ledger.approveDirectory(directory, items);
    for (const text of await unusable(items)) await at.stderr.write(`cinch: ${neutralise(text)}\n`);
    const files = items.reduce((sum, item) => sum + item.files.length, 0);
    await at.stderr.write(
      `cinch: trusted as it is now: ${neutraliseLine(directory)} (${count(files, "file")})\n`,
    );
  }
}

async function emit(review: Review, target: string, at: ProcessContext): Promise<void> {
  const text = lockFileOf(review);
  if (target === "-") return await at.stdout.write(text);
  const path = resolve(target);
  await writeLockFile(at.world.files, path, text);
  const files = count(review.items.length, "file");
  await at.stderr.write(
    `cinch: ${files} in ${neutraliseLine(path)}; in CI: cinch -p … --lockfile ${neutraliseLine(target)}\n`,
  );
}

async function writeLockFile(files: Files, path: string, text: string): Promise<void> {
  try {
    await files.makeDirectory(dirname(path));
    await files.writeAtomic(path, text);
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    const problem = `the lock file cannot be written to ${path}: ${messageOf(cause)}`;
    throw new HarnessError("UsageInvalid", { problem }, { cause });
  }
}

function nothingLeft({ items, plugins, root }: Review): string {
  const pluginText =
    plugins.items.length === 0 ? "" : `, and ${count(plugins.items.length, "plugin")} of yours`;
  if (items.length + plugins.items.length === 0)
    return `there is nothing to acknowledge in ${neutraliseLine(root)}`;
  return `acknowledged in ${neutraliseLine(root)}: ${count(items.length, "file")}${pluginText}, unchanged since`;
}

/** Asks until one of the words is typed; the end of the input is a no to this and all that follow. */
async function answerTo(answers: TerminalAnswers, question: string): Promise<"yes" | "no" | "quit"> {
  for (;;) {
    const word = (await answers.next(question))?.trim().toLowerCase();
    if (word === "y" || word === "yes" || word === "1") return "yes";
    if (word === "n" || word === "no" || word === "2") return "no";
    if (word === undefined || word === "q" || word === "quit") return "quit";
  }
}
