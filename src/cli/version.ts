/** The version of this cinch; a test holds it equal to package.json, which the start path does not read. */
export const VERSION = "0.1.0";
