import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type Route, type Since } from '../route.js';
import { missingBefore, node, NODE, rowsOf } from './rows.js';

const RAID: Since = {
  minor: 12,
  status: 406,
  message: 'Request not acceptable.',
  afterPolicy: true,
};
const BOOT_MODE: Since = {
  minor: 76,
  status: 404,
  message: 'This endpoint is supported starting with the API version 1.76',
  afterPolicy: true,
};
const INDICATORS = missingBefore(63);

const inventory = rowsOf({ upstream: 'inventory', resource: NODE });
const conductor = rowsOf({ upstream: 'conductor', resource: NODE });

/** The states of a node, and the management of its hardware. */
export const NODE_STATE_ROUTES: readonly Route[] = [
  inventory({
    method: 'GET',
    path: '/v1/nodes/{ident}/states',
    summary: 'Show the states of a node',
    answer: ANSWER.states,
    action: node('get_states'),
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/states/power',
    summary: 'Switch a node on or off, or reboot it',
    answer: ANSWER.acceptedAt,
    action: node('set_power_state'),
    body: BODY.power,
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/states/provision',
    summary: 'Change the provision state of a node: manage, provide, deploy, clean, rescue',
    answer: ANSWER.acceptedAt,
    action: node('set_provision_state'),
    body: BODY.provision,
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/states/raid',
    summary: 'Set the RAID configuration that the next cleaning creates',
    answer: ANSWER.done,
    action: node('set_raid_state'),
    body: BODY.raid,
    since: RAID,
  }),
  conductor({
    method: 'GET',
    path: '/v1/nodes/{ident}/states/console',
    summary: 'Show the console connection of a node',
    answer: ANSWER.console,
    action: node('get_console'),
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/states/console',
    summary: 'Start or stop the console of a node',
    answer: ANSWER.acceptedAt,
    action: node('set_console_state'),
    body: BODY.console,
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/states/boot_mode',
    summary: 'Set the boot mode of a node',
    answer: ANSWER.acceptedAt,
    action: node('set_boot_mode'),
    body: BODY.bootMode,
    since: BOOT_MODE,
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/states/secure_boot',
    summary: 'Switch secure boot of a node on or off',
    answer: ANSWER.acceptedAt,
    action: node('set_secure_boot'),
    body: BODY.secureBoot,
    since: BOOT_MODE,
  }),

  conductor({
    method: 'GET',
    path: '/v1/nodes/{ident}/management/boot_device',
    summary: 'Show the boot device of a node',
    answer: ANSWER.bootDevice,
    action: node('get_boot_device'),
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/management/boot_device',
    summary: 'Set the boot device of a node',
    answer: ANSWER.done,
    action: node('set_boot_device'),
    body: BODY.bootDevice,
  }),
  conductor({
    method: 'GET',
    path: '/v1/nodes/{ident}/management/boot_device/supported',
    summary: 'List the supported boot devices of a node',
    answer: ANSWER.bootDevices,
    action: node('get_boot_device'),
  }),
  conductor({
    method: 'GET',
    path: '/v1/nodes/{ident}/management/indicators',
    summary: 'List the indicators of a node',
    answer: ANSWER.indicators,
    action: node('get_indicator_state'),
    since: INDICATORS,
  }),
  conductor({
    method: 'GET',
    path: '/v1/nodes/{ident}/management/indicators/{indicator}',
    summary: 'Show the state of an indicator, or the indicators of a component',
    answer: ANSWER.indicator,
    action: node('get_indicator_state'),
    since: INDICATORS,
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/management/indicators/{indicator}',
    summary: 'Set the state of an indicator',
    answer: ANSWER.done,
    action: node('set_indicator_state'),
    body: BODY.indicator,
    since: INDICATORS,
  }),
  conductor({
    method: 'GET',
    path: '/v1/nodes/{ident}/management/indicators/{indicator}/{lamp}',
    summary: 'Show the state of an indicator of a component',
    answer: ANSWER.indicator,
    action: node('get_indicator_state'),
    since: INDICATORS,
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/management/indicators/{indicator}/{lamp}',
    summary: 'Set the state of an indicator of a component',
    answer: ANSWER.done,
    action: node('set_indicator_state'),
    body: BODY.indicator,
    since: INDICATORS,
  }),
  conductor({
    method: 'PUT',
    path: '/v1/nodes/{ident}/management/inject_nmi',
    summary: 'Send a non-maskable interrupt to a node',
    answer: ANSWER.done,
    action: node('inject_nmi'),
    body: BODY.nothing,
    since: missingBefore(29),
  }),
];
