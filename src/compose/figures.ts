import type { Figures } from "../http/metrics.js";
import type { Services } from "../services/services.js";

/** What the process counts. Names are the service's interface: dashboards and `doctor` read them. */
export function figuresOf({ indexes }: Services): Figures {
  const { entries, bytes, hits, misses, filled, evicted, expired, purged } = indexes.stats();
  return {
    muniment_index_entries: entries,
    muniment_index_bytes: bytes,
    muniment_index_hits_total: hits,
    muniment_index_misses_total: misses,
    muniment_index_filled_total: filled,
    muniment_index_evicted_total: evicted,
    muniment_index_expired_total: expired,
    muniment_index_purged_total: purged,
  };
}
