import { reasonText } from "../../base/reasons.ts";
import type { AcceptedChange } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import { sha256Of } from "./seen-files.ts";
import { parseText, renderText } from "./text/text-file.ts";

/**
 * Refuses to write the accepted part of a change into any other file than the one that the person saw (PERM-15).
 * @param bytes of the file now; "none" if there is no file, undefined if it is too large to be read.
 * @throws ToolFailure FileChanged.
 */
export function assertAsAsked(
  accepted: AcceptedChange,
  bytes: Uint8Array | "none" | undefined,
  shown: string,
): void {
  const isAsAsked =
    bytes === "none"
      ? accepted.sha256 === undefined
      : bytes !== undefined && sha256Of(bytes) === accepted.sha256;
  if (isAsAsked) return;
  throw new ToolFailure(`FileChanged: ${reasonText("FileChanged", { path: shown })}`);
}

/** Encodes the accepted text as the file was, so that lines which nobody accepted keep their bytes. */
export function acceptedBytes({ text }: AcceptedChange, before: Uint8Array | undefined): Uint8Array {
  const parsed = before === undefined ? undefined : parseText(before);
  return renderText({ ...(parsed ?? { encoding: "utf-8", mark: false }), text });
}
