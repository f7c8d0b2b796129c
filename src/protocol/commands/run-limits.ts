/** Characters of the text that one session adds to its system text. */
export const APPENDED_CHARACTERS_MAX = 20_000;
/** Rules that are allowed for one session when it is opened, and characters of each. */
export const ALLOW_RULES_MAX = 100;
export const ALLOW_CHARACTERS_MAX = 8_192;
/** Folders that one session has besides its working directory, and characters of each path. */
export const ADDED_FOLDERS_MAX = 16;
export const ADDED_FOLDER_CHARACTERS_MAX = 4_096;

/**
 * Blocks of the content of one input, edit or steer, as its sender gives it. A file is one block. The session counts
 * them, whatever they came over: a schema with a new limit would refuse clients of a recorded version.
 */
export const INPUT_BLOCKS_MAX = 256;
/** Characters of a draft. */
export const DRAFT_CHARACTERS_MAX = 65_536;

/** Bytes of one attached file. */
export const ATTACHMENT_BYTES_MAX = 20_971_520;
/** References to attached files in one input. */
export const ATTACHMENTS_PER_INPUT_MAX = 16;
/** Bytes of the files that one input refers to. A file counts once for each reference. */
export const ATTACHMENTS_PER_INPUT_BYTES_MAX = 25_165_824;

/** Unsaved texts of one input, and characters of all of them and of each path. */
export const UNSAVED_FILES_MAX = 32;
export const UNSAVED_CHARACTERS_MAX = 262_144;
export const UNSAVED_PATH_CHARACTERS_MAX = 4_096;

/** Bytes of a command that a person runs. */
export const SHELL_COMMAND_BYTES_MAX = 65_536;

/** Characters of the name of a reader, and which ones. */
export const READER_CHARACTERS_MAX = 64;
export const READER_NAME = /^[\w.:@-]+$/;

/** Completes "reader: " in the refusal of another one. */
export const READER_WHY = `it takes 1 to ${READER_CHARACTERS_MAX} letters, digits and . _ : @ -`;

/** Returns true for a name under which a client may keep marks and drafts. */
export function isReaderName(text: string): boolean {
  return text.length <= READER_CHARACTERS_MAX && READER_NAME.test(text);
}

/** Characters of a provider's key, and of the name of the provider. */
export const PROVIDER_KEY_CHARACTERS_MAX = 8_192;
export const PROVIDER_NAME_CHARACTERS_MAX = 64;
