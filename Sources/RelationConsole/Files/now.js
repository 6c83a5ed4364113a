// The present state of the server: plots of its numbers, its slowest calls, its failures.

import {address, tellError} from './app.js';
import {call, page} from './api.js';
import {bytes, element, number, replace, table, time} from './dom.js';
import {Pair, Reading} from './metrics.js';
import {Plot} from './plot.js';

export const title = 'Now';

/** The time between two readings. */
const PERIOD_MS = 2_000;
/** The slowest calls and the version are read with every fifth reading. */
const RARELY = 5;
/** A page that gives no answer for so long is not waited for. */
const LONGEST_WAIT_MS = 10_000;
/** The most rows of the tables of busy calls and of failures. */
const MOST_ROWS = 12;

const DURATION = 'relation_call_duration_seconds';
const each = unit => value => `${number(value)} ${unit}`;
const perSecond = each('/s');
const short = method => method.replace('relation.v1.', '');
const milliseconds = value => value === null ? null : value * 1000;
/** A step of bytes is a power of 1024, so that the axis has round numbers. */
const unitOfBytes = most => 1024 ** Math.max(0, Math.floor(Math.log(most || 1) / Math.log(1024)));
const percent = value => `${number(value * 100)} %`;
const quantiles = (pair, name) =>
  [0.5, 0.99].map(part => milliseconds(pair.quantile(name, part)));

function failed(pair) {
  const all = pair.rate('relation_calls_total');
  return all === null ? null
    : Math.max(0, all - (pair.rate('relation_calls_total', {code: 'OK'}) ?? 0));
}

/** Each plot: `needs` is the family without which it is left out; `of` gives its numbers. */
const PLOTS = [
  {title: 'Calls', needs: 'relation_calls_total', series: ['calls ended'], format: perSecond,
    of: pair => [pair.rate('relation_calls_total')]},
  {title: 'Latency of calls', needs: `${DURATION}_bucket`, series: ['p50', 'p99'],
    format: each('ms'), words: 'From the head of a call to its answer, without streams.',
    of: pair => quantiles(pair, DURATION)},
  {title: 'Failed calls', needs: 'relation_calls_total', series: ['calls failed'],
    format: perSecond, of: pair => [failed(pair)]},
  {title: 'Commits', needs: 'relation_commits_total', series: ['of callers', 'in the background'],
    format: perSecond, of: pair => [pair.rate('relation_commits_total'),
      pair.rate('relation_background_commits_total')]},
  {title: 'Open', needs: 'relation_watch_streams', series: ['streams', 'calls', 'connections'],
    format: number, of: ({now}) => [now.sum('relation_watch_streams'),
      now.sum('relation_open_calls'), now.sum('relation_connections')]},
  {title: 'Lag of streams', needs: 'relation_watch_lag_seconds_bucket', series: ['p50', 'p99'],
    format: each('ms'), words: 'From a commit until its events are on their way.',
    of: pair => quantiles(pair, 'relation_watch_lag_seconds')},
  {title: 'Hits of caches', needs: 'relation_cache_hits_total', series: ['of look-ups'],
    format: percent, most: 1,
    of: pair => [pair.share('relation_cache_hits_total', 'relation_cache_misses_total')]},
  {title: 'Memory', needs: 'process_resident_memory_bytes',
    series: ['resident', 'caches', 'blocks of rows'], format: bytes, unitOf: unitOfBytes,
    of: ({now}) => [now.sum('process_resident_memory_bytes'), now.sum('relation_cache_bytes'),
      now.sum('relation_store_block_cache_bytes')]},
  {title: 'Processor', needs: 'process_cpu_seconds_total', series: ['cores in use'],
    format: each('cores'), of: pair => [pair.rate('process_cpu_seconds_total')]},
  {title: 'Disk', needs: 'relation_store_disk_bytes', series: ['files of rows'],
    format: bytes, unitOf: unitOfBytes,
    of: ({now}) => [now.sum('relation_store_disk_bytes')]},
  {title: 'Connections to the database', needs: 'relation_database_connections_used',
    series: ['in use', 'may be in use'], format: number,
    of: ({now}) => [now.sum('relation_database_connections_used'),
      now.sum('relation_database_connections_max')]},
  {title: 'Round trips to the database', needs: 'relation_database_round_trips_total',
    series: ['round trips', 'transactions run again'], format: perSecond,
    of: pair => [pair.rate('relation_database_round_trips_total'),
      pair.rate('relation_database_reruns_total')]},
  {title: 'Lag of the feed', needs: 'relation_feed_lag_seconds_bucket', series: ['p50', 'p99'],
    format: each('ms'), words: 'From the time of an event until this server has read it.',
    of: pair => quantiles(pair, 'relation_feed_lag_seconds')},
];

export async function show(place, parameters, signal) {
  const now = new NowPage(signal);
  replace(place, now.state, now.facts, now.counts, now.plots, now.tables);
  await Promise.all([now.run(), now.count()]);
}

