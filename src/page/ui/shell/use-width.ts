// How much room there is: phone below 768 px, middle below 1,200, wide above.
import { useSyncExternalStore } from "react";

export type Width = "phone" | "middle" | "wide";

const queries = ["(max-width: 767.98px)", "(max-width: 1199.98px)"] as const;

function read(): Width {
  return matchMedia(queries[0]).matches ? "phone" : matchMedia(queries[1]).matches ? "middle" : "wide";
}

function subscribe(listener: () => void): () => void {
  const lists = queries.map((query) => matchMedia(query));
  for (const list of lists) list.addEventListener("change", listener);
  return () => {
    for (const list of lists) list.removeEventListener("change", listener);
  };
}

export function useWidth(): Width {
  return useSyncExternalStore(subscribe, read);
}
