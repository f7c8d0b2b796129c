const COMMAND_CHARACTERS_MAX = 4_096;
const PATHS_PER_COMMAND_MAX = 8;

/**
 * Returns the words of a command line that look like paths of files: with a slash, or a name with a suffix. They show
 * a reader what was worked on; the effect of a command on files is judged elsewhere.
 */
export function commandPaths(command: string): readonly string[] {
  const words = command
    .slice(0, COMMAND_CHARACTERS_MAX)
    .split(/[\s;&|()<>`"'=]+/u)
    .filter((word) =>
      /^(?!-|https?:)(?:[^$*?{}[\]]*\/[^$*?{}[\]]+|[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,9})$/u.test(word),
    );
  return [...new Set(words.toReversed())].slice(0, PATHS_PER_COMMAND_MAX);
}
