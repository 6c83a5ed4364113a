// @ts-check
// The apps of the server: settings, limits, keys, moderation, webhooks, work and backups.

import {address, errorText, failed, link, notify, notifyError, userLink} from '../shared/shell.js';
import {call, caller, Signals, stream} from '../shared/api.js';
import {contract, lower, shortName} from '../shared/contract.js';
import {buttons, bytes, copyButton, element, facts, folded, formOf, labelled, note, number, on,
  press, replace, select, table, when} from '../shared/dom.js';
import {lasting, pathLabel} from '../shared/labels.js';
import {ask, operate} from '../shared/operation.js';
import {audit} from './audit.js';
import {consumers, hooks} from './hooks.js';
import {moderation} from './moderation.js';
import {aged, button, listed, rowsOf} from './rows.js';
import {settings} from './settings.js';

export const title = 'Apps';

/** The most findings of a check that are shown. */
const MOST_FINDINGS = 100;
/**
 * The names of stores, by the server's words for them.
 *
 * @type {Record<string, string>}
 */
const ENGINES = {rocksdb: 'RocksDB', postgresql: 'PostgreSQL'};
/** The share of a limit from which its bar warns. */
const NEARLY_FULL = 0.9;

/** @type {Record<string, [name: string, draw: AppPart]>} */
const PARTS = {
  overview: ['Overview', overview], settings: ['Settings', settings], fields: ['Custom fields',
    customFields], keys: ['Keys', keys], clients: ['Client apps', clients],
  moderation: ['Moderation', moderation], hooks: ['Webhooks', hooks],
  consumers: ['Consumers', consumers], audit: ['Audit', audit], work: ['Maintenance', work],
  server: ['Server', server],
};

/** @type {Show} */
export async function show(place, parameters, signal) {
  const all = await contract();
  const app = parameters.app || caller().app;
  const part = Object.hasOwn(PARTS, parameters.part) ? parameters.part : 'overview';
  /** @type {AppPage} */
  const page = {
    all, app, parameters, signal, place,
    calls: (name, request) => call(name, request, signal, page.app),
    operate: async (path, more = {}) => {
      const done = await operate(place, all, path, {app, ...more}, signal);
      if (done && !signal.aborted) await show(place, parameters, signal);
    },
  };
  const apps = element('section');
  const chosen = element('section');
  replace(place, apps, chosen);
  // The credential of an app sees that app alone, and no list.
  const listed = await listApps(page, apps).catch(error => onlyOne(page, apps, error));
  const one = listed.find(({appId}) => String(appId) === app) ?? (app ? null : listed[0]);
  page.app = app || String(one?.appId ?? '');
  if (!page.app || signal.aborted) return;
  const inside = element('div');
  const draw = () => PARTS[part][1](page, inside);
  replace(chosen, element('h2', {}, `App ${page.app}${one?.name ? `: ${one.name}` : ''}`),
    element('nav', {class: 'parts', 'aria-label': `Parts of app ${page.app}`},
      Object.entries(PARTS).map(([name, [text]]) => element('a', {
        href: address('apps', {app: page.app, part: name}), 'aria-current': name === part && 'page',
      }, text))), inside);
  await draw();
}

/**
 * @param {AppPage} page
 * @param {Element} place
 */
async function listApps(page, place) {
  const {rows, rest} = await rowsOf(page, 'AppService/ListApps', 'apps');
  const picker = select(rows.map(({appId, name}) =>
    [String(appId), `${appId}${name ? `: ${name}` : ''}`]), page.app);
  on(picker, 'change', () => {
    location.hash = address('apps', {...page.parameters, app: picker.value});
  });
  replace(place, buttons(labelled('App', picker),
    button(page, 'Make an app…', 'AppService/CreateApp', {app: undefined})),
  element('details', {open: !rows.length || !page.parameters.part},
    element('summary', {}, `All apps (${number(rows.length)})`), table('Apps',
      ['App', 'Name', 'Preset', 'State', 'Made', 'Version', ''],
    rows.map(app => [
      link('apps', {app: String(app.appId)}, app.appId), app.name || '–',
      shortName('AppPreset', app.preset), state(app), when(app.createTimeMs),
      number(app.version),
      button(page, 'Delete…', 'AppService/DeleteApp', {
        request: {appId: app.appId}, hides: ['app_id'], word: app.name || String(app.appId),
        app: undefined,
      }, `delete app ${app.appId}`),
    ])), rest));
  return rows;
}

/**
 * @param {AppPage} page
 * @param {Element} place
 * @param {Failure} error
 * @returns {Promise<Relation.App[]>}
 */
