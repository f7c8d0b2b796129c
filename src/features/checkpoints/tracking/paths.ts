/**
 * Splits a path into root and relative path. Paths are below the workspace; those of files outside it are absolute.
 */
export function splitRoot(root: string, path: string): readonly [root: string, path: string] {
  return path.startsWith("/") ? ["/", path.slice(1)] : [root, path];
}

/** Returns the folder of a path; "" for an entry of the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "" : path.slice(0, slash);
}

/** Returns the folders that contain a path, below the root, the outermost first. */
export function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = path.indexOf("/", 1); at > 0; at = path.indexOf("/", at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** Returns a path for people: invalid UTF-8 becomes U+FFFD. */
export function displayPath(text: string): string {
  return text.toWellFormed();
}
