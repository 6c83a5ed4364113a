// @ts-check
// How the app's back ends hear of changes: webhooks, and consumers that pull.

import {userLink} from '../shared/shell.js';
import {shortName} from '../shared/contract.js';
import {element, number, replace} from '../shared/dom.js';
import {button, listed, when} from './rows.js';

/** For how long the secret before signs too, unless the dialog says otherwise. */
const OLD_SECRET_MS = 86_400_000;
/** The fields that the button does not show, because it sets one of them. */
const PAUSES = ['hook_id', 'name', 'url', 'kinds', 'form', 'batch_size', 'users_only', 'paused'];

/**
 * The webhooks of the app, with their last failures.
 *
 * @param {AppPage} page
 * @param {Element} place
 */
export async function hooks(page, place) {
  /** @type {Relation.Hook[]} */
  const all = [];
  const list = await listed(page, {
    title: 'Webhooks', path: 'HookService/ListHooks', field: 'hooks',
    empty: 'The app has no webhook.',
    columns: ['id', 'name', 'URL', 'state', 'behind', 'confirmed', 'fails since', ''],
    row: each => {
      all.push(each);
      return [each.hookId, each.name || '–', each.url,
        shortName('HookState', each.state).toLowerCase(), number(each.behind ?? '0'),
        when(each.deliveryTimeMs), when(each.failingSinceMs), acts(page, each)];
    },
    add: button(page, 'Make a webhook…', 'HookService/CreateHook'),
  });
  replace(place, list, await Promise.all(all.map(({hookId}) => listed(page, {
    title: `Failed requests of ${hookId}`, path: 'HookService/ListHookFailures',
    field: 'failures', request: {hookId}, empty: 'No request has failed.',
    columns: ['when', 'user', 'events', 'attempt', 'status', 'cause'],
    row: each => [when(each.timeMs), each.userId ? userLink(each.userId) : '–',
      `${number(each.events ?? 0)} from ${each.eventId}`, number(each.attempt ?? 0),
      each.status ?? '–', `${each.cause}${each.givenUp ? ', given up' : ''}`],
  }))));
}

/**
 * The buttons of one webhook.
 *
 * @param {AppPage} page
 * @param {Relation.Hook} hook
 */
function acts(page, {hookId, state}) {
  const isActive = state === 'HOOK_STATE_ACTIVE';
  const hides = ['hook_id'];
  /** @type {[text: string, call: string, more: Options][]} */
  const all = [
    [isActive ? 'Pause' : 'Go on', 'UpdateHook', {request: {paused: isActive}, hides: PAUSES,
      say: isActive ? `Webhook ${hookId} gets no events until it goes on.`
        : `Webhook ${hookId} goes on where it was.`}],
    ['Change', 'UpdateHook', {hides}], ['Replay', 'ReplayHook', {hides}],
    ['New secret', 'RotateHookSecret', {hides,
      request: {oldExpireTimeMs: String(Date.now() + OLD_SECRET_MS)}}],
    ['Delete', 'DeleteHook', {hides, word: hookId}],
  ];
  return all.map(([text, name, more]) => [button(page, `${text}…`, `HookService/${name}`,
    {...more, request: {hookId, ...more.request}}, `${text.toLowerCase()} ${hookId}`), ' ']);
}

/**
 * The consumers: places in the app's changes that the server keeps by their names.
 *
 * @param {AppPage} page
 * @param {Element} place
 */
export async function consumers(page, place) {
  replace(place, await listed(page, {
    title: 'Consumers', path: 'ChangeService/ListConsumers', field: 'consumers',
    empty: 'The app has no consumer.',
    columns: ['name', 'waiting', 'position', 'reader', 'acknowledged', 'made', ''],
    row: each => [each.consumer, number(each.waitingEvents ?? '0'),
      each.isTrimmed ? element('span', {class: 'warn'}, 'out of the log')
        : each.resumeToken ? 'in the log' : 'begins with the present state',
      Number(each.expireTimeMs ?? 0) > Date.now() ? ['holds it until ', when(each.expireTimeMs)]
        : 'free', when(each.acknowledgeTimeMs), when(each.createTimeMs),
      element('span', {}, button(page, 'Move…', 'ChangeService/AcquireConsumer', {
        request: {consumer: each.consumer, start: 'CONSUMER_START_NOW', reset: true,
          takeOver: true, leaseMs: '1000'}, hides: ['consumer', 'reset', 'take_over', 'lease_ms'],
        say: `Consumer ${each.consumer} begins elsewhere, and loses its reader.`,
      }, `move ${each.consumer}`), ' ', button(page, 'Delete…', 'ChangeService/DeleteConsumer', {
        request: {consumer: each.consumer}, hides: ['consumer'], word: each.consumer,
      }, `delete ${each.consumer}`))],
    add: button(page, 'Make a consumer…', 'ChangeService/AcquireConsumer', {
      request: {start: 'CONSUMER_START_NOW', leaseMs: '1000'},
      hides: ['reset', 'take_over', 'lease_ms']}),
  }));
}