class NowPage {
  constructor(signal) {
    Object.assign(this, {signal, readings: 0, shown: new Map(), lost: null, ready: '', version: ''});
    this.state = element('p', {class: 'state', role: 'status'}, 'reading the numbers');
    this.facts = element('dl', {class: 'counts'});
    this.counts = element('dl', {class: 'counts'});
    this.plots = element('div', {class: 'plots'});
    this.busy = element('div', {});
    this.failures = element('div', {});
    this.caches = element('div', {});
    this.slow = element('div', {});
    this.tables = element('div', {class: 'tables'}, this.busy, this.slow, this.failures,
      this.caches);
  }

  /** Reads again and again, but not while the tab is hidden. */
  async run() {
    const {signal} = this;
    while (!signal.aborted) {
      if (document.hidden) await shown(signal);
      const begun = performance.now();
      await this.read();
      await pause(Math.max(0, PERIOD_MS - (performance.now() - begun)), signal);
    }
  }

  async read() {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(LONGEST_WAIT_MS)]);
    try {
      const {status, text} = await page('/metrics', signal);
      if (status !== 200) throw new Error(`HTTP ${status} from /metrics`);
      const at = performance.now();
      if (this.readings % RARELY === 0) await this.readRarely(signal);
      if (this.signal.aborted) return;
      this.readings += 1;
      this.took(new Reading(text, at));
      this.lost = null;
    } catch (error) {
      if (this.signal.aborted) return;
      this.lost ??= {since: new Date()};
      this.lost.error = error;
      // After a restart it is another server.
      this.readings = 0;
    }
    this.tell();
  }

  async readRarely(signal) {
    const [ready, version, slow] = await Promise.all(
      ['/readyz', '/version', '/slow'].map(name => page(name, signal)));
    this.ready = ready.text.trim();
    this.isReady = ready.status === 200;
    this.version = version.status === 200 ? JSON.parse(version.text) : {};
    this.drawSlow(slow);
  }

  tell() {
    const {lost} = this;
    const text = lost ? 'not reachable' : this.ready;
    const key = `${text} ${lost?.error.message}`;
    // A status that did not change is not said again.
    if (key === this.told) return;
    this.told = key;
    const kind = lost ? 'bad' : this.isReady ? 'good' : 'warn';
    replace(this.state, element('span', {class: kind, 'aria-hidden': 'true'}, '● '),
      element('strong', {class: kind}, lost ? 'The server cannot be reached' : text),
      lost ? [' since ', time(lost.since.getTime()), ` (${lost.error.message}). The page tries `,
        `again every ${PERIOD_MS / 1000} s; the numbers below are the last.`]
        : ` – read every ${PERIOD_MS / 1000} s while this tab is seen`);
  }

  took(now) {
    const before = this.last;
    this.last = now;
    this.first ??= now;
    const begun = now.sum('process_start_time_seconds');
    replace(this.facts, [
      ['Version', this.version?.version ?? 'unknown'],
      ['Contract', this.version?.contract ?? 'unknown'],
      begun && ['Runs since', time(begun * 1000)],
      now.sum('relation_store_free_bytes') !== null &&
        ['Free on disk', bytes(now.sum('relation_store_free_bytes'))],
      now.sum('process_open_fds') !== null && ['Open files',
        `${number(now.sum('process_open_fds'))} of ${number(now.sum('process_max_fds'))}`],
      now.sum('relation_waiting_operations') !== null &&
        ['Writes that wait', number(now.sum('relation_waiting_operations'))],
    ].filter(Boolean).map(fact));
    // The counters of another process say nothing together with the earlier ones.
    const pair = before && new Pair(before, now);
    if (!pair || pair.isTorn) {
      this.first = now;
      return;
    }
    this.drawPlots(pair);
    const whole = new Pair(this.first, now);
    this.drawBusy(whole);
    this.drawFailures(whole);
    this.drawCaches(whole);
  }

  drawPlots(pair) {
    for (const wanted of PLOTS) {
      if (!pair.now.families.has(wanted.needs)) continue;
      let plot = this.shown.get(wanted);
      if (!plot) {
        plot = new Plot(wanted);
        this.shown.set(wanted, plot);
        this.plots.append(plot.element);
      }
      plot.add(pair.now.at, Date.now(), wanted.of(pair));
    }
  }

  drawBusy(pair) {
    const ended = [...pair.now.by('relation_calls_total', 'method').keys()]
      .map(method => ({method, count: pair.growth('relation_calls_total', {method})}))
      .filter(({count}) => count > 0).sort((one, other) => other.count - one.count);
    const ms = value => value === null ? 'stream' : `${number(value * 1000)} ms`;
    section(this.busy, 'Calls since this page was opened', ended.length, 'No call has ended since.',
      () => table('The most frequent calls', ['Call', 'Calls', 'A second', 'p50', 'p99'],
        ended.slice(0, MOST_ROWS).map(({method, count}) => [tryLink(method), number(count),
          number(count / pair.seconds),
          ...[0.5, 0.99].map(part => ms(pair.quantile(DURATION, part, {method})))])));
  }

  drawFailures(pair) {
    const {now} = pair;
    const all = now.samples('relation_calls_total')
      .filter(({labels, value}) => labels.code !== 'OK' && value > 0)
      .map(({labels, value}) => ({labels, value, count: pair.growth('relation_calls_total', labels)}))
      .sort((one, other) => other.count - one.count || other.value - one.value);
    section(this.failures, 'Failed calls', all.length, 'No call has failed since the server began.',
      () => table('Failed calls by their code', ['Call', 'Code', 'Since opened', 'Since the start'],
        all.slice(0, MOST_ROWS).map(({labels, value, count}) =>
          [tryLink(labels.method), labels.code, number(count), number(value)])));
    const reasons = now.samples('relation_call_failures_total').filter(({value}) => value > 0)
      .sort((one, other) => other.value - one.value);
    if (reasons.length) {
      this.failures.append(element('p', {class: 'hint'}, 'Reasons since the start: ',
        reasons.slice(0, MOST_ROWS).map(({labels, value}) =>
          `${labels.reason} ${number(value)}`).join(', '), '.'));
    }
  }

  drawCaches(pair) {
    const {now} = pair;
    const names = [...now.by('relation_cache_bytes', 'cache').keys()];
    section(this.caches, 'Caches', names.length, 'This server has none.', () => table(
      'Caches, with their hits since this page was opened',
      ['Cache', 'Entries', 'Size', 'At most', 'Hits', 'Evictions'], names.map(cache => {
        const where = {cache};
        const hits = pair.share('relation_cache_hits_total', 'relation_cache_misses_total', where);
        return [cache.replaceAll('_', ' '), number(now.sum('relation_cache_entries', where)),
          bytes(now.sum('relation_cache_bytes', where)),
          bytes(now.sum('relation_cache_max_bytes', where)),
          hits === null ? 'no look-up' : percent(hits),
          number(now.sum('relation_cache_evictions_total', where))];
      })));
  }

  drawSlow({status, text}) {
    const [names = '', ...lines] = text.trimEnd().split('\n');
    const rows = status === 200 ? lines.map(line => line.split('\t')) : [];
    section(this.slow, 'The slowest calls of late', rows.length,
      status === 200 ? 'No call has ended yet.' : `HTTP ${status} from /slow.`,
      () => table('The slowest calls, in milliseconds by part', names.split('\t').map(named),
        rows.slice(0, MOST_ROWS).map(([method, code, ...numbers]) => [tryLink(method), code,
          ...numbers.map(value => number(Number(value)))])));
  }

  /** The counts of the app are exact, and so they are asked for once. */
  async count() {
    try {
      const {app = {}} = await call('MaintenanceService/GetStats', {}, this.signal);
      replace(this.counts, [['Accounts', app.accounts], ['Rows of friends', app.friends],
        ['Groups', app.groups], ['Blacklisted', app.blacklistedUsers],
        ['Applications that wait', app.comeIn], ['Subscriptions', app.subscriptions],
        ['Events', app.events]].map(([name, value]) => fact([name, number(value ?? '0')])));
    } catch (error) {
      if (this.signal.aborted) return;
      // The numbers of the server need no credential, and stay.
      if (error.code === 'unauthenticated') tellError(error);
      replace(this.counts, fact(['Counts of the app', `not read: ${error.reason || error.message}`]));
    }
  }
}

