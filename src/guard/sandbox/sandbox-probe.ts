import type { SandboxSources } from "./policy/sandbox-sources.ts";
import { backendFor } from "./policy/sandbox-sources.ts";
import { makeSandboxFolders } from "./sandbox-folders.ts";

/** Result of a trial of the sandbox. "untried" for a container: a trial would start, and perhaps fetch, an image. */
export type SandboxTrial =
  | { readonly kind: "works" | "untried" }
  | { readonly kind: "fails"; readonly why: string };

/** Runs a small command in the sandbox of a workspace, in new folders, and removes the folders. */
export async function trySandbox(
  root: string,
  sources: Pick<SandboxSources, "world" | "settings" | "path">,
): Promise<SandboxTrial> {
  const backend = backendFor(sources);
  if (backend.name === "container") return { kind: "untried" };
  await using undo = new AsyncDisposableStack();
  const { temporary, workshop } = await makeSandboxFolders(sources.world.files, undo);
  const lists = { writable: [], readOnly: [], hidden: [], visible: [] };
  const state = await backend.prepare({ root, ...lists, temporary, workshop, network: { kind: "off" } });
  return state.kind === "working"
    ? { kind: "works" }
    : { kind: "fails", why: `${state.why}; ${state.remedy}` };
}
