// The regions of the page in F6 order, moving the focus between them, and asking the editor to show a place.
import type { Region } from "../../store/state.ts";

const regionOrder: readonly Region[] = ["bar", "source", "problems", "stages", "a", "b", "memory"];

export const regionTitles: Readonly<Record<Region, string>> = {
  bar: "toolbar",
  source: "source",
  problems: "problems",
  stages: "stages",
  a: "view A",
  b: "view B",
  memory: "memory map",
};

function regionElement(region: Region): HTMLElement | null {
  const element = document.querySelector<HTMLElement>(`[data-region="${region}"]`);
  return element !== null && element.offsetParent !== null ? element : null;
}

export function focusRegion(region: Region): void {
  const element = regionElement(region);
  // The list or editor inside is what keys act on; the region itself where there is none.
  const inner = element?.querySelector<HTMLElement>("[data-code], .inputarea, textarea, [data-keys]");
  (inner ?? element)?.focus();
}

/** The region that has the focus, null outside of all. */
export function focusedRegion(): Region | null {
  const name = document.activeElement?.closest<HTMLElement>("[data-region]")?.dataset["region"];
  return regionOrder.find((region) => region === name) ?? null;
}

export function cycleRegion(by: 1 | -1): void {
  const here = focusedRegion();
  const at = here === null ? (by > 0 ? -1 : 0) : regionOrder.indexOf(here);
  for (let step = 1; step <= regionOrder.length; step++) {
    const region = regionOrder[(at + by * step + regionOrder.length * 2) % regionOrder.length];
    if (region !== undefined && regionElement(region)) {
      focusRegion(region);
      return;
    }
  }
}

/** Opens the search of the pane that has the focus; false if it has none. */
export function findInFocused(): boolean {
  const region = document.activeElement?.closest("[data-region]") ?? null;
  const button = region?.querySelector<HTMLElement>("[data-find]");
  button?.click();
  return button !== null && button !== undefined;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

const places = new Set<(place: Place) => void>();

/** Asks whichever editor is there to show a place of the source, 1-based. */
export function goToPlace(place: Place): void {
  for (const listener of places) listener(place);
}

export function onGoTo(listener: (place: Place) => void): () => void {
  places.add(listener);
  return () => places.delete(listener);
}
