// Saves the draft a little after the work on it, and at once when the page goes.
import type { Handle } from "./handle.ts";

const draftMs = 300;

export interface DraftKeeper {
  /** Within 300 ms. */
  readonly saveSoon: () => void;
  readonly flush: () => void;
  readonly dispose: () => void;
}

export function createDraftKeeper({ around, get }: Handle): DraftKeeper {
  let saving: ReturnType<typeof setTimeout> | undefined;
  function flush(): void {
    clearTimeout(saving);
    saving = undefined;
    const { source, options } = get();
    const { text, file, name, exampleId } = source;
    around.saveDraft({ text, file, name, exampleId, options });
  }
  return {
    saveSoon() {
      saving ??= setTimeout(flush, draftMs);
    },
    flush,
    dispose: () => clearTimeout(saving),
  };
}
