import type { Script, SyntaxNode } from "unbash";
import { forEachChild } from "unbash";

/** Nodes that hold their whole text: what lies in them is read by itself. */
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

// What may stand between the leaves: blanks, comments, operators, reserved words. A comment begins a word.
const BETWEEN =
  /^(?:\\\n|[ \t\n]|(?<=^|[ \t\n;&|()]|\\\n)#[^\n]*|&&|\|\||;;&|;;|;&|\|&|[;&|(){}!<>-]|\d+(?=<<)|(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac|select|function|time|coproc|-p|--)(?![\w-]))*$/;

/**
 * The first place of a script that its syntax tree says nothing about; undefined where every character is accounted for.
 *
 * The parser goes on behind what it does not understand: this finds what it left out, so that nothing runs unseen.
 */
export function unreadPlace(script: Script, source: string): number | undefined {
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
    leaves.push([node.pos, node.body.pos]); // its three expressions are read by themselves
    gather(node.body, leaves);
  } else if (node.type === "HereDoc") {
    for (const part of [node.delimiter, node.body, node.closing])
      if (part !== undefined) leaves.push([part.pos, part.end]);
    leaves.push([node.pos, node.delimiter?.end ?? node.end]);
  } else forEachChild(node, (child) => gather(child, leaves));
}
