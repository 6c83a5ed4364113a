// @ts-check
// The present state of the server: plots of its numbers, its slowest calls, its failures.

import {link, notifyError} from '../shared/shell.js';
import {call, page, Signals} from '../shared/api.js';
import {contract, meaning, paragraphs, words} from '../shared/contract.js';
import {spoken} from '../shared/labels.js';
import {bytes, element, facts, note, number, on, replace, table, time} from '../shared/dom.js';
import {fullness, HARMLESS, problems} from './health.js';
import {Pair, past, Reading} from './metrics.js';
import {GAP_MS, Plot} from './plot.js';

export const title = 'Overview';

/**
 * The way from two readings to the number of a line; null where there is none.
 *
 * @typedef {(pair: Pair, family: string, line: string) => number | null} Way
 * @typedef {[title: string, format: Format, way: Way, lines: Record<string, string>]} Wanted
 */

/** The time between two readings. */
const PERIOD_MS = 2_000;
/**
 * The slowest calls and the version are read with every fifth reading, and the server's own
 * readings with every thirtieth.
 */
const [RARELY, SELDOM] = [5, 30];
/** A page that gives no answer for so long is not waited for. */
const LONGEST_WAIT_MS = 10_000;
/** The most rows of a table. */
const MOST_ROWS = 12;

const CALLS = 'relation_calls_total';
const REASONS = 'relation_call_failures_total';
const DURATION = 'relation_call_duration_seconds';
/** @type {(unit: string) => Format} */
const each = unit => value => `${number(value)} ${unit}`;
const [perSecond, ms] = [each('/s'), each('ms')];
/** @type {Format} */
const percent = value => `${number(value * 100)} %`;

/** @type {Way} */
const rate = (pair, family) => pair.rate(family);
/** @type {Way} */
const present = ({now}, family) => now.sum(family);
/** @type {Way} */
const quantile = (pair, family, name) => {
  const seconds = pair.quantile(family, Number(name.slice(1)) / 100);
  return seconds === null ? null : seconds * 1000;
};
/** @type {Way} */
const failed = (pair, family) => Math.max(0, (pair.rate(family) ?? 0) - [...HARMLESS]
  .reduce((sum, code) => sum + (pair.rate(family, {code}) ?? 0), 0));
/** @type {Way} */
const load = ({now}) => fullness(now)[0]?.share ?? null;
/** @type {Way} */
const hits = (pair, family) => pair.share(family, 'relation_cache_misses_total');
/** @param {string} family */
const both = family => ({p50: family, p99: family});

/**
 * The step of an axis of bytes is a power of 1024, so that its numbers are round.
 *
 * @param {number} most
 */
const stepOfBytes = most => 1024 ** Math.floor(Math.log(Math.max(most, 1)) / Math.log(1024));

/**
 * The plots of each theme: the title, the format of the numbers, the way to them, and the lines
 * with their families. A plot is left out while the server has not the first of them. The first
 * theme has the four golden figures: how much, how fast, how often it fails, and how full it is.
 *
 * @type {[theme: string, plots: Wanted[]][]}
 */
const THEMES = [
  ['', [
    ['Calls', perSecond, rate, {'calls ended': CALLS}],
    ['Latency', ms, quantile, both(DURATION)],
    ['Failed calls', perSecond, failed, {'calls failed': CALLS}],
    ['Load', percent, load, {'of the fullest limit': 'relation_connections'}],
  ]],
  ['Writes and store', [
    ['Commits', perSecond, rate, {'of callers': 'relation_commits_total',
      'in the background': 'relation_background_commits_total'}],
    ['Disk', bytes, present, {'files of rows': 'relation_store_disk_bytes'}],
    ['Connections to the database', number, present, {
      'in use': 'relation_database_connections_used',
      most: 'relation_database_connections_max'}],
    ['Round trips to the database', perSecond, rate, {
      all: 'relation_database_round_trips_total', 'run again': 'relation_database_reruns_total'}],
  ]],
  ['Connections and streams', [
    ['Open', number, present, {streams: 'relation_watch_streams', calls: 'relation_open_calls',
      connections: 'relation_connections'}],
    ['Lag of streams behind commits', ms, quantile, both('relation_watch_lag_seconds')],
    ['Lag behind the feed of all servers', ms, quantile, both('relation_feed_lag_seconds')],
  ]],
  ['Memory and processor', [
    ['Memory', bytes, present, {resident: 'process_resident_memory_bytes',
      caches: 'relation_cache_bytes', 'blocks of rows': 'relation_store_block_cache_bytes'}],
    ['Processor', each('cores'), rate, {'in use': 'process_cpu_seconds_total'}],
    ['Hits of caches', percent, hits, {'of look-ups': 'relation_cache_hits_total'}],
  ]],
];

