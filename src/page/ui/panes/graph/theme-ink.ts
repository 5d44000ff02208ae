// Colours of the theme as a canvas needs them: resolved custom properties, read again when the theme changes.
import { useCallback, useMemo, useSyncExternalStore } from "react";

/** "--ink2" -> "#444c50". */
export type Ink = (token: string) => string;

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, {
    attributes: true,
    attributeFilter: ["data-theme", "class", "style"],
  });
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", listener);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", listener);
  };
}

function paperNow(): string {
  return getComputedStyle(document.documentElement).getPropertyValue("--paper");
}

const tokens = [
  "--paper",
  "--acc",
  "--edge",
  "--ink",
  "--ink2",
  "--ink3",
  "--rule",
  "--rule2",
  "--grat",
  "--wash",
  ...Array.from({ length: 8 }, (_, p) => `--p${p}`),
];

function readTokens(): ReadonlyMap<string, string> {
  const style = getComputedStyle(document.documentElement);
  return new Map(tokens.map((token) => [token, style.getPropertyValue(token).trim()]));
}

export function useThemeInk(): Ink {
  // Paper differs between all themes, so it stands for which one is on.
  const paper = useSyncExternalStore(subscribe, paperNow);
  const read = useMemo(() => ({ paper, tokens: readTokens() }), [paper]);
  return useCallback((token) => read.tokens.get(token) ?? read.paper, [read]);
}
