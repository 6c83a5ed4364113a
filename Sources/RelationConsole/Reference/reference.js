// @ts-check
// The search of the reference: it hides what does not have all words. Without it the page is whole.

/** A part with a name and a comment, and its rows: fields, values or codes. */
class Part {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.rows = [...element.querySelectorAll('li')].filter(row => row.closest('.part') === element)
      .map(row => ({row, text: lower(row)}));
    this.own = [...element.children].filter(child => !child.matches('.part, ul'))
      .map(child => lower(/** @type {HTMLElement} */ (child))).join(' ');
  }

  /**
   * Shows what has all words; gives the number of hits.
   *
   * @param {string[]} words
   */
  show(words) {
    const isOwn = words.every(word => this.own.includes(word));
    let hits = isOwn ? 1 : 0;
    for (const {row, text} of this.rows) {
      const isHit = words.every(word => text.includes(word));
      row.hidden = !(isHit || isOwn);
      if (!isHit || isOwn) continue;
      hits++;
      const folded = row.closest('details');
      if (folded) folded.open = true;
    }
    this.element.hidden = hits === 0;
    return hits;
  }
}

/** @param {HTMLElement} element */
const lower = element => (element.textContent ?? '').toLowerCase();

const form = /** @type {HTMLElement} */ (document.querySelector('#search'));
const field = /** @type {HTMLInputElement} */ (form.querySelector('input'));
const output = /** @type {HTMLElement} */ (form.querySelector('output'));
const contents = [...document.querySelectorAll('nav li')];
/** @type {Part[] | undefined} */
let parts;

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  // Inner parts come after those in which they stand.
  parts ??= [...document.querySelectorAll('.part')]
    .map(element => new Part(/** @type {HTMLElement} */ (element)));
  let hits = 0;
  for (const part of parts) {
    hits += part.show(words);
    if (part.element.hidden) continue;
    let outer = part.element.parentElement?.closest('.part');
    for (; outer; outer = outer.parentElement?.closest('.part')) {
      /** @type {HTMLElement} */ (outer).hidden = false;
    }
  }
  for (const entry of contents) {
    const id = entry.querySelector('a')?.hash.slice(1) ?? '';
    const target = document.getElementById(id);
    /** @type {HTMLElement} */ (entry).hidden = target?.hidden ?? false;
  }
  output.textContent = words.length === 0 ? '' : hits === 1 ? '1 hit' : `${hits} hits`;
}

/** A link leads to its place, also if the search hides that. */
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.closest('[hidden]')) return;
  field.value = '';
  search();
  target.scrollIntoView();
}

form.hidden = false;
field.addEventListener('input', () => {
  search();
  scrollTo(0, 0);
});
field.addEventListener('keydown', event => {
  if (event.key !== 'Escape') return;
  field.value = '';
  search();
});
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target === field) return;
  event.preventDefault();
  field.focus();
});
addEventListener('hashchange', reveal);
if (field.value) search();
