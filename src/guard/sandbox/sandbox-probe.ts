import type { SandboxRefusal } from "../../session/guard/sandbox.ts";
import type { OpenSandbox } from "../../session/guard/session-sandbox.ts";

/**
 * Result of a trial of the sandbox. "refused" if the policy of the session cannot be applied: no command runs.
 * "untried" for a container: a trial would start, and perhaps fetch, an image.
 */
export type SandboxTrial =
  | { readonly kind: "works" | "untried" }
  | { readonly kind: "fails"; readonly why: string }
  | { readonly kind: "refused"; readonly why: string; readonly refusal: SandboxRefusal };

/** Runs a small command in the sandbox of a session, with the very policy that its commands would have. */
export async function trySandbox(
  sandbox: Pick<OpenSandbox, "confinement">,
  { root, backend }: { readonly root: string; readonly backend: string },
): Promise<SandboxTrial> {
  if (backend === "container") return { kind: "untried" };
  const target = { kind: "command", command: "true", cwd: root } as const;
  const confinement = await sandbox.confinement({ summary: "a trial of the sandbox", target });
  if (confinement.kind === "working") return { kind: "works" };
  const { why, refusal } = confinement;
  return refusal === undefined ? { kind: "fails", why } : { kind: "refused", why, refusal };
}
