import type { OpenSandbox } from "../../session/guard/session-sandbox.ts";

/**
 * Result of a trial of the sandbox. "refused" if the policy of the session cannot be applied: no command runs.
 * "untried" for a container: a trial would start, and perhaps fetch, an image.
 */
export type SandboxTrial =
  | { readonly kind: "works" | "untried" }
  | { readonly kind: "fails" | "refused"; readonly why: string };

/** Runs a small command in the sandbox of a session, with the very policy that its commands would have. */
export async function trySandbox(
  sandbox: Pick<OpenSandbox, "confinement">,
  { root, backend }: { readonly root: string; readonly backend: string },
): Promise<SandboxTrial> {
  if (backend === "container") return { kind: "untried" };
  const target = { kind: "command", command: "true", cwd: root } as const;
  const confinement = await sandbox.confinement({ summary: "a trial of the sandbox", target });
  if (confinement.kind === "working") return { kind: "works" };
  const isRefused = confinement.remedy !== undefined;
  return { kind: isRefused ? "refused" : "fails", why: confinement.why };
}
