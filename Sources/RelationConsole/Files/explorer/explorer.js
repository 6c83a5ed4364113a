// @ts-check
// Every call of the contract: a form, the same as JSON, the answer in words, and the call as code.

import {address, notifyError} from '../shared/shell.js';
import {call as send, caller, page, placeOfCalls, stream} from '../shared/api.js';
import {Answers, pretty, showAnswer, showError} from '../shared/answer.js';
import {contract, messageOf, paragraphs, words} from '../shared/contract.js';
import {buttons, copyButton, element, folded, note, on, press, replace} from '../shared/dom.js';
import {Form, showViolations, violationsOf} from '../shared/form.js';
import {ask} from '../shared/operation.js';
import {LANGUAGES} from './languages.js';

export const title = 'API explorer';

/** The longest link with a request in it; longer ones are cut by programs that carry links. */
const MOST_LINK = 8_000;
/** The most parts of the contract that are named for one name of another system. */
const MOST_OURS = 4;
/** How often the answers of a stream that came since are drawn. */
const DRAWN_EVERY_MS = 200;

// The choices stay while other pages are looked at.
let filter = '';
let language = 'curl';
/** The requests by their calls, as they were left. */
const kept = /** @type {Map<string, Dynamic[]>} */ (new Map());
/** The values of plain fields that several calls have, such as `userId`. */
const values = /** @type {Map<string, any>} */ (new Map());
/** The fields that are kept from one call to the next. */
const SHARED = ['userId', 'appId', 'groupName', 'hookId', 'consumer'];
/** The services that come first, by their names; the others keep the order of the contract. */
const FIRST = ['Friend', 'FriendApplication', 'FriendGroup', 'Blacklist', 'Profile', 'Follow']
  .map(name => `${name}Service`);

/** @type {Show} */
export async function show(place, parameters, signal) {
  replace(place, note('The contract is being read.'));
  const [all, server] = await Promise.all([contract(), placeOfCalls(signal)]);
  if (signal.aborted) return;
  const call = all.calls.get(parameters.call);
  const unknown = parameters.call && !call;
  const main = element('div', {class: 'call'});
  replace(place, calls(all, call), main);
  if (call) {
    new Trial(main, all, call, server, signal).open(parameters.request);
  } else {
    replace(main, element('p', {class: unknown ? 'bad' : 'hint'}, unknown
      ? `The contract has no call ${parameters.call}.`
      : `Choose one of ${all.calls.size} calls. Reads are safe to send; a write has a dry run, ` +
        'or asks before it is sent.'));
  }
}

/**
 * The calls of each service, which a word filters. It may be a name of another system.
 *
 * @param {Contract} all
 * @param {Call} [present]
 */
