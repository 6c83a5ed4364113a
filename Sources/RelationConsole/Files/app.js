// @ts-check
// The frame of the console: which page is shown, who calls, and what went wrong.

import {call, caller, setCaller} from './shared/api.js';
import {buttons, element, on, press, replace} from './shared/dom.js';
import * as apps from './apps/apps.js';
import * as events from './events/events.js';
import * as explorer from './explorer/explorer.js';
import * as graph from './graph/graph.js';
import * as overview from './overview/overview.js';
import {openPalette} from './palette.js';
import {address, link, onError, notify, notifyError} from './shared/shell.js';
import * as user from './user/user.js';

/**
 * The pages by their names. The signal that `show` gets is aborted when another page is shown: then
 * timers, streams and listeners of the page end.
 *
 * @type {Record<string, {title: string, show: Show}>}
 */
const PAGES = {overview, graph, user, events, explorer, apps};
/**
 * Names that pages had before, or that people try: their links go on.
 *
 * @type {Record<string, string>}
 */
const ALIASES = {now: 'overview', try: 'explorer', users: 'user'};

const place = /** @type {HTMLElement} */ (document.querySelector('#page'));
const callerButton = /** @type {HTMLButtonElement} */ (document.querySelector('#caller'));
const dialog = /** @type {HTMLDialogElement} */ (document.querySelector('dialog'));
const [credentialField, appField] = dialog.querySelectorAll('input');
const nav = /** @type {HTMLElement} */ (document.querySelector('nav'));
const menu = /** @type {HTMLButtonElement} */ (document.querySelector('#menu'));
let present = new AbortController();

/** The page and the parameters of the address, as in `#user?id=0`. */
function where() {
  const [given, query = ''] = location.hash.slice(1).split('?');
  const name = Object.hasOwn(ALIASES, given) ? ALIASES[given] : given;
  return {
    name: Object.hasOwn(PAGES, name) ? name : 'overview',
    parameters: Object.fromEntries(new URLSearchParams(query)),
  };
}

/**
 * Lets the user choose an app, or give a credential, if an error asks for it.
 *
 * @param {Failure} error
 */
function offerWay(error) {
  if (lacksApp(error) && where().name !== 'apps') {
    offerApps(error, present.signal);
    return true;
  }
  if (error.code === 'unauthenticated' && !dialog.open) openDialog();
  return false;
}

/**
 * Whether the server wants another app: an operator named none, or one that there is not.
 *
 * @param {Failure} error
 */
function lacksApp({reason, details = []}) {
  return reason === 'APP_NOT_FOUND' || details.some(({debug}) =>
    debug?.fieldViolations?.some(({field}) => field === 'x-app-id'));
}

/**
 * Puts a choice of apps in the place of a page that can show nothing without one.
 *
 * @param {Failure} cause
 * @param {AbortSignal} signal
 */
async function offerApps(cause, signal) {
  /** @type {Relation.App[]} */
  let apps;
  try {
    apps = (await call('AppService/ListApps', {}, signal, '')).apps ?? [];
  } catch {
    // Only operators have a choice.
    if (!signal.aborted) notify(`${cause.code}: ${cause.message}`);
    return;
  }
  if (signal.aborted) return;
  replace(/** @type {Element} */ (place.querySelector('.page')),
    element('h2', {}, 'Which app?'),
    element('p', {}, apps.length
      ? `${cause.message}. Choose the app to look at:`
      : 'The server has no app yet.'),
    buttons(apps.map(({appId, name}) => press({click: () => {
        setCaller({...caller(), app: String(appId)});
        nameCaller();
        show();
      },
    }, `App ${appId}${name ? `: ${name}` : ''}`))),
    element('p', {}, 'Apps are made and changed at ',
      link('apps', {}, PAGES.apps.title), '.'));
}

async function show() {
  present.abort();
  present = new AbortController();
  const {signal} = present;
  const {name, parameters} = where();
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll('nav a'))) {
    link.ariaCurrent = link.dataset.page === name ? 'page' : null;
  }
  document.title = `${PAGES[name].title} – relation chain`;
  notify('');
  openMenu(false);
  const loading = element('p', {class: 'hint', role: 'status'}, 'Loading…');
  const inside = element('div', {class: `page page-${name}`}, loading);
  replace(place, element('h1', {}, PAGES[name].title), inside);
  try {
    await PAGES[name].show(inside, parameters, signal);
  } catch (/** @type {any} */ error) {
    if (signal.aborted) return;
    notifyError(error);
    loading.remove();
    // The message has the scope that the credential lacks.
    if (error.reason === 'SCOPE_MISSING') {
      inside.append(element('p', {class: 'warn'},
        `Nothing is shown here: ${error.message}. Sign in with another credential.`));
    }
  }
}

function nameCaller() {
  const {credential, app} = caller();
  const who = credential ? 'Signed in' : 'Sign in';
  callerButton.textContent = app ? `${who}, app ${app}` : who;
}

function openDialog() {
  const {credential, app} = caller();
  credentialField.value = credential;
  appField.value = app;
  dialog.showModal();
}

on(dialog, 'close', () => {
  if (dialog.returnValue === 'keep') {
    setCaller({credential: credentialField.value.trim(), app: appField.value.trim()});
  } else if (dialog.returnValue === 'forget') {
    setCaller({credential: '', app: ''});
  }
  credentialField.value = '';
  if (['keep', 'forget'].includes(dialog.returnValue)) {
    nameCaller();
    show();
  }
  dialog.returnValue = '';
});

/**
 * Shows the links to the pages on a narrow screen, or hides them.
 *
 * @param {boolean} isOpen
 */
function openMenu(isOpen) {
  menu.ariaExpanded = String(isOpen);
  nav.classList.toggle('open', isOpen);
}

replace(nav, Object.entries(PAGES).map(([name, {title}]) =>
  element('a', {href: address(name), 'data-page': name}, title)));
on(callerButton, 'click', openDialog);
on(menu, 'click', () => openMenu(!nav.classList.contains('open')));
const pages = () => Object.entries(PAGES).map(([name, {title}]) => ({name, title}));
document.querySelector('#palette')?.addEventListener('click', () => openPalette(pages()));
addEventListener('keydown', event => {
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!document.querySelector('dialog[open]')) openPalette(pages());
});
addEventListener('hashchange', () => {
  show();
  place.focus({preventScroll: true});
});
onError(offerWay);
// What a listener does may fail after it has returned.
on(window, 'unhandledrejection', event => {
  event.preventDefault();
  notifyError(event.reason);
});
nameCaller();
show();