const fact = ([name, value]) => element('div', {}, element('dt', {}, name),
  element('dd', {}, value));

const named = name => ({call: 'Call', code: 'Code', ms: 'All, ms', loop: 'Loop', queue: 'Queue',
  work: 'Work', answer: 'Answer', 'seconds ago': 'Seconds ago'})[name] ?? name;

/** A link to the form of a call, if a method is one of the contract's. */
function tryLink(method = '') {
  return method.startsWith('relation.v1.')
    ? element('a', {href: address('try', {call: short(method)})}, short(method)) : method;
}

/** A section with a heading, and a table or a sentence that says why there is none. */
function section(place, name, count, none, made) {
  // The focus stays where it is: a table is not drawn anew under it.
  if (place.contains(document.activeElement)) return;
  replace(place, element('h2', {}, name), count ? made() : element('p', {class: 'hint'}, none),
    count > MOST_ROWS && element('p', {class: 'hint'},
      `${number(count - MOST_ROWS)} further rows are left out.`));
}

function pause(milliseconds, signal) {
  return new Promise(done => {
    const timer = setTimeout(leave, milliseconds);
    function leave() {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      done();
    }
    signal.addEventListener('abort', leave, {once: true});
  });
}

/** Waits until the tab is seen again. */
function shown(signal) {
  return new Promise(done => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      done();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
  });
}