function calls(all, present) {
  const search = element('input',
    {type: 'search', value: filter, placeholder: 'such as friends'});
  const none = element('p', {class: 'hint', hidden: true}, 'No call has that in its name.');
  const ours = element('p', {class: 'hint ours', role: 'status', hidden: true});
  /** @param {Service} service */
  const rank = service => (FIRST.indexOf(service.name) + FIRST.length + 1) % (FIRST.length + 1);
  const sorted = [...all.services].sort((one, other) => rank(one) - rank(other));
  const groups = sorted.map(service => element('section', {},
    element('h2', {}, service.name.replace(/Service$/, '')),
    element('ul', {}, service.calls.map(each => element('li', {},
      element('a', {
        href: address('explorer', {call: each.path}), 'data-call': each.path,
        'aria-current': each === present && 'page',
      }, each.name), ' ', !each.reads && element('small', {class: 'warn'}, 'writes'))))));
  const apply = () => {
    filter = search.value.trim();
    const wanted = filter.toLowerCase().split(/\s+/);
    // A path of another system ends with the name.
    const known = wanted.map(word => all.foreign.get(word.replace(/.*\//, '')));
    for (const group of groups) {
      let any = false;
      for (const item of group.querySelectorAll('li')) {
        const path = item.querySelector('a')?.dataset.call ?? '';
        item.hidden = !wanted.every((word, index) =>
          path.toLowerCase().includes(word) || known[index]?.paths.has(path));
        any ||= !item.hidden;
      }
      group.hidden = !any;
    }
    none.hidden = groups.some(group => !group.hidden);
    const names = [...known[0]?.ours ?? []];
    ours.hidden = names.length === 0;
    replace(ours, `${filter} is here: ${names.slice(0, MOST_OURS).join(', ')}` +
      (names.length > MOST_OURS ? ` and ${names.length - MOST_OURS} more` : ''));
  };
  on(search, 'input', apply);
  apply();
  const wide = matchMedia('(min-width: 60rem)').matches;
  const made = element('details', {class: 'calls', open: wide || !present},
    element('summary', {}, 'Calls'),
    element('label', {}, 'Filter the calls ', search), none, ours,
    element('nav', {'aria-label': 'Calls'}, groups));
  requestAnimationFrame(() => bringToSight(made.querySelector('[aria-current]'), made));
  return made;
}

/**
 * Scrolls a list, and nothing around it, until one of its elements is seen.
 *
 * @param {Element | null} one
 * @param {Element} list
 */
function bringToSight(one, list) {
  if (!one) return;
  const [inner, outer] = [one, list].map(each => each.getBoundingClientRect());
  if (inner.top < outer.top || inner.bottom > outer.bottom) {
    list.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  }
}

/** One call: its request as a form and as a text, and what came of it. */
class Trial {
  requests = /** @type {Dynamic[]} */ ([{}]);
  errors = /** @type {Map<string, string>} */ (new Map());
  opened = /** @type {Set<string>} */ (new Set());
  running = /** @type {AbortController | null} */ (null);
  fields = element('div', {class: 'fields'});
  text = element('textarea', {rows: 12, spellcheck: 'false', 'aria-describedby': 'json-error'});
  textError = element('p', {class: 'bad error', id: 'json-error', role: 'status'});
  outcome = element('section', {class: 'answer', 'aria-label': 'The answer'});
  code = element('pre', {tabindex: 0, 'aria-label': 'The call as code'});
  buttons = buttons();
  languages = /** @type {HTMLButtonElement[]} */ ([]);

  /**
   * @param {Element} place
   * @param {Contract} all
   * @param {Call} call
   * @param {Place} server
   * @param {AbortSignal} signal
   */
  constructor(place, all, call, server, signal) {
    this.place = place;
    this.all = all;
    this.call = call;
    this.server = server;
    this.signal = signal;
    this.form = new Form(all, this.errors, this.opened);
    on(this.text, 'input', () => this.readText());
  }

  /** @param {string} [text] a request that is given */
  open(text) {
    const {call} = this;
    const [first = '', ...rest] = paragraphs(call.lines);
    replace(this.place,
      element('h2', {class: 'name'}, call.path),
      element('p', {class: 'badges'}, this.badges().map(text => element('span', {}, text))),
      element('p', {class: 'about'}, words(
        first.replace(/(?<=\.) [^.]+:$/, '').replace(/:$/, '.'))),
      rest.length > 0 && folded('more about this call',
        rest.map(each => element('p', {}, words(each)))),
      element('div', {class: 'two'},
        element('section', {}, element('h3', {}, 'Request'), this.fields),
        element('section', {}, element('label', {class: 'wide'},
          call.sends ? 'The requests as JSON: a list' : 'The request as JSON', this.text),
        this.textError, this.buttons, this.outcome, this.asCode())));
    if (text !== undefined) {
      this.text.value = text;
      this.readText();
      if (!this.textError.textContent) this.writeText();
    } else {
      this.requests = kept.get(call.path) ?? [this.shared()];
      this.drawForm();
      this.writeText();
    }
    this.drawButtons();
    on(this.signal, 'abort', () => this.running?.abort());
  }

  /** A request with the values that another call had in the same fields. */
  shared() {
    const names = messageOf(this.all, this.call.request).fields
      .filter(({oneof, repeated}) => !oneof && !repeated).map(({json}) => json);
    return Object.fromEntries([...values].filter(([name]) => names.includes(name)));
  }

  /** Fills in the request of a case of the contract; its user is the one of the other calls. */
  async fill() {
    const found = await example(this.call, this.signal);
    const value = found && {...found.value, ...'userId' in found.value && this.shared()};
    replace(this.outcome, element('p', {class: 'hint', role: 'status'}, found
      ? `The example is from a test of the contract: ${found.summary}.`
      : 'No test of the contract has a plain example of this call.'));
    if (!value) return;
    this.text.value = pretty(this.call.sends ? [value] : value);
    this.readText();
  }

  badges() {
    const {reads, dryRun, sends, gives} = this.call;
    return [
      reads ? 'reads only' : 'writes', !reads && (dryRun ? 'has a dry run' : 'has no dry run'),
      sends && 'takes a list of requests', gives && 'streams its answers',
    ].filter(Boolean);
  }

  /** Each request of a call that takes several has a part of the form. */
  drawForm() {
    const {call} = this;
    /**
     * @param {number} index
     * @returns {Slot}
     */
    const holder = index => ({
      keeps: true, get: () => this.requests[index],
      set: value => {
        this.requests[index] = value;
        this.writeText();
      },
    });
    if (!call.sends) {
      const fields = this.form.fields(call.request, holder(0), '');
      replace(this.fields, fields.some(Boolean) ? fields
        : note('This request has no fields.'));
      return;
    }
    const again = () => {
      this.writeText();
      this.drawForm();
    };
    replace(this.fields, this.requests.map((_, index) => element('fieldset', {class: 'item'},
      element('legend', {}, `request ${index + 1}`),
      this.form.fields(call.request, holder(index), `[${index}]`),
      this.requests.length > 1 && press({class: 'small',
        'aria-label': `remove request ${index + 1}`, click: () => {
          this.form.forget(`[${index}]`);
          this.requests.splice(index, 1);
          again();
        },
      }, 'Remove'))),
    press({class: 'small add', click: () => {
      this.requests.push({});
      again();
    }}, 'Add a request'));
  }

  writeText() {
    this.text.value = pretty(this.call.sends ? this.requests : this.requests[0]);
    this.showText('');
    this.keep();
    this.drawCode();
  }

  /** Keeps what is typed for the next visit, and for other calls. */
  keep() {
    kept.set(this.call.path, this.requests);
    for (const name of SHARED) {
      const value = this.requests[0]?.[name];
      if (value) values.set(name, value);
    }
  }

  /** @param {string} error */
  showText(error) {
    this.textError.textContent = error;
    this.text.ariaInvalid = String(error !== '');
  }

  /** Takes the typed JSON into the form, or says where it is wrong. */
  readText() {
    let value;
    try {
      value = JSON.parse(this.text.value);
    } catch (error) {
      this.showText(this.where(/** @type {Error} */ (error).message));
      return;
    }
    const {sends, request} = this.call;
    const given = sends ? value : [value];
    if (!Array.isArray(given) || !given.length || !given.every(isObject)) {
      this.showText(sends ? 'A list of at least one object belongs here.'
        : 'An object belongs here: { … }.');
      return;
    }
    const wrong = given.map(each => this.unknown(request, each)).find(Boolean);
    this.showText(wrong ?? '');
    if (wrong) return;
    this.requests = given;
    this.keep();
    this.errors.clear();
    this.drawForm();
    this.drawCode();
  }

  /**
   * The message of a JSON parser with the line and the column.
   *
   * @param {string} message
   */
  where(message) {
    const at = /position (\d+)/.exec(message);
    if (!at || /line \d+/.test(message)) return `No JSON: ${message}`;
    const before = this.text.value.slice(0, Number(at[1])).split('\n');
    return `No JSON: ${message}, line ${before.length}, column ${
      (before.at(-1) ?? '').length + 1}`;
  }

  /**
   * The first name that the contract does not know, and the line where it stands.
   *
   * @param {string} type
   * @param {Dynamic} value
   * @returns {string | null}
   */
  unknown(type, value) {
    for (const [name, inner] of Object.entries(value)) {
      const field = messageOf(this.all, type).fields.find(each =>
        each.json === name || each.name === name);
      if (!field) {
        const lines = this.text.value.split('\n');
        const line = lines.findIndex(each => each.includes(JSON.stringify(name))) + 1;
        return `Line ${line}: ${type} has no field "${name}".`;
      }
      if (name !== field.json) {
        value[field.json] = inner;
        delete value[name];
      }
      if (!this.all.messages.has(field.type) || field.map) continue;
      for (const one of [inner].flat()) {
        const wrong = isObject(one) && this.unknown(field.type, one);
        if (wrong) return wrong;
      }
    }
    return null;
  }

  drawButtons() {
    const {reads, dryRun, sends, gives} = this.call;
    /** @type {(text: string, click: () => void, kind?: string) => HTMLButtonElement} */
    const button = (text, click, kind = '') =>
      press({class: kind, click}, text);
    const running = this.running !== null;
    const main = dryRun
      ? [button('Dry run', () => this.run(true), 'primary'), button('Run', () => this.run(false))]
      : [button(reads ? 'Send' : 'Run…', () => this.run(false), 'primary')];
    for (const each of main) each.disabled = running;
    const stop = (sends || gives) && button('Stop', () => this.running?.abort());
    if (stop) stop.disabled = !running;
    replace(this.buttons, main, stop, button('Example', () => this.fill()),
      copyButton(() => this.link(), 'Copy a link'));
  }

  /** The address of this request; it never holds a credential. */
  link() {
    const link = new URL(location.href);
    const request = JSON.stringify(this.call.sends ? this.requests : this.requests[0]);
    link.hash = address('explorer', {call: this.call.path, request});
    const key = caller().credential.replace(/^(Bearer|UserSig) /, '');
    if (key && request.includes(key)) throw new Error('the request holds the credential');
    if (link.href.length > MOST_LINK) throw new Error('the request is too long for a link');
    return link.href;
  }

  /**
   * The requests as they are sent: only the buttons decide whether it is a dry run.
   *
   * @param {boolean} dry
   */
  sent(dry) {
    if (!this.call.dryRun) return this.requests;
    const [first, ...others] = this.requests;
    const {dryRun: _, dry_run: __, listEffects: ___, list_effects: ____, ...options} =
      first.options ?? {};
    if (dry) options.dryRun = true;
    // An import is many writes, and lists none of their rows.
    if (dry && !this.call.sends) options.listEffects = true;
    const all = {...first, options};
    if (!Object.keys(options).length) delete all.options;
    return [all, ...others];
  }

  /** @param {boolean} dry */
  async run(dry) {
    if (this.running) return;
    const wrong = this.textError.textContent || [...this.errors].map(([path, error]) =>
      `${path}: ${error}`)[0];
    if (wrong) {
      replace(this.outcome, element('p', {class: 'bad', role: 'alert'}, `Not sent. ${wrong}`));
      return;
    }
    const {call} = this;
    if (!call.reads && !call.dryRun && !await ask(this.place, `Send ${call.name}?`,
      `${call.name} changes the server, and has no dry run.`, this.signal)) return;
    const own = new AbortController();
    this.running = own;
    this.drawButtons();
    const begun = performance.now();
    const took = () => Math.round(performance.now() - begun);
    showViolations(this.fields, []);
    try {
      const note = dry ? 'a dry run: nothing was changed' : '';
      if (call.sends || call.gives) await this.follow(this.sent(dry), took, own.signal);
      else {
        const answer = await send(call.path, this.sent(dry)[0], own.signal);
        showAnswer(this.outcome, this.all, call, answer, {took: took(), note});
      }
    } catch (error) {
      this.failed(error, took());
    }
    this.running = null;
    if (!this.signal.aborted) this.drawButtons();
  }

  /**
   * @param {Dynamic[]} requests
   * @param {() => number} took
   * @param {AbortSignal} signal
   */
  async follow(requests, took, signal) {
    const answers = new Answers(this.outcome, this.all, this.call);
    // Drawing each of many thousand answers would leave the page no time for the next.
    let news = false;
    const timer = setInterval(() => {
      if (news) answers.show('running');
      news = false;
    }, DRAWN_EVERY_MS);
    try {
      for await (const answer of stream(this.call.path, requests, signal)) {
        answers.add(answer, took());
        news = true;
      }
      answers.show(`ended after ${took()} ms`, 'good');
    } catch (error) {
      const stopped = /** @type {Error} */ (error).name === 'AbortError';
      answers.show(stopped ? 'stopped' : 'failed', stopped ? 'warn' : 'bad');
      this.failed(error, took(), answers.end);
    }
    clearInterval(timer);
  }

  /**
   * @param {any} error
   * @param {number} took
   * @param {Element} place
   */
  failed(error, took, place = this.outcome) {
    if (error.name === 'AbortError') return;
    const left = showViolations(this.fields, violationsOf(error) ?? []);
    showError(place, this.all, error, {took, left});
    if (error.code === 'unauthenticated') notifyError(error);
  }

  asCode() {
    this.languages = Object.keys(LANGUAGES).map(name => press({class: 'small', click: () => {
      language = name;
      this.drawCode();
    }}, name));
    return element('section', {class: 'code', 'aria-label': 'As code'},
      buttons(this.languages,
        copyButton(() => this.code.textContent ?? '', 'Copy the code')), this.code);
  }

  drawCode() {
    for (const button of this.languages) {
      button.ariaPressed = String(button.textContent === language);
    }
    this.code.textContent = LANGUAGES[language](this.all, this.call, this.requests,
      {...caller(), place: this.server});
  }
}

/** @type {Promise<Dynamic> | undefined} */
let described;

/**
 * The example of a request that the document of the contract has; it is read once.
 *
 * @param {Call} call
 * @param {AbortSignal} signal
 * @returns {Promise<{summary: string, value: Dynamic} | undefined>}
 */
async function example(call, signal) {
  described ??= page('/openapi.json', signal).then(({text}) => JSON.parse(text)).catch(error => {
    described = undefined;
    throw error;
  });
  const {paths} = await described;
  /** @type {Dynamic} */
  const content = paths[`/relation.v1.${call.path}`]?.post?.requestBody?.content ?? {};
  return Object.values(content)[0]?.examples?.answered;
}

/** @param {unknown} value */
const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);
