/**
 * Programs in arguments: a few complete forms of sed, awk and jq are known to only read. A form is compared as one
 * pattern with the whole program, which is never parsed: each of them finds the end of a bracket, a text or a
 * comment differently.
 */

const SED_LINES = /^(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?p(?:;(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?p)*$/;
const SED_WORDS = /^\/[A-Za-z0-9_ ^]*\/p$/;

/** Checks a program for `sed -n`: it prints lines by number, or those with plain words in them. */
export function sedProblem(program: string): string | undefined {
  return SED_LINES.test(program) || SED_WORDS.test(program)
    ? undefined
    : `the sed program does more than print lines: ${program.slice(0, 60)}`;
}

const AWK_FIELD = /^\{ ?print \$\d+ ?\}$/;
const AWK_LINES = /^NR ?>= ?\d+ ?&& ?NR ?<= ?\d+$/;

/** Checks a program for awk: it prints one field of each line, or the lines between two numbers. */
export function awkProblem(program: string): string | undefined {
  return AWK_FIELD.test(program) || AWK_LINES.test(program)
    ? undefined
    : `the awk program does more than print a field or lines: ${program.slice(0, 60)}`;
}

const JQ_PATH = /^\.(?:[A-Za-z_]\w*)?(?:\.[A-Za-z_]\w*|\.?\[\d*\]|\.?\["[\w .-]*"\])*$/;

/** Checks a program for jq: it selects by names and indexes. */
export function jqProblem(program: string): string | undefined {
  return JQ_PATH.test(program)
    ? undefined
    : `the jq filter is more than a path of names and indexes: ${program.slice(0, 60)}`;
}
