// Owner rows of one listing: interns the LineOwners that a printer wrote into columns that cross the thread
// boundary.
import type { OwnerTable } from "../protocol/compile.ts";
import type { ListingView } from "../protocol/views.ts";
import { expandOrigin, type LineOwner, type Origin, type SourceId } from "../compiler/ir/origin.ts";
import type { Listing } from "../support/text-writer.ts";

/** Expanding a merged origin walks its ancestors: once an origin, not once a line. */
export type OriginCache = Map<Origin, readonly SourceId[]>;

export function sourcesOf(origin: Origin | null, cache: OriginCache): readonly SourceId[] {
  if (origin === null) return [];
  let found = cache.get(origin);
  if (found === undefined) {
    found = expandOrigin(origin);
    cache.set(origin, found);
  }
  return found;
}

export function listingView(listing: Listing<LineOwner>, cache: OriginCache): ListingView {
  const rows = new Map<string, number>();
  const starts: number[] = [0];
  const sources: number[] = [];
  const primitive: number[] = [];
  const call: number[] = [];
  const storage: number[] = [];
  const seen = new Map<LineOwner, number>();
  const rowOf = (owner: LineOwner): number => {
    const known = seen.get(owner);
    if (known !== undefined) return known;
    const from = sourcesOf(owner.origin, cache);
    const key = `${owner.primitive},${owner.call},${owner.storage},${from.join()}`;
    let row = rows.get(key);
    if (row === undefined) {
      row = rows.size;
      rows.set(key, row);
      for (const id of from) sources.push(id);
      starts.push(sources.length);
      primitive.push(owner.primitive);
      call.push(owner.call);
      storage.push(owner.storage);
    }
    seen.set(owner, row);
    return row;
  };
  const lineOwner = Uint32Array.from(listing.owners, (owner) => (owner === null ? 0 : rowOf(owner) + 1));
  const owners: OwnerTable = {
    sourceStart: Uint32Array.from(starts),
    sources: Uint32Array.from(sources),
    primitive: Int32Array.from(primitive),
    call: Int32Array.from(call),
    storage: Int32Array.from(storage),
  };
  return { text: listing.text, lineOwner, owners };
}
