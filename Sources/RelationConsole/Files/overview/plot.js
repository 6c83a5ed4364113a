// @ts-check
// A small plot of lines over time, with the same numbers in words and in a table.

import {drawn, element, note, number, replace, table, time} from '../shared/dom.js';

/** The readings that a plot keeps: ten minutes, with one every two seconds. */
const MOST_READINGS = 300;
/** The readings that the table of a plot shows: the latest. */
const TABLE_READINGS = 30;
/** The minutes that the axis of time may show: the fewest that hold all readings. */
const SPANS = [1, 2, 5, 10];
/** Older readings are dropped. */
const LONGEST_MS = Math.max(...SPANS) * 60_000;
/** The most characters of a label of the axis that has its usual width; longer ones are narrow. */
const AXIS_CHARACTERS = 11;
/** Readings further apart are not joined: the server was away. Its own are ten seconds apart. */
export const GAP_MS = 15_000;

const [WIDTH, HEIGHT] = [360, 140];
const [LEFT, RIGHT, TOP, BOTTOM] = [74, 352, 10, 118];

/**
 * The least of 1, 2, 5, 10, 20 … times `unit` that is not below `most`.
 *
 * @param {number} most
 * @param {number} [unit]
 * @returns {number}
 */
function ceiling(most, unit = 1) {
  if (!(most > 0)) return unit;
  const power = 10 ** Math.floor(Math.log10(most / unit));
  const steps = [1, 2, 5, 10].map(step => step * power * unit);
  return steps.find(step => step >= most * 0.999) ?? most;
}

/** One plot of several lines over the same time. */
export class Plot {
  readings = /** @type {Point[]} */ ([]);

  /**
   * @param {string} title
   * @param {string[]} series the names of the lines
   * @param {Format} format gives a number with its unit
   * @param {((most: number) => number) | null} step gives the unit of the axis
   */
  constructor(title, series, format, step) {
    this.title = title;
    this.series = series;
    this.format = format;
    this.step = step;
    this.value = element('p', {class: 'value'});
    this.range = element('p', {class: 'hint'});
    this.drawing = drawn('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img'});
    this.rows = element('div');
    this.more = element('details', {toggle: () => this.showTable()},
      element('summary', {'aria-label': `As a table: ${title}`}, 'As a table'), this.rows);
    this.element = element('section', {class: 'plot'}, element('h2', {}, title), this.value,
      this.drawing, this.range, this.more);
  }

  /**
   * Adds a reading, which `draw` shows: one number for each line, or null where there is none.
   *
   * @param {number} at
   * @param {Values} values
   */
  add(at, values) {
    this.readings.push({at, wall: performance.timeOrigin + at, values});
    while (this.readings.length > MOST_READINGS || at - this.readings[0].at > LONGEST_MS) {
      this.readings.shift();
    }
  }

  /** Says the last reading above the plot; gives its words. */
  say() {
    const known = this.series.flatMap((name, index) => {
      // Where nothing was measured of late, the last number stays, with its age.
      const reading = [...this.readings].reverse().find(({values}) => values[index] !== null);
      if (!reading) return [];
      const age = Math.round((this.last - reading.at) / 1000);
      const value = /** @type {number} */ (reading.values[index]);
      return [{name: age ? `${name}, ${number(age)} s ago` : name, index, value}];
    });
    replace(this.value, known.length ? known.map(({name, index, value}) => element('span', {},
      this.series.length > 1 && drawn('svg', {class: 'key', viewBox: '0 0 18 6',
        'aria-hidden': 'true'}, drawn('path', {class: `line line-${index}`, d: 'M0 3H18'})),
      element('strong', {}, this.format(value)), ` ${name}`)) : 'nothing to measure');
    return known.map(({name, value}) => `${this.format(value)} ${name}`).join(', ') || 'nothing';
  }

  /** The last reading; there is one once a plot is drawn. */
  get latest() {
    return this.readings[this.readings.length - 1];
  }

  get last() {
    return this.latest.at;
  }

  /** The minutes that the axis shows. */
  get span() {
    const needed = this.last - this.readings[0].at;
    return SPANS.find(span => span * 60_000 >= needed) ?? Math.max(...SPANS);
  }

  /** @param {number} at */
  x(at) {
    return RIGHT - (this.last - at) / (this.span * 60_000) * (RIGHT - LEFT);
  }

  draw() {
    const all = this.readings.flatMap(({values}) => values.flatMap(value => value ?? []));
    const most = all.reduce((one, other) => Math.max(one, other), 0);
    const top = ceiling(most, this.step?.(most));
    /** @param {number} value */
    const y = value => BOTTOM - Math.min(value / top, 1) * (BOTTOM - TOP);
    const {span} = this;
    replace(this.drawing,
      this.ticks(top).map(({value, text}) => [
        drawn('path', {class: 'grid', d: `M${LEFT} ${y(value)}H${RIGHT}`}),
        drawn('text', {x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end',
          textLength: text.length > AXIS_CHARACTERS && LEFT - 8, lengthAdjust: 'spacingAndGlyphs'},
        text)]),
      [1, 0.5, 0].map(part => drawn('text', {
        x: RIGHT - part * (RIGHT - LEFT), y: HEIGHT - 6,
        'text-anchor': part === 1 ? 'start' : part ? 'middle' : 'end',
      }, part ? `${span * part < 1 ? `${span * part * 60} s` : `${span * part} min`} ago` : 'now')),
      this.series.map((_, index) =>
        drawn('path', {class: `line line-${index}`, d: this.path(index, y)})));
    const highest = all.length ? `highest in ${span} min: ${this.format(most)}` : 'none yet';
    this.range.textContent = highest;
    this.drawing.ariaLabel = `${this.title} now: ${this.say()}; ${highest}`;
  }

  /**
   * The labels of the axis of values: none twice, and no half of what is counted.
   *
   * @param {number} top
   */
  ticks(top) {
    const parts = this.format === number && top % 2 ? [0, 1] : [0, 0.5, 1];
    const all = parts.map(part => ({value: top * part, text: this.format(top * part)}));
    return all.filter(({text, value}) =>
      value === top || !all.some(other => other.value > value && other.text === text));
  }

  /**
   * The line through the readings, broken where there are none.
   *
   * @param {number} index
   * @param {(value: number) => number} y
   */
  path(index, y) {
    let [text, before] = ['', -Infinity];
    for (const {at, values} of this.readings) {
      const value = values[index];
      if (value === null) {
        before = -Infinity;
        continue;
      }
      const place = `${this.x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      // A first point is a short line, so that it is seen alone.
      text += at - before > GAP_MS ? `M${place}h.1` : `L${place}`;
      before = at;
    }
    return text;
  }

  /** The latest readings as they are now; a table that changes cannot be read. */
  showTable() {
    if (!this.more.open) return replace(this.rows);
    const rows = this.readings.slice(-TABLE_READINGS).reverse();
    replace(this.rows, table(`${this.title}, the latest ${rows.length} readings`,
      ['Time', ...this.series], rows.map(({wall, values}) => [time(wall),
        ...values.map(value => value === null ? 'none' : this.format(value))])),
    note(`It stands still while it is open. Older readings than the ${
      TABLE_READINGS} latest are in the plot alone.`));
  }
}
