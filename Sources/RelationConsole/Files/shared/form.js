// @ts-check
// A form for a message of the contract. Its values are ProtoJSON, and nothing is kept beside it.

import {help, messageOf, paragraphs, plainly, words} from './contract.js';
import {element, note, on, press, replace, select, time} from './dom.js';
import {bestUnit, inUnit, inWords, isTime, kindName, label, lasting, localTime, pathLabel, spoken,
  unitOf, unitsFrom} from './labels.js';

/** @type {Record<string, [bigint, bigint]>} */
const RANGES = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n], uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n], uint64: [0n, 2n ** 64n - 1n],
};
/** The most items of a list that have fields; more are edited in the text. */
const SHOWN_ITEMS = 50;
/** The most characters of a text in a field; longer ones are edited in the text. */
const FIELD_CHARACTERS = 20_000;

const MASK = 'google.protobuf.FieldMask';

let ids = 0;

/**
 * The fields of a message; `errors` has what is wrong, by the path of the field.
 *
 * Nested messages are drawn when they are opened, so a message may nest in itself.
 */
export class Form {
  /**
   * @param {Contract} all
   * @param {Map<string, string>} errors
   * @param {Set<string>} opened the paths that stay open when the form is drawn again
   * @param {Set<string>} hidden the paths that have no field
   * @param {boolean} isPlain whether it speaks in words: the contract's names are a detail then
   */
  constructor(all, errors, opened, hidden = new Set(), isPlain = false) {
    this.all = all;
    this.errors = errors;
    this.opened = opened;
    this.hidden = hidden;
    this.isPlain = isPlain;
  }

  /**
   * The name of a field, as the contract or as a person says it, and its type or unit.
   *
   * @param {Pick<Field, 'name' | 'type' | 'repeated'>} field
   */
  names({name, type, repeated}) {
    const kind = `${repeated ? 'list of ' : ''}${type.replace('google.protobuf.', '')}`;
    if (!this.isPlain) return [element('span', {}, name), ' ', element('small', {}, kind)];
    return [element('span', {title: `${name}, ${kind}`}, label(name)), RANGES[type] &&
      /_bytes$/.test(name) && element('small', {}, ' in bytes')];
  }

  /**
   * The help of a field, in the words that the form speaks.
   *
   * @param {string[]} lines
   * @param {string} [id]
   */
  help(lines, id) {
    return help(lines, id, this.isPlain ? this.all : null);
  }

  /**
   * @param {string} type
   * @param {Slot} holder
   * @param {string} path
   * @returns {Child[]}
   */
  fields(type, holder, path) {
    const oneofs = new Set();
    return messageOf(this.all, type).fields.map(field => {
      if (!field.oneof) {
        return this.field(field, this.slot(type, holder, field), join(path, field), type);
      }
      if (oneofs.has(field.oneof)) return null;
      oneofs.add(field.oneof);
      return this.oneof(type, field.oneof, holder, path);
    });
  }

  /**
   * The place of one field in its message; it is written in the order of the contract.
   *
   * @param {string} type
   * @param {Slot} holder
   * @param {Field} field
   * @returns {Slot}
   */
  slot(type, holder, field) {
    return {
      get: () => holder.get()?.[field.json],
      set: value => {
        const old = {...holder.get(), [field.json]: value};
        const known = messageOf(this.all, type).fields.map(({json}) => json);
        const names = [...known, ...Object.keys(old).filter(name => !known.includes(name))];
        /** @type {Record<string, any>} */
        const made = {};
        for (const name of names) if (old[name] !== undefined) made[name] = old[name];
        holder.set(Object.keys(made).length || holder.keeps ? made : undefined);
      },
    };
  }