async function onlyOne(page, place, error) {
  if (error.code !== 'permission_denied') throw error;
  const {app} = await call('AppService/GetApp', {}, page.signal, page.app);
  replace(place, note(
    'Operators see all apps; this credential sees its own.'));
  return app ? [app] : [];
}

/** @param {Relation.App} app */
function state({state: name, deletion}) {
  const text = lower('AppState', name);
  return deletion ? [text, `, ${number(deletion.removedRows)} rows removed since `,
    when(deletion.startTimeMs)] : text;
}

/** @type {AppPart} */
async function overview(page, place) {
  const {app = {}} = await page.calls('MaintenanceService/GetStats', {});
  const limits = element('div');
  const {accounts} = await page.calls('AccountService/ListAccounts', {pageSize: 1});
  const user = element('input', {value: accounts?.[0].userId, required: true});
  const drawLimits = async () => {
    try {
      const answer = await page.calls('AppService/GetLimits', {userId: user.value.trim()});
      replace(limits, limitTables(answer.limits ?? []));
    } catch (/** @type {any} */ error) {
      failed(limits, error);
    }
  };
  replace(place, counts('Rows of the app', {
    Accounts: app.accounts, 'Rows of friend lists': app.friends, Groups: app.groups,
    'Blacklisted users': app.blacklistedUsers, 'Applications that wait': app.comeIn,
    Events: app.events, Subscriptions: app.subscriptions,
  }), element('h3', {}, 'Limits, and how much of them a user uses'),
  formOf(() => drawLimits(), labelled('User', user), element('button', {}, 'Show')), limits);
  if (accounts?.length) await drawLimits();
}

/**
 * @param {string} name
 * @param {Record<string, string | number | undefined>} values
 */
function counts(name, values) {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return element('dl', {class: 'counts', 'aria-label': name}, facts(known.map(
    ([key, value]) => [key, number(value)])));
}

/** The limits of which 0 means that there is none. */
const NO_LIMIT = /^applications_|^limits\.(followers|mutual_follows)$/;

/** @param {string | undefined} name */
const words = name => element('span', {title: name},
  name && pathLabel(name.replace(/^limits\./, '')));

/** @param {Relation.Limit[]} limits */
function limitTables(limits) {
  /** @param {Relation.Limit} each */
  const share = ({inUse, value}) => Number(inUse) / Math.max(Number(value ?? 0), 1);
  const used = limits.filter(({inUse}) => inUse !== undefined)
    .sort((one, other) => share(other) - share(one));
  const plain = limits.filter(({inUse}) => inUse === undefined);
  /** @param {Relation.Limit} each */
  const unit = each => lower('LimitUnit', each.unit ?? '');
  return [table('Limits with a use', ['Limit', 'Use', ''], used.map(each => {
    const [value, inUse] = [Number(each.value ?? 0), Number(each.inUse)];
    const full = value > 0 && share(each) >= NEARLY_FULL;
    return [words(each.name), element('meter', {
      max: Math.max(value, 1), high: Math.max(value, 1) * NEARLY_FULL, value: inUse,
      'aria-label': `use of ${each.name}`,
    }), element('span', {class: full && 'warn'}, `${number(inUse)} of ${
      value || !NO_LIMIT.test(each.name ?? '') ? number(value) : 'any number'}`)];
  })), folded('Limits of single values and requests',
    table('Limits of single values and requests', ['Limit', 'Value', 'Unit'],
      plain.map(each => [words(each.name), number(each.value), unit(each)])))];
}

/** @type {AppPart} */
async function customFields(page, place) {
  replace(place, await listed(page, {
    title: 'Custom fields', path: 'AppService/ListCustomFields', field: 'fields',
    request: {withRetired: true}, empty: 'The app has no custom fields.',
    columns: ['Of', 'Key', 'Type', 'Read by', 'Written by', ''],
    row: each => [lower('CustomFieldOwner', each.owner), each.key,
      lower('CustomFieldType', each.valueType),
      each.adminReads ? 'administrators' : 'all', each.adminWrites ? 'administrators' : 'all',
      each.retired ? 'retired' : button(page, 'Retire…', 'AppService/RetireCustomField',
        {request: {owner: each.owner, key: each.key}, hides: ['owner', 'key'], word: each.key},
        `retire ${each.key}`)],
    add: button(page, 'Define a field…', 'AppService/DefineCustomFields',
      {request: {items: [{owner: 'CUSTOM_FIELD_OWNER_PROFILE',
        valueType: 'CUSTOM_FIELD_TYPE_STRING'}]}}),
  }));
}

