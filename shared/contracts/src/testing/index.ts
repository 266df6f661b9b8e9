export { aHandover } from './a-handover.js';
export * from './growth.js';
