// @ts-check
// How the app's back ends hear of changes: webhooks, and consumers that pull.

import {userLink} from '../shared/shell.js';
import {lower, messageOf} from '../shared/contract.js';
import {element, note, number, replace, when} from '../shared/dom.js';
import {lasting} from '../shared/labels.js';
import {button, listed} from './rows.js';

/** For how long the secret before signs too, unless the dialog says otherwise. */
const OLD_SECRET_MS = 86_400_000;

/**
 * The webhooks of the app, with their last failures.
 *
 * @type {AppPart}
 */
export async function hooks(page, place) {
  /** @type {Relation.Hook[]} */
  const all = [];
  const list = await listed(page, {
    title: 'Webhooks', path: 'HookService/ListHooks', field: 'hooks',
    empty: 'The app has no webhook.',
    columns: ['Id', 'Name', 'URL', 'State', 'Form', 'Asked before', 'Behind', 'Confirmed',
      'Fails since', 'Tested', ''],
    row: each => {
      all.push(each);
      return [each.hookId, each.name || '–', each.url,
        lower('HookState', each.state), lower('HookForm', each.form), asked(each),
        number(each.behind), when(each.deliveryTimeMs), when(each.failingSinceMs),
        when(each.testTimeMs), acts(page, each)];
    },
    add: button(page, 'Make a webhook…', 'HookService/CreateHook'),
  });
  replace(place, list, await Promise.all(all.map(({hookId = ''}) => listed(page, {
    title: `Failed requests of ${hookId}`, path: 'HookService/ListHookFailures',
    field: 'failures', request: {hookId}, empty: 'No request has failed.',
    columns: ['When', 'User', 'Events', 'Attempt', 'Status', 'Cause', ''],
    row: each => [when(each.timeMs), each.userId ? userLink(each.userId) : '–',
      `${number(each.events)} from ${each.eventId}`, number(each.attempt),
      each.status ?? '–', `${each.cause}${each.givenUp ? ', given up' : ''}`,
      again(page, hookId, each)],
  }))));
}

/**
 * The calls before which a webhook is asked, how long it has, and the meaning of its silence.
 *
 * @param {Relation.Hook} hook
 * @returns {Child}
 */
function asked({asks = [], askTimeoutMs, silence, asksOnly}) {
  if (!asks.length) return '–';
  return [asks.map(each => lower('HookQuestion', each)).join(', '),
    note(`${lasting(askTimeoutMs ?? 0)}, then ${
      lower('HookSilence', silence)}${asksOnly ? '; gets no events' : ''}`)];
}

/**
 * The buttons of one webhook.
 *
 * @param {AppPage} page
 * @param {Relation.Hook} hook
 */
function acts(page, hook) {
  const {hookId, state} = hook;
  const isActive = state === 'HOOK_STATE_ACTIVE';
  const hides = ['hook_id'];
  // The button itself sets the one field.
  const allHidden = messageOf(page.all, 'UpdateHookRequest').fields.map(({name}) => name);
  /** @type {[text: string, call: string, more: Options][]} */
  const all = [
    [isActive ? 'Pause' : 'Go on', 'UpdateHook', {request: {paused: isActive}, hides: allHidden,
      say: isActive ? `Webhook ${hookId} gets no events until it goes on.`
        : `Webhook ${hookId} goes on where it was.`}],
    ['Change', 'UpdateHook', {hides: [...hides, 'paused'], present: changeable(hook),
      say: 'Only what you change is sent.'}],
    ['Test', 'TestHook', {hides, result: tested}], ['Replay', 'ReplayHook', {hides}],
    ['New secret', 'RotateHookSecret', {hides,
      request: {oldExpireTimeMs: String(Date.now() + OLD_SECRET_MS)}}],
    ['Delete', 'DeleteHook', {hides, word: hookId}],
  ];
  return all.map(([text, name, more]) => [button(page, `${text}…`, `HookService/${name}`,
    {...more, request: {hookId, ...more.request}}, `${text.toLowerCase()} ${hookId}`), ' ']);
}

/**
 * The button that goes back to a failed request.
 *
 * @param {AppPage} page
 * @param {string} hookId
 * @param {Relation.HookFailure} failure
 * @returns {Child}
 */
function again(page, hookId, {number: place, resumeToken}) {
  if (!resumeToken) return '';
  return button(page, 'From here…', 'HookService/ReplayHook',
    {hides: ['hook_id', 'time_ms'], request: {hookId, resumeToken}},
    `go back to failure ${place} of ${hookId}`);
}

/**
 * The fields of a webhook as UpdateHook takes them.
 *
 * @param {Relation.Hook} hook
 * @returns {Relation.UpdateHookRequest}
 */
function changeable(hook) {
  return {
    name: hook.name, url: hook.url, kinds: {values: hook.kinds ?? []}, form: hook.form,
    batchSize: hook.batchSize, usersOnly: hook.usersOnly ?? false,
    asks: {values: hook.asks ?? []}, silence: hook.silence, askTimeoutMs: hook.askTimeoutMs,
    asksOnly: hook.asksOnly ?? false,
  };
}

/**
 * How the receiver took the test event.
 *
 * @param {Relation.TestHookResponse} answer
 */
function tested({replayed, confirmed, status, cause, durationMs}) {
  if (replayed) return 'This test was sent before, and its outcome is not kept.';
  const took = `${number(durationMs)} ms`;
  return element('strong', {class: confirmed ? 'good' : 'bad'}, confirmed
    ? `The receiver confirmed the event${status ? ` with the status ${status}` : ''} in ${took}.`
    : `The receiver did not confirm the event, after ${took}: ${cause}.`);
}

/**
 * The consumers: places in the app's changes that the server keeps by their names.
 *
 * @type {AppPart}
 */
export async function consumers(page, place) {
  replace(place, await listed(page, {
    title: 'Consumers', path: 'ChangeService/ListConsumers', field: 'consumers',
    empty: 'The app has no consumer.',
    columns: ['Name', 'Waiting', 'Position', 'Reader', 'Acknowledged', 'Made', ''],
    row: each => [each.consumer, number(each.waitingEvents),
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
