import type { SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";

const ENDINGS = { jsonl: "jsonl", markdown: "md" } as const;
const NAME = /^cinch-(.*)\.(?:jsonl|md)$/;

/** The name of the file that a session is written to where a person names no other. */
export function exportName(session: SessionId, format: keyof typeof ENDINGS): string {
  return `cinch-${session}.${ENDINGS[format]}`;
}

/** Whether a file bears such a name, of any session. */
export function isExportName(name: string): boolean {
  return isId("sess", NAME.exec(name)?.[1] ?? "");
}