/** @type {AppPart} */
async function keys(page, place) {
  const {app = {}} = await page.calls('AppService/GetApp', {appId: Number(page.app)});
  const secrets = app.secrets ?? [];
  replace(place, await listed(page, {
    title: 'Credentials of backends', path: 'AppService/ListCredentials', field: 'credentials',
    empty: 'The app has no credential.',
    columns: ['Id', 'Name', 'Scopes', 'Made', 'Last used', 'Ends', ''],
    row: each => [each.credentialId, each.name || '–',
      (each.scopes ?? []).map(scope => shortName('Scope', scope)).join(', ').toLowerCase(),
      aged(each.createTimeMs), aged(each.lastUseTimeMs), when(each.expireTimeMs),
      ending(page, 'AppService/RevokeCredential', each)],
    add: button(page, 'Make a credential…', 'AppService/CreateCredential',
      {request: {scopes: ['SCOPE_READ']}}),
  }), element('h3', {}, 'Secrets of users’ signatures'),
  secrets.length ? table('Secrets', ['Made', 'Ends'], secrets.map(each =>
    [aged(each.createTimeMs), when(each.expireTimeMs)]))
    : note('The app has no secret, so no user can sign in.'),
  buttons(button(page, 'Make a new secret…', 'AppService/RotateAppSecret',
    {word: page.app, hides: ['secret']}),
  button(page, 'Bring a secret along…', 'AppService/ImportAppSecret', {
    request: {appId: Number(page.app)}, hides: ['app_id'], word: page.app, app: undefined,
  })));
}

/**
 * @param {AppPage} page
 * @param {string} path
 * @param {{credentialId?: string}} credential
 */
function ending(page, path, {credentialId}) {
  return button(page, 'End…', path, {
    request: {credentialId}, hides: ['credential_id'], word: credentialId,
  }, `end ${credentialId}`);
}

/** @type {AppPart} */
async function clients(page, place) {
  const [apps, permissions] = await Promise.all([listed(page, {
    title: 'Client apps', path: 'AppService/ListClientApps', field: 'clientApps',
    empty: 'No client app is registered.', columns: ['Id', 'Name'],
    row: each => [each.clientAppId, each.name],
    add: button(page, 'Register or rename one…', 'AppService/RegisterClientApp'),
  }), listed(page, {
    title: 'Permissions', path: 'AppService/ListPermissionDefinitions', field: 'permissions',
    empty: 'There is no permission.', columns: ['Name', 'Kind', 'Access', 'Opens', 'Lifetime'],
    row: each => [each.name, lower('PermissionKind', each.kind),
      lower('PermissionAccess', each.access),
      (each.fields ?? []).join(', ') || '–',
      each.lifetimeMs ? lasting(each.lifetimeMs) : 'for ever'],
    add: button(page, 'Define permissions…', 'AppService/DefinePermissions',
      {request: {items: [{}]}}),
  })]);
  replace(place, apps, permissions);
}

/**
 * Deletions of accounts, and the check of the app's rows.
 *
 * @type {AppPart}
 */
async function work(page, place) {
  const id = element('input', {required: true});
  const status = element('div', {role: 'status'});
  replace(place, element('h3', {}, 'The deletion of an account'),
    formOf(async () => {
      try {
        const found = await page.calls('AccountService/GetDeletion', {deletionId: id.value.trim()});
        const {receipt} = found;
        replace(status, element('p', {}, 'The deletion of ',
          found.userId ? userLink(found.userId) : 'a user that was erased', ': ',
          lower('DeletionState', found.state ?? ''),
          `, ${number(found.removedRows)} rows removed, begun `, when(found.startTimeMs),
          ', ended ', when(found.endTimeMs)), receipt && [
          element('p', {}, 'The receipt of the erasure, which the server has for 30 days: '),
          element('pre', {tabindex: 0, 'aria-label': 'receipt'}, JSON.stringify(receipt, null, 2)),
          copyButton(() => JSON.stringify(receipt))]);
      } catch (/** @type {any} */ error) {
        failed(status, error);
      }
    }, labelled('Id of the deletion', id), element('button', {}, 'Look')), status,
    button(page, 'Delete and erase users…', 'AccountService/DeleteAccounts',
      {request: {userIds: [''], endSessions: true, erase: true}, word: 'erase'}),
    element('h3', {}, 'The integrity of all rows'), note(
      'Looks at every row of the app. With repair, it repairs what does not fit together.'),
    running(page, 'Check', 'MaintenanceService/CheckIntegrity', {}, null, integrity()), ' ',
    running(page, 'Check and repair…', 'MaintenanceService/CheckIntegrity', {repair: true},
      'Check and repair? Errors are repaired at once, and users whose lists change are notified.',
      integrity()));
}

