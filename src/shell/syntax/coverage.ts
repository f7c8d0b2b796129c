import type { Script, SyntaxNode } from "unbash";
import { forEachChild } from "unbash";

/** Nodes that contain their whole text, which is read separately. */
const LEAVES = new Set([
  "Word",
  "Assignment",
  "Redirect",
  "HereString",
  "HereDocDelimiter",
  "HereDocBody",
  "ArithmeticCommand",
  "TestCommand",
]);

// Text allowed between the leaves: blanks, comments, operators, reserved words. A comment begins a word.
const BETWEEN =
  /^(?:\\\n|[ \t\n]|(?<=^|[ \t\n;&|()]|\\\n)#[^\n]*|&&|\|\||;;&|;;|;&|\|&|[;&|(){}!<>-]|\d+(?=<<)|(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac|select|function|time|coproc|-p|--)(?![\w-]))*$/;

/**
 * Returns the first position of a script that its syntax tree does not cover; undefined if it covers every character.
 *
 * The parser skips text that it does not understand: this finds it, so that nothing runs unseen.
 */
export function uncoveredPosition(script: Script, source: string): number | undefined {
  const leaves: (readonly [number, number])[] = [];
  gather(script, leaves);
  leaves.sort((a, b) => a[0] - b[0]);
  let at = script.pos;
  for (const [start, end] of [...leaves, [script.end, script.end] as const]) {
    if (start > at && !BETWEEN.test(source.slice(at, start))) return at;
    at = Math.max(at, end);
  }
  return undefined;
}

function gather(node: SyntaxNode, leaves: (readonly [number, number])[]): void {
  if (LEAVES.has(node.type)) leaves.push([node.pos, node.end]);
  else if (node.type === "ArithmeticFor") {
    leaves.push([node.pos, node.body.pos]); // its three expressions are read separately
    gather(node.body, leaves);
  } else if (node.type === "HereDoc") {
    for (const part of [node.delimiter, node.body, node.closing])
      if (part !== undefined) leaves.push([part.pos, part.end]);
    leaves.push([node.pos, node.delimiter?.end ?? node.end]);
  } else forEachChild(node, (child) => gather(child, leaves));
}
