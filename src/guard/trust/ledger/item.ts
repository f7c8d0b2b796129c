import type { TrustFile, TrustKind } from "../../../session/guard/trust.ts";

const EXECUTABLE_BITS = 0o111;

export function trustFile(path: string, bytes: Uint8Array, mode: number): TrustFile {
  return { path, bytes, sha256: sha256(bytes), executable: (mode & EXECUTABLE_BITS) !== 0 };
}

export function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** Returns the name of a kind for a sentence: "context file". */
export function kindName(kind: TrustKind): string {
  return kind === "mcp" ? "MCP declaration" : kind.replaceAll("-", " ");
}