  /**
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   * @param {string} holds the type of the message that has the field
   * @returns {Child}
   */
  field(field, slot, path, holds) {
    if (this.hidden.has(path)) return null;
    // The buttons decide both.
    if (/(^|\]\.)options\.(dry_run|list_effects)$/.test(path)) return null;
    if (field.map) return this.map(field, slot, path);
    const {type} = field;
    if (this.isPlain && type === MASK) return this.mask(field, slot, path, holds);
    if (this.all.messages.has(type)) {
      return field.repeated ? this.list(field, slot, path) : this.nested(field, slot, path);
    }
    if (field.repeated) {
      return this.all.enums.has(type)
        ? this.enumeration(field, slot, path) : this.texts(field, slot, path);
    }
    return this.one(field, slot, path);
  }

  /**
   * A row of the form: the name, the control, the help, and what is wrong.
   *
   * @param {Pick<Field, 'name' | 'type' | 'lines' | 'repeated'>} field
   * @param {string} path
   * @param {Control} control
   * @param {Child} extra
   */
  row(field, path, control, extra = null) {
    const id = `f${++ids}`;
    control.id = id;
    control.setAttribute('aria-describedby', `${id}h ${id}e`);
    return element('div', {class: 'field', 'data-path': path},
      element('label', {for: id}, this.names(field)),
      control, extra,
      element('p', {class: 'error bad', id: `${id}e`}),
      this.help(field.lines, `${id}h`) ?? element('span', {id: `${id}h`}));
  }

  /**
   * Says beside a field what is wrong with it; an empty text takes that back.
   *
   * @param {string} path
   * @param {string} text
   * @param {Control} control
   */
  setError(path, text, control) {
    if (text) this.errors.set(path, text);
    else this.errors.delete(path);
    const line = control.closest('.field')?.querySelector('.error');
    if (line) line.textContent = text;
    control.ariaInvalid = String(text !== '');
  }

  /**
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   * @returns {Child}
   */
  one(field, slot, path) {
    if (this.all.enums.has(field.type)) return this.enumeration(field, slot, path);
    if (field.type === 'bool') return this.bool(field, slot, path);
    if (this.isPlain && isTime(field.name)) return this.moment(field, slot, path);
    const unit = RANGES[field.type] && unitOf(field.name);
    if (this.isPlain && unit) return this.duration(field, slot, path, unit);
    const present = slot.get();
    const control = element('input', {
      value: present === undefined ? undefined : String(present),
      maxlength: FIELD_CHARACTERS,
      inputmode: RANGES[field.type] && 'numeric',
    });
    const line = element('span', {class: 'hint'});
    const showTime = () => replace(line, /^[1-9]\d*$/.test(control.value) &&
      (isTime(field.name) ? time(control.value) : unit && lasting(control.value, unit)));
    showTime();
    on(control, 'input', () => {
      const {value, error = ''} = scalar(field.type, control.value);
      this.setError(path, error, control);
      showTime();
      if (!error) slot.set(value);
      else slot.set(slot.get());
    });
    return this.row(field, path, control, line);
  }

  /**
   * A time, which is chosen in a calendar.
   *
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   */
  moment(field, slot, path) {
    const control = element('input',
      {type: 'datetime-local', step: 1, value: localTime(Number(slot.get() ?? 0))});
    on(control, 'input', () => {
      const chosen = new Date(control.value).getTime();
      slot.set(Number.isNaN(chosen) ? undefined : String(chosen));
    });
    return this.row(field, path, control);
  }

  /**
   * A duration: a number, and the unit in which a person counts it.
   *
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   * @param {string} own the unit of the contract
   */
  duration(field, slot, path, own) {
    const value = slot.get();
    const best = +value ? bestUnit(value, own) : own === 'days' ? own : 'seconds';
    const control = element('input', {maxlength: 20, inputmode: 'decimal',
      value: value === undefined ? value : inUnit(value, own, best)});
    const unit = select(unitsFrom(own).map(each => [each, each]), best);
    unit.ariaLabel = `Unit of ${label(field.name)}`;
    unit.classList.add('unit');
    const update = () => {
      const text = control.value.trim();
      const count = inUnit(+text, unit.value, own);
      // A text of more than 0 that is 0 when it is rounded would stand for another setting.
      const {value, error = ''} = scalar(field.type, text && String(count || +text), ` of ${own}`);
      this.setError(path, error, control);
      slot.set(error ? slot.get() : value);
    };
    on(control, 'input', update);
    on(unit, 'change', update);
    return this.row({...field, lines: inWords(field.lines, own)}, path, control, unit);
  }

  /**
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   */
  bool(field, slot, path) {
    if (!field.optional) {
      const control = element('input', {type: 'checkbox', checked: slot.get() === true});
      on(control, 'change', () => slot.set(control.checked || undefined));
      return this.row(field, path, control);
    }
    const control = select(this.isPlain ? [['', '–'], ['true', 'yes'], ['false', 'no']]
      : [['', 'not sent'], ['true', 'true'], ['false', 'false']],
      String(slot.get() ?? ''));
    on(control, 'change', () =>
      slot.set(control.value === '' ? undefined : control.value === 'true'));
    return this.row(field, path, control);
  }

  /**
   * A value of an enum, or several of a list.
   *
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   */
  enumeration(field, slot, path) {
    const {values} = /** @type {Enum} */ (this.all.enums.get(field.type));
    const given = [slot.get() ?? []].flat().map(each =>
      values.find(({number}) => Number(number) === each)?.name ?? String(each));
    // Of a value that says nothing a person would choose, the way is to choose none.
    const says = field.type === 'ChangeKind' ? kindName : spoken;
    const options = values.filter(({name, short}) =>
      !this.isPlain || short !== 'UNSPECIFIED' || given.includes(name))
      .map(({name, short, number}) => [name, this.isPlain ? says(short) : `${short} (${number})`]);
    // A number that the contract does not know stays as it is.
    options.push(...given.filter(each => !values.some(({name}) => name === each))
      .map(each => [each, each]));
    if (!field.repeated) options.unshift(['', this.isPlain ? '–' : 'not sent']);
    const control = select(options, field.repeated ? given : given[0] ?? '', field.repeated);
    const line = element('span', {class: 'hint'});
    const update = () => {
      const [text = ''] = paragraphs(values.find(({name}) => name === control.value)?.lines ?? []);
      replace(line, words(this.isPlain ? plainly(this.all, text) : text));
    };
    on(control, 'change', () => {
      const chosen = [...control.selectedOptions].map(({value}) =>
        /^\d+$/.test(value) ? Number(value) : value).filter(value => value !== '');
      slot.set(!chosen.length ? undefined : field.repeated ? chosen : chosen[0]);
      update();
    });
    update();
    return this.row(field, path, control, line);
  }

  /**
   * A list of scalars: one on a line.
   *
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   */
  texts(field, slot, path) {
    const control = element('textarea', {rows: 2, spellcheck: 'false', placeholder: 'one a line'});
    const present = slot.get();
    control.value = Array.isArray(present) ? present.join('\n') : '';
    on(control, 'input', () => {
      const all = control.value.split('\n').filter(line => line !== '')
        .map(line => scalar(field.type, line));
      const bad = all.findIndex(({error}) => error);
      this.setError(path, bad < 0 ? '' : `line ${bad + 1}: ${all[bad].error}`, control);
      slot.set(bad >= 0 ? slot.get() : all.length ? all.map(({value}) => value) : undefined);
    });
    return this.row(field, path, control);
  }

  /**
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   * @returns {Child}
   */
  nested(field, slot, path) {
    if (field.type === MASK) {
      return this.one({...field, type: 'string', optional: false,
        lines: [...field.lines, '', 'Names as in JSON, with commas: `nick,faceUrl`.']}, slot, path);
    }
    const place = element('div', {class: 'inside'});
    const holder = {get: slot.get, set: slot.set};
    const remove = this.remover('Clear', path, () => {
      slot.set(undefined);
      draw();
    });
    const draw = () => replace(place, this.help(field.lines), this.fields(field.type, holder, path),
      remove);
    return this.opens(field, path, place, draw, slot.get() !== undefined);
  }

  /**
   * A button that takes a part of the form away.
   *
   * @param {string} word
   * @param {string} path
   * @param {() => void} act
   */
  remover(word, path, act) {
    return press({class: 'small', click: () => {
      this.forget(path);
      act();
    }, 'aria-label': `${word.toLowerCase()} ${this.isPlain ? pathLabel(path) : path}`}, word);
  }

  /**
   * A mask as a choice among the fields of the message beside it, or of the one that has it.
   *
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   * @param {string} holds
   */
  mask(field, slot, path, holds) {
    const own = messageOf(this.all, holds).fields;
    const beside = own.find(({type, repeated}) => !repeated && this.all.messages.has(type) &&
      !/Options$/.test(type) && type !== MASK);
    const names = (beside ? messageOf(this.all, beside.type).fields : own)
      .filter(({name, type}) => type !== MASK && !/^(options|(to_)?user_id)$/.test(name));
    /** @type {string[]} */
    const given = (slot.get() ?? '').split(',').filter(Boolean);
    const control = select(names.map(({name, json}) => [json, label(name)]), given, true);
    on(control, 'change', () => slot.set(
      [...given.filter(each => !names.some(({json}) => json === each)),
        ...[...control.selectedOptions].map(({value}) => value)].join(',') || undefined));
    return this.row(field, path, control);
  }

  /**
   * Details whose inside is drawn when they open.
   *
   * @param {Field} field
   * @param {string} path
   * @param {Element} place
   * @param {() => void} draw
   * @param {boolean} has
   */
  opens(field, path, place, draw, has) {
    const details = element('details', {class: 'field', 'data-path': path},
      element('summary', {}, this.names(field)),
      element('p', {class: 'error bad'}), place);
    let drawn = false;
    const open = () => {
      if (details.open) this.opened.add(path);
      else this.opened.delete(path);
      if (details.open && !drawn) draw();
      drawn ||= details.open;
    };
    on(details, 'toggle', open);
    details.open = this.opened.has(path) || has;
    open();
    return details;
  }

  /**
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   * @returns {Child}
   */
  list(field, slot, path) {
    const place = element('div', {class: 'inside'});
    /** @returns {any[]} */
    const items = () => Array.isArray(slot.get()) ? slot.get() : [];
    const draw = () => {
      const shown = items().slice(0, SHOWN_ITEMS);
      const more = items().length - shown.length;
      const add = press({class: 'small add', click: () => {
        slot.set([...items(), {}]);
        draw();
        /** @type {HTMLElement | null} */ (
          place.querySelector('.item:last-of-type input, .item:last-of-type select'))?.focus();
      }}, `Add to ${this.isPlain ? label(field.name).toLowerCase() : field.name}`);
      replace(place, this.help(field.lines), shown.map((_, index) => this.item(
        field, slot, items, index, `${path}[${index}]`, draw)),
      more > 0 && note(`${more} more items stand in the text only.`),
      items().length < SHOWN_ITEMS && add);
    };
    return this.opens(field, path, place, draw, items().length > 0);
  }

  /**
   * @param {Field} field
   * @param {Slot} slot
   * @param {() => any[]} items
   * @param {number} index
   * @param {string} path
   * @param {() => void} draw
   */
  item(field, slot, items, index, path, draw) {
    /** @type {Slot} */
    const holder = {
      keeps: true, get: () => items()[index],
      set: value => slot.set(items().with(index, value)),
    };
    const remove = this.remover('Remove', path, () => {
      const rest = items().toSpliced(index, 1);
      slot.set(rest.length ? rest : undefined);
      draw();
    });
    return element('fieldset', {class: 'item', 'data-path': path},
      element('legend', {}, `${this.isPlain ? label(field.name) : field.name} ${index + 1}`),
      this.fields(field.type, holder, path), remove, element('p', {class: 'error bad'}));
  }

  /**
   * @param {Field} field
   * @param {Slot} slot
   * @param {string} path
   */
  map(field, slot, path) {
    const control = element('textarea',
      {rows: 2, spellcheck: 'false', placeholder: 'key = value, one a line'});
    control.value = Object.entries(slot.get() ?? {}).map(pair => pair.join(' = ')).join('\n');
    on(control, 'input', () => {
      /** @type {Record<string, any>} */
      const made = {};
      let wrong = '';
      control.value.split('\n').filter(line => line.trim() !== '').forEach((line, index) => {
        const at = line.lastIndexOf('=');
        const {value, error} = scalar(field.type, line.slice(at + 1).trim());
        if (at < 0) wrong ||= `line ${index + 1}: has no "="`;
        else if (error) wrong ||= `line ${index + 1}: ${error}`;
        else made[line.slice(0, at).trim()] = value;
      });
      this.setError(path, wrong, control);
      slot.set(wrong ? slot.get() : Object.keys(made).length ? made : undefined);
    });
    return this.row({...field, type: `${field.key} to ${field.type}`}, path, control);
  }

  /**
   * One of several fields: a choice, and the field that was chosen.
   *
   * @param {string} type
   * @param {string} name
   * @param {Slot} holder
   * @param {string} path
   */
  oneof(type, name, holder, path) {
    const cases = messageOf(this.all, type).fields.filter(({oneof}) => oneof === name);
    const chosen = () => cases.find(({json}) => holder.get()?.[json] !== undefined);
    const place = element('div');
    const control = select([['', 'none'], ...cases.map(each =>
      [each.name, this.isPlain ? label(each.name) : each.name])],
      chosen()?.name ?? '');
    const draw = () => {
      const field = cases.find(each => each.name === control.value);
      if (field && this.all.messages.has(field.type)) this.opened.add(join(path, field));
      replace(place,
        field && this.field(field, this.slot(type, holder, field), join(path, field), type));
    };
    on(control, 'change', () => {
      for (const each of cases) {
        this.forget(join(path, each));
        const slot = this.slot(type, holder, each);
        if (slot.get() !== undefined) slot.set(undefined);
      }
      draw();
    });
    draw();
    return element('div', {class: 'oneof'}, this.row(
      {name, type: 'one of these', lines: []}, path ? `${path}.${name}` : name, control), place);
  }

  /**
   * Forgets the errors and the open parts below a path.
   *
   * @param {string} path
   */
  forget(path) {
    for (const known of [...this.errors.keys()]) {
      if (known.startsWith(path)) this.errors.delete(known);
    }
    for (const known of [...this.opened]) if (known.startsWith(path)) this.opened.delete(known);
  }
}

