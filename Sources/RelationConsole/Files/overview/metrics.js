// @ts-check
// Numbers in the text of Prometheus, and what two readings of them say together.

/**
 * A number with its labels.
 *
 * @typedef {Record<string, string>} Labels
 * @typedef {{labels: Labels, value: number}} Sample
 */

/**
 * The families of a text: each name to its samples.
 *
 * @param {string} text
 */
function parsed(text) {
  /** @type {Map<string, Sample[]>} */
  const found = new Map();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const end = line.lastIndexOf(' ');
    const open = line.indexOf('{');
    const name = line.slice(0, open < 0 ? end : open);
    /** @type {Labels} */
    const labels = {};
    if (open >= 0) {
      for (const [, key, value] of line.slice(open, end).matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
        labels[key] = value.replace(/\\(.)/g, (_, letter) => letter === 'n' ? '\n' : letter);
      }
    }
    const samples = found.get(name) ?? [];
    found.set(name, samples);
    const value = Number(line.slice(end + 1).replace('Inf', 'Infinity'));
    if (!Number.isNaN(value)) samples.push({labels, value});
  }
  return found;
}

/** All numbers of one moment; `at` is in milliseconds. */
export class Reading {
  /**
   * @param {string} text
   * @param {number} at
   */
  constructor(text, at) {
    this.families = parsed(text);
    this.at = at;
  }

  /**
   * The samples of a family whose labels are those of `where`.
   *
   * @param {string} name
   * @param {Labels} where
   */
  samples(name, where = {}) {
    const wanted = Object.entries(where);
    return (this.families.get(name) ?? []).filter(({labels}) =>
      wanted.every(([key, value]) => labels[key] === value));
  }

  /**
   * The sum of these samples; null if there is none.
   *
   * @param {string} name
   * @param {Labels} [where]
   */
  sum(name, where) {
    const all = this.samples(name, where);
    return all.length ? all.reduce((sum, {value}) => sum + value, 0) : null;
  }

  /**
   * The sums for each value of a label.
   *
   * @param {string} name
   * @param {string} label
   * @param {Labels} [where]
   * @returns {Map<string, number>}
   */
  by(name, label, where) {
    const sums = new Map();
    for (const {labels, value} of this.samples(name, where)) {
      sums.set(labels[label], (sums.get(labels[label]) ?? 0) + value);
    }
    return sums;
  }
}

/**
 * The server's own readings of the last ten minutes, with the oldest first. They are sums over all
 * labels but `code`, `reason` and `le`.
 *
 * @param {string} text
 * @param {number} now
 */
export function past(text, now) {
  const {ages, series} = /** @type {{ages: number[], series: Record<string, number | Values>}} */ (
    JSON.parse(text));
  return ages.map((age, index) => new Reading(Object.entries(series).map(([name, all]) =>
    `${name} ${(typeof all === 'object' ? all?.[index] : all) ?? NaN}`).join('\n'),
  now - age * 1000));
}

/** Two readings, one after the other, of one and the same process. */
export class Pair {
  /**
   * @param {Reading} before
   * @param {Reading} now
   */
  constructor(before, now) {
    this.before = before;
    this.now = now;
    this.seconds = (now.at - before.at) / 1000;
  }

  /** Whether the server started over in between; then its counters did too. */
  get isTorn() {
    const start = 'process_start_time_seconds';
    return this.now.sum(start) !== this.before.sum(start);
  }

  /**
   * How much a counter grew; null if the server has none of that name.
   *
   * @param {string} name
   * @param {Labels} [where]
   */
  growth(name, where) {
    const now = this.now.sum(name, where);
    return now === null ? null : Math.max(0, now - (this.before.sum(name, where) ?? 0));
  }

  /**
   * The growth a second.
   *
   * @param {string} name
   * @param {Labels} [where]
   */
  rate(name, where) {
    const growth = this.growth(name, where);
    return growth === null ? null : growth / this.seconds;
  }

  /**
   * The part of look-ups that hit, from 0 to 1; null if nothing was looked up.
   *
   * @param {string} hits
   * @param {string} misses
   * @param {Labels} [where]
   */
  share(hits, misses, where) {
    const [hit, missed] = [this.growth(hits, where) ?? 0, this.growth(misses, where) ?? 0];
    return hit + missed > 0 ? hit / (hit + missed) : null;
  }

  /**
   * The value below which the part `quantile` of the observations in between lies; null if there
   * were none. It is exact to the bucket, and within a bucket an even spread is assumed.
   *
   * @param {string} name
   * @param {number} quantile
   * @param {Labels} [where]
   */
  quantile(name, quantile, where) {
    const bucket = `${name}_bucket`;
    const before = this.before.by(bucket, 'le', where);
    const grown = [...this.now.by(bucket, 'le', where)]
      .map(([bound, count]) => ({
        bound: bound === '+Inf' ? Infinity : Number(bound), count: count - (before.get(bound) ?? 0),
      })).sort((one, other) => one.bound - other.bound);
    const total = grown.at(-1)?.count ?? 0;
    if (total <= 0) return null;
    let [low, below] = [0, 0];
    for (const {bound, count} of grown) {
      if (count >= quantile * total) {
        // Above the last bound nothing is known but that bound.
        if (bound === Infinity) return low;
        return low + (bound - low) * (quantile * total - below) / (count - below);
      }
      [low, below] = [bound, count];
    }
    return low;
  }
}
