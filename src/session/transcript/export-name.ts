import type { SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";

const ENDINGS = { jsonl: "jsonl", markdown: "md" } as const;
const NAME = /^cinch-(.*)\.(?:jsonl|md)$/;

/** Returns the default name of the file that a session is exported to. */
export function exportName(session: SessionId, format: keyof typeof ENDINGS): string {
  return `cinch-${session}.${ENDINGS[format]}`;
}

/** Returns true for such a name, of any session. */
export function isExportName(name: string): boolean {
  return isId("sess", NAME.exec(name)?.[1] ?? "");
}
