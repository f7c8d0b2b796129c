/** The version of this cinch; a test compares it with package.json, which the start path does not read. */
export const VERSION = "0.1.0";
