import type { CliFlag } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";

export const DOCTOR_FLAGS = [
  { name: "full", kind: "switch", help: "Open every stored content too. Takes longer." },
  { name: "json", kind: "switch", help: "Write one JSON object: {ok, findings, more}." },
] as const satisfies readonly CliFlag[];

export type DoctorContext = CommandContext<typeof DOCTOR_FLAGS>;
