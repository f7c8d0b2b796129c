import type { Diagnosis } from "../../../app/doctor/doctor.ts";
import { count } from "../../../base/text/text.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import { harnessOptions } from "../../process-context.ts";
import type { DoctorContext } from "./flags.ts";

/** Findings that are printed one by one; further ones are counted. */
const TOLD_MAX = 200;

/**
 * Runs `cinch doctor`: reports damage of cinch's files on this machine, with the place and the remedy (SES-16).
 * Changes nothing.
 *
 * Exit code 1 for damage, 0 for notes alone. With `--json`, prints one object: {ok, findings, more}.
 */
export async function run({ flags, settings, at, stop }: DoctorContext): Promise<ExitCode> {
  const { full, json } = flags;
  const { examine } = await import("../../../app/doctor/doctor.ts");
  const options = await harnessOptions(settings, at, { attended: false });
  const findings: Diagnosis[] = [];
  let [damaged, more] = [0, 0];
  for await (const found of examine(options, full ? "full" : "quick", stop.signal)) {
    if (found.weight === "damage") damaged += 1;
    if (findings.length === TOLD_MAX) {
      more += 1;
      continue;
    }
    findings.push(found);
    if (!json) await at.stdout.write(`${neutralise(lines(found))}\n`);
  }
  if (json) await at.stdout.write(`${JSON.stringify({ ok: damaged === 0, findings, more })}\n`);
  else
    await at.stdout.write(`${verdict({ damaged, notes: findings.length + more - damaged, more, full })}\n`);
  return damaged === 0 ? EXIT.done : EXIT.failed;
}

function lines({ area, weight, text, remedy }: Diagnosis): string {
  return `${weight === "damage" ? "DAMAGE" : "note"}  ${area}: ${text}\n        ${remedy}`;
}

interface Verdict {
  readonly damaged: number;
  readonly notes: number;
  readonly more: number;
  readonly full: boolean;
}

function verdict({ damaged, notes, more, full }: Verdict): string {
  const untold = more === 0 ? "" : ` (${more} of them not listed)`;
  const also = notes === 0 ? "" : `, ${count(notes, "note")}`;
  const deeper = full || damaged > 0 ? "" : " cinch doctor --full opens every content too.";
  const found = damaged === 0 ? "No damage found" : `${count(damaged, "damage")} found`;
  return `${found}${also}${untold}.${deeper}`;
}