/**
 * Shows the findings of a check as they come.
 *
 * @returns {(message: Relation.CheckIntegrityResponse) => Child}
 */
function integrity() {
  /** @type {Relation.IntegrityFinding[]} */
  const findings = [];
  let count = 0;
  return ({finding, progress}) => {
    if (finding) {
      count += 1;
      if (findings.length < MOST_FINDINGS) findings.push(finding);
    }
    const seen = progress && `${number(progress.users)} users, ${
      number(progress.findings)} errors, ${number(progress.repaired)} repaired`;
    return [seen && element('p', {}, seen), findings.length > 0 && table('Findings',
      ['Fault', 'User', 'Rows', 'Repaired'], findings.map(each => [
        shortName('IntegrityFault', each.fault), each.userId ? userLink(each.userId) : '–',
        each.subject ?? '', each.repaired ? 'yes' : 'no'])),
    count > findings.length && note(
      `${number(count - findings.length)} further findings are left out.`)];
  };
}

/**
 * A button for a call that reports its progress, with a way to stop it.
 *
 * @template {keyof Relation.Calls} Name
 * @param {AppPage} page
 * @param {string} text
 * @param {Name} path
 * @param {RequestOf<Name>} request
 * @param {string | null} question
 * @param {(message: AnswerOf<Name>) => Child} drawn
 * @param {() => void} done
 */
function running(page, text, path, request, question, drawn, done = () => {}) {
  const status = element('div', {role: 'status'});
  const begin = press({}, text);
  const stop = press({hidden: true}, 'Stop');
  on(begin, 'click', async () => {
    if (question && !await ask(page.place, text.replace('…', ''), question, page.signal)) return;
    const own = new AbortController();
    stop.onclick = () => own.abort();
    begin.disabled = true;
    stop.hidden = false;
    replace(status, 'running');
    try {
      const both = Signals.any([own.signal, page.signal]);
      for await (const message of stream(path, request, both, page.app)) {
        replace(status, drawn(message));
      }
      notify(`${text.replace('…', '')}: done.`);
      done();
    } catch (/** @type {any} */ error) {
      status.append(element('p', {class: 'bad'}, error.name === 'AbortError'
        ? 'stopped' : errorText(error)));
      notifyError(error);
    }
    begin.disabled = false;
    stop.hidden = true;
  });
  return element('div', {class: 'running'}, begin, ' ', stop, status);
}

/**
 * Backups and the keys of operators are of the server, and of no app.
 *
 * @type {AppPart}
 */
async function server(page, place) {
  const {store = {}} = await page.calls('MaintenanceService/GetStats', {});
  const backups = () => listed(page, {
    title: 'Backups', path: 'BackupService/ListBackups', field: 'backups',
    empty: 'There is no backup.', columns: ['Name', 'Made', 'Size', 'Files', 'Format', 'Version'],
    row: each => [each.name, when(each.createTimeMs), bytes(Number(each.sizeBytes ?? 0)),
      number(each.fileCount), each.format, each.serverVersion],
  });
  const list = element('div');
  const again = async () => replace(list, await backups());
  replace(place, counts('The store', {
    Engine: ENGINES[store.engine ?? ''] ?? store.engine, 'Rows, about': store.rows,
    'Open exports': store.openExports,
    // A database has neither.
    'On disk': store.diskBytes && bytes(Number(store.diskBytes)),
    'In memory': store.memoryBytes && bytes(Number(store.memoryBytes)),
  }), list, running(page, 'Make a backup…', 'BackupService/CreateBackup', {},
    'Make a backup now? The oldest ones beyond the server’s bound are removed.',
    ({progress = {}, backup}) => backup ? `made ${backup.name}` : [
      element('progress', {
        'aria-label': 'how far the backup is', max: Number(progress.bytesTotal ?? 0) || undefined,
        value: progress.bytesTotal ? Number(progress.bytesDone ?? 0) : undefined,
      }), ` ${bytes(Number(progress.bytesDone ?? 0))} of ${
        bytes(Number(progress.bytesTotal ?? 0))}`], again),
  await listed(page, {
    title: 'Operators’ keys', path: 'AppService/ListOperatorKeys', field: 'operatorKeys',
    empty: 'There is no key of an operator.',
    columns: ['Id', 'Name', 'Made', 'Last used', 'Ends', ''],
    row: each => [each.credentialId, each.name, aged(each.createTimeMs),
      aged(each.lastUseTimeMs), when(each.expireTimeMs),
      ending(page, 'AppService/RevokeOperatorKey', each)],
    add: button(page, 'Make an operator’s key…', 'AppService/CreateOperatorKey', {app: undefined}),
  }));
  await again();
}