/**
 * @param {string} path
 * @param {Field} field
 */
const join = (path, field) => path ? `${path}.${field.name}` : field.name;

/**
 * A typed text as a value of JSON; nothing for an empty one.
 *
 * @param {string} type
 * @param {string} text
 * @param {string} [of] ` of seconds`, for a number of them
 * @returns {{value?: string | number, error?: string}}
 */
function scalar(type, text, of = '') {
  if (text === '') return {value: undefined};
  const range = RANGES[type];
  if (type === 'bytes' && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    return {error: 'this is not base64, in which bytes are sent'};
  }
  if (!range) return {value: text};
  if (!/^-?\d{1,20}$/.test(text.trim())) return {error: `this is not a whole number${of}`};
  const value = BigInt(text.trim());
  if (value < range[0] || value > range[1]) {
    return {error: `${range[0]} to ${range[1]} may be sent`};
  }
  return {value: type.endsWith('64') ? String(value) : Number(value)};
}

/**
 * The fields of a request that differ from what stands. One that was emptied is sent empty, and a
 * choice that was taken back is not sent.
 *
 * @param {Contract} all
 * @param {string} type
 * @param {Dynamic} present
 * @param {Dynamic} request
 */
export function differing(all, type, present, request) {
  /** @type {Dynamic} */
  const made = {};
  for (const {json, type: kind} of messageOf(all, type).fields) {
    const value = request[json];
    if (JSON.stringify(value) === JSON.stringify(present[json])) continue;
    if (value !== undefined) made[json] = value;
    else if (all.messages.has(kind)) made[json] = {};
    else if (!all.enums.has(kind) && kind !== 'bool') made[json] = RANGES[kind] ? 0 : '';
  }
  return made;
}

