import { HarnessError } from "../../base/errors.ts";

/** Returns the error for a runtime that the library cannot run on; it names the runtime. */
export function unsupportedRuntime(): HarnessError<"RuntimeUnsupported"> {
  const agent = globalThis.navigator?.userAgent; // Node has one from 21 on
  return new HarnessError("RuntimeUnsupported", { runtime: agent ?? `Node ${process.version}` });
}
