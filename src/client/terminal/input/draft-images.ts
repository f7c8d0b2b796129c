import { sizeText } from "../../../base/text/size-text.ts";
import {
  ATTACHMENTS_PER_INPUT_BYTES_MAX,
  ATTACHMENTS_PER_INPUT_MAX,
} from "../../../protocol/commands/run-limits.ts";
import type { DraftImage } from "../images/draft-image.ts";
import { imageBytes } from "../images/draft-image.ts";
import { pastedImagePaths, readImage } from "../images/image-paths.ts";
import { imageRefusal } from "../images/image-refusal.ts";
import { inBackground } from "../layout/in-background.ts";
import type { Services } from "../layout/services.ts";
import { imagesOf, plainText } from "./editor/chips.ts";
import type { Edit, EditorState } from "./editor/editor.ts";

export interface DraftImagesOptions {
  readonly state: () => EditorState;
  readonly edit: (edit: Edit) => void;
}

/** Puts images into a draft (TUI-08). Shows at once that a limit is reached, or that the model takes none. */
export class DraftImages {
  readonly #services: Services;
  readonly #options: DraftImagesOptions;

  constructor(services: Services, options: DraftImagesOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** Adds an image at the cursor, or instead of a part. */
  add(image: DraftImage, part?: { readonly from: number; readonly to: number }): void {
    const { state, edit } = this.#options;
    const problem = imagesProblem([...imagesOf(state()), image]);
    if (problem !== undefined) {
      this.#services.say(problem, "warning");
      return;
    }
    edit(part === undefined ? { kind: "image", image } : { kind: "image", image, part });
    inBackground(this.#checkModel(), this.#services);
  }

  /** Replaces a pasted text by the images that it names by their paths. Any other text stays. */
  async take(pasted: string): Promise<void> {
    const text = plainText(pasted);
    const paths = pastedImagePaths(text);
    if (paths === undefined) return;
    const { state, edit } = this.#options;
    try {
      const images = await Promise.all(paths.map((path) => readImage(path, this.#services)));
      const found = images.filter((image) => image !== undefined);
      const from = state().text.lastIndexOf(text);
      if (found.length < paths.length || from === -1) return;
      for (const [index, image] of found.entries()) {
        if (index > 0) edit({ kind: "insert", text: " " });
        this.add(image, index === 0 ? { from, to: from + text.length } : undefined);
      }
      this.#services.redraw();
    } catch (thrown) {
      this.#services.showFailure(thrown);
    }
  }

  async #checkModel(): Promise<void> {
    const refusal = await imageRefusal(this.#services);
    if (refusal !== undefined && imagesOf(this.#options.state()).length > 0)
      this.#services.say(refusal, "warning");
  }
}

/** Returns a sentence about images that cannot go along in one message; undefined if they can. */
export function imagesProblem(images: readonly DraftImage[]): string | undefined {
  if (images.length > ATTACHMENTS_PER_INPUT_MAX)
    return `A message takes at most ${ATTACHMENTS_PER_INPUT_MAX} images: send these first.`;
  const bytes = images.reduce((sum, image) => sum + imageBytes(image), 0);
  return bytes > ATTACHMENTS_PER_INPUT_BYTES_MAX
    ? `The images of a message may have ${sizeText(ATTACHMENTS_PER_INPUT_BYTES_MAX)} in all: send these first.`
    : undefined;
}
