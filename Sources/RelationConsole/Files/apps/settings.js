// @ts-check
// The settings of an app as a form.

import {messageOf} from '../shared/contract.js';
import {element, labelled, note, on, press, replace} from '../shared/dom.js';
import {Form} from '../shared/form.js';
import {lasting, parted, pathLabel, unitOf} from '../shared/labels.js';

/**
 * The settings as a form; only those that were changed are sent, each named in the mask.
 *
 * @type {AppPart}
 */
export async function settings(page, place) {
  const {app = {}} = await page.calls('AppService/GetApp', {appId: Number(page.app)});
  let draft = structuredClone(app.settings);
  let name = app.name ?? '';
  /** @type {Map<string, string>} */
  const errors = new Map();
  const summary = element('p', {role: 'status'});
  const save = press({class: 'primary', disabled: true}, 'Save…');
  const changed = () => {
    const paths = changedPaths(page.all, app.settings, draft);
    const edits = paths.map(path => `${pathLabel(path)}: ${words(app.settings, path)} → ${
      words(draft, path)}`);
    if (name !== (app.name ?? '')) edits.unshift(`Name: ${app.name || 'none'} → ${name || 'none'}`);
    summary.textContent = edits.length ? `Changes: ${edits.join('; ')}` : 'Nothing is changed.';
    save.disabled = !edits.length || errors.size > 0;
    return paths;
  };
  const form = new Form(page.all, errors, new Set(), new Set(), true);
  const named = element('input', {value: name, maxlength: 128});
  on(named, 'input', () => {
    name = named.value;
    changed();
  });
  on(save, 'click', () => page.operate('AppService/UpdateApp', {request: {
    ...name !== (app.name ?? '') && {name}, ...settingsOf(draft, changed()),
    expectedVersion: app.version,
  }, hides: ['name', 'settings', 'update_mask', 'expected_version'],
  say: summary.textContent ?? ''}));
  changed();
  replace(place,
    note(`Version ${app.version}. The app chose these itself: ${
      (app.changedSettings ?? []).map(pathLabel).join(', ') || 'none'}; the others follow the `,
    'preset. An empty field follows the preset again.'),
    labelled('Name', named), form.fields('AppSettings', {
      keeps: true, get: () => draft, set: value => {
        draft = value;
        changed();
      },
    }, ''), element('div', {class: 'save'}, summary, save));
}

/** @type {(settings: Dynamic | undefined, path: string) => string} a setting as it is chosen */
function words(settings, path) {
  const [value, unit] = [at(settings, path), unitOf(parted(path))];
  return value === undefined ? 'the preset' : unit ? lasting(value, unit) : JSON.stringify(value);
}
/** @type {(value: Dynamic | undefined, path: string) => any} */
const at = (value, path) => path.split('.').reduce(
  (/** @type {Dynamic | undefined} */ inner, name) => inner?.[name], value);

/**
 * The paths of the settings that differ, in the names of JSON.
 *
 * @param {Contract} all
 * @param {Dynamic | undefined} old
 * @param {Dynamic | undefined} made
 * @param {string} type
 * @param {string} begin
 * @returns {string[]}
 */
function changedPaths(all, old, made, type = 'AppSettings', begin = '') {
  return messageOf(all, type).fields.flatMap(field => {
    const path = `${begin}${field.json}`;
    if (['AppLimits', 'AppBounds'].includes(field.type)) {
      return changedPaths(all, old?.[field.json], made?.[field.json], field.type, `${path}.`);
    }
    return JSON.stringify(old?.[field.json]) === JSON.stringify(made?.[field.json]) ? [] : [path];
  });
}

/**
 * @param {Dynamic} draft
 * @param {string[]} paths
 */
function settingsOf(draft, paths) {
  if (!paths.length) return {};
  /** @type {Dynamic} */
  const made = {};
  for (const path of paths) {
    const [first, second] = path.split('.');
    if (at(draft, path) === undefined) continue;
    if (second) (made[first] ??= {})[second] = at(draft, path);
    else made[first] = draft[first];
  }
  return {settings: made, updateMask: paths.join(',')};
}
