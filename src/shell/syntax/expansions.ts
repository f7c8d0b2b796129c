import type { SyntaxNode } from "unbash";
import { forEachChild } from "unbash";

type Substitution = Extract<
  SyntaxNode,
  { readonly type: "CommandExpansion" | "ProcessSubstitution" | "ArithmeticCommandExpansion" }
>;

/** An expansion: a script that runs for it, or a position that bash may read differently. */
export type Expansion =
  | { readonly kind: "script"; readonly node: Substitution }
  | { readonly kind: "doubt"; readonly at: number; readonly why: string };

/**
 * Returns the expansions of a word, an assignment, a redirection or an expression in order, without those inside
 * a script.
 */
export function expansionsIn(node: SyntaxNode): readonly Expansion[] {
  const found: Expansion[] = [];
  gather(node, found);
  return found;
}

function gather(node: SyntaxNode, found: Expansion[]): void {
  if (
    node.type === "CommandExpansion" ||
    node.type === "ProcessSubstitution" ||
    node.type === "ArithmeticCommandExpansion"
  ) {
    found.push({ kind: "script", node });
    return;
  }
  const why = doubtAbout(node);
  if (why !== undefined) found.push({ kind: "doubt", at: node.pos, why });
  if (node.type === "Word" && node.parts === undefined) return;
  forEachChild(node, (child) => gather(child, found));
}

function doubtAbout(node: SyntaxNode): string | undefined {
  if (node.type === "ExtendedGlob") return "a pattern that bash reads only after shopt -s extglob";
  if (node.type === "LocaleString") return "a string that a translation may replace";
  if (node.type === "ParameterExpansion" && node.operation?.type === "Unknown")
    return "an expansion that is not known";
  if (node.type === "ParameterExpansion" && node.operation?.type === "Transform")
    return /^[QELUuAaKk]$/.test(node.operation.operand.text)
      ? undefined
      : "an expansion that runs what a variable holds";
  return undefined;
}