/**
 * The plots, with the last reading: while other pages are shown they wait, and then the server's
 * own readings fill the gap.
 *
 * @type {{shown: Map<Wanted, Plot>, last: Reading | null}}
 */
let before = {shown: new Map(), last: null};

/** @type {Show} */
export async function show(place, _, signal) {
  const page = new OverviewPage(signal);
  replace(place, page.state, page.troubles, page.themes[0].place, page.facts,
    page.themes.slice(1).map(({place}) => place), element('h2', {}, 'Calls'),
    element('div', {class: 'tables'}, page.busy, page.failures, page.codes, page.caches),
    page.slow);
  const timer = setInterval(() => page.read(), PERIOD_MS);
  on(signal, 'abort', () => clearInterval(timer), {once: true});
  on(document, 'visibilitychange', () => page.read(), {signal});
  // The reasons have no words until the contract is read, and need none.
  contract().then(all => { page.all = all; }, () => {});
  await Promise.all([page.read(), page.count()]);
}

class OverviewPage {
  readings = 0;
  all = /** @type {Contract | null} */ (null);
  counts = /** @type {[string, Child][]} */ ([]);
  state = element('p', {class: 'state', role: 'status'}, 'reading the numbers');
  troubles = element('ul', {class: 'troubles', hidden: true});
  facts = element('dl', {class: 'counts'});
  themes = THEMES.map(([name, wanted], index) => {
    const plots = element('div', {class: index ? 'plots' : 'plots golden'});
    return {wanted, plots, place: element('section', {hidden: index > 0},
      name && element('h2', {}, name), plots)};
  });
  busy = element('div');
  failures = element('div');
  codes = element('div');
  caches = element('div');
  slow = element('div');
  isReading = false;
  /** Since when the server is away, and the last error; null while it answers. */
  lost = /** @type {{since: number, error: Error} | null} */ (null);
  /** The first reading of the present process, and the last of all. */
  first = /** @type {Reading | null} */ (null);
  /** The oldest of the server's own readings, ten minutes ago or when it began. */
  oldest = /** @type {Reading | null} */ (null);
  last = /** @type {Reading | null} */ (null);
  ready = {text: '', isReady: false};
  version = /** @type {{version?: string, contract?: string}} */ ({});
  shown = /** @type {string | null} */ (null);

  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
  }

  /** Reads once, unless the tab is hidden or the reading before is still under way. */
  async read() {
    if (document.hidden || this.isReading) return;
    this.isReading = true;
    const signal = Signals.any([this.signal, Signals.timeout(LONGEST_WAIT_MS)]);
    try {
      const {status, text} = await page('/metrics', signal);
      if (status !== 200) throw new Error(`HTTP ${status} from /metrics`);
      const now = new Reading(text, performance.now());
      const isGap = now.at - (before.last?.at ?? -Infinity) > GAP_MS;
      const own = isGap || this.readings % SELDOM === 0 ? await this.readPast(signal) : [];
      if (this.readings % RARELY === 0) await this.readRarely(signal);
      this.readings += 1;
      this.lost = null;
      this.took(now, own);
    } catch (thrown) {
      const since = this.lost?.since ?? Date.now();
      this.lost = {since, error: /** @type {Error} */ (thrown)};
      // It may be another server when it is back.
      this.readings = 0;
    }
    this.isReading = false;
    if (!this.signal.aborted) this.showHealth();
  }

  /**
   * The server's own readings; none if it does not answer.
   *
   * @param {AbortSignal} signal
   */
  async readPast(signal) {
    const {status, text} = await page('/console/history.json', signal);
    const own = status === 200 ? past(text, performance.now()) : [];
    this.oldest = own[0] ?? null;
    return own;
  }

  /** @param {AbortSignal} signal */
  async readRarely(signal) {
    const [ready, version, slow] = await Promise.all(
      ['/readyz', '/version', '/slow'].map(name => page(name, signal)));
    this.ready = {text: ready.text.trim(), isReady: ready.status === 200};
    this.version = version.status === 200 ? JSON.parse(version.text) : {};
    this.drawSlow(slow);
  }

  showHealth() {
    const {lost, ready, last} = this;
    const pair = last && new Pair(this.oldest ?? this.first ?? last, last);
    const found = lost || !ready.isReady || !pair ? [] : problems(pair, Date.now());
    const key = JSON.stringify([lost?.error.message ?? ready.text, found]);
    // A status that did not change is not said again.
    if (key === this.shown) return;
    this.shown = key;
    const [first] = found;
    const kind = lost || !ready.isReady ? 'bad' : first?.kind ?? 'good';
    replace(this.state, element('strong', {class: kind}, '● ',
      lost ? 'The server cannot be reached'
        : !ready.isReady ? `The server takes no calls: ${ready.text}`
          : first ? `Not all is well: ${first.text}` : 'All is well'),
    lost ? [' since ', time(lost.since), ` (${lost.error.message}). The page tries again every ${
      PERIOD_MS / 1000} s; the numbers below are the last.`]
      : ready.isReady && ` – ${ready.text}, read every ${
        PERIOD_MS / 1000} s while this tab is seen`);
    // The first stands in the line already.
    this.troubles.hidden = found.length < 2;
    replace(this.troubles, found.slice(1).map(each =>
      element('li', {}, element('span', {class: each.kind}, '● '), each.text)));
  }

  drawFacts() {
    // A number that the server does not have is left out: a store of its own has other ones than a
    // database.
    /**
     * @param {string} name
     * @param {(...values: number[]) => Child} words
     * @param {...string} families
     * @returns {[string, Child][]}
     */
    const fact = (name, words, ...families) => {
      const values = families.flatMap(family => this.last?.sum(family) ?? []);
      return values.length < families.length ? [] : [[name, words(...values)]];
    };
    /** @type {(used: number, most: number) => string} */
    const share = (used, most) => `${number(used)} of ${number(most)}`;
    replace(this.facts, facts([
      ['Version', `${this.version.version}, contract ${this.version.contract}`],
      ...fact('Started', value => time(value * 1000), 'process_start_time_seconds'),
      ...fact('Rows on disk', value => value ? bytes(value) : 'none yet',
        'relation_store_disk_bytes'),
      ...fact('Free on disk', bytes, 'relation_store_free_bytes'),
      ...fact('Connections to the database', share, 'relation_database_connections_used',
        'relation_database_connections_max'),
      ...fact('Round trips to the database', number, 'relation_database_round_trips_total'),
      ...fact('Open files', share, 'process_open_fds', 'process_max_fds'),
      ...fact('Queued writes', number, 'relation_waiting_operations'),
      ...this.counts,
    ]));
  }

  /**
   * @param {Reading} now
   * @param {Reading[]} own the server's own readings
   */
  took(now, own) {
    // The counters of another process say nothing together with the earlier ones.
    if (before.last && new Pair(before.last, now).isTorn) {
      before = {shown: new Map(), last: null};
      for (const {plots} of this.themes) replace(plots);
      this.first = null;
      if (!own.length) this.oldest = null;
    }
    this.last = now;
    this.first ??= now;
    this.drawFacts();
    const since = before.last?.at ?? -Infinity;
    for (const each of [...own.filter(({at}) => at > since && at < now.at), now]) this.plot(each);
    this.drawPlots();
    const whole = new Pair(this.first, now);
    this.drawBusy(whole);
    this.drawFailures(whole, new Pair(this.oldest ?? this.first, now));
    this.drawCaches(whole);
  }

  /**
   * Adds a reading to the plots of its numbers.
   *
   * @param {Reading} now
   */
  plot(now) {
    const pair = before.last && new Pair(before.last, now);
    before.last = now;
    // The mean over a gap is not a reading.
    if (!pair || pair.seconds * 1000 > GAP_MS) return;
    for (const wanted of THEMES.flatMap(([, plots]) => plots)) {
      const [name, format, of, lines] = wanted;
      const [first] = Object.values(lines);
      if (!now.families.has(first) && !now.families.has(`${first}_bucket`)) continue;
      const plot = before.shown.get(wanted) ??
        new Plot(name, Object.keys(lines), format, format === bytes ? stepOfBytes : null);
      before.shown.set(wanted, plot);
      plot.add(now.at, Object.entries(lines).map(([line, family]) => of(pair, family, line)));
    }
  }

  drawPlots() {
    for (const {wanted, plots, place} of this.themes) {
      for (const plot of wanted.flatMap(each => before.shown.get(each) ?? [])) {
        if (plot.element.parentNode !== plots) plots.append(plot.element);
        place.hidden = false;
        plot.draw();
      }
    }
  }

  /** @param {Pair} pair */
  drawBusy(pair) {
    const ended = [...pair.now.by(CALLS, 'method').keys()]
      .map(method => ({method, count: pair.growth(CALLS, {method}) ?? 0}))
      .filter(({count}) => count > 0).sort((one, other) => other.count - one.count);
    section(this.busy, 'Calls since this page was opened', ended, 'No call has ended since.',
      ['Call', 'Calls', 'A second', 'p50', 'p99'], ({method, count}) => [callLink(method),
        number(count), number(count / pair.seconds), ...[0.5, 0.99].map(part => {
          const seconds = pair.quantile(DURATION, part, {method});
          return seconds === null ? 'stream' : ms(seconds * 1000);
        })]);
  }

  /**
   * @param {Pair} pair
   * @param {Pair} recent the last ten minutes, which the server has by reason and not by call
   */
  drawFailures(pair, recent) {
    /** @param {string} family */
    const counted = family => pair.now.samples(family).filter(({labels, value}) =>
      value > 0 && !HARMLESS.has(labels.code) && !/(^|_)NOT_FOUND$/.test(labels.reason ?? ''))
      .sort((one, other) => other.value - one.value);
    section(this.failures, 'Failed calls by reason', counted(REASONS),
      'No call has failed with a reason since the server began.',
      ['Reason', 'In words', 'In 10 min', 'Since the start'], ({labels, value}) => [
        labels.reason, this.inWords(labels.reason), number(recent.growth(REASONS, labels) ?? 0),
        number(value)]);
    section(this.codes, 'Failed calls by call', counted(CALLS),
      'No call has failed since the server began. Look-ups that found no one are not counted, ' +
      'nor calls that their callers left.',
      ['Call', 'Code', 'Since opened', 'Since the start'], ({labels, value}) => [
        callLink(labels.method), labels.code, number(pair.growth(CALLS, labels) ?? 0),
        number(value)]);
  }

  /** @param {string} [reason] */
  inWords(reason) {
    const text = this.all && meaning(this.all, 'ErrorReason', `ERROR_REASON_${reason}`);
    const [first = ''] = paragraphs(text ? [text] : []);
    return words(first.slice(0, first.search(/\. |$/) + 1));
  }

  /** @param {Pair} pair */
  drawCaches(pair) {
    section(this.caches, 'Caches, with their hits since this page was opened',
      [...pair.now.by('relation_cache_bytes', 'cache')], 'This server has none.',
      ['Cache', 'Entries', 'Size', 'At most', 'Hits', 'Evictions'], ([cache, size]) => {
        /** @param {string} name */
        const of = name => pair.now.sum(`relation_cache_${name}`, {cache}) ?? 0;
        const share = pair.share('relation_cache_hits_total', 'relation_cache_misses_total',
          {cache});
        return [cache.replaceAll('_', ' '), number(of('entries')), bytes(size),
          bytes(of('max_bytes')), share === null ? 'no look-up' : percent(share),
          number(of('evictions_total'))];
      });
  }

  /** @param {{status: number, text: string}} answer */
  drawSlow({status, text}) {
    const [names, ...rows] = text.trimEnd().split('\n').map(line => line.split('\t'));
    section(this.slow, 'The slowest calls of late, in ms by part', status === 200 ? rows : [],
      status === 200 ? 'No call has ended yet.' : `HTTP ${status} from /slow.`,
      names.map(name => name === 'ms' ? 'Total' : spoken(name)),
      ([method, code, ...numbers]) =>
        [callLink(method), code, ...numbers.map(value => number(Number(value)))]);
  }

  /** The counts of the app are exact, and so they are asked for once. */
  async count() {
    try {
      const {app = {}} = await call('MaintenanceService/GetStats', {}, this.signal);
      this.counts = [['Accounts', number(app.accounts)],
        ['Rows of friends', number(app.friends)], ['Groups', number(app.groups)],
        ['Events', number(app.events)]];
    } catch (/** @type {any} */ error) {
      if (this.signal.aborted) return;
      // The numbers of the server need no credential, and stay.
      if (error.code === 'unauthenticated') notifyError(error);
      this.counts = [['Counts of the app', `not read: ${error.reason || error.message}`]];
    }
    if (this.last) this.drawFacts();
  }
}

/**
 * A link to the form of a call, if a method is one of the contract's.
 *
 * @param {string} method
 */
function callLink(method = '') {
  const [, name] = method.match(/^relation\.v1\.(.+)/) ?? [];
  return name ? link('explorer', {call: name}, name) : method;
}

/**
 * A table of the first of `items`, or a sentence that says why there is none.
 *
 * @template Item
 * @param {Element} place
 * @param {string} title
 * @param {Item[]} items
 * @param {string} none
 * @param {string[]} names
 * @param {(item: Item) => Child[]} row
 */
function section(place, title, items, none, names, row) {
  // The focus stays where it is: a table is not drawn again under it.
  if (place.contains(document.activeElement)) return;
  replace(place, items.length ? table(title, names, items.slice(0, MOST_ROWS).map(row))
    : [element('h3', {}, title), note(none)],
    items.length > MOST_ROWS && note(
      `${number(items.length - MOST_ROWS)} further rows are left out.`));
}