/**
 * What the server found wrong with the fields of a request; undefined if it does not say.
 *
 * @param {Failure} error
 * @returns {Violation[] | undefined}
 */
export function violationsOf({details}) {
  const bad = details?.find(({type}) => type === 'google.rpc.BadRequest');
  return bad && (bad.debug?.fieldViolations ?? []);
}

/**
 * Shows what the server found wrong, beside the fields; gives those that have no field here.
 *
 * @param {Element} root
 * @param {Violation[]} violations
 */
export function showViolations(root, violations) {
  for (const line of root.querySelectorAll('.error')) line.textContent = '';
  for (const field of root.querySelectorAll('[aria-invalid=true]')) {
    field.ariaInvalid = 'false';
  }
  return violations.filter(({field, description}) => {
    for (let path = field; path; path = path.replace(/(^|\.?)[^.[]+$|\[[^[]*$/, '')) {
      const row = [...root.querySelectorAll('[data-path]')].find(each =>
        each.getAttribute('data-path') === path);
      if (row) {
        const line = row.querySelector(':scope > .error');
        const label = path === field ? '' : `${pathLabel(field)}: `;
        if (line) line.textContent += `${label}${description}. `;
        if (row instanceof HTMLDetailsElement) row.open = true;
        row.querySelector('input, select, textarea')?.setAttribute('aria-invalid', 'true');
        return !line;
      }
    }
    return true;
  });
}
